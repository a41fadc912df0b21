import { nearest } from '../values/index.ts'

/** Writes what a mistyped word most likely means as the end of a sentence, or nothing. */
export function formatSuggestion(word: string, known: readonly string[]): string {
  const [match] = nearest(word, known)
  return match === undefined ? '' : ` Did you mean "${match}"?`
}

/**
 * How a run of the program ends, for scripts that call it; `found` is what diff, verify and --check look for, `cut` a
 * service that ended before all of its calls were answered.
 */
export const EXIT = {
  ok: 0,
  found: 1,
  bug: 1,
  input: 2,
  remote: 3,
  cut: 4,
  interrupted: 130,
} as const

/** A mistake of the person at the keyboard: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The person at the keyboard, or whoever started the program, ended it: exit code 130. */
export class Interruption extends Error {
  override readonly name = 'Interruption'
}

/** Waits for something that cannot be told to stop; an abort ends the wait with an Interruption. */
export async function untilInterrupted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const waiting = new AbortController()
  const interrupted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Interruption('interrupted'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: waiting.signal })
  })
  try {
    return await Promise.race([work, interrupted])
  } finally {
    waiting.abort()
  }
}

/** A mistake of the other side: one line, exit code 3. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
}

/** One flag of a command. */
export interface CommandFlag {
  readonly type: 'string' | 'boolean'
  /** May be given several times. */
  readonly multiple?: boolean
  readonly short?: string
  /** Shown in help in place of the value: `--port <number>`. */
  readonly value?: string
  readonly summary: string
  /** Subcommands that take it; all of them when absent. */
  readonly of?: readonly string[]
}

/** A word that follows a command and has flags of its own: `waymark forge agent`. */
export interface Subcommand {
  readonly summary: string
  readonly usage: string
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
  /** Told of each file that a source refers to, before it is read. */
  readonly onRead?: (path: string) => void
  /** Aborts on SIGINT and SIGTERM, whose name is the message of the reason. */
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
  /** By name; a name of two words, such as `auth login`, is found by its first one. */
  readonly subcommands?: Readonly<Record<string, Subcommand>>
  /** Loads the code of the command, runs it and gives its exit code. */
  readonly run: (input: CommandInput) => Promise<number>
}
