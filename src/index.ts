export type { Call, CallFacts, Failure, Outcome, Principal, Reply, Success } from './core/call.ts'
export type { Clock } from './core/clock.ts'
export { CODES, type Code, type CodeRow } from './core/codes.ts'
export type {
  Components,
  ContentDescriptor,
  Deprecated,
  ErrorDefinition,
  Example,
  ExamplePairing,
  ExtensionDeclaration,
  ExternalDocs,
  Info,
  Link,
  QueryCapabilities,
  Reference,
  Resource,
  Server,
  Simulation,
  Tag,
} from './core/description.ts'
export { CallError, type CallErrorOptions, type CallErrorShape } from './core/error.ts'
export type { Extension, ExtensionCall, Next } from './core/extension.ts'
export {
  type ArgumentsOf,
  type CodesOf,
  type DryRunReport,
  defineFunction,
  type FunctionDefinition,
  type Invocation,
  type ItemOf,
  type ResultOf,
} from './core/function.ts'
export type {
  ComponentCheck,
  ComponentHealth,
  FunctionHealth,
  HealthStatus,
} from './core/health.ts'
export type { Duration, Json, JsonObject } from './core/json.ts'
export type { Maybe } from './core/maybe.ts'
export type { Middleware } from './core/middleware.ts'
export type { Registry } from './core/registry.ts'
export { type JsonSchema, jsonSchema, type Schema, type StandardSchema } from './core/schema.ts'
export type { Credentials, Limits, Logger, Service } from './core/service.ts'
export type { Target } from './core/target.ts'
export { buildDocument } from './discovery/document.ts'
export type { DiscoveryDocument, FunctionObject } from './discovery/types.ts'
export { type DefaultExtensionOptions, defaultExtensions } from './extensions/defaults.ts'
export { advanceFence, holdsLock } from './extensions/fencing.ts'
export { toFullKey } from './extensions/lock-record.ts'
export { endMaintenance, startMaintenance } from './extensions/maintenance-state.ts'
export {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
} from './extensions/outgoing.ts'
export {
  type StatefulExtensionOptions,
  type StatefulSettings,
  statefulExtensions,
} from './extensions/stateful.ts'
export { emitWebhookEvent } from './extensions/webhook.ts'
export type { WebhookEvent } from './extensions/webhook-event.ts'
export { createForrstHandler } from './forrst/handler.ts'
export { type App, type AppOptions, createApp, type Mount } from './http/app.ts'
export { toExpressHandler } from './http/express.ts'
export { toFastifyPlugin } from './http/fastify.ts'
export { type FetchHandlerOptions, toFetchHandler } from './http/fetch.ts'
export { type HonoContext, type HonoHandlerOptions, toHonoHandler } from './http/hono.ts'
export { toNodeListener } from './http/node.ts'
export type { Load, OverloadOptions } from './http/overload.ts'
export { type RunningServer, type ServeOptions, serve } from './http/serve.ts'
export { type CreateJobQueueOptions, createJobQueue } from './jobs/open.ts'
export type { Job, JobQueue, NewJob, WorkOptions } from './jobs/queue.ts'
export type { ForrstClient } from './remote/forrst-client.ts'
export {
  connectForrstSource,
  type ForrstSource,
  type ForrstSourceOptions,
} from './remote/forrst-source.ts'
export { authenticateByToken } from './system/authenticate-by-token.ts'
export { createService, type ServiceOptions } from './system/create-service.ts'
export type { CallerKey } from './wire/caller.ts'
export {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  IN_PROCESS,
  type JudgeLocal,
} from './wire/http.ts'
export type { LocalOptions } from './wire/local.ts'
export {
  createWebhookSigner,
  createWebhookVerifier,
  type WebhookDelivery,
  type WebhookHeaders,
  type WebhookMessage,
  type WebhookRefusal,
  type WebhookVerdict,
} from './wire/standard-webhooks.ts'
