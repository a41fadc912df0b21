import { type Call, isPrepared, type Outcome, type Target } from '../../core/index.ts'
import { LIMIT_SCOPES, type LimitScope } from '../rate-limit/index.ts'

/** How often a quota starts anew. */
export type QuotaPeriod = 'minute' | 'hour' | 'day' | 'month' | 'billing_cycle'

/** The names of all periods. */
export const QUOTA_PERIODS = ['minute', 'hour', 'day', 'month', 'billing_cycle'] as const

const LENGTHS: Readonly<Partial<Record<QuotaPeriod, number>>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** Finds the period, in UTC, that a moment lies in; a billing cycle starts at a day of the month. */
export function findPeriod(
  period: QuotaPeriod,
  now: number,
  startDay = 1,
): { readonly start: number; readonly end: number } {
  const length = LENGTHS[period]
  if (length !== undefined) {
    const start = Math.floor(now / length) * length
    return { start, end: start + length }
  }
  const day = period === 'month' ? 1 : startDay
  const date = new Date(now)
  const shift = date.getUTCDate() < day ? -1 : 0
  const at = (month: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + month, day)
  return { start: at(shift), end: at(shift + 1) }
}

/** What a quota counts. */
export type QuotaType = 'requests' | 'compute' | 'storage' | 'bandwidth' | 'custom'

/** The names of all types. */
export const QUOTA_TYPES = ['requests', 'compute', 'storage', 'bandwidth', 'custom'] as const

/** A call that is done, as a quota sees it. */
export interface QuotaUse {
  readonly call: Call
  readonly outcome: Outcome
  readonly elapsedMs: number
}

/** So much of something in a period. */
export interface QuotaPolicy {
  readonly type: QuotaType
  /** Tells quotas apart, also in the store. */
  readonly name: string
  readonly limit: number
  readonly period: QuotaPeriod
  /** Day of the month, 1 to 28, on which a billing cycle starts; the first when absent. */
  readonly startDay?: number
  /** Whose use is counted together; each principal's when absent. */
  readonly scope?: LimitScope
  /** Only these functions; all but the protocol's own when absent. */
  readonly functions?: readonly string[]
  readonly unit?: string
  /**
   * How much a call uses, as a whole number. Absent for `requests` (one), `compute` (milliseconds) and `bandwidth`
   * (bytes of the result).
   */
  readonly cost?: (use: QuotaUse) => number
}

/** A quota made ready for calls. */
export interface ReadyQuota extends QuotaPolicy {
  readonly scope: LimitScope
  readonly unit: string
  readonly startDay: number
  readonly appliesTo: (target: Target) => boolean
  /** What a call uses whatever comes of it. */
  readonly before: number
  /** What a call has used when it is done. */
  readonly after: (use: QuotaUse) => number
}

const COSTS: Readonly<Partial<Record<QuotaType, (use: QuotaUse) => number>>> = {
  compute: ({ elapsedMs }) => elapsedMs,
  bandwidth: ({ outcome }) => (outcome.ok ? countBytes(outcome.result) : 0),
}

const UNITS = {
  requests: 'request',
  compute: 'millisecond',
  storage: 'byte',
  bandwidth: 'byte',
  custom: 'unit',
} as const satisfies Record<QuotaType, string>

/** Checks quotas and fills in what they leave out. */
export function prepareQuotas(quotas: readonly QuotaPolicy[]): readonly ReadyQuota[] {
  const names = new Set<string>()
  return quotas.map((quota, index) => {
    checkQuota(quota, `quota: quotas[${index}]`)
    if (names.has(quota.name)) throw new TypeError(`quota: "${quota.name}" is used twice`)
    names.add(quota.name)
    const { type, functions } = quota
    const cost = quota.cost ?? COSTS[type]
    const counted = type === 'requests' && cost === undefined
    return {
      scope: 'user' as const,
      startDay: 1,
      unit: UNITS[type],
      ...quota,
      appliesTo: (target: Target) =>
        functions === undefined ? !target.system : functions.includes(target.name),
      before: counted ? 1 : 0,
      after: (use: QuotaUse) => Math.max(0, Math.round(cost?.(use) ?? 0)),
    }
  })
}

function checkQuota(
  { type, name, limit, period, scope, startDay, cost }: QuotaPolicy,
  field: string,
) {
  const refuse = (member: string, expected: string): never => {
    throw new TypeError(`${field}.${member} must be ${expected}`)
  }
  if (!QUOTA_TYPES.includes(type)) refuse('type', `one of ${QUOTA_TYPES.join(', ')}`)
  if (!QUOTA_PERIODS.includes(period)) refuse('period', `one of ${QUOTA_PERIODS.join(', ')}`)
  if (typeof name !== 'string' || name === '') refuse('name', 'a text')
  if (!Number.isSafeInteger(limit) || limit < 0) refuse('limit', 'a whole number, not negative')
  if (scope !== undefined && !LIMIT_SCOPES.includes(scope)) {
    refuse('scope', `one of ${LIMIT_SCOPES.join(', ')}`)
  }
  if (startDay !== undefined && !(Number.isInteger(startDay) && startDay >= 1 && startDay <= 28)) {
    refuse('startDay', 'a day from 1 to 28')
  }
  if (cost === undefined && (type === 'storage' || type === 'custom')) {
    refuse('cost', `given: nobody else knows what a call uses of "${type}"`)
  }
}

function countBytes(result: unknown): number {
  return Buffer.byteLength(isPrepared(result) ? result.json : (JSON.stringify(result) ?? ''))
}
