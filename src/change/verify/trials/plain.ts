import type { CallOutcome } from '../../../client/index.ts'
import { extensionUrn, isRecord, toText } from '../../../values/index.ts'
import { showActual } from '../finding.ts'
import { findData, sendRaw } from '../raw-call.ts'
import { needs, type PlainTrial, showOutcome, type TrialAnswer } from '../trial.ts'
import { judgeOperation } from './async.ts'

/** Looks whether the entry of a rate limit is right in itself, and says what the headers beside it say. */
export async function judgeRateLimit({ subject, one }: TrialAnswer): Promise<string | undefined> {
  const urn = extensionUrn('rate-limit')
  const { document, header } = await sendRaw(subject, one, { urn, options: {} })
  const data = findData(document, urn) ?? {}
  const uses = (isRecord(data['scopes']) ? Object.values(data['scopes']) : [data]).filter(isRecord)
  const wrong = uses.find((use) => !isBalanced(use))
  if (wrong !== undefined) return `an entry that does not add up: ${showActual(wrong)}`
  const limit = header('ratelimit-limit')
  const remaining = header('ratelimit-remaining')
  const counted = uses.filter(({ used }) => used !== undefined)
  if (counted.length === 0) return undefined
  if (limit === undefined || remaining === undefined || header('ratelimit-reset') === undefined) {
    return 'an entry without RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset beside it'
  }
  const agrees = counted.some(
    (use) => toText(use['limit']) === limit && toText(use['remaining']) === remaining,
  )
  return agrees
    ? undefined
    : `the headers ${remaining} of ${limit} beside the entry ${showActual(data)}`
}

/** Looks whether the entry of quotas is right in itself. */
export function judgeQuotas({ data }: TrialAnswer): string | undefined {
  const quotas: unknown = data['quotas']
  if (!Array.isArray(quotas)) return `an entry without quotas: ${showActual(data)}`
  const wrong: unknown = quotas.find((quota) => !isRecord(quota) || !isBalanced(quota))
  return wrong === undefined ? undefined : `a quota that does not add up: ${showActual(wrong)}`
}

/** What could not be counted says only how much there is. */
function isBalanced({ limit, used, remaining }: Record<string, unknown>): boolean {
  if (typeof limit !== 'number') return false
  if (used === undefined && remaining === undefined) return true
  return typeof used === 'number' && remaining === Math.max(0, limit - used)
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

/** Trials of extensions that show themselves in the entry of an ordinary call. */
export const PLAIN_TRIALS: readonly PlainTrial[] = [
  {
    name: 'tracing',
    options: { trace_id: TRACE_ID, span_id: 'b7ad6b7169203331' },
    judge: ({ data: { trace_id: id } }) =>
      id === TRACE_ID ? undefined : `trace_id ${showActual(id)}`,
  },
  { name: 'deadline', options: { value: 10, unit: 'second' }, judge: needs('specified') },
  { name: 'locale', options: { language: 'en' }, judge: needs('language') },
  { name: 'priority', options: { level: 'high' }, judge: needs('honored') },
  { name: 'redact', options: { mode: 'full' }, judge: needs('mode') },
  { name: 'deprecation', options: {}, judge: needs('warnings') },
  {
    name: 'atomic-lock',
    options: { key: 'waymark-verify', ttl: { value: 5, unit: 'second' } },
    judge: ({ data: { acquired } }) =>
      acquired === true ? undefined : `acquired ${showActual(acquired)}`,
  },
  { name: 'async', options: { preferred: true }, judge: judgeOperation },
  { name: 'cancellation', options: { token: 'waymark-verify' } },
  {
    name: 'dry-run',
    options: { enabled: true },
    harmless: true,
    writes: true,
    judge: ({ data, outcome }) =>
      data['valid'] === undefined || !outcome.ok || outcome.result !== null
        ? `result ${showActual(resultOf(outcome))}`
        : undefined,
  },
  {
    name: 'caching',
    options: {},
    async judge({ data: { etag }, again }) {
      if (typeof etag !== 'string') return `an entry without etag`
      const second = await again({ if_none_match: etag })
      const unchanged = second.ok && second.result === null
      return unchanged ? undefined : 'the whole result for a known ETag'
    },
  },
  {
    name: 'idempotency',
    options: { key: 'waymark-verify' },
    writes: true,
    async judge({ data, outcome, again }) {
      if (data['status'] === undefined) return `an entry without status: ${showActual(data)}`
      const second = await again({ key: 'waymark-verify' })
      const same = JSON.stringify(resultOf(second)) === JSON.stringify(resultOf(outcome))
      return same ? undefined : 'another result for the same key'
    },
  },
  {
    name: 'replay',
    options: {},
    async judge({ data, subject }) {
      const { status, replay_id: id } = data
      if (typeof id !== 'string') return `an entry without replay_id: ${showActual(data)}`
      if (status !== 'processed' && status !== 'queued') return `status ${showActual(status)}`
      const unknown = await subject.client.call('forrst.replay.status', { replay_id: NO_REPLAY })
      const known = unknown.ok || unknown.error.code !== 'REPLAY_NOT_FOUND'
      return known ? `${showOutcome(unknown)} for the status of a replay nobody queued` : undefined
    },
  },
  {
    name: 'rate-limit',
    options: {},
    means: (data) => Object.keys(data).length > 0,
    judge: judgeRateLimit,
  },
  {
    name: 'quota',
    options: {},
    means: ({ quotas }) => !Array.isArray(quotas) || quotas.length > 0,
    judge: judgeQuotas,
  },
]

const NO_REPLAY = `rpl_${'0'.repeat(26)}`

function resultOf(outcome: CallOutcome): unknown {
  return outcome.ok ? outcome.result : outcome.error.code
}
