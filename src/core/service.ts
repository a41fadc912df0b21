import type { Clock, Duration, JsonObject, Maybe } from '../values/index.ts'
import type { Call, Outcome, Principal } from './call.ts'
import type { Components, Info, Server } from './description.ts'
import type { Extension } from './extension.ts'
import type { AnyFunction } from './function.ts'
import type { ComponentCheck } from './health.ts'
import type { Registry } from './registry.ts'
import type { Target } from './target.ts'

/** Where a service writes what an operator should know. */
export interface Logger {
  /** What happens in the normal course, such as a start; nothing is written when absent. */
  info?(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}

/** What is refused before anybody looks at it. */
export interface Limits {
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number
  /** How deeply arrays and objects of a request may nest. */
  readonly maxDepth: number
  /** Deadline of calls that bring none; no limit when absent. */
  readonly defaultDeadline?: Duration
  /** Requests per minute as advertised in discovery capabilities. */
  readonly rateLimit?: number
}

/** What an `authenticate` hook may look at. */
export interface Credentials {
  /** Looks a header up by its lower-case name; surfaces without headers answer undefined. */
  readonly header: (name: string) => string | undefined
  readonly surface: string
  /** The address at the other end of the connection, where the host tells: behind a proxy, the proxy's. */
  readonly peerAddress?: (() => string | undefined) | undefined
  /** True when the request was handed over by one of `trustedProxies`. */
  readonly fromProxy?: boolean | undefined
  /** True where callers without credentials are let in as well: documents under `discovery: 'public'`. */
  readonly optional?: boolean
}

/** Where a service has the types of its functions from: the options it was made with. */
export interface FunctionSource {
  readonly functions: readonly AnyFunction[]
}

/** A call that has ended, for logs and metrics. */
export interface EndedCall {
  readonly call: Call
  /** What it came over: `forrst`, `rest`, `mcp`, `explorer`, `trigger`, `operation`, `replay` or `code`. */
  readonly surface: string
  /** The version that was meant; undefined when the service has no such function. */
  readonly target: Target | undefined
  /** Code of the first error; undefined when the call succeeded. */
  readonly code: string | undefined
  /** From the arrival of the request to its outcome. */
  readonly durationMs: number
}

/** A caller whom `authenticate` did not accept: there is no call, since nobody made it. */
export interface RefusedCaller {
  readonly surface: string
  readonly code: string
  /** Why, for the operator. */
  readonly reason: string | undefined
  /** Where the caller comes from, where the host tells. */
  readonly address: string | undefined
}

/** Told of every call of a service, and of every caller who is refused before there is one. */
export interface CallObserver {
  readonly begin?: (surface: string) => void
  readonly end: (ended: EndedCall) => Maybe<void>
  readonly refused?: (refused: RefusedCaller) => Maybe<void>
  /** True when an answer is held back until `end` and `refused` have done their work; false when absent. */
  readonly waits?: boolean
  /** Ends what is under way; the service calls it after its last call. */
  readonly close?: () => Maybe<void>
}

/** A running set of functions: what every surface works on. */
export interface Service<Source extends FunctionSource = FunctionSource> {
  /**
   * Type only: lets a client know the functions of this service. The whole of its options, and not the list in them,
   * because a compiler walks through a list at every call of a client.
   */
  readonly source?: Source
  readonly name: string
  readonly info: Info
  readonly servers: readonly Server[]
  readonly components: Components
  readonly registry: Registry
  /** What platforms may negotiate with this service. */
  readonly profile: ServiceProfile | undefined
  /** In the order in which they wrap a call. */
  readonly extensions: readonly Extension[]
  readonly supports: (urn: string) => boolean
  readonly unknownExtensions: 'reject' | 'ignore'
  /** Checks by component; a source that joins a running service adds its own. */
  readonly healthChecks: Record<string, ComponentCheck>
  /** When each component last passed its check, in epoch milliseconds. */
  readonly lastSuccess: Map<string, number>
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Logger
  /** Name of this process in `meta.node`; not sent when absent. */
  readonly node: string | undefined
  /** Where the service remembers things; the core knows nothing of stores, whoever reads it does. */
  readonly store?: unknown
  /** Finds out who calls; absent means that everybody may. Throws UNAUTHORIZED. */
  readonly authenticate: ((credentials: Credentials) => Maybe<Principal | undefined>) | undefined
  /** What callers are asked to show who do not say who they are: the header `WWW-Authenticate` of a 401. */
  readonly challenge: string
  /** Who may see what there is, where there is `authenticate`: those it knows, or also callers without credentials. */
  readonly discovery: 'authenticated' | 'public'
  /** What a call of a function gets whose scopes the caller lacks: `forbidden` names them, `not-found` hides it. */
  readonly denied: 'forbidden' | 'not-found'
  /** Decides whether a call may go on. Throws FORBIDDEN. */
  readonly authorize: ((call: Call, target: Target) => Maybe<void>) | undefined
  /** Takes a call from a surface to its outcome; throws only what surfaces turn into a failure. */
  readonly dispatch: (call: Call, surface?: string) => Maybe<Outcome>
  /** Told of every call; empty unless somebody asked for logs or metrics of calls, and then nothing is spent on it. */
  readonly observers: CallObserver[]
  /** Names the functions that may have caused an error nobody awaited; see `waymark serve`. */
  readonly accuse: () => readonly string[]
  /** Begins work in the background. Surfaces call it when they are put in place; all but the first call do nothing. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** A negotiable capability of a service; its operations are written by Waymark, from the functions that name it. */
export interface ProfileCapability {
  readonly name: string
  readonly schema?: string
  readonly spec?: string
  readonly version?: string
  /** The capabilities it extends; such a one has no operations of its own. */
  readonly extends?: readonly string[]
  readonly config?: JsonObject
}

/** How a service presents itself to platforms, wherever it runs. */
export interface ServiceProfile {
  /** Protocol version, a date such as `2026-04-08`. */
  readonly version: string
  /** Reverse-domain name of the service: `com.example.events`. */
  readonly service: string
  readonly capabilities: readonly ProfileCapability[]
  readonly paymentHandlers?: JsonObject
  readonly supportedVersions?: Readonly<Record<string, string>>
  readonly keys?: readonly JsonObject[]
  /** What happens to a call whose capability was not negotiated; `refuse` when absent. */
  readonly enforce?: 'refuse' | 'warn'
}
