import type { RuleId } from './rules.ts'

/** Whom a change breaks: those who call, those who implement, or nobody; `docs` changes no behaviour at all. */
export type ChangeClass = 'breaking' | 'implementer' | 'compatible' | 'docs'

/** The classes, worst first. */
export const CLASSES: readonly ChangeClass[] = ['breaking', 'implementer', 'compatible', 'docs']

/** One difference between two descriptions. */
export interface Change {
  readonly rule: RuleId
  readonly class: ChangeClass
  /** What changed, in a sentence. */
  readonly message: string
  /** Why it belongs to its class, in a sentence. */
  readonly reason: string
  /** Functions it affects, as `name version`; empty for changes of the whole description. */
  readonly functions: readonly string[]
  /** Where it was, as a JSON Pointer into the old document; in another document, `shared.yaml#/Order`. */
  readonly oldPointer?: string
  /** Where it is, as a JSON Pointer into the new document. */
  readonly newPointer?: string
}

/** A step of a semantic version. */
export type Step = 'none' | 'patch' | 'minor' | 'major'

/** What the changes of one function, or of a whole document, mean for its version. */
export interface VersionStep {
  /** Absent for the document itself. */
  readonly function?: string
  readonly from: string | undefined
  readonly to: string | undefined
  /** What its changes call for. */
  readonly needs: Step
  /** What was declared. */
  readonly declared: Step
  readonly enough: boolean
}

/** The kinds of description that can be compared. */
export type DescriptionKind = 'discovery' | 'openapi' | 'tool-spec'

/** Everything that differs between two descriptions, worst first. */
export interface DiffReport {
  readonly kind: DescriptionKind
  readonly changes: readonly Change[]
  readonly steps: readonly VersionStep[]
  readonly counts: Readonly<Record<ChangeClass, number>>
}
