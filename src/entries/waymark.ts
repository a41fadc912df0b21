// Define functions, put them into a service, and serve it.
export {
  type AcceptedExtensions,
  type AnyFunction,
  type ArgumentsOf,
  type AttributeSchema,
  type AttributesIn,
  type Call,
  type CallFacts,
  type CallMethod,
  type CallObserver,
  type CodeIn,
  type CodesOf,
  type ComponentCheck,
  type ComponentHealth,
  type Components,
  type ContentDescriptor,
  type Credentials,
  type DeclaredError,
  type DeclaredIn,
  type Deprecated,
  type DetailsOf,
  type DryRunReport,
  defineFunction,
  defineMiddleware,
  type EndedCall,
  type ErrorDefinition,
  type ErrorsOf,
  type Example,
  type ExamplePairing,
  type Extension,
  type ExtensionCall,
  type ExtensionDeclaration,
  type ExtensionEntry,
  type ExtensionParameters,
  type ExternalDocs,
  type FailOptions,
  type FailParameters,
  type Failure,
  type FunctionDefinition,
  type FunctionEntry,
  type FunctionHealth,
  type FunctionMetadata,
  type FunctionSource,
  type FunctionSpec,
  type GivenOr,
  type Handler,
  type HandlerInput,
  type HandlerOf,
  type HealthStatus,
  type HttpRoute,
  type Info,
  type Invocation,
  type ItemOf,
  type Limits,
  type Link,
  type LocalsOf,
  type Logger,
  type Middleware,
  type MiddlewareStep,
  type Next,
  type Outcome,
  type Outlet,
  type PaginationStrategy,
  type Passed,
  PHASES,
  type Phase,
  type PresetExclusions,
  type Principal,
  type ProfileCapability,
  type QueryCapabilities,
  type QueryInvocation,
  type Reference,
  type Registry,
  type Reply,
  type ReplyEntry,
  type Resource,
  type ResourceAttribute,
  type ResourceRelationship,
  type ResultOf,
  type Server,
  type ServerVariable,
  type Service,
  type ServiceHealth,
  type ServiceProfile,
  type SideEffect,
  type Simulation,
  type Stability,
  type StreamHandler,
  type StreamResume,
  type Success,
  type Tag,
  type Target,
  type TraceFacts,
  type UntypedInput,
  type View,
  viewOf,
} from '../core/index.ts'
export {
  type BuildDocumentOptions,
  buildDocument,
  type DiscoveryDocument,
  type FunctionObject,
} from '../discovery/index.ts'
export {
  CallError,
  type CallErrorOptions,
  type CallErrorShape,
  CODES,
  type Code,
  type CodeRow,
  type ErrorSource,
} from '../errors/index.ts'
export {
  type AsyncExtensionOptions,
  type EndedOperation,
  OPERATION_STATUSES,
  type OperationCall,
  type OperationOutcome,
  type OperationRecord,
  type OperationStatus,
} from '../extensions/async/index.ts'
export type { CachingExtensionOptions } from '../extensions/caching/index.ts'
export type { CancellationExtensionOptions } from '../extensions/cancellation/index.ts'
export { type DeadlineExtensionOptions, deadlineExtension } from '../extensions/deadline/index.ts'
export { deprecationExtension } from '../extensions/deprecation/index.ts'
export { dryRunExtension } from '../extensions/dry-run/index.ts'
export type { IdempotencyExtensionOptions } from '../extensions/idempotency/index.ts'
export {
  type LocaleExtensionOptions,
  type LocalMessage,
  localeExtension,
} from '../extensions/locale/index.ts'
export {
  type AtomicLockExtensionOptions,
  advanceFence,
  holdsLock,
} from '../extensions/lock/index.ts'
export {
  endMaintenance,
  type MaintenanceExtensionOptions,
  type MaintenanceWindow,
  startMaintenance,
} from '../extensions/maintenance/index.ts'
export {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
  type OutgoingSignature,
} from '../extensions/outgoing/index.ts'
export {
  PRIORITY_LEVELS,
  type PriorityExtensionOptions,
  type PriorityLevel,
} from '../extensions/priority/index.ts'
export { type QueryExtensionOptions, queryExtension } from '../extensions/query/index.ts'
export type {
  QuotaExtensionOptions,
  QuotaPeriod,
  QuotaPolicy,
  QuotaType,
  QuotaUse,
} from '../extensions/quota/index.ts'
export type {
  Identify,
  LimitScope,
  RateLimitExtensionOptions,
  RateLimitPolicy,
} from '../extensions/rate-limit/index.ts'
export {
  type PartialMask,
  type RedactExtensionOptions,
  redactExtension,
} from '../extensions/redact/index.ts'
export type { ReplayExtensionOptions } from '../extensions/replay/index.ts'
export {
  type RetryExtensionOptions,
  type RetryStrategy,
  retryExtension,
} from '../extensions/retry/index.ts'
export { simulationExtension } from '../extensions/simulation/index.ts'
export { streamExtension } from '../extensions/stream/index.ts'
export {
  type OpenTelemetryApi,
  type OpenTelemetryContext,
  type OpenTelemetrySpan,
  type RemoteSpan,
  type SpanContext,
  type SpanStart,
  type TraceIds,
  type TraceState,
  type TracingExtensionOptions,
  tracingExtension,
} from '../extensions/tracing/index.ts'
export { emitWebhookEvent, type WebhookEvent } from '../extensions/webhook/index.ts'
export {
  type CreateFileOptions,
  createFile,
  type FileRule,
  type FileSource,
} from '../files/index.ts'
export {
  type AllSurfacesOptions,
  type App,
  type AppOptions,
  allSurfaces,
  createApp,
  type DrainOptions,
  type DrainReport,
  type FastifyHost,
  type FetchHandlerOptions,
  type HonoContext,
  type HonoHandlerOptions,
  type LambdaEvent,
  type LambdaResult,
  type Load,
  type OverloadOptions,
  type ParsedRequest,
  type RunningServer,
  type ServeOptions,
  serve,
  toExpressHandler,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toLambdaHandler,
  toNodeListener,
} from '../http/index.ts'
export {
  type CallerKey,
  type CorsOptions,
  createWebhookSigner,
  createWebhookVerifier,
  type GuardOptions,
  type LocalOptions,
  type PublicFetch,
  type PublicFetchOptions,
  type PublicRequest,
  type PublicResponse,
  type ResolvedAddress,
  type WebhookDelivery,
  type WebhookHeaders,
  type WebhookMessage,
  type WebhookRefusal,
  type WebhookVerdict,
  type WebhookVerifierOptions,
} from '../net/index.ts'
export {
  type CallLogOptions,
  jsonLogger,
  type LoggerOptions,
  type PinoLogger,
  prettyLogger,
} from '../observe/index.ts'
export {
  type Check,
  type FileOptions,
  type FilePlace,
  type FileSchema,
  file,
  type InputOf,
  type JsonSchema,
  jsonSchema,
  type OutputOf,
  type Problem,
  type Schema,
  type SchemaLike,
  type SchemaOfZod,
  type StandardLike,
  type StandardSchema,
  type TypedJsonSchema,
  type UnknownArguments,
  type Validation,
  type ValueOf,
} from '../schema/index.ts'
export {
  connectForrstSource,
  type ForrstCallOptions,
  type ForrstClient,
  type ForrstFailure,
  type ForrstOutcome,
  type ForrstSource,
  type ForrstSourceOptions,
  type ForrstStream,
  type ForrstStreamOptions,
} from '../sources/forrst/index.ts'
export { createForrstHandler, type ForrstOptions, forrst } from '../surfaces/forrst/index.ts'
export { mcp } from '../surfaces/mcp/index.ts'
export { type ProfileOptions, profile } from '../surfaces/profile/index.ts'
export { type RestSurfaceOptions, rest } from '../surfaces/rest/index.ts'
export type { Mount, MountedSurface, Surface, SurfacePlace } from '../surfaces/surface/index.ts'
export { explorer } from '../surfaces/tools/index.ts'
export {
  authenticateByToken,
  type BareServiceOptions,
  type CallbackOptions,
  createBareService,
  createService,
  type DefaultExtensionOptions,
  diagnosticsExtension,
  discoveryExtension,
  type KnownOptions,
  type ServiceExtensionOptions,
  type ServiceOptions,
  type StatefulExtensionOptions,
  type StatefulSettings,
  statefulExtensions,
  type UnknownOption,
} from '../system/index.ts'
export type { Clock, Duration, Json, JsonObject, Maybe } from '../values/index.ts'
export {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  IN_PROCESS,
  type JudgeLocal,
} from '../wire/index.ts'
export {
  type CreateJobQueueOptions,
  createJobQueue,
  type Job,
  JobPutBack,
  type JobQueue,
  JobRetry,
  type NewJob,
  type WorkOptions,
} from '../work/index.ts'
