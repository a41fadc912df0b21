import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from '../../src/core/service.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { toNodeListener } from '../../src/http/node.ts'
import { createMcpHandler, type McpHandlerOptions } from '../../src/surfaces/mcp/handler.ts'

/** A service that listens. */
export interface Listening {
  /** Address of the MCP endpoint. */
  readonly url: string
  /** Breaks every connection. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

/** Puts a service on a free port of this machine. */
export async function listen(service: Service, options: McpHandlerOptions): Promise<Listening> {
  const handler = createMcpHandler(service, options)
  const app = createApp(service, {
    mounts: [{ path: '/agents', match: 'exact', handler }],
    surfaces: allSurfaces(),
  })
  const server = createServer(toNodeListener(app))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents`,
    cut: () => server.closeAllConnections(),
    async close() {
      handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await service.close()
    },
  }
}
