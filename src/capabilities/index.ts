export type { Authority } from './authority.ts'
export {
  DIAGNOSTICS,
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticRow,
  type DiagnosticSeverity,
} from './diagnostic.ts'
export {
  createDocumentFetcher,
  type DocumentFetcher,
  type DocumentFetcherOptions,
  type FetchedDocument,
  type FetchFailure,
} from './documents/fetcher.ts'
export { createDocumentIndex, type DocumentIndex } from './documents/index-document.ts'
export type {
  DocumentMembers,
  DocumentRemark,
  McpDocument,
  McpOperation,
  OperationTable,
  RestDocument,
  RestOperation,
  TransportDocument,
} from './documents/transport.ts'
export {
  type CallableTransport,
  type CapabilityEntry,
  type HandlerEntry,
  isCalendarDate,
  isDateVersion,
  type Profile,
  type ProfileEntry,
  type ProfileRegistry,
  type PublicKey,
  type Rules,
  type ServiceEntry,
  type Side,
  TRANSPORTS,
  type TransportName,
} from './model.ts'
export type { ExclusionReason, Parties } from './negotiate/intersect.ts'
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
  type CapabilityOperation,
  FALLBACK_OPERATIONS,
  type FallbackTable,
  type McpBinding,
  type OperationLookup,
  type OperationSet,
  type OperationSource,
  type ResolveOptions,
  type RestBinding,
  readFallback,
  resolveOperations,
  type UnresolvedOperation,
  type UnresolvedReason,
} from './negotiate/operations.ts'
export {
  formatNegotiation,
  type NegotiateReportInput,
  type NegotiationReport,
  negotiateReport,
} from './negotiate/report.ts'
export type { DroppedEntry, DropReason, UsableProfile } from './negotiate/usable.ts'
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
export {
  CAPABILITY_LINT_SCHEMA,
  LAYOUTS,
  type Layout,
  OPERATIONS_SCHEMA,
  type ProfileValidator,
} from './profile/schema.ts'
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
  type ErrorText,
  PROTOCOL_ERRORS,
  type ProtocolErrorCode,
  type ProtocolRefusal,
  readProtocolError,
  toIncompatibleBody,
  toRestError,
  toRpcError,
} from './session/incoming.ts'
export { loadDocuments } from './session/load.ts'
export type { PreparedRequest } from './session/outgoing.ts'
export {
  checkRequest,
  type RequestCheck,
  type RequestCheckOptions,
  type RequestVerdict,
  selectResponseCapabilities,
} from './session/request-check.ts'
export type { PreparedCall, SessionCallOptions } from './session/session.ts'
