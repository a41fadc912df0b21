import type { CallOutcome } from '../client/index.ts'
import { findExtension } from '../client/index.ts'
import type { JsonObject } from '../core/json.ts'
import { type FindingFacts, show } from './finding.ts'
import { type Case, findCase, nameOf, type Subject } from './subject.ts'

/** How one extension is tried. */
interface Trial {
  readonly urn: string
  readonly options: JsonObject
  /** Nothing runs, so functions with side effects may be asked too. */
  readonly harmless?: boolean
  /** Only where it means something: on functions that change something. */
  readonly writes?: boolean
  /** Says what is wrong with the answer's data; undefined when nothing is. */
  readonly judge?: (data: JsonObject, outcome: CallOutcome) => string | undefined
  /** A second call that depends on the answer of the first. */
  readonly again?: {
    readonly options: (data: JsonObject) => JsonObject
    readonly judge: (outcome: CallOutcome, first: CallOutcome) => string | undefined
  }
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

const NAMED: readonly Trial[] = [
  {
    urn: 'tracing',
    options: { trace_id: TRACE_ID, span_id: 'b7ad6b7169203331' },
    judge: ({ trace_id: id }) => (id === TRACE_ID ? undefined : `trace_id ${show(id)}`),
  },
  { urn: 'deadline', options: { value: 10, unit: 'second' }, judge: needs('specified') },
  { urn: 'locale', options: { language: 'en' }, judge: needs('language') },
  { urn: 'priority', options: { level: 'high' }, judge: needs('honored') },
  { urn: 'redact', options: { mode: 'full' }, judge: needs('mode') },
  { urn: 'deprecation', options: {}, judge: needs('warnings') },
  {
    urn: 'atomic-lock',
    options: { key: 'waymark-verify', ttl: { value: 5, unit: 'second' } },
    judge: ({ acquired }) => (acquired === true ? undefined : `acquired ${show(acquired)}`),
  },
  { urn: 'async', options: { preferred: true }, judge: needs('operation_id') },
  { urn: 'cancellation', options: { token: 'waymark-verify' } },
  {
    urn: 'dry-run',
    options: { enabled: true },
    harmless: true,
    writes: true,
    judge: (data, outcome) =>
      data['valid'] === undefined || !outcome.ok || outcome.result !== null
        ? `result ${show(outcome.ok ? outcome.result : outcome.error.code)}`
        : undefined,
  },
  {
    urn: 'caching',
    options: {},
    judge: needs('etag'),
    again: {
      options: ({ etag }) => ({ if_none_match: etag ?? '' }),
      judge: (outcome) =>
        outcome.ok && outcome.result === null ? undefined : 'the whole result for a known ETag',
    },
  },
  {
    urn: 'idempotency',
    options: { key: 'waymark-verify' },
    writes: true,
    judge: needs('status'),
    again: {
      options: () => ({ key: 'waymark-verify' }),
      judge: (outcome, first) =>
        JSON.stringify(resultOf(outcome)) === JSON.stringify(resultOf(first))
          ? undefined
          : 'another result for the same key',
    },
  },
]

const TRIALS: readonly Trial[] = NAMED.map((trial) => ({
  ...trial,
  urn: `urn:forrst:ext:${trial.urn}`,
}))

/** Other rules use these all the time. */
const ELSEWHERE = ['discovery', 'diagnostics', 'simulation', 'query'].map(
  (name) => `urn:forrst:ext:${name}`,
)

/** What could be said about an extension. */
export interface ExtensionVerdict {
  /** Extensions that no call could try. */
  readonly unproven: readonly string[]
}

/** Tries every extension this knows: those advertised must work, the others must be refused. */
export async function* verifyExtensions(
  subject: Subject,
): AsyncGenerator<FindingFacts, ExtensionVerdict> {
  const tried = new Set([...TRIALS.map(({ urn }) => urn), ...ELSEWHERE])
  const unproven = [...subject.extensions].filter((urn) => !tried.has(urn))
  for (const trial of TRIALS) {
    const advertised = subject.extensions.has(trial.urn)
    const found = await tryOut(subject, trial)
    if (found === undefined) {
      if (advertised) unproven.push(trial.urn)
    } else if (advertised && found.problem !== undefined) {
      yield {
        rule: 'extension.broken',
        function: found.function,
        pointer: '/extensions',
        expected: `${trial.urn} to work as advertised`,
        actual: found.problem,
        sentence: `${trial.urn} is advertised, and ${found.function} with ${show(trial.options)} answers: ${found.problem}`,
      }
    } else if (!advertised && found.answered) {
      yield {
        rule: 'extension.unadvertised',
        function: found.function,
        pointer: '/extensions',
        expected: 'EXTENSION_NOT_SUPPORTED',
        actual: 'an answer under its URN',
        sentence: `${trial.urn} works, and capabilities do not list it`,
      }
    }
  }
  return { unproven }
}

interface TrialResult {
  readonly function: string
  /** The service answered under the extension's URN. */
  readonly answered: boolean
  readonly problem?: string
}

/** Tries an extension on the first function that accepts it; undefined when there is none. */
async function tryOut(subject: Subject, trial: Trial): Promise<TrialResult | undefined> {
  const pool = trial.harmless ? [...subject.cases, ...subject.spared] : subject.cases
  const fits = ({ definition, origin }: Case) =>
    (trial.writes !== true || (definition.sideEffects?.length ?? 0) > 0) &&
    (origin !== 'made' || trial.harmless === true)
  for (const one of findCase(pool).filter(fits)) {
    const outcome = await send(subject, one, trial, trial.options)
    if (!outcome.ok && outcome.error.code === 'EXTENSION_NOT_APPLICABLE') continue
    return judge(subject, one, trial, outcome)
  }
  return undefined
}

async function judge(
  subject: Subject,
  one: Case,
  trial: Trial,
  outcome: CallOutcome,
): Promise<TrialResult> {
  const frame = { function: nameOf(one.definition) }
  const entry = findExtension(outcome, trial.urn)
  if (entry === undefined) {
    const said = outcome.ok
      ? 'no entry under its URN'
      : `${outcome.error.code}: ${outcome.error.message}`
    return { ...frame, answered: false, problem: said }
  }
  const data = entry.data ?? {}
  const problem = trial.judge?.(data, outcome) ?? (await repeat(subject, one, trial, outcome, data))
  return { ...frame, answered: true, ...(problem !== undefined && { problem }) }
}

async function repeat(
  subject: Subject,
  one: Case,
  trial: Trial,
  first: CallOutcome,
  data: JsonObject,
): Promise<string | undefined> {
  if (trial.again === undefined) return undefined
  const second = await send(subject, one, trial, trial.again.options(data))
  return trial.again.judge(second, first)
}

function send(
  { client }: Subject,
  { definition, arguments: given }: Case,
  { urn }: Trial,
  options: JsonObject,
): Promise<CallOutcome> {
  return client.call(definition.name, given, {
    version: definition.version,
    extensions: [{ urn, options }],
  })
}

function needs(member: string): NonNullable<Trial['judge']> {
  return (data) =>
    data[member] === undefined ? `an entry without ${member}: ${show(data)}` : undefined
}

function resultOf(outcome: CallOutcome): unknown {
  return outcome.ok ? outcome.result : outcome.error.code
}
