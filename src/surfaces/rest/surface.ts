import type { Surface } from '../surface/index.ts'
import { mayHoldFiles } from './files.ts'
import { createRestHandler, refuseRest } from './handler.ts'

/** Where functions are over REST. */
export interface RestSurfaceOptions {
  /** Paths of functions are below this one; `/api` when absent, `/` for none. */
  readonly path?: string
}

/** Serves functions at `POST /api/{function}`, and where their definitions say; `documents()` describes them. */
export function rest(options: RestSurfaceOptions = {}): Surface {
  const prefix = toPrefix(options.path)
  return {
    name: 'rest',
    endpoint: prefix === '' ? '/' : prefix,
    negotiation: 'ask',
    mount(service, { admit, callerKey, surfaces }) {
      const handler = createRestHandler(service, {
        prefix,
        isDescribed: surfaces.some(({ name }) => name === 'documents'),
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
        ],
      }
    },
  }
}

const PREFIX = /^(\/[A-Za-z0-9._~-]+)*\/?$/

function toPrefix(path = '/api'): string {
  if (typeof path !== 'string' || !PREFIX.test(path)) {
    throw new TypeError(`rest: path must look like "/api" or "/"; got ${JSON.stringify(path)}`)
  }
  return path.endsWith('/') ? path.slice(0, -1) : path
}
