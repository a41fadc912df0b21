import { type Command, type CommandInput, EXIT, formatSuggestion, UsageError } from '../command.ts'
import { formatCompletion, SHELLS } from '../completion.ts'

/** Writes a completion script. */
export async function runCompletionCommand(
  { positionals: [name = ''], io }: CommandInput,
  commands: readonly Command[],
): Promise<number> {
  const shell = SHELLS.find((candidate) => candidate === name)
  if (shell === undefined) {
    throw new UsageError(
      `which shell? Write "waymark completion ${SHELLS.join('|')}".${formatSuggestion(name, SHELLS)}`,
    )
  }
  io.out(formatCompletion(commands, shell))
  return EXIT.ok
}
