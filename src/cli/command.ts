/** One flag of a command. */
export interface CommandFlag {
  readonly type: 'string' | 'boolean'
  /** May be given several times. */
  readonly multiple?: boolean
  readonly short?: string
  /** Shown in help in place of the value: `--port <number>`. */
  readonly value?: string
  readonly summary: string
}

/** What a command is run with. */
export interface CommandInput {
  readonly positionals: readonly string[]
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  readonly io: Io
}

/** Where a command reads and writes; tests hand in their own. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** True when output goes to a terminal: colours and progress are welcome. */
  readonly terminal: boolean
  /** True when messages go to a terminal; as for output when absent. */
  readonly errTerminal?: boolean
  /** Asks the person who runs the command; the keyboard is asked when absent. */
  readonly ask?: (question: string) => Promise<string>
  /** Hands over errors that nobody awaited or caught; without it the runtime deals with them. */
  readonly onFault?: (listener: (kind: 'rejection' | 'exception', error: unknown) => void) => void
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
}

/** A command of the `waymark` program. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** What stands behind the name in help: `<url> <function>`. */
  readonly usage: string
  readonly flags: Readonly<Record<string, CommandFlag>>
  readonly examples: readonly string[]
  /** Runs the command and gives its exit code. */
  readonly run: (input: CommandInput) => Promise<number>
}
