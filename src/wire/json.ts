import { isUtf8 } from 'node:buffer'
import { CallError } from '../core/error.ts'
import { formatPointer } from '../core/pointer.ts'
import { findJsonError } from './json-error.ts'
import { findOffence, type Offence } from './json-offence.ts'

/** Reads JSON from bytes that came from outside; throws PARSE_ERROR with the byte offset of the first mistake. */
export function parseJson(bytes: Uint8Array, maxDepth: number): unknown {
  const text = decodeText(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw parseError(text, cause)
  }
  const offence = findOffence(value, maxDepth)
  if (offence !== undefined) throw refuse(offence)
  return value
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
