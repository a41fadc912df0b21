import { toText } from '../../values/index.ts'

/** How bad a finding is: an `error` is a promise that is not kept, a `warning` something a reader stumbles over. */
export type VerifySeverity = 'error' | 'warning'

/** What is looked at; the key is the rule a finding names. */
export const VERIFY_RULES = {
  'document.invalid': 'error',
  'name.reserved': 'error',
  'example.failed': 'error',
  'example.differs': 'warning',
  'result.schema': 'error',
  'call.broken': 'error',
  'simulation.differs': 'error',
  'error.undeclared': 'error',
  'query.refused': 'error',
  'query.wrong': 'error',
  'query.undeclared': 'error',
  'extension.broken': 'error',
  'extension.unadvertised': 'error',
  'version.uncallable': 'error',
  'version.unknown': 'error',
  'deprecation.silent': 'error',
  'limit.bytes': 'error',
  'limit.depth': 'error',
  'system.broken': 'error',
  'system.disagrees': 'error',
  'openapi.disagrees': 'error',
  'openrpc.disagrees': 'error',
} as const

/** The name of a rule. */
export type VerifyRule = keyof typeof VERIFY_RULES

/** Something a service says that is not so, or does and does not say. */
export interface Finding {
  readonly rule: VerifyRule
  readonly severity: VerifySeverity
  /** Name and version of the function, where it is about one: `events.get@1.0.0`. */
  readonly function?: string
  /** Where in the discovery document, or in the answer, as a JSON Pointer. */
  readonly pointer: string
  readonly expected: string
  readonly actual: string
  /** The finding in one sentence, for people. */
  readonly sentence: string
}

/** What a rule says about a finding; the rest follows from the rule. */
export type FindingFacts = Omit<Finding, 'severity'>

/** Completes a finding. */
export function toFinding(facts: FindingFacts): Finding {
  return { severity: VERIFY_RULES[facts.rule], ...facts }
}

/** Prints a value shortly enough for a sentence. */
export function showActual(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? toText(value))
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`
}
