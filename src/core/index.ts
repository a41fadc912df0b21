export {
  EVERYTHING,
  identifyCaller,
  identifyReader,
  insufficientScope,
  isAdmitted,
  isVisible,
  type View,
  viewOf,
} from './access.ts'
export {
  addReplyHeader,
  type Call,
  type CallFacts,
  createReply,
  type ExtensionEntry,
  type Failure,
  type Outcome,
  type Outlet,
  type Principal,
  type Reply,
  type ReplyEntry,
  restoreReply,
  type Success,
  type TraceFacts,
  withFacts,
} from './call.ts'
export { checkDefinition } from './check-definition.ts'
export { checkComponents, toExampleArguments } from './check-examples.ts'
export { findPatternWarnings } from './check-patterns.ts'
export {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  type Deprecated,
  type ErrorDefinition,
  type Example,
  type ExamplePairing,
  type ExtensionDeclaration,
  type ExternalDocs,
  type Info,
  isReference,
  type Link,
  markQuestion,
  markUntrusted,
  type PaginationStrategy,
  type QueryCapabilities,
  type Reference,
  type Resource,
  type ResourceAttribute,
  type ResourceRelationship,
  resolveReference,
  type Server,
  type ServerVariable,
  type Simulation,
  type Tag,
  toVisibleText,
} from './description.ts'
export {
  dispatch,
  dispatchInside,
  findNear,
  functionNotFound,
  requireFunction,
} from './dispatch.ts'
export {
  type AttributeSchema,
  captureReply,
  type Extension,
  type ExtensionCall,
  type ExtensionParameters,
  type Next,
  notApplicable,
  orderExtensions,
  PHASES,
  type Phase,
  standIn,
} from './extension.ts'
export {
  type AcceptedExtensions,
  type ArgumentsOf,
  type CodesOf,
  type DeclaredCode,
  type DryRunReport,
  defineFunction,
  type FunctionDefinition,
  type FunctionMetadata,
  type FunctionSpec,
  type Handler,
  type HandlerInput,
  type HandlerOf,
  type Invocation,
  type ItemOf,
  type QueryInvocation,
  type ResultOf,
  type SchemaOr,
  type SideEffect,
  type StreamHandler,
  type UntypedInput,
} from './function.ts'
export {
  type ComponentCheck,
  type ComponentHealth,
  type ComponentReport,
  type FunctionHealth,
  type HealthStatus,
  type ServiceHealth,
  toServiceStatus,
  worstStatus,
} from './health.ts'
export {
  type CallMethod,
  type HttpRoute,
  type PathSegment,
  parseHttpPath,
  type StreamResume,
} from './http-route.ts'
export { createInvoke, toFailure, toInvalidArguments, toInvocation } from './invoke.ts'
export {
  defineMiddleware,
  flattenMiddleware,
  type LocalsOf,
  type Middleware,
  type MiddlewareStep,
  type Passed,
  runMiddleware,
} from './middleware.ts'
export {
  invalidOption,
  type OptionSource,
  readBoolean,
  readChoice,
  readDuration,
  readText,
  readTexts,
  requireBoolean,
  requireKey,
  requireMilliseconds,
  toSeconds,
} from './options.ts'
export type {
  PlannedFilter,
  QueryOperator,
  QueryPagination,
  QueryPlan,
  QueryPosition,
  QuerySort,
  QueryValue,
  RelationshipObject,
  ResourceDocument,
  ResourceIdentifier,
  ResourceObject,
} from './query-plan.ts'
export { createRegistry, type FunctionEntry, type Registry } from './registry.ts'
export {
  assertFits,
  boundErrors,
  createPreparedResult,
  isPrepared,
  mayFit,
  perView,
  resultTooLarge,
  toResultText,
} from './result.ts'
export type {
  Credentials,
  Limits,
  Logger,
  ProfileCapability,
  Service,
  ServiceProfile,
} from './service.ts'
export { createSuspects } from './suspects.ts'
export { isDiscoverable, type PresetExclusions, type Target, toTargetShape } from './target.ts'
export {
  TOOL_NAME,
  type ToolAnnotations,
  toToolAnnotations,
  toToolName,
} from './tool-name.ts'
export { createUlid } from './ulid.ts'
export { compareVersions, isPrerelease, isVersion, type Stability } from './version.ts'
