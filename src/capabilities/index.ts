export { type AgentHeader, formatAgentHeader, parseAgentHeader } from './agent-header.ts'
export { type Authority, type AuthorityOptions, createAuthority } from './authority.ts'
export {
  buildBusinessProfile,
  type CapabilityDefinition,
  type HostedProfile,
  hostProfile,
  type ProfileDefinition,
  type ServiceDefinition,
} from './build-profile.ts'
export {
  type ConnectFailure,
  type Connection,
  type ConnectOptions,
  connect,
  type PlatformProfile,
  type Session,
} from './connect.ts'
export {
  type Diagnostic,
  type DiagnosticCode,
  formatDiagnostic,
  type Severity,
} from './diagnostic.ts'
export {
  createDocumentFetcher,
  type DocumentFetcher,
  type DocumentFetcherOptions,
  type FetchedDocument,
} from './document-fetcher.ts'
export { createDocumentIndex, type DocumentIndex } from './document-index.ts'
export { FALLBACK_OPERATIONS, type FallbackTable, readFallback } from './fallback.ts'
export { formatReport } from './format-report.ts'
export type { CallResult } from './incoming.ts'
export type { ExclusionReason } from './intersect.ts'
export { type LintOptions, lintProfile } from './lint.ts'
export type { LintFinding } from './lint-finding.ts'
export type { Profile, Rules, Side, Transport } from './model.ts'
export {
  type ActiveCapability,
  type NegotiateInput,
  type Negotiation,
  type NegotiationOutcome,
  negotiate,
  toRules,
} from './negotiate.ts'
export {
  type Operation,
  type OperationLookup,
  type OperationSet,
  type OperationSource,
  type ResolveOptions,
  resolveOperations,
  type UnresolvedOperation,
} from './operations.ts'
export { buildProfileSchema, CAPABILITY_LINT_SCHEMA, OPERATIONS_SCHEMA } from './profile-schema.ts'
export type { ProfileValidator } from './profile-validator.ts'
export {
  PROTOCOL_ERRORS,
  type ProtocolErrorCode,
  readProtocolError,
  toIncompatibleBody,
  toRestError,
  toRpcError,
} from './protocol-error.ts'
export { type ProfileReading, readProfile } from './read-profile.ts'
export {
  type NegotiateReportInput,
  type NegotiationReport,
  negotiateReport,
  toReport,
} from './report.ts'
export {
  checkRequest,
  type RequestCheck,
  type RequestCheckOptions,
  type RequestVerdict,
  selectResponseCapabilities,
} from './request-check.ts'
export type { PreparedCall, SessionCallOptions } from './session.ts'
export { createProfileValidator } from './validate-profile.ts'
