import { isUtf8 } from 'node:buffer'
import { CallError } from '../core/error.ts'
import { isLostNumber, MAY_BE_LARGE, parseExactJson, quoteNumbers } from '../core/exact-json.ts'
import { isRecord } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'
import { findJsonError } from './json-error.ts'
import { findOffence, type Offence } from './json-offence.ts'

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
  assertHarmless(value, maxDepth)
  const lost = MAY_BE_LARGE.test(text) ? findLostNumber(text, value) : undefined
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

function assertHarmless(value: unknown, maxDepth: number): void {
  const offence = findOffence(value, maxDepth)
  if (offence !== undefined) throw refuse(offence)
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
  // What is no UTF-8 was replaced by this sign; whoever really sent the sign is told apart by a slower look.
  if (!text.includes('\ufffd') || isUtf8(buffer)) return text
  throw new CallError('PARSE_ERROR', { message: 'The request body is not valid UTF-8' })
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
