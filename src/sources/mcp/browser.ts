import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where a browser comes back to, and what takes the user there and waits. */
export interface BrowserFlow {
  readonly redirectUrl: string
  readonly ask: (url: URL) => Promise<URL>
}

const LONGEST_WAIT_MS = 600_000

/** Shows the user a link and waits, on an address of this machine, until the browser comes back. */
export async function askInBrowser(
  wanted: string | undefined,
  show: (url: URL) => void,
): Promise<BrowserFlow> {
  const redirect = new URL(wanted ?? `http://127.0.0.1:${await findPort()}/callback`)
  return {
    redirectUrl: redirect.href,
    async ask(url) {
      const server = createServer()
      server.listen(Number(redirect.port || 80), redirect.hostname)
      await once(server, 'listening')
      // A user who never comes back must not keep the process alive.
      server.unref()
      const timer = setTimeout(
        () => server.emit('error', new Error('nobody came back')),
        LONGEST_WAIT_MS,
      )
      timer.unref()
      show(url)
      try {
        return await new Promise<URL>((resolve, reject) => {
          server.once('error', reject)
          server.on('request', (request, response) => {
            const back = new URL(request.url ?? '/', redirect)
            const expected = back.pathname === redirect.pathname
            response.writeHead(expected ? 200 : 404, {
              'content-type': 'text/plain',
              connection: 'close',
            })
            response.end(expected ? 'Done. You can close this page.' : 'Not found')
            if (expected) resolve(back)
          })
        })
      } finally {
        clearTimeout(timer)
        server.close()
      }
    },
  }
}

/** Finds a free port: the address is registered before anybody listens there. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
