// Define functions, put them into a service, and serve it.
export {
  type ArgumentsOf,
  type Call,
  type CallFacts,
  type CodesOf,
  type ComponentCheck,
  type ComponentHealth,
  type Components,
  type ContentDescriptor,
  type Credentials,
  type Deprecated,
  type DryRunReport,
  defineFunction,
  type ErrorDefinition,
  type Example,
  type ExamplePairing,
  type Extension,
  type ExtensionCall,
  type ExtensionDeclaration,
  type ExternalDocs,
  type Failure,
  type FunctionDefinition,
  type FunctionHealth,
  type HealthStatus,
  type Info,
  type Invocation,
  type ItemOf,
  type Limits,
  type Link,
  type Logger,
  type Middleware,
  type Next,
  type Outcome,
  type Principal,
  type QueryCapabilities,
  type Reference,
  type Registry,
  type Reply,
  type Resource,
  type ResultOf,
  type Server,
  type Service,
  type Simulation,
  type Success,
  type Tag,
  type Target,
} from '../core/index.ts'
export { buildDocument, type DiscoveryDocument, type FunctionObject } from '../discovery/index.ts'
export {
  CallError,
  type CallErrorOptions,
  type CallErrorShape,
  CODES,
  type Code,
  type CodeRow,
} from '../errors/index.ts'
export { advanceFence, holdsLock, toFullKey } from '../extensions/lock/index.ts'
export { endMaintenance, startMaintenance } from '../extensions/maintenance/index.ts'
export {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
} from '../extensions/outgoing/index.ts'
export { emitWebhookEvent, type WebhookEvent } from '../extensions/webhook/index.ts'
export {
  type App,
  type AppOptions,
  createApp,
  type FetchHandlerOptions,
  type HonoContext,
  type HonoHandlerOptions,
  type Load,
  type Mount,
  type OverloadOptions,
  type RunningServer,
  type ServeOptions,
  serve,
  toExpressHandler,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toNodeListener,
} from '../http/index.ts'
export {
  type CallerKey,
  createWebhookSigner,
  createWebhookVerifier,
  type LocalOptions,
  type WebhookDelivery,
  type WebhookHeaders,
  type WebhookMessage,
  type WebhookRefusal,
  type WebhookVerdict,
} from '../net/index.ts'
export { type JsonSchema, jsonSchema, type Schema, type StandardSchema } from '../schema/index.ts'
export {
  connectForrstSource,
  type ForrstClient,
  type ForrstSource,
  type ForrstSourceOptions,
} from '../sources/forrst/index.ts'
export { createForrstHandler } from '../surfaces/forrst/index.ts'
export {
  authenticateByToken,
  createService,
  type DefaultExtensionOptions,
  defaultExtensions,
  type ServiceOptions,
  type StatefulExtensionOptions,
  type StatefulSettings,
  statefulExtensions,
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
  type JobQueue,
  type NewJob,
  type WorkOptions,
} from '../work/index.ts'
