import { relative, resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { readIfThere } from './merge-spec.ts'
import { FoundProblems, reportProblems, say } from './report.ts'

/** What one round of generating came to. */
export interface Round {
  readonly exit: number
  /** Files that the next round depends on. */
  readonly inputs: readonly string[]
}

const MEANINGLESS = ['check', 'stdout', 'dry-run'] as const

/** Runs a round, and again whenever the files it depends on change, until the person interrupts it. */
export async function runWatched(
  input: CommandInput,
  round: () => Promise<Round>,
): Promise<number> {
  const source = requireFile(input)
  const { signal } = input.io
  const watcher = watch(source, { awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 } })
  try {
    for (;;) {
      const given = readAll([source])
      const inputs = await runRound(input, round)
      watcher.add([...inputs])
      // What a round writes itself does not start another one.
      const seen = given + readAll(inputs)
      say(input, `Watching ${relative(input.io.cwd, source)}; Ctrl-C ends.\n`)
      while (!signal.aborted && readAll([source]) + readAll(inputs) === seen) {
        await nextEvent(watcher, signal)
      }
      if (signal.aborted) return EXIT.ok
    }
  } finally {
    await watcher.close()
  }
}

function requireFile(input: CommandInput): string {
  const stray = MEANINGLESS.find((name) => input.flags[name] !== undefined)
  if (stray !== undefined) throw new UsageError(`--watch and --${stray} exclude each other`)
  const reference = readTextFlag(input, 'spec') ?? ''
  if (reference === '-' || /^https?:\/\//i.test(reference)) {
    throw new UsageError(`--watch needs a file; "${reference}" cannot be watched`)
  }
  return resolve(input.io.cwd, reference)
}

/** A mistake in a file that is being edited ends the round, not the watch. */
async function runRound(
  input: CommandInput,
  round: () => Promise<Round>,
): Promise<readonly string[]> {
  try {
    return (await round()).inputs
  } catch (thrown) {
    if (thrown instanceof FoundProblems) reportProblems(input, thrown.problems)
    else if (thrown instanceof UsageError) input.io.err(`waymark: ${thrown.message}\n`)
    else throw thrown
    return []
  }
}

function readAll(paths: readonly string[]): string {
  return paths.map((path) => readIfThere('', path) ?? '').join('\n')
}

function nextEvent(watcher: FSWatcher, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const settle = (): void => {
      watcher.off('add', settle).off('change', settle)
      signal.removeEventListener('abort', settle)
      done()
    }
    watcher.on('add', settle).on('change', settle)
    signal.addEventListener('abort', settle)
  })
}
