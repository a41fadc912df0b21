import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/** A request as it arrived. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly bytes: Buffer
}

/** What the server answers with. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes as they are, anything else as JSON. */
  readonly body?: unknown
  /** Never answers, so that the caller has to give up. */
  readonly silent?: boolean
  /** Breaks the connection. */
  readonly broken?: boolean
}

/** A local server that writes down what it is asked. */
export interface RecordingServer {
  readonly url: string
  readonly requests: RecordedRequest[]
  /** Decides the answers from now on; the requests so far are forgotten. */
  readonly answer: (reply: Reply | ((request: RecordedRequest, index: number) => Reply)) => void
  readonly close: () => Promise<void>
}

/** Starts a recording server on 127.0.0.1. */
export async function startRecordingServer(): Promise<RecordingServer> {
  const requests: RecordedRequest[] = []
  let decide: (request: RecordedRequest, index: number) => Reply = () => ({ body: { ok: true } })
  const server = createServer(async (incoming, response) => {
    const request = await record(incoming)
    requests.push(request)
    write(response, decide(request, requests.length - 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (reply) => {
      requests.length = 0
      decide = typeof reply === 'function' ? reply : () => reply
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Starts a recording server for the tests of a file; before each of them it answers `{ ok: true }` again. */
export function useRecordingServer(): Omit<RecordingServer, 'close'> {
  let server: RecordingServer
  beforeAll(async () => {
    server = await startRecordingServer()
  })
  beforeEach(() => server.answer({ body: { ok: true } }))
  afterAll(() => server.close())
  return {
    get url() {
      return server.url
    },
    get requests() {
      return server.requests
    },
    answer: (reply) => server.answer(reply),
  }
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const url = incoming.url ?? ''
  const [path = '', query = ''] = url.split('?')
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  return {
    method: incoming.method ?? '',
    url,
    path,
    query: new URLSearchParams(query),
    headers,
    body: bytes.toString('utf8'),
    bytes,
  }
}

function write(response: ServerResponse, reply: Reply): void {
  if (reply.silent) return
  if (reply.broken) {
    response.destroy()
    return
  }
  const isRaw = typeof reply.body === 'string' || reply.body instanceof Uint8Array
  const headers = { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...reply.headers }
  response.writeHead(reply.status ?? 200, headers)
  response.end(
    reply.body === undefined ? undefined : isRaw ? reply.body : JSON.stringify(reply.body),
  )
}
