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
