import { clientError } from './errors.ts'

/** How many bytes of an answer are read when nobody says otherwise. */
export const DEFAULT_MAX_RESPONSE_BYTES = 10_485_760

/** Reads chunks of UTF-8 to their end, or fails as soon as they exceed the limit. */
export async function collectText(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const encoder = new TextEncoder()
  const parts: string[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    size += bytes.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    parts.push(decode(decoder, bytes))
  }
  parts.push(decode(decoder))
  return parts.join('')
}

/** Makes the error for an answer above the limit. */
export function tooLarge(maxBytes: number): Error {
  return clientError('CLIENT_RESPONSE_TOO_LARGE', {
    message: `The answer is larger than ${maxBytes} bytes; raise maxResponseBytes or ask for less`,
    details: { max_response_bytes: maxBytes },
  })
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch (cause) {
    throw clientError('CLIENT_INVALID_RESPONSE', {
      message: 'The answer is not valid UTF-8',
      cause,
    })
  }
}
