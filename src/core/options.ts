import { CallError } from '../errors/index.ts'
import { type Duration, isRecord, nearest, toMilliseconds } from '../values/index.ts'
import type { ExtensionCall } from './extension.ts'

/** Where options stand: what an extension was asked, and where in the request. */
export type OptionSource = Pick<ExtensionCall, 'options' | 'pointer'>

/** How long texts and lists in options may be. */
export interface OptionLimits {
  readonly maxLength?: number
  readonly maxItems?: number
}

const MAX_LENGTH = 255
const MAX_ITEMS = 100

/** Makes the error for an option that is not what the extension expects; `path` may lead into the option. */
export function invalidOption(source: OptionSource, path: string, expected: string): CallError {
  return new CallError('INVALID_ARGUMENTS', {
    message: `options.${path.replaceAll('/', '.')} must be ${expected}${explainAbsence(source, path)}`,
    source: { pointer: `${source.pointer}/options/${path}` },
  })
}

/** An option that is missing was perhaps only misspelt. */
function explainAbsence({ options }: OptionSource, name: string): string {
  if (Object.hasOwn(options, name) || name.includes('/')) return ''
  const [near] = nearest(name, Object.keys(options))
  return near === undefined ? '' : `; there is "${near.slice(0, MAX_LENGTH)}"`
}

/** Reads a switch; undefined when absent. */
export function readBoolean(source: OptionSource, name: string): boolean | undefined {
  const value = source.options[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidOption(source, name, 'true or false')
}

/** Reads a switch that has to be there. */
export function requireBoolean(source: OptionSource, name: string): boolean {
  const value = readBoolean(source, name)
  if (value === undefined) throw invalidOption(source, name, 'given, as true or false')
  return value
}

/** Reads a text; undefined when absent. */
export function readText(
  source: OptionSource,
  name: string,
  { maxLength = MAX_LENGTH }: OptionLimits = {},
): string | undefined {
  const value = source.options[name]
  if (value === undefined || isText(value, maxLength)) return value
  throw invalidOption(source, name, `a text of 1 to ${maxLength} characters`)
}

/** Reads a list of texts; undefined when absent. */
export function readTexts(
  source: OptionSource,
  name: string,
  { maxLength = MAX_LENGTH, maxItems = MAX_ITEMS }: OptionLimits = {},
): readonly string[] | undefined {
  const values: unknown = source.options[name]
  if (values === undefined) return undefined
  if (!Array.isArray(values) || values.length > maxItems) {
    throw invalidOption(source, name, `a list of at most ${maxItems} texts`)
  }
  return values.map((value: unknown, index) => {
    if (isText(value, maxLength)) return value
    throw invalidOption(source, `${name}/${index}`, `a text of 1 to ${maxLength} characters`)
  })
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength
}

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
