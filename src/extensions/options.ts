import { CallError } from '../core/error.ts'
import type { ExtensionCall } from '../core/extension.ts'
import { nearest } from '../core/suggest.ts'

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
