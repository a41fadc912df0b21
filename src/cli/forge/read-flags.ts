import type { CommandInput } from '../command.ts'
import { UsageError } from '../exit.ts'
import { readList, readText } from '../flags.ts'

/** Reads a flag whose values may be repeated or separated by commas. */
export function readWords(input: CommandInput, name: string): readonly string[] {
  return readList(input, name)
    .flatMap((value) => value.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Reads a flag that takes a whole number. */
export function readNumber(
  input: CommandInput,
  name: string,
  range: { readonly from: number; readonly to: number },
): number | undefined {
  const value = readText(input, name)
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^\d{1,9}$/.test(value) && number >= range.from && number <= range.to) return number
  throw new UsageError(
    `--${name} must be a number from ${range.from} to ${range.to}; got "${value}"`,
  )
}

/** Reads a flag whose text must have a form. */
export function readPattern(
  input: CommandInput,
  name: string,
  form: { readonly pattern: RegExp; readonly expected: string },
): string | undefined {
  const value = readText(input, name)
  if (value === undefined || form.pattern.test(value)) return value
  throw new UsageError(`--${name} must be ${form.expected}; got "${value}"`)
}
