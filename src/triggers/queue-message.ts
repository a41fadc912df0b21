import type { Json } from '../core/json.ts'
import { parsePayload } from '../wire/json.ts'

/** Longest message that is taken, in bytes, unless `max_bytes` says otherwise. */
export const MAX_MESSAGE_BYTES: number = 1024 * 1024

const MAX_DEPTH = 64

/** Says why a message is not taken. */
export function toRefusal(bytes: number, limit: number): string {
  return `The message has ${bytes} bytes; max_bytes allows ${limit}`
}

/** Reads the body of a message: JSON where it is JSON, text otherwise; bytes that are no text become base64. */
export function decodeMessage(body: Uint8Array | string): Json {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  try {
    return parsePayload(bytes, MAX_DEPTH) as Json
  } catch {
    return decodeText(bytes)
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('base64')
  }
}
