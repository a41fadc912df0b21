import type { Side, TransportName } from './model.ts'

/** How much a diagnostic matters: an error stops negotiation, a warning loses something, info explains. */
export type DiagnosticSeverity = 'error' | 'warning' | 'info'

/** Every diagnostic code with its severity and a sentence for people. */
export const DIAGNOSTICS = {
  profile_malformed: {
    severity: 'error',
    message: 'the profile cannot be used: this member is missing or wrong',
  },
  leaf_unavailable: {
    severity: 'error',
    message: 'the profile of the older protocol version could not be fetched',
  },
  leaf_version_mismatch: {
    severity: 'error',
    message: 'the profile of the older version states another version',
  },
  leaf_has_supported_versions: {
    severity: 'warning',
    message: 'a leaf profile must not link further versions',
  },
  legacy_profile_shape: { severity: 'info', message: 'the profile uses the layout of 2026-01-11' },
  registry_malformed: {
    severity: 'warning',
    message: 'the registry is not an object and was ignored',
  },
  entry_not_in_array: { severity: 'warning', message: 'the entry should be inside an array' },
  invalid_name: {
    severity: 'warning',
    message: 'the name violates the reverse-domain grammar and was ignored',
  },
  invalid_entry: {
    severity: 'warning',
    message: 'the entry lacks something required and was ignored',
  },
  unknown_transport: {
    severity: 'warning',
    message: 'the transport must be rest, mcp, a2a or embedded',
  },
  endpoint_missing: { severity: 'warning', message: 'the entry needs an endpoint and was ignored' },
  endpoint_refused: {
    severity: 'warning',
    message: 'the endpoint is not an HTTP URL; the entry was ignored',
  },
  endpoint_not_https: {
    severity: 'warning',
    message: 'the endpoint is not an absolute https address',
  },
  supported_versions_malformed: {
    severity: 'warning',
    message: 'a date must lead to a URL; ignored',
  },
  duplicate_version_entry: {
    severity: 'warning',
    message: 'the version is declared twice; the first entry counts',
  },
  impossible_date: { severity: 'warning', message: 'the date does not exist in the calendar' },
  spec_not_https: { severity: 'warning', message: 'the spec address should be https' },
  key_refused: {
    severity: 'warning',
    message: 'the key is incomplete or holds private members and was refused',
  },
  key_skipped: { severity: 'info', message: 'the key is of an unknown kind and was skipped' },
  extends_differs: {
    severity: 'info',
    message: "the platform lists other parents; the business's list counts",
  },
  extension_cycle: {
    severity: 'warning',
    message: 'the chain of parents never reaches a root capability',
  },
  requires_malformed: {
    severity: 'warning',
    message: '`requires` of the extension schema is malformed and ignored',
  },
  service_authority_mismatch: {
    severity: 'warning',
    message: 'the schema host does not own the service name',
  },
  service_version_skew: {
    severity: 'warning',
    message: 'the version of the service is not that of the profile',
  },
  service_schema_from_platform: {
    severity: 'info',
    message: "the document address comes from the platform's entry",
  },
  service_schema_bundled: {
    severity: 'info',
    message: 'the document is the copy that ships with Waymark',
  },
  duplicate_transport_entry: {
    severity: 'info',
    message: 'several entries for one transport; the newest counts',
  },
  document_unavailable: { severity: 'warning', message: 'the document was not available' },
  document_too_large: {
    severity: 'warning',
    message: 'the document has more operations than are read',
  },
  duplicate_operation_id: {
    severity: 'warning',
    message: 'the document has the identifier twice; it is not callable',
  },
  external_reference: {
    severity: 'warning',
    message: 'an operation defined in another file was skipped',
  },
  unsafe_path: {
    severity: 'warning',
    message: 'the path could leave the endpoint and was skipped',
  },
  extension_declares_operations: {
    severity: 'warning',
    message: 'an extension owns no operations; list ignored',
  },
  operations_malformed: {
    severity: 'warning',
    message: '`operations` is not an array of strings; treated as absent',
  },
  operations_fallback: {
    severity: 'info',
    message: 'operations are not declared; taken from the built-in table',
  },
  operations_inferred: {
    severity: 'info',
    message: 'operations are not declared; inferred from the documents',
  },
  operations_unknown: {
    severity: 'info',
    message: 'operations are not declared and could not be inferred',
  },
  duplicate_operation: { severity: 'warning', message: 'the operation is listed more than once' },
  operation_shared: {
    severity: 'info',
    message: 'the operation belongs to more than one capability',
  },
  operation_not_found: { severity: 'warning', message: 'no document has this operation' },
  operation_is_webhook: {
    severity: 'warning',
    message: 'only the business calls this operation; it is not callable',
  },
  operation_not_in_transport: {
    severity: 'info',
    message: 'the operation is missing on this transport',
  },
  service_not_declared: {
    severity: 'warning',
    message: 'the business declares no service for the capability',
  },
  no_common_transport: {
    severity: 'warning',
    message: 'the two parties share no transport of the service',
  },
} as const

/** A code of the table above. */
export type DiagnosticCode = keyof typeof DIAGNOSTICS

/** What is known about a diagnostic before it occurs. */
export interface DiagnosticRow {
  readonly severity: DiagnosticSeverity
  readonly message: string
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
  const { severity, message }: DiagnosticRow = DIAGNOSTICS[diagnostic.code]
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
