import type { Service } from '../../core/index.ts'
import { judgePlace, type LocalOptions } from '../../net/index.ts'
import type { Surface } from '../surface/index.ts'
import { refuseTools } from './errors.ts'
import { createServiceToolApi, type ServiceToolApiOptions } from './service-tools.ts'

/** Serves the page at `/explorer/`, and the tool API behind it. */
export function explorer(options: ServiceToolApiOptions = {}): Surface {
  const { prefix = '/explorer', allowExecute = false } = options
  return {
    name: 'explorer',
    mount(service, { admit: _admit, callerKey: _callerKey, ...place }) {
      if (allowExecute) warnOfExecution(service, place)
      return {
        mounts: [
          {
            path: prefix,
            match: 'prefix',
            handler: createServiceToolApi(service, { ...place, ...options }),
            refuse: refuseTools,
          },
          {
            path: '/',
            match: 'exact',
            handler: () => ({ status: 302, headers: { location: `${prefix}/` }, body: '' }),
          },
        ],
        links: [{ relation: 'service-doc', path: `${prefix}/`, type: 'text/html' }],
      }
    },
  }
}

/**
 * Everybody who reaches the page could run functions from it; that needs to know who they are. Each call is refused with
 * the same reason.
 */
function warnOfExecution({ authenticate, log }: Service, place: LocalOptions): void {
  const reason = authenticate || place.bind === undefined ? undefined : judgePlace(place)
  if (reason === undefined) return
  log.warn(
    `the explorer does not execute functions: ${reason}, and the service has no authenticate hook`,
  )
}
