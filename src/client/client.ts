import type { Link } from '../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../discovery/index.ts'
import type { Capabilities, CapabilitiesOptions } from './capabilities.ts'
import type { DescribeOptions, FunctionDescription } from './describe.ts'
import { toCallError, toThrown } from './errors.ts'
import type {
  BackgroundName,
  CallParameters,
  ClientSource,
  FunctionTypesOf,
  MemberOf,
  QueryName,
  ReservedName,
  UntypedFunctions,
  VersionOf,
} from './function-types.ts'
import type { AnyQuery, QueryPage, QueryResource } from './methods/query.ts'
import type { BackgroundOperation, StartOptions } from './operation.ts'
import type { CallOutcome } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import { type CallSettings, type RunCall, runCall } from './run-call.ts'
import { type ClientOptions, resolveSettings } from './settings.ts'
import type { CallStream, StreamOptions } from './stream.ts'
import { parseEndpoint } from './transport.ts'

/** A client of a service: `Client<typeof service>`. */
export type Client<Source extends ClientSource = UntypedFunctions> = FunctionClient<
  FunctionTypesOf<Source>
>

/**
 * Functions by name, ready to be called. `Names`, `Entry` and `Type` are never given: they make the compiler look at all the
 * names, and at a function, only once.
 */
export interface FunctionClient<Types, Names extends keyof Types = keyof Types> {
  /** Calls a function; failures are values, and nothing is thrown. */
  readonly call: <
    Name extends Names,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, CallOptions<Version>>
  ) => Promise<CallOutcome<MemberOf<Type, 'result'>, MemberOf<Type, 'error'>>>
  /** Calls a function and gives its result; throws a CallError when it fails, DEPENDENCY_ERROR with `within`. */
  readonly callOrThrow: <
    Name extends Names,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, CallOptions<Version>>
  ) => Promise<MemberOf<Type, 'result'>>
  /** Calls a function that streams: an iterator of its items, which throws a CallError when the call fails. */
  readonly stream: <
    Name extends Names,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, StreamOptions<Version>>
  ) => CallStream<MemberOf<Type, 'item'>, MemberOf<Type, 'result'>>
  /** Starts a call of a function that may run in the background; throws a CallError when it is refused. */
  readonly start: <
    Name extends BackgroundName<Types>,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, StartOptions<Version>>
  ) => Promise<BackgroundOperation<MemberOf<Type, 'result'>, MemberOf<Type, 'error'>>>
  /** Queries a function: one page of the resources that the query describes. Failures are values, as with `call`. */
  readonly query: <
    Name extends QueryName<Types>,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<
      MemberOf<Type, 'arguments'>,
      MemberOf<Type, 'query'> & CallOptions<Version>
    >
  ) => Promise<CallOutcome<QueryPage<MemberOf<Type, 'attributes'>>, MemberOf<Type, 'error'>>>
  /** Gives every resource that a query describes, page after page; throws a CallError when a page fails. */
  readonly each: <
    Name extends QueryName<Types>,
    const Version extends MemberOf<Entry, 'version'>,
    Entry = Types[Name],
    Type = VersionOf<Entry, Version>,
  >(
    name: Name,
    ...rest: CallParameters<
      MemberOf<Type, 'arguments'>,
      MemberOf<Type, 'query'> & CallOptions<Version>
    >
  ) => AsyncGenerator<QueryResource<MemberOf<Type, 'attributes'>>, void, void>
  /** Calls a function of the protocol or of an extension by its reserved name: `urn:cline:forrst:fn:health`. */
  readonly system: (
    name: ReservedName,
    callArguments?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ) => Promise<CallOutcome>
  /** Takes up an operation by its id, such as one that was started before a restart. */
  readonly operation: <Result = unknown>(id: string) => BackgroundOperation<Result>
  /** Calls the function a link of the discovery document leads to from a result. */
  readonly follow: (link: Link, result: unknown, options?: CallOptions) => Promise<CallOutcome>
  /** Asks the system function about one function, all versions or one. */
  readonly describe: (
    name: string,
    options?: DescribeOptions,
  ) => Promise<CallOutcome<FunctionDescription>>
  /** Asks for the discovery document. */
  readonly discover: (
    options?: Omit<CallOptions, 'version'>,
  ) => Promise<CallOutcome<DiscoveryDocument>>
  /** Asks for one function of the discovery document, references resolved. */
  readonly discoverFunction: (
    name: string,
    options?: CallOptions,
  ) => Promise<CallOutcome<FunctionObject>>
  readonly capabilities: (options?: CapabilitiesOptions) => Promise<CallOutcome<Capabilities>>
  /** Tells whether the service has an extension; asks once a minute at most. Throws when it cannot be asked. */
  readonly supports: (urn: string) => Promise<boolean>
}

