import { createAuthority } from '../authority.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { CapabilityEntry, Profile, Rules } from '../model.ts'
import { type OfferedVersions, readProfile, readVersions } from '../profile/read.ts'
import type { ProfileValidator } from '../profile/schema.ts'
import { type ExclusionReason, intersect, type Parties } from './intersect.ts'
import { type DroppedEntry, selectUsable } from './usable.ts'

/** Which protocol version two parties use, and where its profile is when it is not the current one. */
export type VersionChoice =
  | { readonly found: true; readonly version: string; readonly leaf: string | undefined }
  | { readonly found: false; readonly offered: readonly string[] }

/** Chooses the latest protocol version that the business offers and the caller speaks; only equality counts. */
export function selectVersion(business: OfferedVersions, spoken: readonly string[]): VersionChoice {
  const { version, supportedVersions } = business
  const shared = spoken.filter((date) => date === version || supportedVersions.has(date)).sort()
  const chosen = shared.at(-1)
  if (chosen === undefined) {
    return { found: false, offered: [...new Set([version, ...supportedVersions.keys()])].sort() }
  }
  const leaf = chosen === version ? undefined : supportedVersions.get(chosen)
  return { found: true, version: chosen, leaf }
}

/** How a negotiation ended. */
export type NegotiationOutcome =
  | 'ok'
  | 'capabilities_incompatible'
  | 'version_unsupported'
  | 'profile_malformed'

/** A capability both parties use from now on. */
export interface ActiveCapability {
  readonly name: string
  readonly version: string
  readonly kind: 'root' | 'extension'
  /** The parents that are active themselves; empty for a root. */
  readonly parents: readonly string[]
  /** What the business declares for this version. */
  readonly entry: CapabilityEntry
}

/** What can be remarkable about a leaf profile; the first two make it unusable. */
export type LeafRemark =
  | 'leaf_unavailable'
  | 'leaf_version_mismatch'
  | 'leaf_has_supported_versions'

/** Who negotiates, and what is at hand to do it with. */
export interface NegotiateInput {
  readonly business: unknown
  readonly platform: unknown
  /** Hands out leaf profiles and extension schemas by URL; nothing is fetched. */
  readonly document?: (url: string) => unknown
  readonly rules?: Rules
  /** Accepts schemas on loopback hosts, for local development only. */
  readonly allowLoopback?: boolean
  /** Refuses profiles that violate their published layout; without it they are read leniently. */
  readonly validator?: ProfileValidator
}

/** What two profiles come to. */
export interface Negotiation {
  readonly outcome: NegotiationOutcome
  readonly protocolVersion: string | undefined
  /** In name order. */
  readonly active: ReadonlyMap<string, ActiveCapability>
  /** Capabilities of the business that are not active, in name order. */
  readonly excluded: ReadonlyMap<string, ExclusionReason>
  /** Entries of either side that count as absent. */
  readonly dropped: readonly DroppedEntry[]
  readonly diagnostics: readonly Diagnostic[]
  /** The profile of the chosen version, and that of the platform; undefined unless a version was chosen. */
  readonly parties: Parties | undefined
}

/** Works out which capabilities two profiles share; pure: same input, same output, no I/O. */
export function negotiate(input: NegotiateInput): Negotiation {
  const diagnostics: Diagnostic[] = []
  const profiles = selectProfiles(input, diagnostics)
  if ('outcome' in profiles) return nothing(profiles.outcome, diagnostics)
  const rules = input.rules ?? '2026-08-25'
  const authority = createAuthority({ allowLoopback: input.allowLoopback === true })
  const business = selectUsable(profiles.business, { side: 'business', rules, authority })
  const platform = selectUsable(profiles.platform, { side: 'platform', rules, authority })
  const parties: Parties = { business, platform, authority, rules }
  const { selected, excluded } = intersect(parties, input.document, diagnostics)
  return {
    outcome: selected.size > 0 ? 'ok' : 'capabilities_incompatible',
    protocolVersion: business.profile.version,
    active: toActive(selected),
    excluded,
    dropped: [...business.dropped, ...platform.dropped],
    diagnostics,
    parties,
  }
}

