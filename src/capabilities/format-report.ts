import { formatDiagnostic } from './diagnostic.ts'
import type { ExclusionReason } from './intersect.ts'
import type { NegotiationOutcome } from './negotiate.ts'
import type { UnresolvedReason } from './operations.ts'
import type { NegotiationReport } from './report.ts'
import type { DroppedEntry } from './usable.ts'

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
  webhook_only: 'the business calls it, nobody else can',
  document_unavailable: 'no document was available',
  service_not_declared: 'the business declares no service for it',
  no_common_transport: 'no transport of its service is spoken by both',
}

/** Writes a negotiation as a table for people: capability, version or reason, operations. */
export function formatReport(
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
    for (const name of capabilities) {
      const list = owned.get(name)
      if (list === undefined) owned.set(name, [cells])
      else list.push(cells)
    }
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
