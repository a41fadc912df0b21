import { type CallOutcome, findExtension } from '../../client/index.ts'
import { extensionUrn, isPromise, type JsonObject, type Maybe } from '../../values/index.ts'
import { showActual } from './finding.ts'
import { type Case, callCase, findCase, nameOf, type Subject } from './subject.ts'

/** How one extension is tried. */
export interface Trial {
  readonly urn: string
  readonly run: (subject: Subject) => Promise<Verdict>
}

/** What came of a trial. */
export type Verdict =
  /** Why nothing could be seen. */
  | { readonly unproven: string }
  | {
      readonly function: string
      /** The service showed that it knows the extension. */
      readonly answered: boolean
      /** What it does and should not; absent when all is well. */
      readonly problem?: string
    }

/** A trial that calls a function with some options and looks at the entry in the answer. */
export interface PlainTrial {
  /** Last part of the URN. */
  readonly name: string
  readonly options: JsonObject
  /** Nothing runs, so functions with side effects may be asked too. */
  readonly harmless?: boolean
  /** Only where it means something: on functions that change something. */
  readonly writes?: boolean
  /** Tells whether an entry says anything; functions whose entries do not are passed over. */
  readonly means?: (data: JsonObject) => boolean
  /** Says what is wrong with an answer; undefined when nothing is. */
  readonly judge?: (answer: TrialAnswer) => Maybe<string | undefined>
}

/** An answer with an entry under the URN of its extension. */
export interface TrialAnswer {
  readonly subject: Subject
  readonly one: Case
  readonly data: JsonObject
  readonly outcome: CallOutcome
  /** Makes the same call with other options. */
  readonly again: (options: JsonObject) => Promise<CallOutcome>
}

/** Makes a trial of what can be seen in one entry. */
export function toTrial(plain: PlainTrial): Trial {
  const urn = extensionUrn(plain.name)
  return { urn, run: (subject) => tryOut(subject, urn, plain) }
}

/** Prints what a call came to. */
export function showOutcome(outcome: CallOutcome): string {
  return outcome.ok ? showActual(outcome.result) : `${outcome.error.code}: ${outcome.error.message}`
}

/** Asks for a member of the entry. */
export function needs(member: string): NonNullable<PlainTrial['judge']> {
  return ({ data }) =>
    data[member] === undefined ? `an entry without ${member}: ${showActual(data)}` : undefined
}

/** Tries an extension on the first function that accepts it. */
async function tryOut(subject: Subject, urn: string, trial: PlainTrial): Promise<Verdict> {
  const { harmless = false, writes = false, means = () => true } = trial
  const pool = harmless ? [...subject.cases, ...subject.spared] : subject.cases
  const fits = ({ definition, origin }: Case) =>
    (!writes || (definition.sideEffects?.length ?? 0) > 0) && (origin !== 'made' || harmless)
  for (const one of findCase(pool).filter(fits)) {
    const again = (options: JsonObject) => callCase(subject, one, { urn, options })
    const outcome = await again(trial.options)
    if (!outcome.ok && outcome.error.code === 'EXTENSION_NOT_APPLICABLE') continue
    const frame = { function: nameOf(one.definition) }
    const entry = findExtension(outcome, urn)
    if (entry === undefined) {
      const said = outcome.ok ? 'no entry under its URN' : showOutcome(outcome)
      return { ...frame, answered: false, problem: said }
    }
    const data = entry.data ?? {}
    if (!means(data)) continue
    const judged = trial.judge?.({ subject, one, data, outcome, again })
    const problem = isPromise(judged) ? await judged : judged
    return { ...frame, answered: true, ...(problem !== undefined && { problem }) }
  }
  return { unproven: writes ? NO_WRITES : NO_FUNCTION }
}

const NO_FUNCTION = 'no function that could be called shows it'
const NO_WRITES = 'no function with side effects could be called'
