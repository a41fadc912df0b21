import { CallError } from '../errors/index.ts'
import {
  formatPointer,
  isLostNumber,
  isRecord,
  parseExactJson,
  quoteNumbers,
} from '../values/index.ts'

/** Where a text stops being JSON, and what was expected there. */
export interface JsonError {
  readonly offset: number
  readonly expected: string
}

/** Where reading goes on, or the mistake that ends it. */
type Step = { readonly offset: number; readonly expected?: undefined } | JsonError

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside strings
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Finds the first mistake in a text that JSON.parse refused. JSON.parse itself names the place in some messages only,
 * and differently on every engine. Iterative: hostile nesting must not overflow the stack.
 */
export function findJsonError(text: string): JsonError {
  const open: string[] = []
  let offset = 0
  const skip = () => {
    offset = matchEnd(SPACE, text, offset) ?? offset
  }
  const mistake = (expected: string): JsonError => ({ offset, expected })

  for (;;) {
    skip()
    const first = text[offset]
    if (first === '{' || first === '[') {
      offset += 1
      skip()
      const close = first === '{' ? '}' : ']'
      if (text[offset] !== close) {
        open.push(close)
        const key: Step = first === '{' ? readKey(text, offset) : { offset }
        offset = key.offset
        if (key.expected !== undefined) return mistake(key.expected)
        continue
      }
      offset += 1
    } else {
      const end = matchEnd(first === '"' ? STRING : WORD, text, offset)
      if (end === undefined) return mistake(describeValue(text, offset))
      offset = end
    }
    const after = closeContainers(text, offset, open)
    offset = after.offset
    if (after.expected !== undefined) return mistake(after.expected)
  }
}

/** After a value: leaves finished containers, and stands before the next value or key. */
function closeContainers(text: string, start: number, open: string[]): Step {
  let offset = matchEnd(SPACE, text, start) ?? start
  for (;;) {
    const close = open.at(-1)
    if (close === undefined) return { offset, expected: 'nothing more after the value' }
    if (text[offset] === ',') {
      offset = matchEnd(SPACE, text, offset + 1) ?? offset + 1
      return close === '}' ? readKey(text, offset) : { offset }
    }
    if (text[offset] !== close) return { offset, expected: `"," or "${close}"` }
    open.pop()
    offset = matchEnd(SPACE, text, offset + 1) ?? offset + 1
  }
}

function readKey(text: string, start: number): Step {
  const end = text[start] === '"' ? matchEnd(STRING, text, start) : undefined
  if (end === undefined) return { offset: start, expected: 'a member name in double quotes' }
  const colon = matchEnd(SPACE, text, end) ?? end
  return text[colon] === ':' ? { offset: colon + 1 } : { offset: colon, expected: '":"' }
}

function describeValue(text: string, offset: number): string {
  if (offset >= text.length) return 'more: the text ends too early'
  return text[offset] === '"' ? 'a string without raw control characters or bad escapes' : 'a value'
}

