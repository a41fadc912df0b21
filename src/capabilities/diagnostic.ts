import type { Side, TransportName } from './model.ts'

/** How much a diagnostic matters: an error stops negotiation, a warning loses something, info explains. */
export type DiagnosticSeverity = 'error' | 'warning' | 'info'

/** What stops negotiation. */
const ERRORS = {
  profile_malformed: 'the profile cannot be used: this member is missing or wrong',
  leaf_unavailable: 'the profile of the older protocol version could not be fetched',
  leaf_version_mismatch: 'the profile of the older version states another version',
} as const

/** What loses something. */
const WARNINGS = {
  leaf_has_supported_versions: 'a leaf profile must not link further versions',
  registry_malformed: 'the registry is not an object and was ignored',
  entry_not_in_array: 'the entry should be inside an array',
  invalid_name: 'the name violates the reverse-domain grammar and was ignored',
  invalid_entry: 'the entry lacks something required and was ignored',
  unknown_transport: 'the transport must be rest, mcp, a2a or embedded',
  endpoint_missing: 'the entry needs an endpoint and was ignored',
  endpoint_refused: 'the endpoint is not an HTTP URL; the entry was ignored',
  endpoint_not_https: 'the endpoint is not an absolute https address',
  supported_versions_malformed: 'a date must lead to a URL; ignored',
  duplicate_version_entry: 'the version is declared twice; the first entry counts',
  impossible_date: 'the date does not exist in the calendar',
  spec_not_https: 'the spec address should be https',
  key_refused: 'the key is incomplete or holds private members and was refused',
  extension_cycle: 'the chain of parents never reaches a root capability',
  requires_malformed: '`requires` of the extension schema is malformed and ignored',
  service_authority_mismatch: 'the schema host does not own the service name',
  service_version_skew: 'the version of the service is not that of the profile',
  document_unavailable: 'the document was not available',
  document_too_large: 'the document has more operations than are read',
  duplicate_operation_id: 'the document has the identifier twice; it is not callable',
  external_reference: 'an operation defined in another file was skipped',
  unsafe_path: 'the path could leave the endpoint and was skipped',
  extension_declares_operations: 'an extension owns no operations; list ignored',
  operations_malformed: '`operations` is not an array of strings; treated as absent',
  duplicate_operation: 'the operation is listed more than once',
  operation_not_found: 'no document has this operation',
  operation_is_webhook: 'only the business calls this operation; it is not callable',
  service_not_declared: 'the business declares no service for the capability',
  no_common_transport: 'the two parties share no transport of the service',
} as const

/** What only explains. */
const REMARKS = {
  legacy_profile_shape: 'the profile uses the layout of 2026-01-11',
  key_skipped: 'the key is of an unknown kind and was skipped',
  extends_differs: "the platform lists other parents; the business's list counts",
  service_schema_from_platform: "the document address comes from the platform's entry",
  service_schema_bundled: 'the document is the copy that ships with Waymark',
  duplicate_transport_entry: 'several entries for one transport; the newest counts',
  operations_fallback: 'operations are not declared; taken from the built-in table',
  operations_inferred: 'operations are not declared; inferred from the documents',
  operations_unknown: 'operations are not declared and could not be inferred',
  operation_shared: 'the operation belongs to more than one capability',
  operation_not_in_transport: 'the operation is missing on this transport',
} as const

/** A code of the tables above. */
export type DiagnosticCode = keyof typeof ERRORS | keyof typeof WARNINGS | keyof typeof REMARKS

/** What is known about a diagnostic before it occurs. */
export interface DiagnosticRow {
  readonly severity: DiagnosticSeverity
  readonly message: string
}

/** Every diagnostic code with its severity and a sentence for people. */
export const DIAGNOSTICS: Readonly<Record<DiagnosticCode, DiagnosticRow>> = {
  ...toRows('error', ERRORS),
  ...toRows('warning', WARNINGS),
  ...toRows('info', REMARKS),
}

function toRows<Code extends string>(
  severity: DiagnosticSeverity,
  messages: Readonly<Record<Code, string>>,
): Record<Code, DiagnosticRow> {
  const rows = Object.entries(messages).map(([code, message]) => [code, { severity, message }])
  return Object.fromEntries(rows) as Record<Code, DiagnosticRow>
}

/** A remark about two profiles or their documents: data, with just the members that apply. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly side?: Side
  readonly capability?: string
  readonly service?: string
  readonly transport?: TransportName
  readonly operation?: string
  /** JSON Pointer into the profile of `side`, for malformed input. */
  readonly field?: string
}

/** Writes a diagnostic as one line for people. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { severity, message } = DIAGNOSTICS[diagnostic.code]
  const where = [
    diagnostic.side,
    diagnostic.field,
    diagnostic.capability,
    diagnostic.service,
    diagnostic.transport,
    diagnostic.operation,
  ].filter((part) => part !== undefined && part !== '')
  return `${severity}: ${where.join(' ')}${where.length > 0 ? ': ' : ''}${message} (${diagnostic.code})`
}
