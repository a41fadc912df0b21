import type { FieldDef } from '../spec/types.ts'
import type { Trail } from './flatten.ts'

/** A field while it is being built. */
export type Draft = { -readonly [Key in keyof FieldDef]: FieldDef[Key] }

/** A field to make. */
export interface FieldRequest {
  readonly schema: unknown
  readonly place: string
  readonly required: boolean
  /** A parameter beside the body: null does not travel there. */
  readonly isParameter?: boolean
  /** Absent for the root of a body. */
  readonly name?: string
  readonly trail?: Trail | undefined
  /** Description of the parameter around the schema. */
  readonly description?: string | undefined
  /** Node around the schema that may hold an example. */
  readonly around?: unknown
}
