import { parseArgs } from 'node:util'
import type { Command, CommandFlag, CommandInput, Io } from './command.ts'
import { callCommand } from './commands/call.ts'
import { capabilitiesCommand } from './commands/capabilities.ts'
import { checkCommand } from './commands/check.ts'
import { createCompletionCommand } from './commands/completion.ts'
import { describeCommand } from './commands/describe.ts'
import { docsCommand } from './commands/docs.ts'
import { forgeCommand } from './commands/forge.ts'
import { generateCommand } from './commands/generate.ts'
import { healthCommand } from './commands/health.ts'
import { initCommand } from './commands/init.ts'
import { mockCommand } from './commands/mock.ts'
import { negotiateCommand } from './commands/negotiate.ts'
import { operationsCommand } from './commands/operations.ts'
import { serveCommand } from './commands/serve.ts'
import { EXIT, RemoteError, UsageError } from './exit.ts'
import { formatCommandHelp, formatHelp } from './help.ts'
import { didYouMean } from './suggest.ts'
import { VERSION } from './version.ts'

const COMMANDS: readonly Command[] = [
  initCommand,
  serveCommand,
  callCommand,
  describeCommand,
  capabilitiesCommand,
  healthCommand,
  operationsCommand,
  forgeCommand,
  generateCommand,
  mockCommand,
  negotiateCommand,
  checkCommand,
  docsCommand,
  createCompletionCommand(() => COMMANDS),
]

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
    const topic = COMMANDS.find((command) => command.name === rest[0])
    io.out(topic === undefined ? formatHelp(COMMANDS) : formatCommandHelp(topic))
    return EXIT.ok
  }
  if (name === '--version' || name === '-v') {
    io.out(`${VERSION}\n`)
    return EXIT.ok
  }
  const command = COMMANDS.find((candidate) => candidate.name === name)
  if (command === undefined) {
    const hint = didYouMean(
      name,
      COMMANDS.map((candidate) => candidate.name),
    )
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
