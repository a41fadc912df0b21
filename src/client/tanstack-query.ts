import type { FunctionClient } from './client.ts'
import { toCallError } from './errors.ts'
import type { CallParameters, MemberOf, QueryName, VersionOf } from './function-types.ts'
import type { MethodError } from './methods/method.ts'
import { type AnyQuery, type QueryPage, splitQuery, toNextPage } from './methods/query.ts'
import type { CallOutcome } from './outcome.ts'
import type { CallOptions } from './retry.ts'

/** How the calls of a query are made; their signal is TanStack's. */
export type FetchOptions<Version = string> = Omit<
  CallOptions<Version>,
  'signal' | 'within' | 'idempotencyKey' | 'readOnly'
>

/** How the calls of a mutation are made. */
export interface MutateOptions<Arguments, Version = string>
  extends Omit<CallOptions<Version>, 'signal' | 'within' | 'idempotencyKey'> {
  /** Gives the key of one mutation, so that the service runs it once however often it is sent. */
  readonly idempotencyKey?: (callArguments: Arguments) => string
}

/** The error that a failed call throws: `code` tells the declared ones apart, and types `details`. */
export type ThrownError<Failed> = Failed extends { readonly code: infer Code extends string }
  ? MethodError<Code, Failed['details' & keyof Failed]>
  : never

/** Says that TanStack shall not repeat a call, which the client has repeated already; types the error. */
export type NoRetry<Failed> = (failureCount: number, error: Failed) => boolean

/** Where a query stands in the cache: the function, its arguments, and what else decides about the answer. */
export type FunctionKey = readonly unknown[]

/** Options of a query of TanStack Query. */
export interface FunctionQuery<Result, Failed> {
  readonly queryKey: FunctionKey
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Result>
  readonly retry: NoRetry<Failed>
}

/** How a page is asked for. */
export type PageParam = NonNullable<AnyQuery['pagination']>

/** Options of an infinite query of TanStack Query; a page is what `client.query` gives. */
export interface FunctionPages<Attributes, Failed> {
  readonly queryKey: FunctionKey
  readonly queryFn: (context: {
    readonly signal: AbortSignal
    readonly pageParam: PageParam
  }) => Promise<QueryPage<Attributes>>
  readonly initialPageParam: PageParam
  readonly getNextPageParam: (
    lastPage: QueryPage<Attributes>,
    allPages: QueryPage<Attributes>[],
    lastPageParam: PageParam,
  ) => PageParam | undefined
  readonly retry: NoRetry<Failed>
}

/** Options of a mutation of TanStack Query. */
export interface FunctionMutation<Arguments, Result, Failed> {
  readonly mutationKey: FunctionKey
  readonly mutationFn: (callArguments: Arguments) => Promise<Result>
  readonly retry: NoRetry<Failed>
}

/** Options for TanStack Query by function. `Names`, `Entry` and `Type` are never given, as in `FunctionClient`. */
export interface Queries<Types, Names extends keyof Types = keyof Types> {
  /** Makes the options of a query: for `useQuery`, `fetchQuery`, `prefetchQuery`. */
  readonly queryOptions: <
    Name extends Names,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, FetchOptions<Version>>
  ) => FunctionQuery<MemberOf<Type, 'result'>, ThrownError<MemberOf<Type, 'error'>>>
  /** Makes the options of an infinite query of a function that can be queried: page after page. */
  readonly infiniteQueryOptions: <
    Name extends QueryName<Types>,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<
      MemberOf<Type, 'arguments'>,
      MemberOf<Type, 'query'> & FetchOptions<Version>
    >
  ) => FunctionPages<MemberOf<Type, 'attributes'>, ThrownError<MemberOf<Type, 'error'>>>
  /** Makes the options of a mutation; its variables are the arguments of the function. */
  readonly mutationOptions: <
    Name extends Names,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    options?: MutateOptions<MemberOf<Type, 'arguments'>, Version>,
  ) => FunctionMutation<
    MemberOf<Type, 'arguments'>,
    MemberOf<Type, 'result'>,
    ThrownError<MemberOf<Type, 'error'>>
  >
  /** Gives the key that all queries of a function begin with, or those with these arguments: to invalidate them. */
  readonly queryKey: <Name extends Names>(
    name: Name,
    callArguments?: MemberOf<Types[Name], 'arguments'>,
  ) => FunctionKey
}

/** How options are made. */
export interface QueriesOptions {
  /** What every key begins with; for an application that calls several services. */
  readonly prefix?: readonly unknown[]
}

/** Makes options for TanStack Query from a client: `createQueries(createClient<typeof service>(…))`. */
export function createQueries<Types>(
  client: FunctionClient<Types>,
  { prefix = [] }: QueriesOptions = {},
): Queries<Types> {
  const { callOrThrow, query } = client as unknown as LooseClient
  const toKey = (name: string, ...rest: readonly unknown[]) => [...prefix, name, ...rest]

  const queries = {
    queryKey: (name: string, callArguments?: unknown) =>
      callArguments === undefined ? toKey(name) : toKey(name, callArguments),

    queryOptions: (name: string, callArguments: unknown = {}, options: FetchOptions = {}) => ({
      queryKey: toKey(name, callArguments, toAnswerKey(options)),
      queryFn: ({ signal }: Fetching) =>
        callOrThrow(name, callArguments, { readOnly: true, ...options, signal }),
      retry: never,
    }),

    infiniteQueryOptions: (
      name: string,
      callArguments: unknown = {},
      asked: AnyQuery & FetchOptions = {},
    ) => ({
      queryKey: toKey(name, callArguments, {
        ...toAnswerKey(asked),
        ...splitQuery(asked).query,
        pages: 'all',
      }),
      queryFn: async ({ signal, pageParam }: Fetching & { readonly pageParam: PageParam }) => {
        const page = { ...asked, pagination: pageParam }
        const outcome = await query(name, callArguments, { readOnly: true, ...page, signal })
        if (!outcome.ok) throw toCallError(outcome)
        // Refuses here, where it fails the query, what `getNextPageParam` would throw while somebody renders.
        toNextPage(page, outcome.result)
        return outcome.result
      },
      initialPageParam: asked.pagination ?? {},
      getNextPageParam: (lastPage: QueryPage<unknown>, _: unknown, lastPageParam: PageParam) =>
        toNextPage({ pagination: lastPageParam }, lastPage)?.pagination,
      retry: never,
    }),

    mutationOptions: (
      name: string,
      { idempotencyKey, ...options }: MutateOptions<unknown> = {},
    ) => ({
      mutationKey: toKey(name),
      mutationFn: (callArguments: unknown) =>
        callOrThrow(name, callArguments ?? {}, {
          ...options,
          ...(idempotencyKey && { idempotencyKey: idempotencyKey(callArguments) }),
        }),
      retry: never,
    }),
  }
  return queries as unknown as Queries<Types>
}

/** What this file calls of a client, whatever its functions are. */
interface LooseClient {
  readonly callOrThrow: (
    name: string,
    callArguments: unknown,
    options: CallOptions,
  ) => Promise<unknown>
  readonly query: (
    name: string,
    callArguments: unknown,
    asked: AnyQuery & CallOptions,
  ) => Promise<CallOutcome<QueryPage<unknown>>>
}

interface Fetching {
  readonly signal: AbortSignal
}

const never = (): boolean => false

/** What of the options of a call decides about its answer, and so belongs into the key. */
function toAnswerKey({ version, context, extensions }: CallOptions): object {
  return { version, context, extensions }
}
