import { defined, pushTo } from '../../values/index.ts'
import { type Diagnostic, formatDiagnostic } from '../diagnostic.ts'
import { createDocumentIndex, type DocumentIndex } from '../documents/index-document.ts'
import type { Rules, TransportName } from '../model.ts'
import { createProfileValidator } from '../profile/schema.ts'
import {
  checkRequest,
  type RequestVerdict,
  selectResponseCapabilities,
} from '../session/request-check.ts'
import type { ExclusionReason } from './intersect.ts'
import { type Negotiation, type NegotiationOutcome, negotiate } from './negotiate.ts'
import {
  type CapabilityOperation,
  type FallbackTable,
  type OperationSet,
  type OperationSource,
  resolveOperations,
  type UnresolvedOperation,
  type UnresolvedReason,
} from './operations.ts'
import type { DroppedEntry } from './usable.ts'

/** Two profiles and the documents to judge them by; nothing is fetched. */
export interface NegotiateReportInput {
  readonly business: unknown
  readonly platform: unknown
  /** URL to document: transport documents, extension schemas and leaf profiles; or an index of them. */
  readonly documents?: Readonly<Record<string, unknown>> | DocumentIndex
  readonly transports?: readonly TransportName[]
  readonly rules?: Rules
  readonly fallback?: FallbackTable | false
  readonly allowLoopback?: boolean
  /** Refuses profiles that violate their published layout. */
  readonly strict?: boolean
  /** Adds `response_capabilities` for these operations. */
  readonly respondTo?: readonly string[]
  /** Adds `request_checks` for these operations. */
  readonly checkRequests?: readonly string[]
}

/** A negotiation as plain data, spelled as `waymark negotiate --json` prints it. */
export interface NegotiationReport {
  readonly outcome: NegotiationOutcome
  readonly protocol_version: string | null
  readonly active: Readonly<Record<string, string>>
  readonly excluded: Readonly<Record<string, ExclusionReason>>
  readonly operation_ids: readonly string[]
  readonly operations: readonly Omit<CapabilityOperation, 'described'>[]
  readonly source: Readonly<Record<string, OperationSource>>
  readonly unresolved: readonly UnresolvedOperation[]
  readonly diagnostics: readonly Diagnostic[]
  readonly response_capabilities?: Readonly<Record<string, readonly string[]>>
  readonly request_checks?: Readonly<Record<string, RequestVerdict>>
}

/** Negotiates and resolves operations in one go and gives plain data; never throws on bad profiles. */
export function negotiateReport(input: NegotiateReportInput): NegotiationReport {
  const { business, platform, rules, transports, fallback } = input
  const documents = isIndex(input.documents)
    ? input.documents
    : createDocumentIndex(input.documents)
  const negotiation = negotiate({
    business,
    platform,
    document: documents.find,
    ...defined({ rules, validator: input.strict ? createProfileValidator() : undefined }),
    allowLoopback: input.allowLoopback === true,
  })
  const set = resolveOperations(negotiation, { documents, ...defined({ transports, fallback }) })
  const byId = <Value>(ids: readonly string[] | undefined, judge: (id: string) => Value) =>
    ids && Object.fromEntries(ids.map((id) => [id, judge(id)]))
  return {
    ...toReport(negotiation, set),
    ...defined({
      response_capabilities: byId(input.respondTo, (id) =>
        selectResponseCapabilities(negotiation, set, id),
      ),
      request_checks: byId(input.checkRequests, (id) => checkRequest(negotiation, set, id).verdict),
    }),
  }
}

/** Writes a negotiation and its operations as plain data. */
export function toReport(negotiation: Negotiation, set: OperationSet): NegotiationReport {
  const { outcome, protocolVersion, active, excluded, diagnostics } = negotiation
  return {
    outcome,
    protocol_version: protocolVersion ?? null,
    active: Object.fromEntries([...active].map(([name, { version }]) => [name, version])),
    excluded: Object.fromEntries(excluded),
    operation_ids: [...new Set(set.operations.map(({ id }) => id))].sort(),
    operations: set.operations.map(({ described: _, ...operation }) => operation),
    source: Object.fromEntries(set.source),
    unresolved: set.unresolved,
    diagnostics: [...diagnostics, ...set.diagnostics],
  }
}

function isIndex(documents: NegotiateReportInput['documents']): documents is DocumentIndex {
  return typeof documents?.['find'] === 'function'
}

const OUTCOMES: Readonly<Record<NegotiationOutcome, string>> = {
  ok: 'The two parties can work together',
  capabilities_incompatible: 'No capability is shared',
  version_unsupported: 'No protocol version is shared',
  profile_malformed: 'A profile cannot be used',
}

