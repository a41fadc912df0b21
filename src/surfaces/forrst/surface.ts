import type { Surface } from '../surface/index.ts'
import { createForrstHandler, refuseForrst } from './handler.ts'

/** Where the Forrst endpoint stands. */
export interface ForrstOptions {
  /** `/forrst` when absent. */
  readonly path?: string
}

/** Serves Forrst at `POST /forrst`. */
export function forrst({ path = '/forrst' }: ForrstOptions = {}): Surface {
  return {
    name: 'forrst',
    endpoint: path,
    mount: (service) => ({
      mounts: [
        {
          path,
          match: 'exact',
          handler: createForrstHandler(service),
          refuse: (error) => refuseForrst(service, error),
        },
      ],
    }),
  }
}
