import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type App, toNodeListener } from 'waymark'

/** A listening server of a test. */
export interface TestServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Listens on any free port of this machine. */
export async function startServer(app: App): Promise<TestServer> {
  const server = createServer(toNodeListener(app))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
