import { type Command, didYouMean, EXIT, UsageError } from '../command.ts'
import { formatCompletion, SHELLS } from '../completion.ts'

/** Makes the command that writes a completion script; it must know all others. */
export function createCompletionCommand(loadCommands: () => Promise<readonly Command[]>): Command {
  return {
    name: 'completion',
    summary: 'Write a script that completes commands and options in your shell',
    usage: SHELLS.join('|'),
    flags: {},
    examples: [
      'source <(waymark completion bash)',
      'waymark completion zsh > ~/.zfunc/_waymark',
      'waymark completion fish > ~/.config/fish/completions/waymark.fish',
    ],
    async run({ positionals: [name = ''], io }) {
      const shell = SHELLS.find((candidate) => candidate === name)
      if (shell === undefined) {
        throw new UsageError(
          `which shell? Write "waymark completion ${SHELLS.join('|')}".${didYouMean(name, SHELLS)}`,
        )
      }
      io.out(formatCompletion(await loadCommands(), shell))
      return EXIT.ok
    },
  }
}
