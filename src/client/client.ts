import type { Link } from '../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../discovery/index.ts'
import {
  type Capabilities,
  type CapabilitiesOptions,
  createFeatureCheck,
  fetchCapabilities,
} from './capabilities.ts'
import {
  type DescribeOptions,
  type FunctionDescription,
  fetchDescription,
  fetchDocument,
  fetchFunctionObject,
} from './describe.ts'
import { toCallError, toThrown } from './errors.ts'
import { followLink } from './follow.ts'
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
import {
  type AnyQuery,
  eachResource,
  type QueryPage,
  type QueryResource,
  splitQuery,
  withQuery,
} from './methods/query.ts'
import {
  type BackgroundOperation,
  resumeOperation,
  type StartOptions,
  startOperation,
} from './operation.ts'
import type { CallOutcome } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import { type CallSettings, type RunCall, runCall } from './run-call.ts'
import { type ClientOptions, resolveSettings } from './settings.ts'
import { type CallStream, createCallStream, type StreamOptions } from './stream.ts'
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

  const runQuery: RunQuery = (name, callArguments, asked = {}) => {
    const { query, options: callOptions } = splitQuery(asked)
    return run(name, callArguments ?? {}, withQuery(callOptions, query))
  }

  return {
    call: run as unknown as Client<Source>['call'],
    system: run,
    stream: createStreaming(settings, target) as Client<Source>['stream'],
    callOrThrow: createThrowing(run, target) as Client<Source>['callOrThrow'],
    query: runQuery as Client<Source>['query'],
    each: createEach(runQuery) as Client<Source>['each'],
    start: createStarting(run, settings) as Client<Source>['start'],
    operation: ((id: string) =>
      resumeOperation({ run, sleep: settings.sleep }, id)) as Client<Source>['operation'],
    follow: (link, result, callOptions) => followLink(run, { link, result, endpoint }, callOptions),
    describe: (name, callOptions) => fetchDescription(run, name, callOptions),
    discover: (callOptions) => fetchDocument(run, callOptions),
    discoverFunction: (name, callOptions) => fetchFunctionObject(run, name, callOptions),
    capabilities: (callOptions) => fetchCapabilities(run, callOptions),
    supports: createFeatureCheck(run, settings.clock),
  }
}

type RunQuery = (
  name: string,
  callArguments?: unknown,
  asked?: AnyQuery & CallOptions,
) => Promise<CallOutcome>

function createEach(runQuery: RunQuery) {
  return (name: string, callArguments?: unknown, asked: AnyQuery & CallOptions = {}) =>
    eachResource(asked, async (query) => {
      const outcome = await runQuery(name, callArguments, { ...asked, ...query })
      if (outcome.ok) return outcome.result
      throw toCallError(outcome)
    })
}

function createStreaming(settings: CallSettings, target: string) {
  return (name: string, callArguments: unknown, options: StreamOptions = {}): CallStream =>
    createCallStream(settings, { function: name, arguments: callArguments, options }, target)
}

function createStarting(run: RunCall, { sleep }: CallSettings) {
  return (
    name: string,
    callArguments: unknown,
    options?: StartOptions,
  ): Promise<BackgroundOperation> =>
    startOperation({ run, sleep }, { function: name, arguments: callArguments }, options)
}

function createThrowing(run: RunCall, target: string) {
  return async (name: string, callArguments: unknown, options: CallOptions = {}) => {
    const outcome = await run(name, callArguments, options)
    if (outcome.ok) return outcome.result
    throw toThrown(toCallError(outcome), options, target)
  }
}
