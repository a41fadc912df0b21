import type { Diagnostic } from '../../../src/capabilities/diagnostic.ts'
import type { CapabilityEntry } from '../../../src/capabilities/model.ts'
import { longestPrefix } from '../../../src/capabilities/model.ts'
import type { ExclusionReason, Parties } from '../../../src/capabilities/negotiate/intersect.ts'
import type { Negotiation } from '../../../src/capabilities/negotiate/negotiate.ts'
import type {
  CapabilityOperation,
  OperationSet,
} from '../../../src/capabilities/negotiate/operations.ts'
import { FALLBACK_OPERATIONS } from '../../../src/capabilities/negotiate/operations.ts'
import { explainActive, explainExclusion, SHORT_REASONS, UNRESOLVED } from './capability-reason.ts'

/** What became of a capability; `missing` is a parent that the service does not have. */
export type CapabilityState = 'active' | 'excluded' | 'pruned' | 'missing'

/** An operation beside its capability. */
export interface PictureOperation {
  readonly id: string
  readonly callable: boolean
  /** Verb and path, or why there is none. */
  readonly summary: string
  readonly rest: string | undefined
  readonly mcp: string | undefined
  readonly reason: string
}

/** A capability with everything the picture and the table say about it. */
export interface PictureCapability {
  readonly name: string
  /** The name of its service, or of all but the last label; the label is the rest. */
  readonly space: string
  readonly label: string
  readonly state: CapabilityState
  /** A word or two beside the state: the version, or the reason in short. */
  readonly brief: string
  readonly reason: string
  readonly offered: readonly string[]
  readonly wanted: readonly string[]
  /** Undefined for a root. */
  readonly parents: readonly string[] | undefined
  readonly operations: readonly PictureOperation[]
}

/** What two profiles come to, ready to be drawn. */
export interface Picture {
  readonly protocolVersion: string
  readonly capabilities: readonly PictureCapability[]
  /** Capabilities of the platform that the service does not have. */
  readonly foreign: readonly string[]
  readonly remarks: readonly Diagnostic[]
}

/** Puts a negotiation and its operations into the words and lists of the picture. */
export function buildPicture(
  negotiation: Negotiation,
  parties: Parties,
  set: OperationSet,
): Picture {
  const { active, excluded, diagnostics } = negotiation
  const own = [...active.keys(), ...excluded.keys()].sort()
  const describe = createDescriber(negotiation, parties, set)
  const capabilities = own.map(describe)
  const known = new Set(own)
  const missing = new Set(
    capabilities.flatMap(({ parents }) => parents ?? []).filter((name) => !known.has(name)),
  )
  return {
    protocolVersion: parties.business.profile.version,
    capabilities: [...capabilities, ...[...missing].sort().map((name) => toMissing(name, parties))],
    foreign: [...parties.platform.profile.capabilities.keys()]
      .filter((name) => !known.has(name))
      .sort(),
    remarks: [...diagnostics, ...set.diagnostics],
  }
}

function createDescriber(
  negotiation: Negotiation,
  parties: Parties,
  set: OperationSet,
): (name: string) => PictureCapability {
  const owned = new Map<string, PictureOperation[]>()
  const own = (capability: string, operation: PictureOperation): void => {
    const list = owned.get(capability)
    if (list === undefined) owned.set(capability, [operation])
    else list.push(operation)
  }
  for (const operation of set.operations) {
    for (const capability of operation.capabilities) own(capability, toCallable(operation))
  }
  for (const { capability, operation, reason } of set.unresolved) {
    own(capability, toUncallable(operation, UNRESOLVED[reason]))
  }

  return (name) => {
    const chosen = negotiation.active.get(name)
    const reason = negotiation.excluded.get(name)
    const entries = parties.business.profile.capabilities.get(name) ?? []
    const common = {
      name,
      ...splitName(name, parties),
      offered: versionsOf(entries),
      wanted: versionsOf(parties.platform.profile.capabilities.get(name) ?? []),
    }
    if (chosen !== undefined) {
      return {
        ...common,
        state: 'active',
        brief: chosen.version,
        reason: explainActive(chosen),
        parents: chosen.entry.extends,
        operations: owned.get(name) ?? [],
      }
    }
    const why = reason ?? 'not_in_platform'
    return {
      ...common,
      state: stateOf(why),
      brief: SHORT_REASONS[why],
      reason: explainExclusion(name, why, negotiation, parties),
      parents: parentsOf(entries),
      operations: listLost(name, entries),
    }
  }
}

function stateOf(reason: ExclusionReason): CapabilityState {
  return reason === 'orphaned_extension' || reason === 'requires_violated' ? 'pruned' : 'excluded'
}

function toCallable({ id, bindings }: CapabilityOperation): PictureOperation {
  const { rest, mcp } = bindings
  const ways = [rest && `${rest.method} ${rest.path}`, mcp && 'MCP'].filter(Boolean)
  return {
    id,
    callable: true,
    summary: ways.join(' · '),
    rest: rest && `${rest.method} ${rest.url}`,
    mcp: mcp && `${mcp.tool} at ${mcp.endpoint}`,
    reason: 'May be called.',
  }
}

function toUncallable(id: string, why: string): PictureOperation {
  const reason = `May not be called: ${why}.`
  return { id, callable: false, summary: why, rest: undefined, mcp: undefined, reason }
}

/** What would be callable, were the capability active. */
function listLost(name: string, entries: readonly CapabilityEntry[]): readonly PictureOperation[] {
  const roots = entries.filter((entry) => entry.extends === undefined)
  if (roots.length === 0) return []
  const declared = roots.flatMap(({ operations }) => operations ?? [])
  const table = Object.hasOwn(FALLBACK_OPERATIONS, name) ? FALLBACK_OPERATIONS[name] : undefined
  const listed = declared.length > 0 ? declared : (table ?? [])
  return [...new Set(listed)].map((id) => toUncallable(id, 'its capability is not active'))
}

function parentsOf(entries: readonly CapabilityEntry[]): readonly string[] | undefined {
  const named = entries.flatMap((entry) => entry.extends ?? [])
  return named.length === 0 ? undefined : [...new Set(named)]
}

function versionsOf(entries: readonly CapabilityEntry[]): readonly string[] {
  return [...new Set(entries.map(({ version }) => version))].sort()
}

function splitName(name: string, { business }: Parties): { space: string; label: string } {
  const service = longestPrefix(name, business.profile.services)
  const cut = service === undefined || service === name ? name.lastIndexOf('.') : service.length
  return { space: name.slice(0, Math.max(0, cut)), label: name.slice(cut + 1) }
}

function toMissing(name: string, parties: Parties): PictureCapability {
  return {
    name,
    ...splitName(name, parties),
    state: 'missing',
    brief: 'not offered here',
    reason: 'An extension names it as a parent, but this service does not have it.',
    offered: [],
    wanted: versionsOf(parties.platform.profile.capabilities.get(name) ?? []),
    parents: undefined,
    operations: [],
  }
}
