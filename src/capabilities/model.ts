import type { JsonObject } from '../values/index.ts'

/** Whose profile a statement is about. */
export type Side = 'business' | 'platform'

/** The transports a service entry can name. */
export const TRANSPORTS = ['rest', 'mcp', 'a2a', 'embedded'] as const

/** A transport a service entry can name; only `rest` and `mcp` carry operations. */
export type TransportName = (typeof TRANSPORTS)[number]

/** A transport whose documents name operations. */
export type CallableTransport = 'rest' | 'mcp'

/** Which text of the protocol decides the two rules that changed their meaning. */
export type Rules = '2026-04-08' | '2026-08-25'

/** What every entry of a registry has; absent members are undefined, never missing. */
export interface ProfileEntry {
  /** Position in the list of the profile. */
  readonly index: number
  readonly version: string
  readonly spec: string | undefined
  readonly schema: string | undefined
  readonly id: string | undefined
  readonly config: JsonObject | undefined
}

/** One version of a capability as a profile declares it. */
export interface CapabilityEntry extends ProfileEntry {
  /** Parents without repetition; undefined for a root capability. */
  readonly extends: readonly string[] | undefined
  /** As declared, with repetitions; undefined when absent. */
  readonly operations: readonly string[] | undefined
  /** True when `operations` is there but is not an array of non-empty strings. */
  readonly operationsMalformed: boolean
}

/** One transport binding of a service. */
export interface ServiceEntry extends ProfileEntry {
  readonly transport: TransportName
  readonly endpoint: string | undefined
}

/** One instance of a payment handler. */
export interface HandlerEntry extends ProfileEntry {
  readonly availableInstruments: readonly JsonObject[] | undefined
}

/** A public key of a profile, as published. */
export interface PublicKey {
  readonly kid: string
  readonly kty: string
  readonly [member: string]: unknown
}

/** A registry of a profile: name to its entries. */
export type ProfileRegistry<Item extends ProfileEntry> = ReadonlyMap<string, readonly Item[]>

/** A profile of any published layout in one form. */
export interface Profile {
  readonly version: string
  /** Older protocol versions and where their profiles are. */
  readonly supportedVersions: ReadonlyMap<string, string>
  readonly services: ProfileRegistry<ServiceEntry>
  readonly capabilities: ProfileRegistry<CapabilityEntry>
  readonly paymentHandlers: ProfileRegistry<HandlerEntry>
  readonly keys: readonly PublicKey[]
  /** Business capabilities that had no usable entry already when the profile was read. */
  readonly invalidCapabilities: ReadonlySet<string>
}

// Longer names would make label walks expensive; DNS allows no longer name either.
const MAX_NAME_LENGTH = 253

const NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$/

const VERSION = /^\d{4}-\d{2}-\d{2}$/

/** Tells whether a text is a reverse-domain name by the newest grammar. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text)
}

/** Tells whether a value has the form `YYYY-MM-DD`. */
export function isDateVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value)
}

/** Tells whether a `YYYY-MM-DD` text is a day of the calendar. */
export function isCalendarDate(version: string): boolean {
  const year = Number(version.slice(0, 4))
  const month = Number(version.slice(5, 7))
  const day = Number(version.slice(8))
  if (month < 1 || month > 12 || day < 1) return false
  // Day 0 of the next month is the last day of this one.
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Finds the longest key that is the name itself or a prefix of it ending at a label. */
export function longestPrefix(
  name: string,
  keys: { has(key: string): boolean },
): string | undefined {
  let candidate = name
  for (;;) {
    if (keys.has(candidate)) return candidate
    const dot = candidate.lastIndexOf('.')
    if (dot < 0) return undefined
    candidate = candidate.slice(0, dot)
  }
}
