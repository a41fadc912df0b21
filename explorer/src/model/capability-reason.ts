import type { ExclusionReason, Parties } from '../../../src/capabilities/negotiate/intersect.ts'
import type {
  ActiveCapability,
  Negotiation,
} from '../../../src/capabilities/negotiate/negotiate.ts'
import type { UnresolvedReason } from '../../../src/capabilities/negotiate/operations.ts'

/** Why a capability is not active, short enough for its box. */
export const SHORT_REASONS: Readonly<Record<ExclusionReason, string>> = {
  not_in_platform: 'not on the platform',
  no_mutual_version: 'no version in common',
  orphaned_extension: 'no parent is active',
  requires_violated: 'requires other versions',
  authority_mismatch: 'foreign schema host',
  version_skew: 'other protocol version',
  invalid_entry: 'entry is malformed',
}

/** Why an operation that is listed cannot be called. */
export const UNRESOLVED: Readonly<Record<UnresolvedReason, string>> = {
  operation_not_found: 'no document has it',
  webhook_only: 'the service calls it, nobody else can',
  document_unavailable: 'its document is not on this server',
  service_not_declared: 'the profile declares no service for it',
  no_common_transport: 'no transport is spoken by both',
}

/** Says what made a capability active. */
export function explainActive({ version, kind, parents }: ActiveCapability): string {
  const both = `Both sides have version ${version}`
  return kind === 'root' ? `${both}.` : `${both}, and it extends what is active: ${list(parents)}.`
}

/** Says why a capability is not active, with the facts that decided it. */
export function explainExclusion(
  name: string,
  reason: ExclusionReason,
  negotiation: Negotiation,
  parties: Parties,
): string {
  const { business, platform } = parties
  const versions = (side: Parties['business']) =>
    list((side.capabilities.get(name) ?? []).map(({ version }) => version))
  switch (reason) {
    case 'not_in_platform':
      return explainAbsence(name, negotiation, parties)
    case 'no_mutual_version':
      return `No version is the same on both sides: this service has ${versions(business)}, the platform ${versions(platform)}.`
    case 'orphaned_extension': {
      const entries = business.profile.capabilities.get(name) ?? []
      const parents = new Set(entries.flatMap((entry) => entry.extends ?? []))
      return `Nothing that it extends is active: ${list([...parents])}.`
    }
    case 'requires_violated':
      return 'The chosen versions are not those that its schema requires.'
    case 'authority_mismatch':
    case 'version_skew':
      return explainDrop(name, 'business', negotiation, parties) ?? SHORT_REASONS[reason]
    case 'invalid_entry':
      return 'Its entry in the profile of this service is malformed; the remarks name the member.'
  }
}

/** A platform may list a capability and still not have it: its entry may not count. */
function explainAbsence(name: string, negotiation: Negotiation, parties: Parties): string {
  const dropped = explainDrop(name, 'platform', negotiation, parties)
  if (dropped !== undefined) return `It counts as absent on the platform: ${dropped}`
  return parties.platform.profile.invalidCapabilities.has(name)
    ? 'It counts as absent on the platform: its entry is malformed; the remarks name the member.'
    : 'The platform does not have it.'
}

function explainDrop(
  name: string,
  side: 'business' | 'platform',
  { dropped }: Negotiation,
  parties: Parties,
): string | undefined {
  const all = dropped.filter(
    (drop) => drop.side === side && drop.registry === 'capabilities' && drop.name === name,
  )
  const foreign = all.find((drop) => drop.reason === 'authority_mismatch')
  if (foreign)
    return `The schema ${foreign.entry.schema ?? ''} is on a host that does not own the name.`
  const [skewed] = all
  if (skewed === undefined) return undefined
  return `Version ${skewed.version} is not that of the profile, ${parties[side].profile.version}.`
}

function list(words: readonly string[]): string {
  return words.length > 0 ? words.join(', ') : 'none'
}
