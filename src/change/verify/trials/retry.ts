import { type CallFailure, findExtension } from '../../../client/index.ts'
import { CODES, resolveCode } from '../../../errors/index.ts'
import { extensionUrn, isRecord, type JsonObject, toMilliseconds } from '../../../values/index.ts'
import { showActual } from '../finding.ts'
import { type Case, callCase, nameOf, type Subject } from '../subject.ts'
import type { Trial, Verdict } from '../trial.ts'

const URN = extensionUrn('retry')
const MOST_FUNCTIONS = 20

/** Tries hints about another attempt on a call that fails. */
export const retryTrial: Trial = {
  urn: URN,
  async run(subject) {
    const made = subject.cases.filter(({ origin }) => origin === 'made').slice(0, MOST_FUNCTIONS)
    for (const one of made) {
      for (const wrong of listWrong(one)) {
        const verdict = await tryFailure(subject, wrong)
        if (verdict !== undefined) return verdict
      }
    }
    return { unproven: 'no call that was made fails' }
  },
}

/** Arguments that a function may refuse: none at all where it needs some, and made-up ones. */
function listWrong(one: Case): readonly Case[] {
  const { input } = one.definition
  const required = isRecord(input) ? input['required'] : undefined
  const needy = Array.isArray(required) && required.length > 0
  return needy ? [{ ...one, arguments: {} }, one] : [one]
}

async function tryFailure(subject: Subject, one: Case): Promise<Verdict | undefined> {
  const outcome = await callCase(subject, one, { urn: URN, options: {} })
  if (outcome.ok || outcome.error.code === 'EXTENSION_NOT_APPLICABLE') return undefined
  const { code } = outcome.error
  const frame = { function: nameOf(one.definition) }
  const entry = findExtension(outcome, URN)
  if (entry === undefined) {
    // Other refusals come before any extension has its turn.
    const later = code === 'INVALID_ARGUMENTS' || !Object.hasOwn(CODES, code)
    if (!later && code !== 'EXTENSION_NOT_SUPPORTED') return undefined
    return { ...frame, answered: false, problem: `${code} without an entry under its URN` }
  }
  const problem = judgeHint(entry.data ?? {}, outcome)
  return { ...frame, answered: true, ...(problem !== undefined && { problem }) }
}

const STRATEGIES: readonly unknown[] = ['immediate', 'fixed', 'exponential']

function judgeHint(data: JsonObject, { error: { code } }: CallFailure): string | undefined {
  const { allowed, strategy, after, max_attempts: attempts } = data
  if (typeof allowed !== 'boolean') return `an entry without allowed: ${showActual(data)}`
  if (code === 'INVALID_ARGUMENTS' && allowed !== resolveCode(code).retryable) {
    return `${showActual(data)} beside ${code}, which no other attempt changes`
  }
  if (!allowed) return undefined
  const waits = strategy === 'immediate' || (isRecord(after) && toMilliseconds(after) !== undefined)
  const counts = attempts === undefined || (Number.isInteger(attempts) && Number(attempts) > 0)
  return STRATEGIES.includes(strategy) && waits && counts
    ? undefined
    : `a hint that says neither how nor when: ${showActual(data)}`
}
