import { toText } from '../values/index.ts'
import {
  type Command,
  type CommandInput,
  EXIT,
  formatSuggestion,
  Interruption,
  type Io,
  RemoteError,
  UsageError,
} from './command.ts'
import { COMMANDS } from './commands.ts'
import { findSubcommand, formatCommandHelp, formatHelp, isFlagOf, VERSION } from './help.ts'
import { countWords, formatUsage, parseInput } from './parse-input.ts'
import { explainFileError } from './system-error.ts'

/** Runs the program with its arguments and gives the exit code. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await run(args, io)
  } catch (thrown) {
    // Whoever cut it off did so on purpose; that is not a failure of the other side.
    if (io.signal.aborted && !isBug(thrown)) {
      io.err(`waymark: interrupted${thrown instanceof RemoteError ? `: ${thrown.message}` : ''}\n`)
      return EXIT.interrupted
    }
    const failure = explainFileError(thrown) ?? thrown
    if (failure instanceof UsageError || failure instanceof RemoteError) {
      io.err(`waymark: ${failure.message}\n`)
      return failure instanceof UsageError ? EXIT.input : EXIT.remote
    }
    io.err(formatBug(failure))
    return EXIT.bug
  }
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const [topic, subtopic] = rest
    io.out(
      topic === undefined
        ? formatHelp(COMMANDS)
        : formatCommandHelp(requireCommand(topic), subtopic),
    )
    return EXIT.ok
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    io.out(`${VERSION}\n`)
    return EXIT.ok
  }
  const command = requireCommand(name)
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(formatCommandHelp(command, rest[0]))
    return EXIT.ok
  }
  return runCommand(command, rest, io)
}

function requireCommand(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name)
  if (command !== undefined) return command
  if (name.startsWith('-')) {
    const hint = formatSuggestion(name, ['--help', '--version'])
    throw new UsageError(
      `unknown option ${name}.${hint} Options stand behind a command: waymark <command> ${name}. Run "waymark help" for the list.`,
    )
  }
  const hint = formatSuggestion(
    name,
    COMMANDS.map((command) => command.name),
  )
  throw new UsageError(`unknown command "${name}".${hint} Run "waymark help" for the list.`)
}

/** Whoever gave too few words is also shown which ones there are. */
async function runCommand(command: Command, args: readonly string[], io: Io): Promise<number> {
  const input = parseInput(command, args)
  refuseForeignFlags(command, input)
  try {
    return await command.run({ ...input, io })
  } catch (thrown) {
    const isShort = input.positionals.length < countWords(command).least
    if (!isShort || !(thrown instanceof UsageError)) throw thrown
    throw new UsageError(`${thrown.message} ${formatUsage(command)}`)
  }
}

/** Refuses flags of another subcommand: ignoring them would surprise. */
function refuseForeignFlags(
  command: Command,
  { positionals, flags }: Pick<CommandInput, 'positionals' | 'flags'>,
): void {
  const name = findSubcommand(command, positionals[0])
  if (name === undefined) return
  for (const [flag, about] of Object.entries(command.flags)) {
    if (flags[flag] === undefined || isFlagOf(about, name)) continue
    const owners = about.of?.map((owner) => `"${command.name} ${owner}"`).join(', ')
    throw new UsageError(
      `--${flag} belongs to ${owners}; it has no effect on "${command.name} ${name}"`,
    )
  }
}

function isBug(thrown: unknown): boolean {
  return !(
    thrown instanceof UsageError ||
    thrown instanceof RemoteError ||
    thrown instanceof Interruption
  )
}

function formatBug(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : toText(thrown)
  return `waymark: this is a bug in waymark ${VERSION}, please report it with the lines below.\n${stack}\n`
}
