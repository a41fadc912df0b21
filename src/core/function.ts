import type { CallError, CallErrorOptions } from '../errors/index.ts'
import type {
  AnyResult,
  HandledAs,
  InputOf,
  JsonSchema,
  OutputOf,
  Schema,
  SchemaLike,
  UnknownArguments,
} from '../schema/index.ts'
import type { JsonObject, Maybe } from '../values/index.ts'
import type { Call, Principal } from './call.ts'
import type {
  ContentDescriptor,
  Deprecated,
  ErrorDefinition,
  ExamplePairing,
  ExtensionDeclaration,
  ExternalDocs,
  Link,
  QueryCapabilities,
  Reference,
  Simulation,
  Tag,
} from './description.ts'
import type { FunctionHealth } from './health.ts'
import type { HttpRoute, StreamResume } from './http-route.ts'
import type { LocalsOf, Middleware } from './middleware.ts'
import type { QueryPlan, ResourceDocument } from './query-plan.ts'

/** What a handler gets. */
export interface Invocation<
  Input = unknown,
  Declared = ErrorDefinition,
  Locals = Readonly<Record<string, unknown>>,
> {
  readonly input: Input
  /** Aborts when the caller leaves, the deadline passes or the call is cancelled. */
  readonly signal: AbortSignal
  /** Business metadata of the caller, passed on by calls made with `call`. */
  readonly context: JsonObject
  readonly principal: Principal | undefined
  readonly call: Call
  /** What the middleware in `use` made for this call: a transaction, the user. */
  readonly locals: Locals
  /** Makes a declared error to throw: `throw fail('ORDERS_SOLD_OUT', { details })`. */
  fail<Code extends CodeIn<Declared>>(
    this: void,
    code: Code,
    ...options: FailParameters<DetailsOf<Declared, Code>>
  ): CallError
  /** Reports how far a long call is, between 0 and 1; costs nothing when nobody listens. */
  readonly progress: (fraction: number, message?: string) => void
}

/** What `resources` gets: a call with a query, checked against what the function allows. */
export interface QueryInvocation<
  Input = unknown,
  Declared = ErrorDefinition,
  Locals = Readonly<Record<string, unknown>>,
> extends Invocation<Input, Declared, Locals> {
  readonly plan: QueryPlan
}

/** The codes of declared errors; those of a reference are not known. */
export type CodeIn<Declared> = Declared extends { readonly code: infer Code extends string }
  ? Code
  : never

/** The details that the schema of a declared error types; never where it has none, or one without a type. */
export type DetailsOf<Declared, Code> = Declared extends {
  readonly code: Code
  readonly data: infer Data
}
  ? InputOf<Data, never>
  : never

/** What follows the code in `fail`: details are needed where the error types them. */
export type FailParameters<Details> = [Details] extends [never]
  ? [options?: CallErrorOptions]
  : [options: FailOptions<Details>]

/** What can be said about an error whose details have a type. */
export interface FailOptions<Details> extends Omit<CallErrorOptions, 'details'> {
  readonly details: Details
}

/** What a dry run of a function says would happen. */
export interface DryRunReport {
  readonly wouldAffect?: readonly JsonObject[]
  readonly diff?: JsonObject
  readonly sideEffects?: readonly JsonObject[]
  readonly estimatedDurationMs?: number
}

/** Which extensions a function accepts: exactly those listed, or all of the server but those listed. */
export type AcceptedExtensions =
  | { readonly supported: readonly string[]; readonly excluded?: never }
  | { readonly excluded: readonly string[]; readonly supported?: never }

/** Arguments without a type: an object of anything. */
export type UntypedInput = Record<string, unknown>

/** A state change as system describe names it. */
export type SideEffect = 'create' | 'update' | 'delete'

/** A function of a service: everything its surfaces say about it, and the code behind it. */
export interface FunctionDefinition<
  Name extends string = string,
  Input = Schema,
  Output = Schema,
  Declared = DeclaredError,
  Item = Schema,
  Version extends string = string,
  Query = QueryCapabilities,
  Accepts = AcceptedExtensions,
> extends FunctionMetadata<Name, Input, Output, Declared, Item, Version, Query, Accepts> {
  /** Middleware around this function alone, inside that of the service; what it adds is in `locals`. */
  readonly use?: readonly Middleware[]
  /** Says what the call would do, without doing it. */
  dryRun?(invocation: Invocation<OutputOf<Input, UntypedInput>, Declared>): Maybe<DryRunReport>
  /** Answers calls that bring a query. */
  resources?(
    invocation: QueryInvocation<OutputOf<Input, UntypedInput>, Declared>,
  ): Maybe<ResourceDocument>
  /** Any, so that a definition can be spread into that of another version. */
  handler(invocation: Invocation<OutputOf<Input, UntypedInput>, Declared>): AnyResult
}

