import { parseArgs } from 'node:util'
import { toReason } from '../values/index.ts'
import {
  type Command,
  type CommandFlag,
  type CommandInput,
  formatSuggestion,
  UsageError,
} from './command.ts'

/** Reads the words behind a command as its own flags and positionals; a UsageError says what is wrong with them. */
export function parseInput(command: Command, args: readonly string[]): Omit<CommandInput, 'io'> {
  const { values, positionals } = parseWords(command, args)
  const stray = positionals[countWords(command).most]
  if (stray !== undefined) {
    throw new UsageError(`"${stray}" is not expected here ${formatUsage(command)}`)
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
