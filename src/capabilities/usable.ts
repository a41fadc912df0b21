import type { Authority } from './authority.ts'
import type {
  CapabilityEntry,
  Entry,
  HandlerEntry,
  Profile,
  Registry,
  Rules,
  ServiceEntry,
  Side,
} from './model.ts'

/** Why an entry counts as absent although it could be read. */
export type DropReason = 'authority_mismatch' | 'version_skew'

/** An entry that counts as absent. */
export interface DroppedEntry {
  readonly side: Side
  readonly registry: 'capabilities' | 'services' | 'payment_handlers'
  readonly name: string
  readonly version: string
  readonly reason: DropReason
  readonly entry: Entry
}

/** The part of a profile that may be used. */
export interface UsableProfile {
  readonly profile: Profile
  readonly capabilities: Registry<CapabilityEntry>
  readonly services: Registry<ServiceEntry>
  readonly paymentHandlers: Registry<HandlerEntry>
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
function filter<Item extends Entry>(
  registry: DroppedEntry['registry'],
  entries: Registry<Item>,
  profile: Profile,
  options: UsableOptions,
  dropped: DroppedEntry[],
): Registry<Item> {
  let kept: Map<string, readonly Item[]> | undefined
  for (const [name, items] of entries) {
    const before = dropped.length
    for (const item of items) {
      const reason = dropReason(name, item, registry, profile, options)
      if (reason === undefined) continue
      dropped.push({
        side: options.side,
        registry,
        name,
        version: item.version,
        reason,
        entry: item,
      })
    }
    if (dropped.length === before) continue
    kept ??= new Map(entries)
    const gone = new Set<Entry>(dropped.slice(before).map(({ entry }) => entry))
    const rest = items.filter((item) => !gone.has(item))
    if (rest.length > 0) kept.set(name, rest)
    else kept.delete(name)
  }
  return kept ?? entries
}

/** Tells why an entry counts as absent; undefined when it may be used. */
export function dropReason(
  name: string,
  entry: Entry,
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
