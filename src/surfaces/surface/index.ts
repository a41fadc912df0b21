// What a surface is to an app. Types only: whoever writes a surface imports these, and nothing else of the app.
import type { Admit } from '../../capabilities/index.ts'
import type { Service } from '../../core/index.ts'
import type { CallError } from '../../errors/index.ts'
import type { CallerKey, GuardOptions, LocalOptions } from '../../net/index.ts'
import type { HttpHandler, HttpResponse } from '../../wire/index.ts'

/** A protocol that a service is served over, as `forrst()`, `rest()`, `documents()` and the others give it. */
export interface Surface {
  readonly name: string
  /** The path where calls go; absent for a surface that takes none. */
  readonly endpoint?: string
  /** What it does about capability profiles: `judge` those that callers announce, or `ask` the surface that does. */
  readonly negotiation?: 'judge' | 'ask'
  /** Puts a service on the paths of this surface; createApp calls it. */
  readonly mount: (service: Service, place: SurfacePlace) => MountedSurface
}

/** Where the app of a surface stands. */
export interface SurfacePlace extends GuardOptions, LocalOptions {
  /** Names the caller whose memory and budgets are counted. */
  readonly callerKey?: CallerKey
  /** The surfaces of the app, this one among them. */
  readonly surfaces: readonly Surface[]
  /** Lists the documents about the service that these publish; asked once all of them are mounted. */
  readonly links: () => readonly CatalogLink[]
  /** Judges a caller who announces a profile; absent where no surface does. */
  readonly admit?: Admit
}

/** A surface on its paths. */
export interface MountedSurface {
  readonly mounts: readonly Mount[]
  /** Judges callers who announce a profile, on every surface that asks. */
  readonly admit?: Admit
  /** The same for callers on this machine, where they may do more. */
  readonly admitLocal?: Admit
  /** Documents about the whole service, which its API catalog names. */
  readonly links?: readonly CatalogLink[]
  /** Ends streams that would otherwise stay open. */
  readonly close?: () => void
}

/** A document that tells about an API, with its relation (RFC 8631). */
export interface CatalogLink {
  readonly relation: 'service-desc' | 'service-doc' | 'service-meta' | 'status'
  readonly path: string
  readonly type: string
}

/** Where a handler stands; `prefix` mounts also get everything below their path. */
export interface Mount {
  readonly path: string
  readonly match: 'exact' | 'prefix'
  readonly handler: HttpHandler
  /** Tells by its Content-Type whether a body is handed over as it arrives, instead of being read first; none is when absent. */
  readonly takesStream?: (contentType: string) => boolean
  /** Lists paths that it serves below its own, where another mount must not stand: `/api/tickets/{id}`. */
  readonly paths?: () => readonly string[]
  /** Words what is refused before the handler sees it; problem details (RFC 9457) when absent. */
  readonly refuse?: (error: CallError) => HttpResponse
}