function matchEnd(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** What makes a parsed value dangerous to walk or to copy, and the path that leads there, innermost first. */
interface Offence {
  readonly reason: string
  readonly path: string[]
}

// `__proto__` as a key becomes somebody's prototype as soon as an innocent handler copies the object by assignment.
const POISON = '__proto__'

/** What a walk saw by the way. */
interface Seen {
  /** A number beyond ±(2^53−1): only such a one can have lost digits. */
  large: boolean
}

/** Finds what makes a value dangerous, by walking at most `depthLeft` levels; undefined when nothing does. */
function findOffence(value: unknown, depthLeft: number, seen: Seen): Offence | undefined {
  if (isBranch(value)) return findInBranch(value, depthLeft, seen)
  if (typeof value === 'number' && isLarge(value)) seen.large = true
  return undefined
}

/** Only called for what can hold more: most members are leaves, and a call for each would cost more than the look. */
function findInBranch(branch: Branch, depthLeft: number, seen: Seen): Offence | undefined {
  if (depthLeft === 0) return { reason: 'nests too deeply', path: [] }
  if (Array.isArray(branch)) {
    for (let index = 0; index < branch.length; index += 1) {
      const item: unknown = branch[index]
      if (isBranch(item)) {
        const offence = findInBranch(item, depthLeft - 1, seen)
        if (offence) return within(offence, String(index))
      } else if (typeof item === 'number' && isLarge(item)) seen.large = true
    }
    return undefined
  }
  for (const key in branch) {
    if (key === POISON) return { reason: 'has a member named "__proto__"', path: [key] }
    const member = branch[key]
    if (isBranch(member)) {
      const offence = findInBranch(member, depthLeft - 1, seen)
      if (offence) return within(offence, key)
    } else if (typeof member === 'number' && isLarge(member)) seen.large = true
  }
  return undefined
}

function isLarge(value: number): boolean {
  return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER
}

type Branch = unknown[] | Record<string, unknown>

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

function within(offence: Offence, key: string): Offence {
  offence.path.push(key)
  return offence
}

/**
 * Reads JSON from bytes that came from outside; throws PARSE_ERROR with the byte offset of the first mistake, and refuses
 * a number that would become another one. A surface that can answer such a number better takes the refusal in `onLost`.
 */
export function parseJson(
  bytes: Uint8Array,
  maxDepth: number,
  onLost: (refusal: CallError, value: unknown) => void = fail,
): unknown {
  const text = decodeText(bytes)
  const value = parseText(text, JSON.parse)
  // The walk sees the numbers anyway; looking for long digits in the text would take longer than all of it.
  const lost = assertHarmless(value, maxDepth).large ? findLostNumber(text, value) : undefined
  if (lost !== undefined) onLost(lost, value)
  return value
}

/** Reads JSON whose sender cannot be asked to write it otherwise, such as a webhook: large integers become digits. */
export function parsePayload(bytes: Uint8Array, maxDepth: number): unknown {
  const value = parseText(decodeText(bytes), parseExactJson)
  assertHarmless(value, maxDepth)
  return value
}

function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw parseError(text, cause)
  }
}

function assertHarmless(value: unknown, maxDepth: number): Seen {
  const seen: Seen = { large: false }
  const offence = findOffence(value, maxDepth, seen)
  if (offence !== undefined) throw refuse(offence)
  return seen
}

function fail(refusal: CallError): never {
  throw refusal
}

function findLostNumber(text: string, value: unknown): CallError | undefined {
  const quoted = quoteNumbers(text, isLostNumber)
  const place = quoted === text ? undefined : findQuoted(value, JSON.parse(quoted), [])
  if (place === undefined) return undefined
  const shown = place.literal.length > 40 ? `${place.literal.slice(0, 40)}…` : place.literal
  return new CallError('INVALID_REQUEST', {
    message: `${place.path.join('.') || 'The body'}: a JSON number cannot hold ${shown} exactly (integers end at ±9007199254740991); send it as a string of digits where the schema allows one, as for format int64`,
    source: { pointer: formatPointer(place.path) },
  })
}

/** Finds where one reading of a text has a number and the other one its digits. */
function findQuoted(
  value: unknown,
  quoted: unknown,
  path: readonly string[],
): { readonly path: readonly string[]; readonly literal: string } | undefined {
  if (typeof value === 'number') {
    return typeof quoted === 'string' ? { path, literal: quoted } : undefined
  }
  if (!Array.isArray(value) && !isRecord(value)) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = findQuoted(member, (quoted as Record<string, unknown>)[key], [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

function decodeText(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  // Invalid UTF-8 was replaced by this character; a slower check tells it apart from one that was really sent.
  if (!text.includes('\ufffd') || isUtf8(buffer)) return text
  throw new CallError('PARSE_ERROR', { message: 'The request body is not valid UTF-8' })
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function parseError(text: string, cause: unknown): CallError {
  const { offset, expected } = findJsonError(text)
  const position = Buffer.byteLength(text.slice(0, offset))
  const message =
    text.trim() === ''
      ? 'The request body is empty'
      : `Invalid JSON at byte ${position}: ${expected}`
  return new CallError('PARSE_ERROR', { message, source: { position }, cause })
}

function refuse({ reason, path }: Offence): CallError {
  return new CallError('INVALID_REQUEST', {
    message: `The request ${reason}`,
    source: { pointer: formatPointer(path.toReversed()) },
  })
}
