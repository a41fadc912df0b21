export type { Capabilities, CapabilitiesOptions, EnabledExtension } from './capabilities.ts'
export { type Client, createClient, type FunctionClient } from './client.ts'
export type { DescribeOptions, FunctionDescription, VersionDescription } from './describe.ts'
export { CLIENT_CODES, type ClientCode } from './errors.ts'
export { inlineFiles } from './files.ts'
export type {
  BackgroundName,
  CallParameters,
  ClientSource,
  DefinitionsOf,
  EntriesOf,
  ErrorsWith,
  FunctionType,
  FunctionTypeOf,
  FunctionTypes,
  FunctionTypesIn,
  FunctionTypesOf,
  MemberOf,
  QueryName,
  ReservedName,
  UntypedFunction,
  UntypedFunctions,
  VersionOf,
} from './function-types.ts'
export { evaluateLink, type LinkedCall, resolveServerUrl } from './link.ts'
export { createLocalTransport, type LocalTransportOptions } from './local-transport.ts'
export {
  createMethods,
  hasErrorCode,
  type Method,
  type MethodError,
  type MethodMaker,
  type MethodOperation,
  type MethodOutcome,
  type MethodTarget,
  type Startable,
  type Streamable,
} from './methods/method.ts'
export type {
  AnyQuery,
  Queryable,
  QueryConditions,
  QueryFilter,
  QueryOperands,
  QueryPage,
  QueryPageInfo,
  QueryResource,
} from './methods/query.ts'
export type {
  BackgroundOperation,
  FollowOptions,
  OperationState,
  StartOptions,
} from './operation.ts'
export {
  type CallFailure,
  type CallOutcome,
  type CallSuccess,
  type DetailedError,
  findExtension,
  type OutcomeError,
  type OutcomeFrame,
} from './outcome.ts'
export type { Pages, QueryFor, QueryOf } from './query-types.ts'
export type { CallOptions, RetryPolicy, Upstream } from './retry.ts'
export type { ClientBaseOptions, ClientOptions } from './settings.ts'
export type { CallStream, StreamOptions, StreamProgress } from './stream.ts'
export {
  createQueries,
  type FetchOptions,
  type FunctionKey,
  type FunctionMutation,
  type FunctionPages,
  type FunctionQuery,
  type MutateOptions,
  type NoRetry,
  type PageParam,
  type Queries,
  type QueriesOptions,
  type ThrownError,
} from './tanstack-query.ts'
export {
  collectText,
  createFetchTransport,
  type FetchTransportOptions,
  type HeaderSource,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
