import { parseArgs } from 'node:util'
import type { JsonSchema } from '../schema/index.ts'
import {
  isLargeNumber,
  isList,
  isLostNumber,
  isRecord,
  type JsonObject,
  MAY_BE_LARGE,
  quoteNumbers,
  toReason,
} from '../values/index.ts'
import {
  type Command,
  type CommandFlag,
  type CommandInput,
  formatSuggestion,
  UsageError,
} from './command.ts'
import { judgeLargeNumber } from './digits.ts'

/** Tells whether words hold a number that JSON may change, so that the schema decides what it means. */
export function mayLoseDigits(words: readonly string[]): boolean {
  return words.some((word) => MAY_BE_LARGE.test(word))
}

/** Reads arguments as a person types them: one JSON object, or `name=value` words with dots for nesting. */
export function parseArguments(words: readonly string[], schema: JsonSchema = {}): JsonObject {
  const [first, ...rest] = words
  if (first === undefined) return {}
  if (first.trimStart().startsWith('{')) {
    if (rest.length > 0)
      throw new UsageError('nothing may follow a JSON object; quote it as one word')
    return parseObject(first, 'the arguments')
  }
  const root: Record<string, unknown> = {}
  for (const word of words) assign(root, word, schema)
  return root as JsonObject
}

/** Reads a JSON object, naming where it came from when it is none. */
export function parseObject(text: string, origin: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
    refuseLost(text, origin)
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown
    throw new UsageError(`${origin} must be JSON: ${(thrown as Error).message}`)
  }
  if (isRecord(value)) return value as JsonObject
  throw new UsageError(`${origin} must be a JSON object`)
}

function assign(root: Record<string, unknown>, word: string, schema: JsonSchema): void {
  const mark = word.indexOf('=')
  if (mark < 1) {
    const [, file] = /^@?(-|(?<=@).+)$/.exec(word) ?? []
    const hint = file === undefined ? '' : `; a file is read with --args ${file}`
    throw new UsageError(`arguments look like name=value or one JSON object; got "${word}"${hint}`)
  }
  const path = word.slice(0, mark).split('.')
  const last = path.pop() ?? ''
  let place = root
  for (const segment of path) {
    const next = Object.hasOwn(place, segment) ? place[segment] : undefined
    const child = isRecord(next) ? next : {}
    define(place, segment, child)
    place = child
  }
  define(place, last, parseValue(word.slice(mark + 1), [...path, last], schema))
}

/** Defines instead of assigning: a path through `__proto__` must stay an ordinary member. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** A word that is JSON means that value; any other word means itself, and so do digits where the schema takes them. */
function parseValue(text: string, path: readonly string[], schema: JsonSchema): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (!MAY_BE_LARGE.test(text)) return value
  const quoted = quoteNumbers(text, (literal) => isLargeNumber(literal) || isLost(literal))
  return quoted === text ? value : chooseDigits(value, JSON.parse(quoted), path, schema)
}

/** Takes the digits of a number, written as a string, where they are a value; elsewhere the number, if it is the same one. */
function chooseDigits(
  value: unknown,
  quoted: unknown,
  path: readonly string[],
  schema: JsonSchema,
): unknown {
  if (typeof value === 'number' && typeof quoted === 'string') {
    const large = judgeLargeNumber(schema, path)
    if (large === 'digits') return quoted
    if (!isLost(quoted)) return value
    const shown = quoted.slice(0, 40)
    const text = large === 'text' ? `; to send it as a text, write it in quotes: "${shown}"` : ''
    throw new UsageError(
      `${path.join('.')}: ${shown} is beyond ±9007199254740991; a JSON number loses digits there${text}`,
    )
  }
  if (isList(value) && isList(quoted)) {
    return value.map((item, at) => chooseDigits(item, quoted[at], [...path, `${at}`], schema))
  }
  if (!isRecord(value) || !isRecord(quoted)) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    define(copy, name, chooseDigits(member, quoted[name], [...path, name], schema))
  }
  return copy
}

/** Tells whether a number would go out as another one; `9007199254740993.0` is an integer, too. */
function isLost(literal: string): boolean {
  return isLostNumber(literal.replace(/\.0+$/, ''))
}

/** Refuses a number that would go out as another one. */
function refuseLost(text: string, origin: string): void {
  let lost: string | undefined
  if (!MAY_BE_LARGE.test(text)) return
  quoteNumbers(text, (literal) => {
    if (isLost(literal)) lost ??= literal
    return false
  })
  if (lost === undefined) return
  throw new UsageError(
    `${origin}: a JSON number cannot hold ${lost.slice(0, 40)} exactly; write it as a string, "${lost.slice(0, 40)}"`,
  )
}

/** Reads the words behind a command as its own flags and positionals; a UsageError says what is wrong with them. */
export function parseInput(command: Command, args: readonly string[]): Omit<CommandInput, 'io'> {
  const { values, positionals } = parseWords(command, args)
  const stray = positionals[countWords(command).most]
  if (stray !== undefined) {
    throw new UsageError(`"${stray}" is one word too many ${formatUsage(command)}`)
  }
  return { positionals, flags: values as CommandInput['flags'] }
}

/** Writes how a command is used, for the end of a message. */
export function formatUsage({ name, usage }: Command): string {
  return `(usage: waymark ${name} ${usage})`
}

/** Counts the words a usage such as `list|show <url> [id]` asks for and takes. */
export function countWords({ usage }: Pick<Command, 'usage'>): {
  readonly least: number
  readonly most: number
} {
  const words = usage.match(/<[^>]*>|\[[^\]]*\]|[^\s[\]<>]+/g) ?? []
  const isEndless = words.some((word) => word.includes('…'))
  return {
    least: words.filter((word) => !word.startsWith('[')).length,
    most: isEndless ? Number.POSITIVE_INFINITY : words.length,
  }
}

function parseWords(
  command: Command,
  args: readonly string[],
): { readonly values: object; readonly positionals: string[] } {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(command.flags).map(([name, flag]) => [name, toParseOption(flag)]),
      ),
    })
  } catch (thrown) {
    throw new UsageError(explainParseError(command, thrown))
  }
}

function toParseOption({ type, multiple, short }: CommandFlag): {
  type: 'string' | 'boolean'
  multiple?: boolean
  short?: string
} {
  return { type, ...(multiple && { multiple }), ...(short && { short }) }
}

function explainParseError(command: Command, thrown: unknown): string {
  const message = toReason(thrown)
  const help = `Run "waymark ${command.name} --help".`
  const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1]
  if (unknown !== undefined) {
    const names = Object.keys(command.flags).map((name) => `--${name}`)
    return `unknown option ${unknown} of "waymark ${command.name}".${formatSuggestion(unknown, names)} ${help}`
  }
  const [, name] = /'(?:-\w, )?--([\w-]+)/.exec(message) ?? []
  const flag = name === undefined ? undefined : command.flags[name]
  if (flag?.type === 'string') {
    return `--${name} needs a value: --${name} <${flag.value ?? 'value'}>. One that begins with a dash is written --${name}=-x. ${help}`
  }
  if (flag?.type === 'boolean') return `--${name} takes no value. ${help}`
  return `${message.split('\n', 1)[0]} ${help}`
}
