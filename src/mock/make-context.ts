import type { Subschema } from '../core/schema-keywords.ts'
import type { Random } from './random.ts'

/** How one part of a value is made. */
export interface MakeContext {
  readonly random: Random
  /** What the part is called. */
  readonly name: string
  readonly depth: number
  /** Whether members that may be absent are made as well. */
  readonly rich: boolean
  /** Whether examples and defaults of the schema are used as they stand. */
  readonly examples: boolean
  readonly make: (schema: Subschema, context: MakeContext) => unknown
}
