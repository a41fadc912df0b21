import { extensionUrn } from '../../../values/index.ts'
import type { FindingFacts } from '../finding.ts'
import type { Subject } from '../subject.ts'
import { type Trial, toTrial } from '../trial.ts'
import { maintenanceTrial, webhookTrial } from '../trials/others.ts'
import { PLAIN_TRIALS } from '../trials/plain.ts'
import { retryTrial } from '../trials/retry.ts'
import { streamTrial } from '../trials/stream.ts'

const TRIALS: readonly Trial[] = [
  ...PLAIN_TRIALS.map(toTrial),
  streamTrial,
  webhookTrial,
  retryTrial,
  maintenanceTrial,
]

/** Other rules use these all the time. */
const ELSEWHERE = ['discovery', 'diagnostics', 'simulation', 'query'].map(extensionUrn)

/** What could be said about extensions beside the findings. */
export interface ExtensionVerdict {
  /** Extensions that no call could try, each with the reason. */
  readonly unproven: readonly string[]
}

/** Tries every extension this knows: those advertised must work, the others must be refused. */
export async function* verifyExtensions(
  subject: Subject,
): AsyncGenerator<FindingFacts, ExtensionVerdict> {
  const tried = new Set([...TRIALS.map(({ urn }) => urn), ...ELSEWHERE])
  const unproven = [...subject.extensions]
    .filter((urn) => !tried.has(urn))
    .map((urn) => `${urn} (there is no trial of it)`)
  for (const { urn, run } of TRIALS) {
    const advertised = subject.extensions.has(urn)
    const verdict = await run(subject)
    if ('unproven' in verdict) {
      if (advertised) unproven.push(`${urn} (${verdict.unproven})`)
    } else if (advertised && verdict.problem !== undefined) {
      yield {
        rule: 'extension.broken',
        function: verdict.function,
        pointer: '/extensions',
        expected: `${urn} to work as advertised`,
        actual: verdict.problem,
        sentence: `${urn} is advertised, and ${verdict.function} answers: ${verdict.problem}`,
      }
    } else if (!advertised && verdict.answered) {
      yield {
        rule: 'extension.unadvertised',
        function: verdict.function,
        pointer: '/extensions',
        expected: 'EXTENSION_NOT_SUPPORTED',
        actual: 'an answer under its URN',
        sentence: `${urn} works, and capabilities do not list it`,
      }
    }
  }
  return { unproven }
}
