import type { FieldType } from '../spec/types.ts'
import type { Flat, FlattenContext, Trail } from './flatten.ts'

/** A flat schema whose alternatives are folded in. */
export interface Folded extends Flat {
  /** The one plain type, or nothing when any value goes. */
  readonly type: FieldType | undefined
  /** True when neither a type nor a list of values keeps null out. */
  readonly untyped: boolean
  /** Schemas of the exact alternatives, when the plain form does not say it all. */
  readonly alternatives: readonly unknown[]
  /** Sentences for the description. */
  readonly notes: readonly string[]
}

/** Folds a schema; handed to the parts of the folding that need the whole of it. */
export type Fold = (
  schema: unknown,
  trail: Trail | undefined,
  context: FlattenContext,
  place: string,
  depth?: number,
) => Folded

/** What folding a group of alternatives gives. */
export interface FoldedGroup {
  /** True when the alternatives have to be kept beside the plain form. */
  readonly exact: boolean
  readonly notes: readonly string[]
}

/** Most alternatives that are looked at. */
export const MAX_MEMBERS = 50

/** Gives the values a schema is restricted to, by `const` or `enum`. */
export function enumOf(flat: Flat): readonly unknown[] | undefined {
  if (Object.hasOwn(flat.keywords, 'const')) return [flat.keywords['const']]
  const values = flat.keywords['enum']
  return Array.isArray(values) ? values : undefined
}
