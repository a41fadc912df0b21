import type { ArgumentsOf, CodesOf, ResultOf } from '../core/function.ts'
import type { Service } from '../core/service.ts'

/** One function as its callers see it. */
export interface FunctionType {
  readonly arguments: unknown
  readonly result: unknown
  /** The codes it declares; protocol and client codes come on top. */
  readonly code: string
}

/** The functions of a service by name: what a generated client hands in where no `typeof service` is at hand. */
export interface FunctionTypes {
  readonly [name: string]: FunctionType
}

/** A function nothing is known about. */
export interface UntypedFunction extends FunctionType {
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Functions nothing is known about. */
export interface UntypedFunctions {
  readonly [name: string]: UntypedFunction
}

/** What a client can take its types from. */
export type ClientSource = Service | FunctionTypes

/** The function types of a service; a map of function types stays as it is. */
export type FunctionTypesOf<Source> =
  Source extends Service<infer Functions>
    ? {
        readonly [Definition in Functions[number] as Definition['name']]: {
          readonly arguments: ArgumentsOf<Definition>
          readonly result: ResultOf<Definition>
          readonly code: CodesOf<Definition>
        }
      }
    : Source

/** Names every service may have besides its own: system and extension functions. */
export type ReservedName =
  | `urn:cline:forrst:${string}`
  | `urn:forrst:${string}`
  | `forrst.${string}`

/** The names a client of this source may call. */
export type NamesOf<Source> = (keyof FunctionTypesOf<Source> & string) | ReservedName

/** The types behind a name; reserved names are open. */
export type FunctionTypeOf<Source, Name> = Name extends keyof FunctionTypesOf<Source>
  ? FunctionTypesOf<Source>[Name] & FunctionType
  : UntypedFunction

/** What follows the name in a call: arguments may be left out when none is required. */
export type CallParameters<Arguments, Options> =
  Record<string, never> extends Arguments
    ? [callArguments?: Arguments, options?: Options]
    : [callArguments: Arguments, options?: Options]