/** A definition as far as a service looks at its type; comparing schemas once more would take a compiler long. */
export interface AnyFunction {
  readonly name: string
  readonly version: string
  handler(invocation: Invocation<AnyResult, AnyResult, AnyResult>): AnyResult
}

/** Everything a definition says about a function. */
export interface FunctionMetadata<
  Name extends string,
  Input,
  Output,
  Declared,
  Item,
  Version extends string,
  Query,
  Accepts,
> {
  readonly name: Name
  readonly version: Version
  /** Derived from the version's prerelease tag when absent. */
  readonly stability?: 'stable' | 'beta' | 'alpha' | 'rc' | 'experimental' | 'removed'
  readonly summary?: string
  readonly description?: string
  /** Schema of the arguments object. It is closed unless it says otherwise (`z.looseObject`, `additionalProperties`). */
  readonly input?: Input
  /** What happens to arguments that `input` does not have; as the service says when absent. */
  readonly unknownArguments?: UnknownArguments
  readonly output?: Output
  /** Schema of each partial result of a function that streams: its handler is an async generator that yields them. */
  readonly item?: Item
  /** How discovery prints the arguments; must agree with `input`, and stands in for it when `input` is absent. */
  readonly arguments?: readonly (ContentDescriptor | Reference)[]
  /** How discovery prints the result; its schema stands in for `output` when that is absent. */
  readonly result?: ContentDescriptor | Omit<ContentDescriptor, 'schema'> | Reference
  readonly errors?: readonly Declared[]
  readonly tags?: readonly (Tag | Reference)[]
  readonly links?: readonly (Link | Reference)[]
  readonly examples?: readonly (ExamplePairing | Reference)[]
  /** What callers may filter, sort, select and page; `resources` answers them. */
  readonly query?: Query
  /** Free words such as `sends_email`; `create`, `update` and `delete` also show in system describe. */
  readonly sideEffects?: readonly string[]
  /** Preset: no side effects; idempotency and dry run are excluded. */
  readonly readOnly?: true
  /** Preset: these side effects; caching is excluded. */
  readonly writes?: readonly SideEffect[]
  readonly deprecated?: Deprecated
  /** False hides the function from discovery; it stays callable. */
  readonly discoverable?: boolean
  readonly simulations?: readonly Simulation[]
  /** Configuration per extension, printed in discovery: `[{ urn: 'urn:forrst:ext:caching', ttl: 300 }]`. */
  readonly extensions?: readonly ExtensionDeclaration[]
  readonly accepts?: Accepts
  /** Scopes that a principal needs, all of them, to call the function and to see it: `['orders:write']`. */
  readonly requires?: readonly string[]
  readonly externalDocs?: ExternalDocs
  /** Where the function is over HTTP; `POST /{name}`, and `GET /{name}` when it only reads, when absent. */
  readonly http?: HttpRoute
  /** How a reader of its stream that was cut off goes on: `{ id: 'seq', after: 'since' }`. */
  readonly resume?: StreamResume
  /** Negotiated capability the function belongs to: `dev.ucp.shopping.checkout`. */
  readonly capability?: string
  /**
   * True for a function made from a document or a remote service: patterns of its schemas that could take more than
   * linear time are then never run on the engine of JavaScript.
   */
  readonly imported?: true
  /** Name of the remote server that the function comes from; lists show it. */
  readonly source?: string
  /** Members of `_meta` that the entry of its tool in MCP lists has besides our own. */
  readonly toolMeta?: JsonObject
  /** True when null for an optional argument that does not admit null is taken, and means that it is left out. */
  readonly nullMeansAbsent?: true
  /** State at start; `service.registry.setHealth` changes it at run time. */
  readonly health?: FunctionHealth
}

/** The code of a function that answers in one piece. An interface, because messages of the compiler then print its name. */
export interface Handler<Result, Given> {
  // biome-ignore lint/style/useShorthandFunctionType: see above.
  (invocation: Given): Maybe<Result>
}

/** The code of a function that streams: an async generator, or anything else that iterates asynchronously. */
export interface StreamHandler<Item, Result, Given> {
  // biome-ignore lint/style/useShorthandFunctionType: as above.
  // biome-ignore lint/suspicious/noConfusingVoidType: what a generator without a return statement gives.
  (invocation: Given): Maybe<AsyncIterable<Item, Result | void>>
}