/** Finds the profile of the older version that two parties speak; undefined when none has to be fetched. */
export function findLeaf(business: unknown, platform: unknown): string | undefined {
  const { offered } = readVersions(business, 'business')
  const { offered: spoken } = readVersions(platform, 'platform')
  if (offered === undefined || spoken === undefined) return undefined
  const choice = selectVersion(offered, [spoken.version])
  return choice.found ? choice.leaf : undefined
}

/** Takes the rules that were in force on a date; the newest when nothing usable is given. */
export function toRules(date: string | undefined): Rules {
  return date !== undefined && date < '2026-08' && date >= '2026-01' ? '2026-04-08' : '2026-08-25'
}

function selectProfiles(
  input: NegotiateInput,
  diagnostics: Diagnostic[],
): { business: Profile; platform: Profile } | { outcome: NegotiationOutcome } {
  const offered = readVersions(input.business, 'business')
  const spoken = readVersions(input.platform, 'platform')
  if (offered.offered === undefined || spoken.offered === undefined) {
    diagnostics.push(...offered.diagnostics, ...spoken.diagnostics)
    return { outcome: 'profile_malformed' }
  }
  const choice = selectVersion(offered.offered, [spoken.offered.version])
  if (!choice.found) return { outcome: 'version_unsupported' }
  const source = choice.leaf === undefined ? input.business : input.document?.(choice.leaf)
  if (choice.leaf !== undefined) {
    const code = judgeLeaf(source, choice.version)
    if (code !== undefined) diagnostics.push({ code, side: 'business' })
    if (code === 'leaf_unavailable' || code === 'leaf_version_mismatch') {
      return { outcome: 'version_unsupported' }
    }
  }
  if (violatesLayout(input, source, diagnostics)) return { outcome: 'profile_malformed' }
  const business = readProfile(source, 'business')
  const platform = readProfile(input.platform, 'platform')
  for (const diagnostic of business.diagnostics) diagnostics.push(diagnostic)
  for (const diagnostic of platform.diagnostics) diagnostics.push(diagnostic)
  if (!business.ok || !platform.ok) return { outcome: 'profile_malformed' }
  return { business: business.profile, platform: platform.profile }
}

function violatesLayout(
  { validator, platform }: NegotiateInput,
  business: unknown,
  diagnostics: Diagnostic[],
): boolean {
  if (validator === undefined) return false
  const before = diagnostics.length
  for (const [side, profile] of [
    ['business', business],
    ['platform', platform],
  ] as const) {
    for (const { pointer: field } of validator.problems(profile, side)) {
      diagnostics.push({ code: 'profile_malformed', side, field })
    }
  }
  return diagnostics.length > before
}

/** Judges the profile of an older version: what is remarkable about it, undefined when nothing is. */
export function judgeLeaf(source: unknown, version: string): LeafRemark | undefined {
  const { offered } = readVersions(source, 'business')
  if (offered === undefined) return 'leaf_unavailable'
  if (offered.version !== version) return 'leaf_version_mismatch'
  return offered.supportedVersions.size > 0 ? 'leaf_has_supported_versions' : undefined
}

function toActive(
  selected: ReadonlyMap<string, CapabilityEntry>,
): ReadonlyMap<string, ActiveCapability> {
  const active = new Map<string, ActiveCapability>()
  for (const [name, entry] of selected) {
    const kind = entry.extends === undefined ? 'root' : 'extension'
    const parents = entry.extends?.filter((parent) => selected.has(parent)) ?? []
    active.set(name, { name, version: entry.version, kind, parents, entry })
  }
  return active
}

function nothing(outcome: NegotiationOutcome, diagnostics: readonly Diagnostic[]): Negotiation {
  return {
    outcome,
    protocolVersion: undefined,
    active: new Map(),
    excluded: new Map(),
    dropped: [],
    diagnostics,
    parties: undefined,
  }
}
