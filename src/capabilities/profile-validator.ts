import type { Problem } from '../core/schema.ts'
import type { Side } from './model.ts'
import type { Layout } from './profile-schema.ts'

/** Checks profiles strictly, as published; each layout is compiled when it is first needed. */
export interface ProfileValidator {
  /** Lists what violates the layout of the profile's own version, or the layout that is asked for. */
  readonly problems: (profile: unknown, side: Side, layout?: Layout) => readonly Problem[]
}
