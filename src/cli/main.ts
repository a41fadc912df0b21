import { parseArgs } from 'node:util'
import type { Command, CommandFlag, CommandInput, Io } from './command.ts'
import { COMMAND_NAMES, loadCommand, loadCommands } from './commands.ts'
import { EXIT, RemoteError, UsageError } from './exit.ts'
import { formatCommandHelp, formatHelp } from './help.ts'
import { didYouMean } from './suggest.ts'
import { VERSION } from './version.ts'

/** Runs the program with its arguments and gives the exit code. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await run(args, io)
  } catch (thrown) {
    if (thrown instanceof UsageError) io.err(`waymark: ${thrown.message}\n`)
    else if (thrown instanceof RemoteError) io.err(`waymark: ${thrown.message}\n`)
    else io.err(formatBug(thrown))
    if (thrown instanceof UsageError) return EXIT.input
    return thrown instanceof RemoteError ? EXIT.remote : EXIT.bug
  }
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const topic = await loadCommand(rest[0] ?? '')
    io.out(topic === undefined ? formatHelp(await loadCommands()) : formatCommandHelp(topic))
    return EXIT.ok
  }
  if (name === '--version' || name === '-v') {
    io.out(`${VERSION}\n`)
    return EXIT.ok
  }
  const command = await loadCommand(name)
  if (command === undefined) {
    const hint = didYouMean(name, COMMAND_NAMES)
    throw new UsageError(`unknown command "${name}".${hint} Run "waymark help" for the list.`)
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(formatCommandHelp(command))
    return EXIT.ok
  }
  return command.run({ ...parseInput(command, rest), io })
}

function parseInput(command: Command, args: readonly string[]): Omit<CommandInput, 'io'> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(command.flags).map(([name, flag]) => [name, toParseOption(flag)]),
      ),
    })
    return { positionals, flags: values as CommandInput['flags'] }
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
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1]
  const usage = `Run "waymark ${command.name} --help".`
  if (unknown === undefined) return `${message.split('\n', 1)[0]} ${usage}`
  const names = Object.keys(command.flags).map((name) => `--${name}`)
  return `unknown option ${unknown} of "waymark ${command.name}".${didYouMean(unknown, names)} ${usage}`
}

function formatBug(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return `waymark: this is a bug in waymark ${VERSION}, please report it with the lines below.\n${stack}\n`
}
