import { parsePublicUrl } from '../../net/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import type { Mount, Surface } from '../surface/index.ts'
import { createLlmsHandler, createOpenApiHandler, createOpenRpcHandler } from './documents.ts'
import { mayHoldFiles } from './files.ts'
import { createRestHandler, refuseRest } from './handler.ts'

/** Serves functions at `POST /api/{function}`, with `/openapi.json`, `/openrpc.json` and `/llms.txt`. */
export function rest(): Surface {
  return {
    name: 'rest',
    negotiation: 'ask',
    mount(service, { admit, callerKey, publicUrl }) {
      const origin = publicUrl === undefined ? {} : { origin: parsePublicUrl(publicUrl).origin }
      const handler = createRestHandler(service, {
        ...(admit && { admit }),
        ...(callerKey && { callerKey }),
      })
      return {
        mounts: [
          {
            path: '/api',
            match: 'prefix',
            handler,
            takesStream: mayHoldFiles,
            refuse: (error) => refuseRest(service, error),
          },
          document('/openapi.json', createOpenApiHandler(service)),
          document('/openrpc.json', createOpenRpcHandler(service)),
          document('/llms.txt', createLlmsHandler(service, origin)),
        ],
      }
    },
  }
}

function document(path: string, handler: HttpHandler): Mount {
  return { path, match: 'exact', handler }
}
