import {
  type ErrorDefinition,
  EVERYTHING,
  isDiscoverable,
  type Service,
  type Target,
  type ToolAnnotations,
  toToolAnnotations,
  type View,
} from '../core/index.ts'
import { resolveCode } from '../errors/index.ts'
import type { FilePlace } from '../schema/index.ts'
import { canonicalUrn, extensionUrn, once } from '../values/index.ts'
import { type HttpAddress, listAddresses } from './http.ts'
import { type CallOption, listCallOptions } from './options.ts'
import { type Parameters, toParameters } from './parameters.ts'
import { type Results, toResults } from './results.ts'
import { type ContractVersion, listVersions, toVersionedName } from './versions.ts'

/** How a call can be carried out; the first is what happens when the caller does not say. */
export type Mode = 'now' | 'stream' | 'background'

/** An error that a function declares, with what every surface derives from its code. */
export interface ContractError extends ErrorDefinition {
  readonly status: number
  readonly retryable: boolean
}

/**
 * The whole shape of a call of one function version. Surfaces and documents are projections of it: each lists, decodes
 * and encodes these parts in its own protocol.
 */
export interface Contract {
  readonly target: Target
  /** `orders.get`, or `orders.get@1.0.0` for a version that the plain name does not reach. */
  readonly name: string
  /** Everything a caller names: arguments, and what a query may say. */
  readonly parameters: Parameters
  readonly results: Results
  /** Where arguments and result have files. */
  readonly files: {
    readonly arguments: FilePlace | undefined
    readonly result: FilePlace | undefined
  }
  readonly modes: readonly Mode[]
  readonly errors: readonly ContractError[]
  /** True when the function is declared to change nothing. */
  readonly readsOnly: boolean
  /** What agents are told about its effects. */
  readonly annotations: ToolAnnotations
  /** What a principal needs, all of them, to call it and to see it. */
  readonly scopes: readonly string[]
  /** What callers may ask of extensions in one call. */
  readonly options: readonly CallOption[]
  /** All versions that a view shows, oldest first. */
  readonly versions: (view?: View) => readonly ContractVersion[]
  /** Where it is over HTTP, below the mount of the REST surface. */
  readonly http: readonly HttpAddress[]
}

/** Which versions are listed. */
interface ContractListOptions {
  /** Also those that discovery hides. */
  readonly includeHidden?: boolean
  /** Who looks; everything when absent. */
  readonly view?: View
}

/** The contracts of a service. */
export interface Contracts {
  readonly of: (target: Target) => Contract
  /** Every version that a view shows, and hidden ones when told to, in the order of registration. */
  readonly list: (options?: ContractListOptions) => readonly Contract[]
}

const ASYNC = extensionUrn('async')

/** Creates the contracts of a service; each part is made when something first asks for it. */
export function createContracts(service: Service): Contracts {
  const known = new WeakMap<Target, Contract>()
  const of = (target: Target): Contract => {
    const found = known.get(target)
    if (found !== undefined) return found
    const contract = toContract(service, target)
    known.set(target, contract)
    return contract
  }
  return {
    of,
    list: ({ includeHidden = false, view = EVERYTHING } = {}) =>
      [...service.registry.entries()].flatMap(({ ordered }) =>
        ordered
          .filter(includeHidden ? isCallable : isDiscoverable)
          .filter(view.permits)
          .map(of),
      ),
  }
}

/** Tells whether those who know of a version may call it. */
function isCallable({ system, stability }: Target): boolean {
  return !system && stability !== 'removed'
}

/** A function says itself whether it goes on in the background always, never, or when its caller prefers it. */
function toModes(service: Service, { streams, accepts, definition }: Target): readonly Mode[] {
  const direct: readonly Mode[] = streams ? ['now', 'stream'] : ['now']
  const declared = definition.extensions?.find(({ urn }) => canonicalUrn(urn) === ASYNC)
  const mode = declared?.['mode']
  if (!service.supports(ASYNC) || !accepts(ASYNC) || mode === 'never') return direct
  return mode === 'always' ? ['background', ...direct] : [...direct, 'background']
}

function toContract(service: Service, target: Target): Contract {
  const parameters = once(() => toParameters(service, target))
  const results = once(() => toResults(service, target, parameters()))
  const readsOnly = target.sideEffects?.length === 0
  return {
    target,
    // Which version the plain name reaches changes when versions come and go.
    get name() {
      return toVersionedName(service, target)
    },
    get parameters() {
      return parameters()
    },
    get results() {
      return results()
    },
    files: { arguments: target.inputFiles, result: target.outputFiles },
    modes: toModes(service, target),
    errors: [...target.errors.values()].map((error) => {
      const { status, retryable } = resolveCode(error.code)
      return { ...error, status: error.status ?? status, retryable }
    }),
    readsOnly,
    annotations: toToolAnnotations(target.sideEffects),
    scopes: target.scopes,
    get options() {
      return listCallOptions(service, target)
    },
    versions: (view) => listVersions(service, target.name, view),
    get http() {
      return listAddresses(service, target)
    },
  }
}
