import { groupBy, isRecord, PRIVATE_MEMBERS } from '../../values/index.ts'
import type { Diagnostic } from '../diagnostic.ts'
import {
  type CapabilityEntry,
  isDateVersion,
  isName,
  type Profile,
  type ProfileEntry,
  type PublicKey,
  type Side,
  TRANSPORTS,
} from '../model.ts'
import {
  isDate,
  type Place,
  type ReadEntry,
  type Reading,
  readCapability,
  readHandler,
  readService,
  report,
} from './entry.ts'

const REQUIRED_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
}

const ALGORITHM_BY_CURVE: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  Ed25519: 'EdDSA',
}

/** Reads the public keys of a profile; a bad key costs itself, never the profile. */
function readKeys(reading: Reading, root: Record<string, unknown>): readonly PublicKey[] {
  const member = root['keys'] === undefined ? 'signing_keys' : 'keys'
  const value = root[member]
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    report(reading, 'key_refused', [member])
    return []
  }
  return value.filter((key, index): key is PublicKey => {
    const verdict = judgeKey(key)
    if (verdict !== 'usable') report(reading, verdict, [member, index])
    return verdict === 'usable'
  })
}

function judgeKey(key: unknown): 'usable' | 'key_refused' | 'key_skipped' {
  if (!isRecord(key)) return 'key_refused'
  const { kid, kty, crv, alg } = key
  if (typeof kid !== 'string' || typeof kty !== 'string') return 'key_refused'
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(key, member))) return 'key_refused'
  if (!Object.hasOwn(REQUIRED_BY_TYPE, kty)) return 'key_skipped'
  const required = REQUIRED_BY_TYPE[kty] ?? []
  if (required.some((member) => typeof key[member] !== 'string')) return 'key_refused'
  if (!Object.hasOwn(ALGORITHM_BY_CURVE, crv as string)) return 'key_skipped'
  return alg === undefined || alg === ALGORITHM_BY_CURVE[crv as string] ? 'usable' : 'key_refused'
}

/** Lifts the layout of 2026-01-11 to that of today; what is current already passes through. */
function fromLegacy(ucp: Record<string, unknown>, root: Record<string, unknown>) {
  const { services, capabilities } = ucp
  const flat = Array.isArray(capabilities)
  const nested = isRecord(services) && Object.values(services).some(isLegacyService)
  return {
    services: nested ? liftServices(services) : services,
    capabilities: flat ? groupByName(capabilities) : capabilities,
    payment: ucp['payment_handlers'] ?? liftHandlers(root['payment']),
    /** True when something had to be lifted. */
    legacy: flat || nested,
  }
}

function isLegacyService(value: unknown): value is Record<string, unknown> {
  return (
    isRecord(value) &&
    value['transport'] === undefined &&
    TRANSPORTS.some((transport) => isRecord(value[transport]))
  )
}

function liftServices(services: Record<string, unknown>): Record<string, unknown> {
  const lifted = Object.entries(services).map(([name, value]): [string, unknown] => [
    name,
    isLegacyService(value) ? toEntries(value) : value,
  ])
  return Object.fromEntries(lifted)
}

function toEntries(service: Record<string, unknown>): readonly unknown[] {
  const { version, spec } = service
  return TRANSPORTS.filter((transport) => isRecord(service[transport])).map((transport) => ({
    version,
    ...(spec !== undefined && { spec }),
    ...(service[transport] as Record<string, unknown>),
    transport,
  }))
}

function liftHandlers(payment: unknown): unknown {
  if (!isRecord(payment) || !Array.isArray(payment['handlers'])) return undefined
  return groupByName(payment['handlers'])
}

// An item without a name keeps its place under a key no name can have, so that it is reported.
function groupByName(items: readonly unknown[]): Record<string, unknown> {
  const nameOf = ([index, item]: readonly [number, unknown]): string =>
    isRecord(item) && typeof item['name'] === 'string' ? item['name'] : `[${index}]`
  const groups = [...groupBy(items.entries(), nameOf)]
  return Object.fromEntries(groups.map(([name, group]) => [name, group.map(([, item]) => item)]))
}

