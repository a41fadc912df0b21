import type { ArgumentsOf, CodesOf, ItemOf, ResultOf, Service } from '../core/index.ts'

/** One function as its callers see it. */
export interface FunctionType {
  readonly arguments: unknown
  readonly result: unknown
  /** What it yields while it runs; absent when it does not stream. */
  readonly item?: unknown
  /** The codes it declares; protocol and client codes come on top. */
  readonly code: string
  /** The versions there are; any when absent. */
  readonly version?: string
}

/** The functions of a service by name: what a generated client hands in where no `typeof service` is at hand. */
export interface FunctionTypes {
  readonly [name: string]: FunctionType
}

/** A function nothing is known about. */
export interface UntypedFunction extends FunctionType {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly item: unknown
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

/** What is known about the functions by name; versions of one name are a union. */
export type EntriesOf<Source> =
  Source extends Service<infer Functions>
    ? { readonly [Definition in Functions[number] as Definition['name']]: Definition }
    : Source

/** One definition, or function type, as callers see it. */
export interface FunctionTypeOf<Entry> {
  readonly arguments: Entry extends FunctionType ? Entry['arguments'] : ArgumentsOf<Entry>
  readonly result: Entry extends FunctionType ? Entry['result'] : ResultOf<Entry>
  readonly item: Entry extends FunctionType ? Entry['item'] : ItemOf<Entry>
  readonly code: Entry extends FunctionType ? Entry['code'] : CodesOf<Entry>
  readonly version: Entry extends { readonly version: infer Version extends string }
    ? Version
    : string
  readonly entry: Entry
}

/**
 * The functions a client of this source may call. In two steps, and read by plain member access below: with a condition
 * around the mapped type, or on the name, the compiler works through every function of the service at every call.
 */
export type FunctionTypesOf<Source> = FunctionTypesIn<EntriesOf<Source>>

/** Entries by name as callers see them. */
export type FunctionTypesIn<Entries> = {
  readonly [Name in keyof Entries]: FunctionTypeOf<Entries[Name]>
}

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
