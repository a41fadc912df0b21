/** Reads a Retry-After header, seconds or a date, as milliseconds from now; undefined when it is neither. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,10}$/.test(value.trim())) return Number(value) * 1000
  const moment = Date.parse(value)
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now)
}
