import { isRecord, pushTo } from '../../values/index.ts'
import type { Authority } from '../authority.ts'
import {
  type CapabilityEntry,
  type HandlerEntry,
  isDateVersion,
  type Profile,
  type ProfileEntry,
  type ProfileRegistry,
  type Rules,
  type ServiceEntry,
  type Side,
} from '../model.ts'

/** What pruning needs to know about a capability. */
export interface Prunable {
  readonly extends: readonly string[] | undefined
}

/**
 * Removes, in place, extensions none of whose parents is left, until nothing changes.
 * A work queue keeps it linear in the number of parent links; the result does not depend on the order.
 */
export function pruneOrphans(
  active: Map<string, Prunable>,
  onRemoved: (name: string) => void,
): void {
  const living = new Map<string, number>()
  const children = new Map<string, string[]>()
  const orphans: string[] = []
  for (const [name, { extends: parents }] of active) {
    if (parents === undefined) continue
    const present = parents.filter((parent) => active.has(parent))
    living.set(name, present.length)
    for (const parent of present) pushTo(children, parent, name)
    if (present.length === 0) orphans.push(name)
  }
  for (let orphan = orphans.pop(); orphan !== undefined; orphan = orphans.pop()) {
    active.delete(orphan)
    onRemoved(orphan)
    for (const child of children.get(orphan) ?? []) {
      const left = (living.get(child) ?? 0) - 1
      living.set(child, left)
      if (left === 0) orphans.push(child)
    }
  }
}

/** Finds the extensions whose chain of parents never reaches a root: they keep each other alive. */
export function findRootless(active: ReadonlyMap<string, Prunable>): readonly string[] {
  const children = new Map<string, string[]>()
  const reached: string[] = []
  for (const [name, { extends: parents }] of active) {
    if (parents === undefined) reached.push(name)
    else for (const parent of parents) pushTo(children, parent, name)
  }
  const rooted = new Set(reached)
  for (let name = reached.pop(); name !== undefined; name = reached.pop()) {
    for (const child of children.get(name) ?? []) {
      if (rooted.has(child)) continue
      rooted.add(child)
      reached.push(child)
    }
  }
  return rooted.size === active.size ? [] : [...active.keys()].filter((name) => !rooted.has(name))
}

/** An inclusive range of versions. */
interface VersionRange {
  readonly min: string
  readonly max: string | undefined
}

/** What an extension schema asks of the versions around it. */
export interface Requires {
  readonly protocol: VersionRange | undefined
  readonly capabilities: ReadonlyMap<string, VersionRange>
}

/** Reads `requires` of an extension schema; undefined when there is none, `malformed` when it is unusable. */
export function readRequires(schema: unknown): Requires | undefined | 'malformed' {
  if (!isRecord(schema) || schema['requires'] === undefined) return undefined
  const { requires } = schema
  if (!isRecord(requires)) return 'malformed'
  const protocol = readRange(requires['protocol'])
  const named = requires['capabilities'] ?? {}
  if (protocol === 'malformed' || !isRecord(named)) return 'malformed'
  const capabilities = new Map<string, VersionRange>()
  for (const [name, value] of Object.entries(named)) {
    const range = readRange(value)
    if (range === 'malformed' || range === undefined) return 'malformed'
    capabilities.set(name, range)
  }
  return { protocol, capabilities }
}

/** Tells whether the chosen versions meet what an extension asks for; what is not active is not asked about. */
export function meetsRequires(
  requires: Requires,
  protocolVersion: string,
  versionOf: (capability: string) => string | undefined,
): boolean {
  if (requires.protocol !== undefined && !within(protocolVersion, requires.protocol)) return false
  for (const [name, range] of requires.capabilities) {
    const version = versionOf(name)
    if (version !== undefined && !within(version, range)) return false
  }
  return true
}

function within(version: string, { min, max }: VersionRange): boolean {
  return version >= min && (max === undefined || version <= max)
}

function readRange(value: unknown): VersionRange | undefined | 'malformed' {
  if (value === undefined) return undefined
  if (!isRecord(value) || !isDateVersion(value['min'])) return 'malformed'
  const { min, max } = value
  if (max !== undefined && !isDateVersion(max)) return 'malformed'
  return { min, max }
}

/** Why an entry counts as absent although it could be read. */
export type DropReason = 'authority_mismatch' | 'version_skew'

/** An entry that counts as absent. */
export interface DroppedEntry {
  readonly side: Side
  readonly registry: 'capabilities' | 'services' | 'payment_handlers'
  readonly name: string
  readonly version: string
  readonly reason: DropReason
  readonly entry: ProfileEntry
}

/** The part of a profile that may be used. */
export interface UsableProfile {
  readonly profile: Profile
  readonly capabilities: ProfileRegistry<CapabilityEntry>
  readonly services: ProfileRegistry<ServiceEntry>
  readonly paymentHandlers: ProfileRegistry<HandlerEntry>
  readonly dropped: readonly DroppedEntry[]
}

/** What decides whether an entry may be used. */
export interface UsableOptions {
  readonly side: Side
  readonly rules: Rules
  readonly authority: Authority
}

/** Leaves out what a foreign host defines or what does not belong to the version of the profile. */
export function selectUsable(profile: Profile, options: UsableOptions): UsableProfile {
  const dropped: DroppedEntry[] = []
  const { capabilities, services, paymentHandlers } = profile
  return {
    profile,
    capabilities: filter('capabilities', capabilities, profile, options, dropped),
    services: filter('services', services, profile, options, dropped),
    paymentHandlers: filter('payment_handlers', paymentHandlers, profile, options, dropped),
    dropped,
  }
}

// Copies a registry only when something has to go, which is rare.
function filter<Item extends ProfileEntry>(
  registry: DroppedEntry['registry'],
  entries: ProfileRegistry<Item>,
  profile: Profile,
  options: UsableOptions,
  dropped: DroppedEntry[],
): ProfileRegistry<Item> {
  let kept: Map<string, readonly Item[]> | undefined
  for (const [name, items] of entries) {
    const before = dropped.length
    for (const item of items) {
      const reason = dropReason(name, item, registry, profile, options)
      if (reason === undefined) continue
      const { version } = item
      dropped.push({ side: options.side, registry, name, version, reason, entry: item })
    }
    if (dropped.length === before) continue
    kept ??= new Map(entries)
    const gone = new Set<ProfileEntry>(dropped.slice(before).map(({ entry }) => entry))
    const rest = items.filter((item) => !gone.has(item))
    if (rest.length > 0) kept.set(name, rest)
    else kept.delete(name)
  }
  return kept ?? entries
}

/** Tells why an entry counts as absent; undefined when it may be used. */
export function dropReason(
  name: string,
  entry: ProfileEntry,
  registry: DroppedEntry['registry'],
  profile: Profile,
  { authority, rules }: Pick<UsableOptions, 'authority' | 'rules'>,
): DropReason | undefined {
  if (entry.schema !== undefined && !authority.owns(name, entry.schema)) return 'authority_mismatch'
  if (rules === '2026-08-25') {
    const skewed = registry !== 'payment_handlers' && entry.version !== profile.version
    return skewed && name.startsWith('dev.ucp.') ? 'version_skew' : undefined
  }
  // The older text bound the documentation to the name as well.
  const foreign = entry.spec !== undefined && !authority.owns(name, entry.spec)
  return foreign ? 'authority_mismatch' : undefined
}
