import type { Authority } from '../authority.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { CapabilityEntry, Rules } from '../model.ts'
import {
  type DropReason,
  findRootless,
  meetsRequires,
  pruneOrphans,
  readRequires,
  type UsableProfile,
} from './usable.ts'

/** Why a capability of the business is not active. */
export type ExclusionReason =
  | DropReason
  | 'invalid_entry'
  | 'not_in_platform'
  | 'no_mutual_version'
  | 'orphaned_extension'
  | 'requires_violated'

/** The two profiles a negotiation is about, and what decided which of their entries count. */
export interface Parties {
  readonly business: UsableProfile
  readonly platform: UsableProfile
  readonly authority: Authority
  readonly rules: Rules
}

/** Hands out documents by URL; undefined when one is not at hand. */
export type FindDocument = (url: string) => unknown

/** The capabilities that are left, with the entry of the business, and why the others are not. */
export interface Intersection {
  readonly selected: ReadonlyMap<string, CapabilityEntry>
  readonly excluded: ReadonlyMap<string, ExclusionReason>
}

/** Takes the capabilities both sides share in one version, without extensions that hang in the air. */
export function intersect(
  parties: Parties,
  document: FindDocument | undefined,
  diagnostics: Diagnostic[],
): Intersection {
  const { business, platform } = parties
  const excluded = excludeUnusable(business)
  const selected = new Map<string, CapabilityEntry>()
  for (const name of [...business.capabilities.keys()].sort()) {
    const wanted = platform.capabilities.get(name)
    const entry = wanted && newestShared(business.capabilities.get(name) ?? [], wanted)
    if (entry !== undefined) selected.set(name, entry)
    else excluded.set(name, wanted === undefined ? 'not_in_platform' : 'no_mutual_version')
  }
  reportParents(selected, platform, diagnostics)
  const orphan = (name: string): void => void excluded.set(name, 'orphaned_extension')
  pruneOrphans(selected, orphan)
  const violating = findViolations(selected, parties, document, diagnostics)
  for (const name of violating) {
    selected.delete(name)
    excluded.set(name, 'requires_violated')
  }
  if (violating.length > 0) pruneOrphans(selected, orphan)
  for (const capability of findRootless(selected)) {
    diagnostics.push({ code: 'extension_cycle', capability })
  }
  return { selected, excluded: new Map([...excluded].sort(byName)) }
}

/** Finds the address of a capability's schema: the business says, otherwise the platform. */
export function schemaUrl(
  name: string,
  entry: CapabilityEntry,
  platform: UsableProfile,
): string | undefined {
  return entry.schema ?? entryOf(platform, name, entry.version)?.schema
}

function excludeUnusable({
  profile,
  capabilities,
  dropped,
}: UsableProfile): Map<string, ExclusionReason> {
  const excluded = new Map<string, ExclusionReason>()
  for (const name of profile.invalidCapabilities) excluded.set(name, 'invalid_entry')
  for (const { registry, name, reason } of dropped) {
    const gone = registry === 'capabilities' && !capabilities.has(name)
    // A foreign schema is the graver of two reasons, whatever the order of the entries.
    if (gone && excluded.get(name) !== 'authority_mismatch') excluded.set(name, reason)
  }
  return excluded
}

function newestShared(
  offered: readonly CapabilityEntry[],
  wanted: readonly CapabilityEntry[],
): CapabilityEntry | undefined {
  if (offered.length === 1 && wanted.length === 1) {
    return offered[0]?.version === wanted[0]?.version ? offered[0] : undefined
  }
  const versions = new Set(wanted.map(({ version }) => version))
  let newest: CapabilityEntry | undefined
  for (const entry of offered) {
    if (!versions.has(entry.version)) continue
    if (newest === undefined || entry.version > newest.version) newest = entry
  }
  return newest
}

// All are judged against the same set: whether one extension goes must not depend on another going first.
function findViolations(
  selected: ReadonlyMap<string, CapabilityEntry>,
  { business, platform }: Parties,
  document: FindDocument | undefined,
  diagnostics: Diagnostic[],
): readonly string[] {
  if (document === undefined) return []
  const violating: string[] = []
  const versionOf = (name: string): string | undefined => selected.get(name)?.version
  for (const [name, entry] of selected) {
    if (entry.extends === undefined) continue
    const url = schemaUrl(name, entry, platform)
    const requires = url === undefined ? undefined : readRequires(document(url))
    if (requires === 'malformed') diagnostics.push({ code: 'requires_malformed', capability: name })
    else if (requires && !meetsRequires(requires, business.profile.version, versionOf)) {
      violating.push(name)
    }
  }
  return violating
}

// Before pruning: a list of the business that costs an extension its parents is worth knowing about.
function reportParents(
  selected: ReadonlyMap<string, CapabilityEntry>,
  platform: UsableProfile,
  diagnostics: Diagnostic[],
): void {
  for (const [capability, entry] of selected) {
    const other = entryOf(platform, capability, entry.version)
    if (other !== undefined && parentsDiffer(entry, other)) {
      diagnostics.push({ code: 'extends_differs', capability })
    }
  }
}

// A bare platform entry, nothing but a version, says nothing about parents.
function parentsDiffer(entry: CapabilityEntry, other: CapabilityEntry): boolean {
  if (other.extends === undefined && other.schema === undefined) return false
  const ours = entry.extends ?? []
  const theirs = other.extends ?? []
  if (ours.length !== theirs.length) return true
  if (ours.length < 2) return ours[0] !== theirs[0]
  const set = new Set(theirs)
  return ours.some((parent) => !set.has(parent))
}

function entryOf(
  { capabilities }: UsableProfile,
  name: string,
  version: string,
): CapabilityEntry | undefined {
  return capabilities.get(name)?.find((entry) => entry.version === version)
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1
}
