import type {
  ArgumentsOf,
  AttributesIn,
  DetailsOf,
  ErrorsOf,
  ItemOf,
  ResultOf,
  Service,
} from '../core/index.ts'
import type { Code } from '../errors/index.ts'
import type { ClientCode } from './errors.ts'
import type { AnyQuery } from './methods/query.ts'
import type { DetailedError, OutcomeError } from './outcome.ts'
import type { QueryFor } from './query-types.ts'

/** One function as its callers see it. */
export interface FunctionType {
  readonly arguments: unknown
  readonly result: unknown
  /** What it yields while it runs; absent when it does not stream. */
  readonly item?: unknown
  /** The codes it declares; protocol and client codes come on top. */
  readonly code: string
  /** The details of its errors by code, where they are known. */
  readonly details?: object
  /** The versions there are; any when absent. */
  readonly version?: string
  /** What a query may ask for; it cannot be queried when absent. */
  readonly query?: AnyQuery
  /** What a queried resource holds. */
  readonly attributes?: unknown
  /** False when it cannot run in the background. */
  readonly background?: boolean
}

/** The functions of a service by name: what a generated client hands in where no `typeof service` is at hand. */
export interface FunctionTypes {
  readonly [name: string]: FunctionType
}

/** A function nothing is known about. */
export interface UntypedFunction extends FunctionType {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly item: unknown
  readonly query: AnyQuery
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Functions nothing is known about. */
export interface UntypedFunctions {
  readonly [name: string]: UntypedFunction
}

/** What a client can take its types from. */
export type ClientSource = Service | FunctionTypes

/** Functions every service may have besides its own: those of the system and of extensions. */
export type ReservedName =
  | `urn:cline:forrst:${string}`
  | `urn:forrst:${string}`
  | `forrst.${string}`

/** The definitions of a service; never where the source is a map of function types. */
export type DefinitionsOf<Source> = Source extends { readonly source?: infer Options }
  ? NonNullable<Options> extends { readonly functions: readonly (infer Definition)[] }
    ? Definition
    : never
  : never

/** What is known about the functions by name; versions of one name are a union. */
// `Source` is all that the mapped type mentions: what it captures is walked through at every call.
export type EntriesOf<Source> = Source extends Service
  ? {
      readonly [Definition in DefinitionsOf<Source> as Definition['name' & keyof Definition] &
        string]: Definition
    }
  : Source

/** One definition, or function type, as callers see it. */
export interface FunctionTypeOf<Entry> {
  readonly arguments: Entry extends FunctionType ? Entry['arguments'] : ArgumentsOf<Entry>
  readonly result: Entry extends FunctionType ? Entry['result'] : ResultOf<Entry>
  readonly item: Entry extends FunctionType ? Entry['item'] : ItemOf<Entry>
  readonly error: Entry extends FunctionType ? ListedErrors<Entry> : DeclaredErrors<ErrorsOf<Entry>>
  readonly version: Entry extends { readonly version: infer Version extends string }
    ? Version
    : string
  readonly query: Entry extends FunctionType
    ? NonNullable<Entry['query']>
    : Entry extends { readonly query?: infer Allowed }
      ? QueryFor<NonNullable<Allowed>, AttributesIn<ResultOf<Entry>>>
      : never
  readonly attributes: Entry extends FunctionType
    ? Entry['attributes']
    : AttributesIn<ResultOf<Entry>>
  readonly background: Entry extends FunctionType
    ? NonNullable<Entry['background']>
    : Entry extends { readonly accepts?: infer Accepts }
      ? TakesAsync<NonNullable<Accepts>>
      : boolean
  readonly entry: Entry
}

/** The errors of a call: those that the function declares, each with its details, and those of protocol and client. */
export type ErrorsWith<Declared extends { readonly code: string }> =
  | Declared
  | OutcomeError<Exclude<Code | ClientCode, Declared['code']>>

type DeclaredErrors<Declared> = ErrorsWith<
  Declared extends { readonly code: infer Code extends string }
    ? ErrorWith<Code, DetailsOf<Declared, Code>>
    : never
>

type ListedErrors<Entry extends FunctionType> = string extends Entry['code']
  ? OutcomeError
  : ErrorsWith<ListedError<Entry['code'], NonNullable<Entry['details']>>>

type ListedError<Code extends string, Details> = Code extends keyof Details
  ? ErrorWith<Code, Details[Code]>
  : ErrorWith<Code, never>

type ErrorWith<Code extends string, Details> = Code extends string
  ? [Details] extends [never]
    ? OutcomeError<Code>
    : DetailedError<Code, Details>
  : never

/** Whether a function takes the async extension, by what it says it accepts. */
type TakesAsync<Accepts> = Accepts extends { readonly excluded: readonly (infer Urn)[] }
  ? Extract<Urn, AsyncUrn> extends never
    ? true
    : false
  : Accepts extends { readonly supported: readonly (infer Urn)[] }
    ? string extends Urn
      ? boolean
      : Extract<Urn, AsyncUrn> extends never
        ? false
        : true
    : boolean

type AsyncUrn = `urn:${string}:ext:async`

/**
 * The functions a client of this source may call. In two steps, and read by plain member access below: with a condition
 * around the mapped type, or on the name, the compiler works through every function of the service at every call.
 */
export type FunctionTypesOf<Source> = FunctionTypesIn<EntriesOf<Source>>

/** Entries by name as callers see them. */
export type FunctionTypesIn<Entries> = {
  readonly [Name in keyof Entries]: FunctionTypeOf<Entries[Name]>
}

/** The names of functions that may run in the background: all but those that say they cannot. */
export type BackgroundName<Types> = {
  [Name in keyof Types]: [MemberOf<Types[Name], 'background'>] extends [false] ? never : Name
}[keyof Types]

/** The names of functions that can be queried. */
export type QueryName<Types> = {
  [Name in keyof Types]: [MemberOf<Types[Name], 'query'>] extends [never] ? never : Name
}[keyof Types]

/** One version of a function; all of them while none is named, or none is known. */
export type VersionOf<Type, Version> =
  MemberOf<Type, 'version'> extends infer Known
    ? string extends Known
      ? Type
      : [Known] extends [Version]
        ? Type
        : FunctionTypeOf<Extract<MemberOf<Type, 'entry'>, { readonly version: Version }>>
    : never

/** One member of a function type; never a condition, see above. */
export type MemberOf<Type, Member> = Type[Member & keyof Type]

/** What follows the name in a call: arguments may be left out when none is required. */
export type CallParameters<Arguments, Options> =
  Record<string, never> extends Arguments
    ? [callArguments?: Arguments, options?: Options]
    : [callArguments: Arguments, options?: Options]
