import { isList } from '../values/index.ts'
import { type CommandFlag, type CommandInput, formatSuggestion, UsageError } from './command.ts'

/** What else may be said about a flag. */
type More = Pick<CommandFlag, 'of' | 'short'>

/** A flag that takes a text; `value` names it in the help. */
export function textFlag(value: string, summary: string, more: More = {}): CommandFlag {
  return { type: 'string', value, summary, ...more }
}

/** A flag that takes a text and may be given several times. */
export function listFlag(value: string, summary: string, more: More = {}): CommandFlag {
  return { ...textFlag(value, `${summary}; may be repeated`, more), multiple: true }
}

/** A flag that is given or not. */
export function toggleFlag(summary: string, more: More = {}): CommandFlag {
  return { type: 'boolean', summary, ...more }
}

/** The flag every command has. */
export const JSON_FLAG: CommandFlag = toggleFlag('write JSON for machines')

/** The flag of commands that call a service. */
export const HEADER_FLAG: CommandFlag = listFlag(
  'name: value',
  'send a header, such as "Authorization: Bearer …"',
  { short: 'H' },
)

/** Reads a text flag; undefined when it was not given. */
export function readTextFlag(
  { flags }: Pick<CommandInput, 'flags'>,
  name: string,
): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** Reads a flag that may be repeated. */
export function readListFlag(
  { flags }: Pick<CommandInput, 'flags'>,
  name: string,
): readonly string[] {
  const value = flags[name]
  return isList(value) ? value : []
}

/** Reads a flag that takes one of a few words. */
export function readChoiceFlag<Choice extends string>(
  input: Pick<CommandInput, 'flags'>,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = readTextFlag(input, name)
  return value === undefined ? undefined : requireChoice(value, name, choices)
}

/** Finds a word among those a flag knows. */
export function requireChoice<Choice extends string>(
  value: string,
  name: string,
  choices: readonly Choice[],
): Choice {
  const known = choices.find((choice) => choice === value)
  if (known !== undefined) return known
  const hint = formatSuggestion(value, choices)
  throw new UsageError(`--${name} must be ${choices.join(', ')}; got "${value}".${hint}`)
}

/** Reads a flag that takes a whole number. */
export function readNumber(
  input: Pick<CommandInput, 'flags'>,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const value = readTextFlag(input, name)
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^\d{1,9}$/.test(value) && number >= from && number <= to) return number
  throw new UsageError(`--${name} must be a number from ${from} to ${to}; got "${value}"`)
}

/** Reads a port number from a flag or an environment variable. */
export function parsePort(text: string, origin: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`${origin} must be a port number from 0 to 65535; got "${text}"`)
}

const UNITS = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day' } as const

/** Reads a time such as `500ms`, `5s`, `2m` or `90d`. */
export function parseDuration(
  text: string,
  origin: string,
): { value: number; unit: (typeof UNITS)[keyof typeof UNITS] } {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  const unit = UNITS[match?.[2] as keyof typeof UNITS]
  if (match === null || unit === undefined) {
    throw new UsageError(`${origin} must be a time such as 500ms, 5s or 2m; got "${text}"`)
  }
  return { value: Number(match[1]), unit }
}
