import type { Command } from './command.ts'

/** Loads one command; starting the program must not cost what the other commands import. */
type LoadCommand = () => Promise<Command>

const COMMANDS: ReadonlyMap<string, LoadCommand> = new Map<string, LoadCommand>([
  ['init', async () => (await import('./commands/init.ts')).initCommand],
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['call', async () => (await import('./commands/call.ts')).callCommand],
  ['describe', async () => (await import('./commands/describe.ts')).describeCommand],
  ['capabilities', async () => (await import('./commands/capabilities.ts')).capabilitiesCommand],
  ['health', async () => (await import('./commands/health.ts')).healthCommand],
  ['operations', async () => (await import('./commands/operations.ts')).operationsCommand],
  ['triggers', async () => (await import('./commands/triggers.ts')).triggersCommand],
  ['forge', async () => (await import('./commands/forge.ts')).forgeCommand],
  ['generate', async () => (await import('./commands/generate.ts')).generateCommand],
  ['diff', async () => (await import('./commands/diff.ts')).diffCommand],
  ['mock', async () => (await import('./commands/mock.ts')).mockCommand],
  ['verify', async () => (await import('./commands/verify.ts')).verifyCommand],
  ['negotiate', async () => (await import('./commands/negotiate.ts')).negotiateCommand],
  ['check', async () => (await import('./commands/check.ts')).checkCommand],
  ['docs', async () => (await import('./commands/docs.ts')).docsCommand],
  [
    'completion',
    async () => (await import('./commands/completion.ts')).createCompletionCommand(loadCommands),
  ],
])

/** Names of all commands, in the order of the help. */
export const COMMAND_NAMES: readonly string[] = [...COMMANDS.keys()]

/** Loads the command of a name; undefined when there is none. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return COMMANDS.get(name)?.()
}

/** Loads every command, for help and completion. */
export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all([...COMMANDS.values()].map((load) => load()))
}
