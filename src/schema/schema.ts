import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { Maybe } from '../values/index.ts'
import type { JsonSchema } from './walk/index.ts'

export type { JsonSchema }

/** A schema of Zod, ArkType, Valibot …: anything that checks values and can print itself as JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>
}

/** What `input` and `output` of a function may be. */
export type Schema = StandardSchema | JsonSchema

declare const typed: unique symbol

/** A JSON Schema that carries the TypeScript type of what it describes. */
export interface TypedJsonSchema<Value> extends JsonSchema {
  readonly [typed]?: Value
}

/** Gives a plain JSON Schema a TypeScript type: `jsonSchema<{ id: string }>({ type: 'object', … })`. */
export function jsonSchema<Value>(schema: JsonSchema): TypedJsonSchema<Value> {
  return schema
}

/**
 * A schema as far as `defineFunction` looks at it. Comparing whole schemas costs the compiler more than all the rest of a
 * definition, and `_zod` is the one member of a Zod schema that is cheap to look at.
 */
export type SchemaLike = SchemaOfZod | StandardLike | JsonSchema

/** What tells a Zod schema, and its types. TypeScript 7 tries the members of a union by name: it has to come before `StandardLike`. */
export interface SchemaOfZod {
  readonly _zod: { readonly input: unknown; readonly output: unknown }
}

/** What tells a Standard Schema that can print itself, and its types. */
export interface StandardLike {
  readonly '~standard': { readonly jsonSchema: unknown; readonly types?: unknown }
}

/** The type a schema gives after checking; `Untyped` for JSON Schema without a type. */
export type OutputOf<S, Untyped> = S extends SchemaOfZod
  ? S['_zod']['output']
  : S extends StandardLike
    ? MemberIn<NonNullable<S['~standard']['types']>, 'output'>
    : ValueOf<S, Untyped>

/** The type a caller sends for a schema; `Untyped` for JSON Schema without a type. */
export type InputOf<S, Untyped> = S extends SchemaOfZod
  ? S['_zod']['input']
  : S extends StandardLike
    ? MemberIn<NonNullable<S['~standard']['types']>, 'input'>
    : ValueOf<S, Untyped>

type MemberIn<Types, Member> = Types[Member & keyof Types]

/** The type that a typed JSON Schema stands for; `Untyped` where there is none. */
export type ValueOf<S, Untyped> =
  S extends TypedJsonSchema<infer Value> ? (unknown extends Value ? Untyped : Value) : Untyped

/**
 * What a handler has to give for a schema: the same type as `OutputOf`, written so that the compiler keeps literals and
 * tuples of a handler that it looks at before it knows the schema. `any` leaves a handler without a schema alone.
 */
export type HandledAs<S> = [S] extends [never]
  ? NoInfer<S>
  : [S] extends [{ readonly _zod: { readonly output: infer Output extends Literal<S> } }]
    ? Output
    : [S] extends [
          {
            readonly '~standard': {
              readonly types?: { readonly output: infer Output extends Literal<S> } | undefined
            }
          },
        ]
      ? Output
      : typeof typed extends keyof S
        ? [S] extends [TypedJsonSchema<infer Value extends Literal<S>>]
          ? Value
          : AnyResult
        : AnyResult

type Scalar = string | number | bigint | boolean | null | undefined
// biome-ignore lint/suspicious/noConfusingVoidType: what a handler without a return statement gives.
type Literal<S> = Scalar | symbol | void | object | [] | Nested<S>[] | { [key: string]: Nested<S> }
// Nothing to hint at until the schema is known: a fixed hint would widen `promise.then(() => ({ id: 'x' }))`.
type Nested<S> = [S] extends [never]
  ? NoInfer<S>
  : Scalar | [] | Nested<S>[] | { [key: string]: Nested<S> }
/** What the code of a function gives whose schema says nothing. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would take the hint from the branches above.
export type AnyResult = any

/** A problem found in a value: where, which rule, and a sentence for a person. */
export interface Problem {
  /** JSON Pointer relative to the value that was checked. */
  readonly pointer: string
  /** The keyword or rule that failed, such as `required` or `minimum`. */
  readonly code: string
  readonly message: string
}

/** What checking a value gives: the value as the handler gets it, or what is wrong with it. */
export type Validation<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] }

/** A compiled check; waits only for schemas with asynchronous rules. */
export type Check = (value: unknown) => Maybe<Validation>

/** Tells a Standard Schema from plain JSON Schema. */
export function isStandardSchema(schema: Schema): schema is StandardSchema {
  return '~standard' in schema
}
