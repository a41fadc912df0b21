import type { LlmsLink } from '../../discovery/index.ts'
import { parsePublicUrl } from '../../net/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import type { CatalogLink, Mount, Surface } from '../surface/index.ts'
import { CATALOG_PATH, createCatalog } from './catalog.ts'
import {
  createDiscoveryHandler,
  createLlmsHandler,
  createOpenApiHandler,
  createOpenRpcHandler,
} from './handler.ts'

/**
 * Serves what describes the service: `/discovery.json`, `/openrpc.json`, `/llms.txt`, `/.well-known/api-catalog`, and
 * `/openapi.json` where `rest()` stands beside it.
 */
export function documents(): Surface {
  return {
    name: 'documents',
    mount(service, { publicUrl, surfaces, links }) {
      const origin = publicUrl === undefined ? '' : parsePublicUrl(publicUrl).origin
      const pathOf = (name: string) => surfaces.find((one) => one.name === name)?.endpoint
      const mcp = pathOf('mcp')
      const rest = pathOf('rest')?.replace(/\/$/, '')
      const listLinks = (): readonly LlmsLink[] => {
        const page = links().find(({ type }) => type === 'text/html')?.path
        const all = [
          [
            'OpenAPI',
            rest === undefined ? undefined : '/openapi.json',
            'every function as a REST operation',
          ],
          ['OpenRPC', '/openrpc.json', 'every function as a method'],
          ['MCP', mcp, 'the same functions as tools'],
          ['Explorer', page, 'a page to try them'],
        ] as const
        return all.flatMap(([title, path, text]) =>
          path === undefined ? [] : [{ title, url: `${origin}${path}`, text }],
        )
      }
      return {
        mounts: [
          ...(rest === undefined
            ? []
            : [document('/openapi.json', createOpenApiHandler(service, rest))]),
          document('/openrpc.json', createOpenRpcHandler(service)),
          document('/discovery.json', createDiscoveryHandler(service)),
          document(
            '/llms.txt',
            createLlmsHandler(service, () => ({
              rest: rest ?? false,
              mcp: mcp !== undefined,
              links: listLinks(),
            })),
          ),
          document(CATALOG_PATH, createCatalog({ surfaces, links }, origin)),
        ],
        links: LINKS,
      }
    },
  }
}

const LINKS: readonly CatalogLink[] = [
  { relation: 'service-desc', path: '/discovery.json', type: 'application/json' },
  { relation: 'service-desc', path: '/openrpc.json', type: 'application/json' },
  { relation: 'service-doc', path: '/llms.txt', type: 'text/plain' },
]

function document(path: string, handler: HttpHandler): Mount {
  return { path, match: 'exact', handler }
}