/** What reading a profile gives: the profile in one form, or only the remarks that say what is wrong. */
export type ProfileReading =
  | { readonly ok: true; readonly profile: Profile; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

/** The two members needed before a protocol version is chosen. */
export interface OfferedVersions {
  readonly version: string
  readonly supportedVersions: ReadonlyMap<string, string>
}

// Far above any real profile; the work stays proportional to the size of the input below it.
const MAX_NAMES = 50_000

/** Reads a profile of any published layout leniently; it never throws, whatever the value is. */
export function readProfile(value: unknown, side: Side): ProfileReading {
  const reading: Reading = { side, diagnostics: [], dates: new Set() }
  const ucp = readEnvelope(reading, value)
  if (ucp === undefined) return { ok: false, diagnostics: reading.diagnostics }
  const current = fromLegacy(ucp, value as Record<string, unknown>)
  if (current.legacy) reading.diagnostics.push({ code: 'legacy_profile_shape', side })
  const capabilities = readRegistry(reading, current.capabilities, 'capabilities', readCapability)
  const services = readRegistry(reading, current.services, 'services', readService)
  const handlers = readRegistry(reading, current.payment, 'payment_handlers', readHandler)
  if (capabilities === undefined || services === undefined || handlers === undefined) {
    return { ok: false, diagnostics: reading.diagnostics }
  }
  // A service without a usable entry is still declared: its capabilities belong to no other service.
  for (const name of services.invalid) services.entries.set(name, [])
  const profile: Profile = {
    version: ucp['version'] as string,
    supportedVersions: readSupportedVersions(reading, ucp['supported_versions']),
    services: services.entries,
    capabilities: withoutRepeats(reading, capabilities.entries),
    paymentHandlers: handlers.entries,
    keys: readKeys(reading, value as Record<string, unknown>),
    invalidCapabilities: capabilities.invalid,
  }
  return { ok: true, profile, diagnostics: reading.diagnostics }
}

/** Reads only what choosing a version needs, so that a layout of the future cannot get in the way. */
export function readVersions(
  value: unknown,
  side: Side,
): { readonly offered: OfferedVersions | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const reading: Reading = { side, diagnostics: [], dates: new Set() }
  const ucp = readEnvelope(reading, value)
  if (ucp === undefined) return { offered: undefined, diagnostics: reading.diagnostics }
  const supportedVersions = readSupportedVersions(reading, ucp['supported_versions'])
  const offered = { version: ucp['version'] as string, supportedVersions }
  return { offered, diagnostics: reading.diagnostics }
}

function readEnvelope(reading: Reading, value: unknown): Record<string, unknown> | undefined {
  if (!isRecord(value)) return report(reading, 'profile_malformed', [])
  const ucp = value['ucp']
  if (!isRecord(ucp)) return report(reading, 'profile_malformed', ['ucp'])
  if (!isDate(reading, ucp['version'])) {
    return report(reading, 'profile_malformed', ['ucp', 'version'])
  }
  return ucp
}

function readSupportedVersions(reading: Reading, value: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  if (value === undefined) return found
  const path = ['ucp', 'supported_versions']
  if (!isRecord(value)) {
    report(reading, 'supported_versions_malformed', path)
    return found
  }
  for (const [version, url] of Object.entries(value)) {
    if (isDateVersion(version) && typeof url === 'string' && URL.canParse(url))
      found.set(version, url)
    else report(reading, 'supported_versions_malformed', [...path, version])
  }
  return found
}

interface RegistryReading<Item> {
  readonly entries: Map<string, readonly Item[]>
  readonly invalid: ReadonlySet<string>
}

function readRegistry<Item extends ProfileEntry>(
  reading: Reading,
  value: unknown,
  registry: Place['registry'],
  readEntry: ReadEntry<Item>,
): RegistryReading<Item> | undefined {
  const entries = new Map<string, readonly Item[]>()
  const invalid = new Set<string>()
  if (value === undefined) return { entries, invalid }
  if (!isRecord(value)) {
    report(reading, 'registry_malformed', ['ucp', registry])
    return { entries, invalid }
  }
  const names = Object.keys(value)
  if (names.length > MAX_NAMES) return report(reading, 'profile_malformed', ['ucp', registry])
  for (const name of names) {
    if (!isName(name)) {
      report(reading, 'invalid_name', ['ucp', registry, name])
      continue
    }
    const items = readItems(reading, value[name], { registry, name }, readEntry)
    if (items.length > 0) entries.set(name, items)
    else invalid.add(name)
  }
  return { entries, invalid }
}

function readItems<Item extends ProfileEntry>(
  reading: Reading,
  value: unknown,
  { registry, name }: Omit<Place, 'index'>,
  readEntry: ReadEntry<Item>,
): readonly Item[] {
  const path = ['ucp', registry, name]
  if (!Array.isArray(value)) {
    report(reading, isRecord(value) ? 'entry_not_in_array' : 'registry_malformed', path)
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : isRecord(value) ? [value] : []
  return list.flatMap((item, index) => {
    if (isRecord(item)) return readEntry(reading, item, { registry, name, index }) ?? []
    report(reading, 'invalid_entry', [...path, index])
    return []
  })
}

function withoutRepeats(
  reading: Reading,
  registry: Map<string, readonly CapabilityEntry[]>,
): ReadonlyMap<string, readonly CapabilityEntry[]> {
  for (const [capability, entries] of registry) {
    if (entries.length < 2) continue
    const versions = new Set<string>()
    const kept = entries.filter(({ version }) => {
      if (!versions.has(version)) return versions.add(version)
      reading.diagnostics.push({ code: 'duplicate_version_entry', side: reading.side, capability })
      return false
    })
    registry.set(capability, kept)
  }
  return registry
}
