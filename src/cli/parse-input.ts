import { parseArgs } from 'node:util'
import {
  isLostNumber,
  isRecord,
  type JsonObject,
  MAY_BE_LARGE,
  parseExactJson,
  quoteNumbers,
  toReason,
} from '../values/index.ts'
import {
  type Command,
  type CommandFlag,
  type CommandInput,
  didYouMean,
  UsageError,
} from './command.ts'

/** Reads arguments as a person types them: one JSON object, or `name=value` words with dots for nesting. */
export function parseArguments(words: readonly string[]): JsonObject {
  const [first, ...rest] = words
  if (first === undefined) return {}
  if (first.trimStart().startsWith('{')) {
    if (rest.length > 0)
      throw new UsageError('nothing may follow a JSON object; quote it as one word')
    return parseObject(first, 'the arguments')
  }
  const root: Record<string, unknown> = {}
  for (const word of words) assign(root, word)
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

function assign(root: Record<string, unknown>, word: string): void {
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
  define(place, last, parseValue(word.slice(mark + 1)))
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

/** A word that is JSON means that value; any other word means itself, and so do digits that a number would lose. */
function parseValue(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** Refuses a number that would go out as another one. */
function refuseLost(text: string, origin: string): void {
  let lost: string | undefined
  if (!MAY_BE_LARGE.test(text)) return
  quoteNumbers(text, (literal) => {
    if (isLostNumber(literal)) lost ??= literal
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
    return `unknown option ${unknown} of "waymark ${command.name}".${didYouMean(unknown, names)} ${help}`
  }
  const [, name] = /'(?:-\w, )?--([\w-]+)/.exec(message) ?? []
  const flag = name === undefined ? undefined : command.flags[name]
  if (flag?.type === 'string') {
    return `--${name} needs a value: --${name} <${flag.value ?? 'value'}>. One that begins with a dash is written --${name}=-x. ${help}`
  }
  if (flag?.type === 'boolean') return `--${name} takes no value. ${help}`
  return `${message.split('\n', 1)[0]} ${help}`
}