/** What `defineFunction` takes. The types of the code follow from the schemas, the declared errors and `use`. */
export interface FunctionSpec<
  Name extends string,
  Input,
  Output,
  Declared,
  Item,
  Version extends string,
  Use extends readonly Middleware[],
  Query,
  Accepts,
> extends FunctionMetadata<Name, Input, Output, Declared, Item, Version, Query, Accepts> {
  /** Middleware around this function alone, inside that of the service; what it adds is in `locals`. */
  readonly use?: Use
  /** Says what the call would do, without doing it. */
  readonly dryRun?: Handler<
    DryRunReport,
    Invocation<HandlerInput<Input>, DeclaredIn<Declared>, LocalsOf<Use>>
  >
  /** Answers calls that bring a query; the result is what every client of a query gets. */
  readonly resources?: Handler<
    ResourceDocument<AttributesIn<OutputOf<Output, unknown>>>,
    QueryInvocation<HandlerInput<Input>, DeclaredIn<Declared>, LocalsOf<Use>>
  >
  /** Gives the result; with `item` it is an async generator that yields items and may return a result. */
  readonly handler: HandlerOf<
    Output,
    Item,
    Invocation<HandlerInput<Input>, DeclaredIn<Declared>, LocalsOf<Use>>
  >
}

/** An error of a definition. */
export type DeclaredError = ErrorDefinition<string, Schema> | Reference
/** The arguments as a handler gets them; an absent schema is inferred as its constraint, which says nothing. */
export type HandlerInput<Input> = Schema extends Input
  ? UntypedInput
  : OutputOf<Input, UntypedInput>
/** The errors that a definition declares; none when it declares none. */
export type DeclaredIn<Declared> = DeclaredError extends Declared ? never : Declared
/** What a definition gives, or what stands for an absent member, which is inferred as anything it may be. */
export type GivenOr<Given, Anything, Absent> = [Anything] extends [Given] ? Absent : Given
/** What the resources of a query hold: the items of a function that gives a list. */
export type AttributesIn<Result> = Result extends readonly (infer Item)[]
  ? Item extends object
    ? Partial<Item>
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

/**
 * The code of a function, by whether it has `item`. A condition on purpose: the compiler then knows the schemas before it looks at the handler, and literals, tuples and
 * unions in what it returns keep their types.
 */
export type HandlerOf<Output, Item, Given> = Schema extends Item
  ? Handler<HandledAs<Output>, Given>
  : StreamHandler<HandledAs<Item>, HandledAs<Output>, Given>

/** Defines a function; handler types follow from the schemas, codes from the declared errors. */
// None of the type parameters has a default: it would be taken before the handler is looked at.
export function defineFunction<
  const Name extends string,
  Input extends SchemaLike,
  Output extends SchemaLike,
  const Declared extends ErrorDefinition<string, SchemaLike> | Reference,
  Item extends SchemaLike,
  const Version extends string,
  const Use extends readonly Middleware[],
  const Query extends QueryCapabilities,
  const Accepts extends AcceptedExtensions,
>(
  definition: FunctionSpec<Name, Input, Output, Declared, Item, Version, Use, Query, Accepts>,
): FunctionDefinition<
  Name,
  GivenOr<Input, Schema, JsonSchema>,
  GivenOr<Output, Schema, JsonSchema>,
  DeclaredIn<Declared>,
  GivenOr<Item, Schema, never>,
  Version,
  GivenOr<Query, QueryCapabilities, never>,
  Accepts
> {
  return definition as never
}

/** The arguments a caller sends to a function. */
export type ArgumentsOf<F> = F extends { readonly input?: infer Input }
  ? InputOf<NonNullable<Input>, UntypedInput>
  : never

/** The result a caller gets from a function. */
export type ResultOf<F> = F extends { readonly output?: infer Output }
  ? OutputOf<NonNullable<Output>, unknown>
  : never

/** The errors a function declares. */
export type ErrorsOf<F> = F extends { readonly errors?: readonly (infer Declared)[] }
  ? Declared
  : never

/** The codes a function declares. */
export type CodesOf<F> = CodeIn<ErrorsOf<F>>

/** The partial results a caller gets from a function that streams; never from any other. */
export type ItemOf<F> = F extends { readonly item?: infer Item }
  ? OutputOf<NonNullable<Item>, unknown>
  : never
