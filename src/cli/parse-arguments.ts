import { type JsonSchema, listLocalInPlace, memberSchema } from '../schema/walk/index.ts'
import {
  isLargeNumber,
  isList,
  isLostNumber,
  isRecord,
  type JsonObject,
  MAY_BE_LARGE,
  quoteNumbers,
} from '../values/index.ts'
import { UsageError } from './command.ts'

/** Tells whether words hold a number that JSON may change, so that the schema decides what it means. */
export function mayLoseDigits(words: readonly string[]): boolean {
  return words.some((word) => MAY_BE_LARGE.test(word))
}

/** Reads arguments as a person types them: one JSON object, or `name=value` words with dots for nesting. */
export function parseArguments(words: readonly string[], schema: JsonSchema = {}): JsonObject {
  const [first, ...rest] = words
  if (first === undefined) return {}
  if (first.trimStart().startsWith('{')) {
    if (rest.length > 0)
      throw new UsageError('nothing may follow a JSON object; quote it as one word')
    return parseObject(first, 'the arguments')
  }
  const root: Record<string, unknown> = {}
  for (const word of words) assign(root, word, schema)
  return root as JsonObject
}

/** Reads a JSON object, naming where it came from when it is none. */
export function parseObject(text: string, origin: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
    refuseLost(text, origin)
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown
    throw new UsageError(`${origin} must be JSON: ${(thrown as Error).message}`)
  }
  if (isRecord(value)) return value as JsonObject
  throw new UsageError(`${origin} must be a JSON object`)
}

function assign(root: Record<string, unknown>, word: string, schema: JsonSchema): void {
  const mark = word.indexOf('=')
  if (mark < 1) {
    const [, file] = /^@?(-|(?<=@).+)$/.exec(word) ?? []
    const hint = file === undefined ? '' : `; a file is read with --args ${file}`
    throw new UsageError(`arguments look like name=value or one JSON object; got "${word}"${hint}`)
  }
  const path = word.slice(0, mark).split('.')
  const last = path.pop() ?? ''
  let place = root
  for (const segment of path) {
    const next = Object.hasOwn(place, segment) ? place[segment] : undefined
    const child = isRecord(next) ? next : {}
    define(place, segment, child)
    place = child
  }
  define(place, last, parseValue(word.slice(mark + 1), [...path, last], schema))
}

/** Defines instead of assigning: a path through `__proto__` must stay an ordinary member. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** A word that is JSON means that value; any other word means itself, and so do digits where the schema takes them. */
function parseValue(text: string, path: readonly string[], schema: JsonSchema): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (!MAY_BE_LARGE.test(text)) return value
  const quoted = quoteNumbers(text, (literal) => isLargeNumber(literal) || isLost(literal))
  return quoted === text ? value : chooseDigits(value, JSON.parse(quoted), path, schema)
}

/** Takes the digits of a number, written as a string, where they are a value; elsewhere the number, if it is the same one. */
function chooseDigits(
  value: unknown,
  quoted: unknown,
  path: readonly string[],
  schema: JsonSchema,
): unknown {
  if (typeof value === 'number' && typeof quoted === 'string') {
    const large = judgeLargeNumber(schema, path)
    if (large === 'digits') return quoted
    if (!isLost(quoted)) return value
    const shown = quoted.slice(0, 40)
    const text = large === 'text' ? `; to send it as a text, write it in quotes: "${shown}"` : ''
    throw new UsageError(
      `${path.join('.')}: ${shown} is beyond ±9007199254740991; a JSON number loses digits there${text}`,
    )
  }
  if (isList(value) && isList(quoted)) {
    return value.map((item, at) => chooseDigits(item, quoted[at], [...path, `${at}`], schema))
  }
  if (!isRecord(value) || !isRecord(quoted)) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    define(copy, name, chooseDigits(member, quoted[name], [...path, name], schema))
  }
  return copy
}

/** Tells whether a number would go out as another one; `9007199254740993.0` is an integer, too. */
function isLost(literal: string): boolean {
  return isLostNumber(literal.replace(/\.0+$/, ''))
}

/** Refuses a number that would go out as another one. */
function refuseLost(text: string, origin: string): void {
  let lost: string | undefined
  if (!MAY_BE_LARGE.test(text)) return
  quoteNumbers(text, (literal) => {
    if (isLost(literal)) lost ??= literal
    return false
  })
  if (lost === undefined) return
  throw new UsageError(
    `${origin}: a JSON number cannot hold ${lost.slice(0, 40)} exactly; write it as a string, "${lost.slice(0, 40)}"`,
  )
}

/** What a place in a schema of arguments makes of a number that loses digits. */
type LargeNumber =
  /** Its digits are a value there: the place takes texts, or digits for a 64-bit integer. */
  | 'digits'
  /** A text is a value there beside others, so it must be said that one is meant. */
  | 'text'
  | 'none'

/** Tells what the place at a path of arguments takes a number for that JSON would change. */
function judgeLargeNumber(schema: JsonSchema, path: readonly string[]): LargeNumber {
  const parts = path.reduce<readonly JsonSchema[]>(
    (above, name) =>
      listLocalInPlace(
        above.map((part) => schemaOf(part, name)),
        schema,
      ),
    listLocalInPlace([schema], schema),
  )
  const typed = parts.filter(({ type, enum: values }) => type !== undefined || values !== undefined)
  if (typed.length === 0) return 'text'
  if (typed.some(isDigits)) return 'digits'
  if (!typed.some((part) => has(part, 'string'))) return 'none'
  return typed.some((part) => has(part, 'number') || has(part, 'integer')) ? 'text' : 'digits'
}

function isDigits(part: JsonSchema): boolean {
  const isLong = part['format'] === 'int64' || part['format'] === 'uint64'
  return isLong && has(part, 'string')
}

function has({ type }: JsonSchema, name: string): boolean {
  return [type].flat().includes(name)
}

function schemaOf(part: JsonSchema, name: string): unknown {
  const { properties, items } = part
  const isNamed = isRecord(properties) && Object.hasOwn(properties, name)
  return !isNamed && /^\d+$/.test(name) && items !== undefined ? items : memberSchema(part, name)
}
