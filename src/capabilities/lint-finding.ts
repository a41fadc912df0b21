import type { Severity } from './diagnostic.ts'

/** One remark of the lint, with the place it is about. */
export interface LintFinding {
  readonly severity: Severity
  readonly code: string
  /** JSON Pointer into the profile. */
  readonly pointer: string
  readonly message: string
}
