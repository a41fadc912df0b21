import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type ClientOptions, createClient } from '../../src/entries/client.ts'

/** How a server answers one request. */
export type Respond = (
  request: { id: string; incoming: IncomingMessage },
  response: ServerResponse,
) => void

/** Starts a server that answers as told, and creates a client of it; both end with the test. */
export async function connect(respond: Respond, options: Partial<ClientOptions> = {}) {
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.on('data', (chunk) => {
      text += chunk
    })
    incoming.on('end', () => respond({ id: JSON.parse(text).id, incoming }, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/forrst`
  const client = createClient({ url, retry: false, ...options } as ClientOptions)
  return { url, close, call: () => client.call('orders.get', { id: 'o_1' }) }
}

/** Answers a JSON document made for the id of the request. */
export function answering(build: (id: string) => unknown, status = 200): Respond {
  return ({ id }, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(build(id)))
  }
}

/** The protocol that good answers name. */
export const protocol = { name: 'forrst', version: '0.1.0' }
