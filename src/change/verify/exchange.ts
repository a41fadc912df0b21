import { asList, asRecord, isList, isRecord, toShort, tryJson } from '../../values/index.ts'
import { type Door, FORRST } from './door.ts'

/** What stands in a sentence only because of when it was said: moments and ids made at random. */
const MOMENTARY =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\b[0-9A-HJKMNP-TV-Z]{26}\b/gi
/** Which name is nearest follows from the names there are, and those may become more. */
const SUGGESTION = /[;.]? ?did you mean [^?]*\?$/i
/** A list of what there is. */
const LIST = /^(.*?\b(?:one of|known:)) (.+)$/s
/** Says that a list goes on. */
const REST = /^\d+ more$/

/**
 * Tells whether a sentence still says what it said. Its words stay; moments and random ids only have to be there,
 * lists of what there is may grow, and a suggestion may come, go or change with them.
 */
export function saysTheSame(before: string, now: string): boolean {
  const [old, today] = [before, now].map(read)
  return (
    old !== undefined &&
    today !== undefined &&
    old.words === today.words &&
    old.listed.every((name) => today.listed.includes(name))
  )
}

function read(sentence: string): { readonly words: string; readonly listed: readonly string[] } {
  const plain = sentence.replace(SUGGESTION, '').replace(MOMENTARY, '…')
  const [, words = plain, list = ''] = LIST.exec(plain) ?? []
  const listed = list.split(/, (?:or )?| or /).filter((name) => name !== '' && !REST.test(name))
  return { words, listed }
}

/** A request and its answer, as they went over the wire. */
export interface Exchange {
  readonly request: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
  }
  readonly response: { readonly status: number; readonly body: unknown }
  /** The function that was called; the path where none was. */
  readonly function: string
  /** Codes of the errors in the answer. */
  readonly codes: readonly string[]
}

/** Lets everything that passes a door be seen. */
export function createRecorder(door: Door, onExchange: (exchange: Exchange) => void): Door {
  return async (request) => {
    const { method, path } = request
    const response = await door(request)
    const body = readRequest(request.body ?? '')
    const answer = parse(response.body)
    onExchange({
      request: { method, path, headers: request.headers ?? {}, body },
      response: { status: response.status, body: answer },
      function: toFunctionName(body) ?? path,
      codes: listCodes(answer),
    })
    return response
  }
}

/** Sends a recorded request again and says where the answer differs; undefined when it does not. */
export async function replayExchange(
  door: Door,
  { request, response }: Pick<Exchange, 'request' | 'response'>,
): Promise<string | undefined> {
  const { body, ...rest } = request
  const now = await door({
    ...rest,
    ...(request.method === 'POST' && { body: JSON.stringify(body) }),
  })
  if (now.status !== response.status) return `HTTP ${response.status} became ${now.status}`
  return findDifference(response.body, parse(now.body), '')
}

/** Tells whether an exchange can be sent again: what tries limits, streams or asks for an operation of then cannot. */
export function isWorthKeeping({ request, response, function: name }: Exchange): boolean {
  if (request.path !== FORRST) return true
  return isRecord(request.body) && isRecord(response.body) && !name.startsWith(OPERATIONS)
}

const OPERATIONS = 'urn:cline:forrst:ext:async:fn:'

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/
const RANDOM = /[0-9a-f]{16,}|[0-9a-f]{8}-[0-9a-f]{4}-|[0-9A-HJKMNP-TV-Z]{26}/i
/** Sentences for people; people read them, search for them and quote them. */
const SENTENCE = /\/(errors|validation_errors)\/\d+\/message$/
/** Members that tell how long something took, or how much of it there was at the time. */
const MEASURED =
  /(duration|elapsed|latency|uptime|remaining|resets_in|retry_after|used|took|_ms|Ms|utilization|max_age)$/

/**
 * Finds where today's answer takes something away from an older one, or changes it. Moments, ids and durations only
 * have to be of the same kind, sentences have to say the same, and new members may come: callers of the old answer do
 * not see them.
 */
export function findDifference(before: unknown, now: unknown, path: string): string | undefined {
  if (Array.isArray(before)) return compareLists(before, now, path)
  if (isRecord(before)) return compareObjects(before, now, path)
  if (before === now) return undefined
  if (typeof before === typeof now && isVolatile(before, now, path)) return undefined
  return `${path || '/'}: ${JSON.stringify(before)} became ${JSON.stringify(now)}`
}

function isVolatile(before: unknown, now: unknown, path: string): boolean {
  if (typeof before === 'number') return path.split('/').some((segment) => MEASURED.test(segment))
  if (typeof before !== 'string' || typeof now !== 'string') return false
  if (SENTENCE.test(path)) return saysTheSame(before, now)
  return [MOMENT, RANDOM].some((kind) => kind.test(before) && kind.test(now))
}

function compareObjects(
  before: Record<string, unknown>,
  now: unknown,
  path: string,
): string | undefined {
  if (!isRecord(now)) return `${path || '/'}: an object became ${JSON.stringify(now)}`
  for (const [key, value] of Object.entries(before)) {
    if (!Object.hasOwn(now, key)) return `${path}/${key} is gone`
    const difference = findDifference(value, now[key], `${path}/${key}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

function compareLists(before: readonly unknown[], now: unknown, path: string): string | undefined {
  if (!isList(now)) return `${path || '/'}: a list became ${JSON.stringify(now)}`
  const grows = before.every((item) => typeof item === 'string' || keyOf(item) !== undefined)
  if (!grows && now.length !== before.length) {
    return `${path || '/'}: ${before.length} items became ${now.length}`
  }
  for (const [index, item] of before.entries()) {
    const key = keyOf(item)
    const other = key === undefined ? now[index] : now.find((one) => keyOf(one) === key)
    if (typeof item === 'string' && now.includes(item)) continue
    const difference = findDifference(item, other, `${path}/${key ?? index}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** What an item of a list that may grow is called. */
function keyOf(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined
  const key = item['urn'] ?? item['name']
  const version = item['version']
  if (typeof key !== 'string') return undefined
  return typeof version === 'string' ? `${key}@${version}` : key
}

function toFunctionName(body: unknown): string | undefined {
  const { function: name } = asRecord(asRecord(body)['call'])
  return typeof name === 'string' ? name : undefined
}

function listCodes(answer: unknown): readonly string[] {
  const codes = asList(asRecord(answer)['errors']).map((error) => asRecord(error)['code'])
  return codes.filter((code) => typeof code === 'string')
}

const LONGEST_REQUEST = 20_000

/** What tries limits is too long or too deep to be looked at again. */
function readRequest(text: string): unknown {
  return text.length > LONGEST_REQUEST ? `${text.slice(0, 100)}…` : parse(text)
}

function parse(text: string): unknown {
  return tryJson(text, toShort(text, 10_000))
}
