import { collectText } from '../../client/index.ts'
import { CallError } from '../../errors/index.ts'
import type { App } from '../../http/index.ts'
import { type HttpResponse, IN_PROCESS } from '../../wire/index.ts'

/** A request to any surface of a service. */
export interface DoorRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** What came back, read to its end. */
export interface DoorResponse {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
}

/** The way into a service, whether it is in this process or at a URL. */
export type Door = (request: DoorRequest) => Promise<DoorResponse>

/** Bytes after decompression. */
const LONGEST_ANSWER = 50_000_000

/** Creates a door to an app in this process. */
export function toLocalDoor(
  { handle, maxRequestBytes }: App,
  maxBytes: number = LONGEST_ANSWER,
): Door {
  return async ({ method, path, headers = {}, body = '', signal = never() }) => {
    const all = new Map(Object.entries({ host: 'localhost', ...headers }))
    const bytes = Buffer.from(body)
    const bodyTooLarge = bytes.length > maxRequestBytes
    const response = await handle({
      method,
      path,
      query: '',
      header: (name) => all.get(name),
      body: bodyTooLarge ? Buffer.alloc(0) : bytes,
      bodyTooLarge,
      signal: () => signal,
      peerAddress: () => IN_PROCESS,
    })
    return {
      status: response.status,
      header: (name) => [response.headers[name] ?? []].flat()[0],
      body: await readText(toChunks(response.body), maxBytes),
    }
  }
}

/** Creates a door to a URL; `endpoint` is its Forrst endpoint, other paths are asked at the same origin. */
export function toRemoteDoor(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  maxBytes: number = LONGEST_ANSWER,
): Door {
  return async (request) => {
    const url = request.path === FORRST ? endpoint : new URL(request.path, endpoint.origin)
    const response = await fetch(url, {
      method: request.method,
      headers: { ...request.headers, ...headers },
      redirect: 'manual',
      ...(request.method === 'POST' && { body: request.body ?? '' }),
      ...(request.signal && { signal: request.signal }),
    }).catch((cause: unknown) => {
      throw new CallError('UNAVAILABLE', { message: `${url.origin} cannot be reached`, cause })
    })
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: await readText(response.body ?? [], maxBytes),
    }
  }
}

/** Path of the Forrst endpoint, as rules name it. */
export const FORRST = '/forrst'

function never(): AbortSignal {
  return new AbortController().signal
}

type Chunks = Parameters<typeof collectText>[0]

function toChunks(body: HttpResponse['body']): Chunks {
  return typeof body === 'string' || body instanceof Uint8Array ? [body] : body
}

/** Leaving the chunks ends the connection: what is beyond the limit is never received. */
async function readText(chunks: Chunks, maxBytes: number): Promise<string> {
  try {
    return await collectText(chunks, maxBytes)
  } catch (cause) {
    if (!(cause instanceof CallError) || cause.code !== 'CLIENT_RESPONSE_TOO_LARGE') throw cause
    const message = `An answer has more than ${maxBytes} bytes; nobody reads it to its end`
    throw new CallError(cause.code, { message, cause })
  }
}
