import { join, relative } from 'node:path'
import {
  type FileState,
  type GeneratedFile,
  type PlannedFile,
  planFiles,
  writeFiles,
} from '../../codegen/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { formatTable } from '../print.ts'
import { explainRefusal } from '../write-inside.ts'
import { say } from './report.ts'

/** Where files go and which of them may be replaced. */
export interface WriteOut {
  readonly out: string
  /** Files that a person may have changed and that are replaced all the same. */
  readonly mayReplace: (path: string) => boolean
}

/** Writes files, or says what writing them would do, as `--check` and `--dry-run` ask. */
export async function writeOut(
  files: readonly GeneratedFile[],
  { out, mayReplace }: WriteOut,
  input: CommandInput,
): Promise<number> {
  const { flags, io } = input
  const replaces = (path: string): boolean => flags['force'] === true || mayReplace(path)
  const planned = await explainRefusal(out, () => planFiles(out, files))
  const named = planned.map((file) => ({
    ...file,
    shown: relative(io.cwd, join(out, file.path)),
    isBlocked: file.state === 'edited' && !replaces(file.path),
  }))
  if (flags['check'] === true) return check(named, input)
  const blocked = named.filter((file) => file.isBlocked)
  if (flags['dry-run'] === true) {
    say(input, `Would write:\n${formatFiles(named)}`)
    return EXIT.ok
  }
  if (blocked.length > 0) {
    throw new UsageError(
      `E110: ${blocked.map(({ shown }) => shown).join(', ')} ${blocked.length === 1 ? 'was' : 'were'} changed by hand and nothing was written; move the changes between <custom> marks, or overwrite them with --force`,
    )
  }
  await explainRefusal(out, () => writeFiles(out, files, { force: replaces }))
  say(input, formatFiles(named))
  return EXIT.ok
}

interface NamedFile extends PlannedFile {
  readonly shown: string
  readonly isBlocked: boolean
}

function check(files: readonly NamedFile[], input: CommandInput): number {
  const changed = files.filter(({ state }) => state !== 'same')
  if (changed.length === 0) {
    say(input, `${files.length} files are up to date\n`)
    return EXIT.ok
  }
  input.io.err(`${formatFiles(changed)}These files are not up to date; run without --check.\n`)
  return EXIT.input
}

const WORDS: Record<FileState, string> = {
  new: 'new',
  same: 'same',
  stale: 'changed',
  edited: 'changed',
}

function formatFiles(files: readonly NamedFile[]): string {
  return formatTable(
    files.map(({ state, shown, isBlocked }) => [
      WORDS[state],
      isBlocked ? `${shown} (changed by hand, needs --force)` : shown,
    ]),
  )
}