/** Creates a client of a service: `createClient<typeof service>({ url, name })`, or untyped without the type. */
export function createClient<Source extends ClientSource = UntypedFunctions>(
  options: ClientOptions,
): Client<Source> {
  const endpoint = options.transport === undefined ? parseEndpoint(options.url) : undefined
  const target = options.target ?? endpoint?.host ?? 'the service'
  const settings = resolveSettings(options)
  const run: RunCall = (name, callArguments, callOptions = {}) =>
    runCall(settings, { function: name, arguments: callArguments, options: callOptions })

  const runQuery = createQuerying(run)

  return {
    call: run as unknown as Client<Source>['call'],
    system: run,
    stream: createStreaming(settings, target) as Client<Source>['stream'],
    callOrThrow: createThrowing(run, target) as Client<Source>['callOrThrow'],
    query: runQuery as Client<Source>['query'],
    each: createEach(runQuery) as Client<Source>['each'],
    ...(createBackground(run, settings) as Pick<Client<Source>, 'start' | 'operation'>),
    follow: async (link, result, callOptions) =>
      (await import('./follow.ts')).followLink(run, { link, result, endpoint }, callOptions),
    describe: async (...asked) => (await import('./describe.ts')).fetchDescription(run, ...asked),
    discover: async (...asked) => (await import('./describe.ts')).fetchDocument(run, ...asked),
    discoverFunction: async (...asked) =>
      (await import('./describe.ts')).fetchFunctionObject(run, ...asked),
    capabilities: async (...asked) =>
      (await import('./capabilities.ts')).fetchCapabilities(run, ...asked),
    supports: createSupports(run, settings),
  }
}

// What a page may never use is imported when it is: a bundler that splits code leaves it out of what is loaded first.

type RunQuery = (
  name: string,
  callArguments?: unknown,
  asked?: AnyQuery & CallOptions,
) => Promise<CallOutcome>

function createQuerying(run: RunCall): RunQuery {
  return async (name, callArguments, asked = {}) => {
    const { splitQuery, withQuery } = await import('./methods/query.ts')
    const { query, options } = splitQuery(asked)
    return run(name, callArguments ?? {}, withQuery(options, query))
  }
}

function createEach(runQuery: RunQuery) {
  return async function* each(
    name: string,
    callArguments?: unknown,
    asked: AnyQuery & CallOptions = {},
  ) {
    const { eachResource } = await import('./methods/query.ts')
    yield* eachResource(asked, async (query) => {
      const outcome = await runQuery(name, callArguments, { ...asked, ...query })
      if (outcome.ok) return outcome.result
      throw toCallError(outcome)
    })
  }
}

function createStreaming(settings: CallSettings, target: string) {
  return (name: string, callArguments: unknown, options: StreamOptions = {}): CallStream => {
    let opened: Promise<CallStream> | undefined
    const open = async () => {
      const { createCallStream } = await import('./stream.ts')
      return createCallStream(
        settings,
        { function: name, arguments: callArguments, options },
        target,
      )
    }
    const stream = () => (opened ??= open())
    return {
      next: async () => (await stream()).next(),
      return: async () => (await stream()).return(),
      result: async () => (await stream()).result(),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
}

function createBackground(run: RunCall, { sleep }: CallSettings) {
  return {
    async start(
      name: string,
      callArguments: unknown,
      options?: StartOptions,
    ): Promise<BackgroundOperation> {
      const { startOperation } = await import('./operation.ts')
      return startOperation({ run, sleep }, { function: name, arguments: callArguments }, options)
    },
    operation(id: string): BackgroundOperation {
      const resume = async () =>
        (await import('./operation.ts')).resumeOperation({ run, sleep }, id)
      return {
        id,
        status: async (options) => (await resume()).status(options),
        result: async (options) => (await resume()).result(options),
        cancel: async () => (await resume()).cancel(),
      }
    },
  }
}

function createSupports(run: RunCall, { clock }: CallSettings): (urn: string) => Promise<boolean> {
  let check: ((urn: string) => Promise<boolean>) | undefined
  return async (urn) => {
    const { createFeatureCheck } = await import('./capabilities.ts')
    check ??= createFeatureCheck(run, clock)
    return check(urn)
  }
}

function createThrowing(run: RunCall, target: string) {
  return async (name: string, callArguments: unknown, options: CallOptions = {}) => {
    const outcome = await run(name, callArguments, options)
    if (outcome.ok) return outcome.result
    throw toThrown(toCallError(outcome), options, target)
  }
}
