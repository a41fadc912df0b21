import type { JsonObject } from '../core/json.ts'

/** Whose profile a statement is about. */
export type Side = 'business' | 'platform'

/** The transports a service entry can name. */
export const TRANSPORTS = ['rest', 'mcp', 'a2a', 'embedded'] as const

/** A transport a service entry can name; only `rest` and `mcp` carry operations. */
export type Transport = (typeof TRANSPORTS)[number]

/** A transport whose documents name operations. */
export type CallableTransport = 'rest' | 'mcp'

/** Which text of the protocol decides the two rules that changed their meaning. */
export type Rules = '2026-04-08' | '2026-08-25'

/** What every entry of a registry has; absent members are undefined, never missing. */
export interface Entry {
  /** Position in the list of the profile. */
  readonly index: number
  readonly version: string
  readonly spec: string | undefined
  readonly schema: string | undefined
  readonly id: string | undefined
  readonly config: JsonObject | undefined
}

/** One version of a capability as a profile declares it. */
export interface CapabilityEntry extends Entry {
  /** Parents without repetition; undefined for a root capability. */
  readonly extends: readonly string[] | undefined
  /** As declared, with repetitions; undefined when absent. */
  readonly operations: readonly string[] | undefined
  /** True when `operations` is there but is no array of non-empty strings. */
  readonly operationsMalformed: boolean
}

/** One transport binding of a service. */
export interface ServiceEntry extends Entry {
  readonly transport: Transport
  readonly endpoint: string | undefined
}

/** One instance of a payment handler. */
export interface HandlerEntry extends Entry {
  readonly availableInstruments: readonly JsonObject[] | undefined
}

/** A public key of a profile, as published. */
export interface PublicKey {
  readonly kid: string
  readonly kty: string
  readonly [member: string]: unknown
}

/** A registry of a profile: name to its entries. */
export type Registry<Item extends Entry> = ReadonlyMap<string, readonly Item[]>

/** A profile of any published layout in one form. */
export interface Profile {
  readonly version: string
  /** Older protocol versions and where their profiles are. */
  readonly supportedVersions: ReadonlyMap<string, string>
  readonly services: Registry<ServiceEntry>
  readonly capabilities: Registry<CapabilityEntry>
  readonly paymentHandlers: Registry<HandlerEntry>
  readonly keys: readonly PublicKey[]
  /** Business capabilities that had no usable entry already when the profile was read. */
  readonly invalidCapabilities: ReadonlySet<string>
}
