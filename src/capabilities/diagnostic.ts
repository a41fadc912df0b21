import type { Side, Transport } from './model.ts'

/** How much a diagnostic matters: an error stops negotiation, a warning loses something, info explains. */
export type Severity = 'error' | 'warning' | 'info'

/** Every diagnostic code with its severity and a sentence for people. */
export const DIAGNOSTICS = {
  profile_malformed: row('error', 'the profile cannot be used: this member is missing or wrong'),
  leaf_unavailable: row('error', 'the profile of the older protocol version could not be had'),
  leaf_version_mismatch: row('error', 'the profile of the older version states another version'),
  leaf_has_supported_versions: row('warning', 'a leaf profile must not link further versions'),
  legacy_profile_shape: row('info', 'the profile uses the layout of 2026-01-11'),
  registry_malformed: row('warning', 'the registry is no object and was ignored'),
  entry_not_in_array: row('warning', 'the entry should be inside an array'),
  invalid_name: row('warning', 'the name violates the reverse-domain grammar and was ignored'),
  invalid_entry: row('warning', 'the entry lacks something required and was ignored'),
  unknown_transport: row('warning', 'the transport is none of rest, mcp, a2a, embedded'),
  endpoint_missing: row('warning', 'the entry needs an endpoint and was ignored'),
  endpoint_refused: row('warning', 'the endpoint is no web address and the entry was ignored'),
  endpoint_not_https: row('warning', 'the endpoint is not an absolute https address'),
  supported_versions_malformed: row('warning', 'a date must lead to a URL; ignored'),
  duplicate_version_entry: row('warning', 'the version is declared twice; the first entry counts'),
  impossible_date: row('warning', 'the date does not exist in the calendar'),
  spec_not_https: row('warning', 'the spec address should be https'),
  key_refused: row('warning', 'the key is incomplete or holds private members and was refused'),
  key_skipped: row('info', 'the key is of an unknown kind and was skipped'),
  extends_differs: row('info', "the platform lists other parents; the business's list counts"),
  extension_cycle: row('warning', 'the chain of parents never reaches a root capability'),
  requires_malformed: row('warning', '`requires` of the extension schema is malformed and ignored'),
  service_authority_mismatch: row('warning', 'the schema host does not own the service name'),
  service_version_skew: row('warning', 'the version of the service is not that of the profile'),
  service_schema_from_platform: row('info', "the document address comes from the platform's entry"),
  service_schema_bundled: row('info', 'the document is the copy that ships with Waymark'),
  duplicate_transport_entry: row('info', 'several entries for one transport; the newest counts'),
  document_unavailable: row('warning', 'the document was not available'),
  document_too_large: row('warning', 'the document has more operations than are read'),
  duplicate_operation_id: row(
    'warning',
    'the document has the identifier twice; it is not callable',
  ),
  external_reference: row('warning', 'an operation defined in another file was skipped'),
  unsafe_path: row('warning', 'the path could leave the endpoint and was skipped'),
  extension_declares_operations: row('warning', 'an extension owns no operations; list ignored'),
  operations_malformed: row('warning', '`operations` is no array of strings; treated as absent'),
  operations_fallback: row('info', 'operations are not declared; taken from the built-in table'),
  operations_inferred: row('info', 'operations are not declared; inferred from the documents'),
  operations_unknown: row('info', 'operations are not declared and could not be found out'),
  duplicate_operation: row('warning', 'the operation is listed more than once'),
  operation_shared: row('info', 'the operation belongs to more than one capability'),
  operation_not_found: row('warning', 'no document has this operation'),
  operation_is_webhook: row('warning', 'the business calls this one; it is not callable'),
  operation_not_in_transport: row('info', 'the operation is missing on this transport'),
  service_not_declared: row('warning', 'the business declares no service for the capability'),
  no_common_transport: row('warning', 'no transport of the service is spoken by both'),
} as const satisfies Record<string, DiagnosticRow>

/** A code of the table above. */
export type DiagnosticCode = keyof typeof DIAGNOSTICS

/** What is known about a diagnostic before it occurs. */
export interface DiagnosticRow {
  readonly severity: Severity
  readonly message: string
}

/** A remark about two profiles or their documents: data, with just the members that apply. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly side?: Side
  readonly capability?: string
  readonly service?: string
  readonly transport?: Transport
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
  ].filter((part) => part !== undefined)
  return `${severity}: ${where.join(' ')}${where.length > 0 ? ': ' : ''}${message} (${diagnostic.code})`
}

function row(severity: Severity, message: string): DiagnosticRow {
  return { severity, message }
}