const REASONS: Readonly<Record<ExclusionReason, string>> = {
  not_in_platform: 'the platform does not have it',
  no_mutual_version: 'no version is the same on both sides',
  orphaned_extension: 'no capability that it extends is active',
  requires_violated: 'the versions are not those its schema requires',
  authority_mismatch: 'its schema is on a host that does not own the name',
  version_skew: 'its version is not that of the profile',
  invalid_entry: 'its entry is malformed',
}

const UNRESOLVED: Readonly<Record<UnresolvedReason, string>> = {
  operation_not_found: 'no document has it',
  webhook_only: 'only the business calls it',
  document_unavailable: 'no document was available',
  service_not_declared: 'the business declares no service for it',
  no_common_transport: 'the two parties share no transport of its service',
}

/** Writes a negotiation as a table for people: capability, version or reason, operations. */
export function formatNegotiation(
  report: NegotiationReport,
  dropped: readonly DroppedEntry[] = [],
): string {
  const { outcome, protocol_version: version, active, excluded } = report
  const total = Object.keys(active).length + Object.keys(excluded).length
  const heading =
    version === null
      ? OUTCOMES[outcome]
      : `${OUTCOMES[outcome]}: protocol ${version}, ${Object.keys(active).length} of ${total} capabilities active`
  const lines = [
    heading,
    ...section('', formatTable(tableRows(report))),
    ...section('Listed but not callable', unresolvedLines(report)),
    ...section('Entries left out', dropped.map(droppedLine)),
    ...section('Remarks', report.diagnostics.map(formatDiagnostic)),
  ]
  return `${lines.map(withoutControls).join('\n')}\n`
}

// Names and identifiers come from strangers: an escape sequence in one must not reach the terminal.
function withoutControls(line: string): string {
  return line.replace(/\p{Cc}/gu, '\u{FFFD}')
}

function droppedLine({ side, name, version, reason }: DroppedEntry): string {
  return `${name} ${version} of the ${side}: ${REASONS[reason]}`
}

type Row = readonly [string, string, string]

function tableRows({ active, excluded, operations, source }: NegotiationReport): readonly Row[] {
  const names = [...Object.keys(active), ...Object.keys(excluded)].sort()
  const owned = new Map<string, OperationCells[]>()
  for (const { id, capabilities, bindings } of operations) {
    const { rest, mcp } = bindings
    const cells: OperationCells = [
      id,
      rest ? `${rest.method} ${rest.path}` : '',
      mcp ? `mcp ${mcp.tool}` : '',
    ]
    for (const name of capabilities) pushTo(owned, name, cells)
  }
  const rows: Row[] = names.length > 0 ? [['CAPABILITY', 'STATUS', 'OPERATIONS']] : []
  for (const name of names) {
    const reason = excluded[name]
    if (reason !== undefined) {
      rows.push([name, `not active: ${REASONS[reason]}`, ''])
      continue
    }
    const lines = alignColumns(owned.get(name) ?? [])
    const none = source[name] === 'extension' ? 'extends, owns none' : 'none'
    const [first = none, ...others] = lines
    rows.push([name, `active ${active[name]}`, first])
    for (const line of others) rows.push(['', '', line])
  }
  return rows
}

type OperationCells = readonly [id: string, rest: string, mcp: string]

function alignColumns(cells: readonly OperationCells[]): readonly string[] {
  const width = (column: 0 | 1): number => Math.max(0, ...cells.map((cell) => cell[column].length))
  const [first, second] = [width(0), width(1)]
  return cells.map(([id, rest, mcp]) =>
    `${id.padEnd(first)}  ${rest.padEnd(second)}  ${mcp}`.trimEnd(),
  )
}

function unresolvedLines({ unresolved }: NegotiationReport): readonly string[] {
  return unresolved.map(
    ({ operation, capability, reason }) => `${operation} of ${capability}: ${UNRESOLVED[reason]}`,
  )
}

// A long reason must not push the operations of all other rows away.
const MAX_STATUS = 24

function formatTable(rows: readonly Row[]): readonly string[] {
  const wide = (column: 0 | 1, limit: number): number =>
    Math.max(0, ...rows.map((row) => row[column].length).filter((length) => length <= limit))
  const first = wide(0, Number.POSITIVE_INFINITY)
  const second = wide(1, MAX_STATUS)
  return rows.map((row) => `${row[0].padEnd(first)}  ${row[1].padEnd(second)}  ${row[2]}`.trimEnd())
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  return title === '' ? ['', ...lines] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)]
}
