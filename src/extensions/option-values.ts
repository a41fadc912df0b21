import { toMilliseconds } from '../core/duration.ts'
import { type Duration, isRecord } from '../core/json.ts'
import { invalidOption, type OptionSource } from './options.ts'

/** Where a duration in options has to lie, in milliseconds. */
export interface DurationLimits {
  /** Must be longer than this; any length but a negative one when absent. */
  readonly above?: number
  readonly max?: number
}

const UNITS = 'millisecond, second, minute, hour or day'

/** Reads a duration as milliseconds; undefined when absent. */
export function readDuration(
  source: OptionSource,
  name: string,
  { above, max }: DurationLimits = {},
): number | undefined {
  const value: unknown = source.options[name]
  if (value === undefined) return undefined
  if (!isRecord(value)) {
    throw invalidOption(source, name, 'a duration such as { "value": 30, "unit": "second" }')
  }
  const amount = value['value']
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) {
    throw invalidOption(source, `${name}/value`, 'a number that is not negative')
  }
  const milliseconds = toMilliseconds(value)
  if (milliseconds === undefined) throw invalidOption(source, `${name}/unit`, `one of ${UNITS}`)
  if (above !== undefined && milliseconds <= above) {
    throw invalidOption(source, `${name}/value`, 'greater than zero')
  }
  if (max !== undefined && milliseconds > max) {
    throw invalidOption(source, `${name}/value`, `at most ${max / 1000} seconds`)
  }
  return milliseconds
}

/** Reads one of several words; undefined when absent. */
export function readChoice<const Word extends string>(
  source: OptionSource,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value: unknown = source.options[name]
  if (value === undefined) return undefined
  const found = words.find((word) => word === value)
  if (found === undefined) throw invalidOption(source, name, `one of ${words.join(', ')}`)
  return found
}

/** Reads a key made of letters, digits and `-_:.`; it has to be there. */
export function requireKey(source: OptionSource, name: string, maxLength: number): string {
  const value: unknown = source.options[name]
  if (typeof value === 'string' && value.length <= maxLength && /^[\w:.-]+$/.test(value)) {
    return value
  }
  throw invalidOption(source, name, `1 to ${maxLength} letters, digits or "-_:."`)
}

/** Reads a duration of the configuration as milliseconds; a mistake throws at start. */
export function requireMilliseconds(field: string, duration: Duration): number {
  const milliseconds = toMilliseconds(duration)
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds
  throw new TypeError(`${field} must be a duration such as { value: 30, unit: 'second' }`)
}

/** Writes milliseconds as a duration in whole seconds, rounded up, at least one. */
export function toSeconds(milliseconds: number): { value: number; unit: 'second' } {
  return { value: Math.max(1, Math.ceil(milliseconds / 1000)), unit: 'second' }
}
