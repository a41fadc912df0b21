import { parseExactJson } from '../core/exact-json.ts'
import { toBase64 } from './base64.ts'

/** An answer, read. */
export interface Answer {
  readonly value: unknown
  /** The answer was longer than the limit; `value` says so and holds its beginning. */
  readonly truncated: boolean
}

/** Reads an answer up to a limit: JSON, text, bytes as base64, or null when it is empty. */
export async function readAnswer(response: Response, maxBytes: number): Promise<Answer> {
  const { bytes, truncated } = await readBytes(response, maxBytes)
  if (bytes.length === 0) return { value: null, truncated }
  const type = (response.headers.get('content-type') ?? '').toLowerCase()
  const mime = (type.split(';')[0] ?? '').trim()
  if (mime !== '' && !isText(mime)) {
    const value = { mime, bytes: bytes.length, base64: toBase64(bytes) }
    return { value: truncated ? { ...value, truncated } : value, truncated }
  }
  const text = decodeText(bytes, type)
  if (truncated) return { value: { truncated, limit_bytes: maxBytes, text }, truncated }
  return { value: isPlain(mime) ? text : parseOr(text), truncated }
}

/** Reads the beginning of an answer as text, for an error message. */
export async function readExcerpt(response: Response, maxBytes: number): Promise<string> {
  const { bytes } = await readBytes(response, maxBytes)
  return decodeText(bytes, response.headers.get('content-type') ?? '')
}

async function readBytes(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  while (reader !== undefined && length <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  if (length > maxBytes) await reader?.cancel()
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return { bytes: bytes.subarray(0, maxBytes), truncated: length > maxBytes }
}

function isText(mime: string): boolean {
  return (
    isPlain(mime) ||
    /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$/.test(mime)
  )
}

function isPlain(mime: string): boolean {
  return (
    mime !== '' && !/[/+]json$/.test(mime) && /^text\/|xml|yaml|javascript|form|ndjson/.test(mime)
  )
}

function decodeText(bytes: Uint8Array, type: string): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

// An answer that calls itself JSON and is not is still worth reading.
function parseOr(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}
