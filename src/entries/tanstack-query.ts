// Query, infinite query and mutation options for TanStack Query, from a typed client.
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
} from '../client/index.ts'
