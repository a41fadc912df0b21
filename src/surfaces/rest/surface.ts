import { parsePublicUrl } from '../../net/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import type { CatalogLink, Mount, Surface } from '../surface/index.ts'
import {
  createDiscoveryHandler,
  createLlmsHandler,
  createOpenApiHandler,
  createOpenRpcHandler,
} from './documents.ts'
import { mayHoldFiles } from './files.ts'
import { createRestHandler, refuseRest } from './handler.ts'

/** Where functions are over REST. */
export interface RestSurfaceOptions {
  /** Paths of functions are below this one; `/api` when absent, `/` for none. */
  readonly path?: string
}

/**
 * Serves functions at `POST /api/{function}`, and where their definitions say, with `/openapi.json`, `/openrpc.json`,
 * `/discovery.json` and `/llms.txt`.
 */
export function rest(options: RestSurfaceOptions = {}): Surface {
  const prefix = toPrefix(options.path)
  return {
    name: 'rest',
    negotiation: 'ask',
    mount(service, { admit, callerKey, publicUrl }) {
      const origin = publicUrl === undefined ? {} : { origin: parsePublicUrl(publicUrl).origin }
      const handler = createRestHandler(service, {
        prefix,
        ...(admit && { admit }),
        ...(callerKey && { callerKey }),
      })
      return {
        mounts: [
          {
            path: prefix,
            match: 'prefix',
            handler,
            takesStream: mayHoldFiles,
            refuse: (error) => refuseRest(service, error),
            paths: () => handler.paths().map((path) => `${prefix}${path}`),
          },
          document('/openapi.json', createOpenApiHandler(service, prefix)),
          document('/openrpc.json', createOpenRpcHandler(service)),
          document('/discovery.json', createDiscoveryHandler(service)),
          document('/llms.txt', createLlmsHandler(service, { ...origin, rest: prefix })),
        ],
        catalog: {
          endpoint: prefix === '' ? '/' : prefix,
          links: LINKS,
          serviceLinks: SERVICE_LINKS,
        },
      }
    },
  }
}

const LINKS: readonly CatalogLink[] = [
  { relation: 'service-desc', path: '/openapi.json', type: 'application/json' },
]

const SERVICE_LINKS: readonly CatalogLink[] = [
  { relation: 'service-desc', path: '/discovery.json', type: 'application/json' },
  { relation: 'service-desc', path: '/openrpc.json', type: 'application/json' },
  { relation: 'service-doc', path: '/llms.txt', type: 'text/plain' },
]

function document(path: string, handler: HttpHandler): Mount {
  return { path, match: 'exact', handler }
}

const PREFIX = /^(\/[A-Za-z0-9._~-]+)*\/?$/

function toPrefix(path = '/api'): string {
  if (typeof path !== 'string' || !PREFIX.test(path)) {
    throw new TypeError(`rest: path must look like "/api" or "/"; got ${JSON.stringify(path)}`)
  }
  return path.endsWith('/') ? path.slice(0, -1) : path
}
