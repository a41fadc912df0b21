import { type Clock, systemClock } from '../core/clock.ts'
import type { Link } from '../core/description.ts'
import type { DiscoveryDocument, FunctionObject } from '../discovery/types.ts'
import { sleep } from './abort.ts'
import type { CallOptions } from './call-options.ts'
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
import {
  createFetchTransport,
  type FetchTransportOptions,
  parseEndpoint,
} from './fetch-transport.ts'
import { followLink } from './follow.ts'
import type {
  CallParameters,
  ClientSource,
  FunctionTypesOf,
  MemberOf,
  NamesOf,
  UntypedFunctions,
} from './function-types.ts'
import { type Operation, resumeOperation, type StartOptions, startOperation } from './operation.ts'
import type { CallOutcome } from './outcome.ts'
import { randomHex, randomRequestId } from './random-id.ts'
import { type RetryPolicy, resolvePolicy } from './retry.ts'
import { type CallSettings, type RunCall, runCall } from './run-call.ts'
import { type CallStream, createCallStream, type StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'

/** What a client needs besides a way to the service. */
export interface ClientBaseOptions {
  /** The calling service's own name: `context.caller` of every call. */
  readonly name?: string
  /** What the called service is called in errors; the host of the URL when absent. */
  readonly target?: string
  /** How failed attempts are repeated; false never repeats. */
  readonly retry?: Partial<RetryPolicy> | false
  /** Milliseconds to wait for one answer when a call has no deadline; 30000 when absent. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  /** Waits between attempts; returns early when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** A number from 0 up to 1, for the jitter between attempts. */
  readonly random?: () => number
  /** Makes the id of an attempt; must not repeat itself. */
  readonly createId?: () => string
  /** Makes the span id of an attempt that is part of a trace. */
  readonly createSpanId?: () => string
}

/** A client is made from a URL, or from a transport. */
export type ClientOptions = ClientBaseOptions &
  (
    | (FetchTransportOptions & { readonly transport?: never })
    | { readonly transport: Transport; readonly url?: never }
  )

/** A client of a service: `Client<typeof service>`. */
export type Client<Source extends ClientSource = UntypedFunctions> = FunctionClient<
  FunctionTypesOf<Source>
>

/** Functions by name, ready to be called; `Type` is never given, it makes the compiler look `Name` up only once. */
export interface FunctionClient<Types> {
  /** Calls a function; failures are values, and nothing is thrown. */
  readonly call: <Name extends NamesOf<Types>, Type = Types[Name]>(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, CallOptions>
  ) => Promise<CallOutcome<MemberOf<Type, 'result'>, MemberOf<Type, 'code'> & string>>
  /** Calls a function and gives its result; throws a CallError when it fails, DEPENDENCY_ERROR with `within`. */
  readonly callOrThrow: <Name extends NamesOf<Types>, Type = Types[Name]>(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, CallOptions>
  ) => Promise<MemberOf<Type, 'result'>>
  /** Calls a function that streams: an iterator of its items, which throws a CallError when the call fails. */
  readonly stream: <Name extends NamesOf<Types>, Type = Types[Name]>(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, StreamOptions>
  ) => CallStream<MemberOf<Type, 'item'>, MemberOf<Type, 'result'>>
  /** Starts a call that goes on in the background; throws a CallError when it is refused. */
  readonly start: <Name extends NamesOf<Types>, Type = Types[Name]>(
    name: Name,
    ...rest: CallParameters<MemberOf<Type, 'arguments'>, StartOptions>
  ) => Promise<Operation<MemberOf<Type, 'result'>, MemberOf<Type, 'code'> & string>>
  /** Takes up an operation by its id, such as one that was started before a restart. */
  readonly operation: <Result = unknown>(id: string) => Operation<Result>
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

  return {
    call: run as Client<Source>['call'],
    stream: createStreaming(settings, target) as Client<Source>['stream'],
    callOrThrow: createThrowing(run, target) as Client<Source>['callOrThrow'],
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

function resolveSettings(options: ClientOptions): CallSettings {
  return {
    transport: options.transport ?? createFetchTransport(options),
    name: options.name,
    timeoutMs: options.timeoutMs ?? 30_000,
    retry: resolvePolicy(options.retry),
    clock: options.clock ?? systemClock,
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
    createId: options.createId ?? randomRequestId,
    createSpanId: options.createSpanId ?? (() => randomHex(8)),
  }
}

function createStreaming(settings: CallSettings, target: string) {
  return (name: string, callArguments: unknown, options: StreamOptions = {}): CallStream =>
    createCallStream(settings, { function: name, arguments: callArguments, options }, target)
}

function createStarting(run: RunCall, { sleep }: CallSettings) {
  return (name: string, callArguments: unknown, options?: StartOptions): Promise<Operation> =>
    startOperation({ run, sleep }, { function: name, arguments: callArguments }, options)
}

function createThrowing(run: RunCall, target: string) {
  return async (name: string, callArguments: unknown, options: CallOptions = {}) => {
    const outcome = await run(name, callArguments, options)
    if (outcome.ok) return outcome.result
    throw toThrown(toCallError(outcome), options, target)
  }
}
