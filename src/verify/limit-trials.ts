import { isRecord } from '../core/json.ts'
import { toText } from '../core/text.ts'
import { show } from './finding.ts'
import { findData, sendRaw } from './raw-call.ts'
import { type TrialAnswer, toUrn } from './trial.ts'

/** Looks whether the entry of a rate limit is right in itself, and says what the headers beside it say. */
export async function judgeRateLimit({ subject, one }: TrialAnswer): Promise<string | undefined> {
  const urn = toUrn('rate-limit')
  const { document, header } = await sendRaw(subject, one, { urn, options: {} })
  const data = findData(document, urn) ?? {}
  const uses = (isRecord(data['scopes']) ? Object.values(data['scopes']) : [data]).filter(isRecord)
  const wrong = uses.find((use) => !isBalanced(use))
  if (wrong !== undefined) return `an entry that does not add up: ${show(wrong)}`
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
  return agrees ? undefined : `the headers ${remaining} of ${limit} beside the entry ${show(data)}`
}

/** Looks whether the entry of quotas is right in itself. */
export function judgeQuotas({ data }: TrialAnswer): string | undefined {
  const quotas: unknown = data['quotas']
  if (!Array.isArray(quotas)) return `an entry without quotas: ${show(data)}`
  const wrong: unknown = quotas.find((quota) => !isRecord(quota) || !isBalanced(quota))
  return wrong === undefined ? undefined : `a quota that does not add up: ${show(wrong)}`
}

/** What could not be counted says only how much there is. */
function isBalanced({ limit, used, remaining }: Record<string, unknown>): boolean {
  if (typeof limit !== 'number') return false
  if (used === undefined && remaining === undefined) return true
  return typeof used === 'number' && remaining === Math.max(0, limit - used)
}
