import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

/** A JSON Schema document: 2020-12 inside the registry, draft 7 is read as well. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

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
