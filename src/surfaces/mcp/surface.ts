import type { Mount, Surface } from '../surface/index.ts'
import {
  type Authorization,
  createProtectedResourceHandler,
  metadataPaths,
} from './authorization.ts'
import { createMcpHandler, type McpHandlerOptions, refuseMcp } from './handler.ts'

/** Serves MCP, streamable HTTP, at `/mcp`. */
export function mcp(options: McpHandlerOptions = {}): Surface {
  return {
    name: 'mcp',
    negotiation: 'ask',
    mount(service, { bind: _bind, ...place }) {
      // A handler that can be mounted alone has a guard of its own; here it is that of the app.
      const handler = createMcpHandler(service, { ...place, ...options })
      return {
        mounts: [
          { path: '/mcp', match: 'exact', handler, refuse: refuseMcp },
          ...metadataMounts(options.authorization),
        ],
        close: handler.close,
      }
    },
  }
}

function metadataMounts(authorization: Authorization | undefined): readonly Mount[] {
  if (authorization === undefined) return []
  const handler = createProtectedResourceHandler(authorization)
  return metadataPaths(authorization).map((path) => ({ path, match: 'exact', handler }))
}
