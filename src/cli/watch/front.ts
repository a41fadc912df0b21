import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { BACKLOG } from '../../http/index.ts'
import type { Life, WatchStatus } from './life.ts'

/** The port, whoever answers behind it. */
export interface Front {
  readonly address: AddressInfo
  /** Hands new connections to a process from now on; without one the page of the error is the answer. */
  readonly lead: (life: Life | undefined) => void
  readonly close: () => void
}

/** Holds a port. Connections that come before it is known who answers wait. */
export async function openFront(
  place: { readonly port: number; readonly host: string },
  readStatus: () => WatchStatus,
): Promise<Front> {
  const stand = createHttpServer((request, response) => answer(request, response, readStatus()))
  const waiting: Socket[] = []
  let receive = (socket: Socket): void => void waiting.push(socket)
  // Not a byte is read here: it would be missing there.
  const server = createServer({ pauseOnConnect: true }, (socket) => receive(socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...place, backlog: BACKLOG }, resolve)
  })
  return {
    address: server.address() as AddressInfo,
    lead(life) {
      receive = (socket) => {
        if (life) life.send({ type: 'connection' }, socket)
        else {
          stand.emit('connection', socket)
          socket.resume()
        }
      }
      for (const socket of waiting.splice(0)) receive(socket)
    },
    close() {
      server.close()
      stand.closeAllConnections()
      for (const socket of waiting.splice(0)) socket.destroy()
    },
  }
}

/** Answers while no service runs: what is wrong, and again in a second. */
function answer(
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
  status: WatchStatus,
): void {
  const { remoteAddress = '' } = response.socket ?? {}
  const isNear = /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) && isLocalName(headers.host)
  const error = (isNear && status.error) || 'The service cannot be loaded; its terminal says why'
  const isPage = (headers.accept ?? '').includes('text/html')
  response.shouldKeepAlive = false
  response.writeHead(url.endsWith('/watch') ? 200 : 503, {
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    'retry-after': '1',
    ...(isPage && { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" }),
  })
  response.end(isPage ? toPage(error) : JSON.stringify({ ...status, error }))
}

/** A page on another site could rebind its name to this machine and read the error. */
function isLocalName(host = ''): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)
}

function toPage(error: string): string {
  const text = error.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Not loaded</title><style>body{font:14px/1.5 system-ui,sans-serif;margin:3em;color-scheme:light dark}pre{white-space:pre-wrap;overflow-wrap:anywhere}</style><h1>The service cannot be loaded</h1><pre role="alert">${text}</pre><p>This page looks again every second.</p></html>`
}
