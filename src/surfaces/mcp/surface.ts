import type { Mount, Surface } from '../surface/index.ts'
import {
  type Authorization,
  createProtectedResourceHandler,
  metadataPaths,
} from './authorization.ts'
import {
  createMcpHandler,
  createMountedHandler,
  type McpHandlerOptions,
  refuseMcp,
} from './handler.ts'

/** Serves MCP, streamable HTTP, at `/mcp`. */
export function mcp(options: McpHandlerOptions = {}): Surface {
  return {
    name: 'mcp',
    endpoint: '/mcp',
    negotiation: 'ask',
    mount(service, { bind: _bind, ...place }) {
      const whole = { ...place, ...options }
      // Who names hosts or origins for this surface alone has them judged again.
      const handler =
        options.allowedHosts || options.allowedOrigins || options.publicUrl !== undefined
          ? createMcpHandler(service, whole)
          : createMountedHandler(service, whole)
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
