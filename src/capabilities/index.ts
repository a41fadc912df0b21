export { type Authority, type AuthorityOptions, createAuthority } from './authority.ts'
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
} from './documents/fetcher.ts'
export { createDocumentIndex, type DocumentIndex } from './documents/index-document.ts'
export {
  isCalendarDate,
  isVersion,
  type Profile,
  type Rules,
  type Side,
  TRANSPORTS,
  type Transport,
} from './model.ts'
export type { ExclusionReason } from './negotiate/intersect.ts'
export {
  type ActiveCapability,
  findLeaf,
  type NegotiateInput,
  type Negotiation,
  type NegotiationOutcome,
  negotiate,
  toRules,
} from './negotiate/negotiate.ts'
export {
  FALLBACK_OPERATIONS,
  type FallbackTable,
  type Operation,
  type OperationLookup,
  type OperationSet,
  type OperationSource,
  type ResolveOptions,
  readFallback,
  resolveOperations,
  type UnresolvedOperation,
} from './negotiate/operations.ts'
export {
  formatReport,
  type NegotiateReportInput,
  type NegotiationReport,
  negotiateReport,
  toReport,
} from './negotiate/report.ts'
export {
  buildBusinessProfile,
  type CapabilityDefinition,
  type HostedProfile,
  hostProfile,
  type ProfileDefinition,
  type ServiceDefinition,
} from './profile/build.ts'
export { type LintFinding, type LintOptions, lintProfile } from './profile/lint.ts'
export { type ProfileReading, readProfile } from './profile/read.ts'
export { buildProfileSchema, CAPABILITY_LINT_SCHEMA, OPERATIONS_SCHEMA } from './profile/schema.ts'
export { createProfileValidator, type ProfileValidator } from './profile/validate.ts'
export {
  type AgentHeader,
  formatAgentHeader,
  judgeProfileUrl,
  parseAgentHeader,
} from './session/agent-header.ts'
export {
  type ConnectFailure,
  type Connection,
  type ConnectOptions,
  connect,
  type PlatformProfile,
  type Session,
} from './session/connect.ts'
export {
  type Admission,
  type Admit,
  type Announcement,
  BUSY_TEXT,
  type CallResult,
  PROTOCOL_ERRORS,
  type ProtocolErrorCode,
  type Refusal,
  readProtocolError,
  toIncompatibleBody,
  toRestError,
  toRpcError,
} from './session/incoming.ts'
export { loadDocuments } from './session/load.ts'
export {
  checkRequest,
  type RequestCheck,
  type RequestCheckOptions,
  type RequestVerdict,
  selectResponseCapabilities,
} from './session/request-check.ts'
export type { PreparedCall, SessionCallOptions } from './session/session.ts'
