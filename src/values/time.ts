import type { Duration } from './json.ts'

/** Where time comes from; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds on a clock that never jumps; only differences mean something. */
  elapsed(): number
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}

/** Writes a moment as RFC 3339 without fractions of a second, as the seeds print it. */
export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`
}

/** Reads a Retry-After header, seconds or a date, as milliseconds from now; undefined when it is neither. */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  if (value === null || value === undefined) return undefined
  if (/^\d{1,10}$/.test(value.trim())) return Number(value) * 1000
  const moment = Date.parse(value)
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now)
}

const UNITS = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
} as const satisfies Record<Duration['unit'], number>

/** Reads a duration as milliseconds; undefined when it is none. */
export function toMilliseconds(duration: {
  readonly value?: unknown
  readonly unit?: unknown
}): number | undefined {
  const { value, unit } = duration
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined
  if (typeof unit !== 'string' || !Object.hasOwn(UNITS, unit)) return undefined
  return value * UNITS[unit as Duration['unit']]
}

/** Writes milliseconds as a duration, rounded to whole ones. */
export function toDuration(milliseconds: number): { value: number; unit: 'millisecond' } {
  return { value: Math.max(0, Math.round(milliseconds)), unit: 'millisecond' }
}

/** Lets the process end before a timer does, where there is a process that could. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref: release } = timer as { readonly unref?: () => unknown }
  release?.call(timer)
  return timer
}
