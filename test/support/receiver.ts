import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that arrived at a receiver. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Somebody who gets callbacks. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: ReceivedRequest[]
  readonly close: () => Promise<void>
}

/** Starts a receiver on this machine; it answers 204 unless told otherwise. */
export async function startReceiver(
  answer: (response: ServerResponse, request: ReceivedRequest, count: number) => void = (
    response,
  ) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() }
      received.push(request)
      answer(response, request, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
