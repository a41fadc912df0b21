import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type GeneratedFile, isEdited } from './generate.ts'

/**
 * What writing a file would do: make a `new` one, leave the `same` bytes, replace a `stale` one that we
 * wrote and nobody changed, or overwrite one that somebody `edited` or that is not ours.
 */
export type FileState = 'new' | 'same' | 'stale' | 'edited'

/** A file with what writing it would do. */
export interface PlannedFile extends GeneratedFile {
  readonly state: FileState
}

/** How files are written. */
export interface WriteFilesOptions {
  /** Overwrites files that were edited: all of them, or those it says yes to. */
  readonly force?: boolean | ((path: string) => boolean)
}

/** What writing files came to. */
export type WriteOutcome =
  | { readonly ok: true; readonly written: readonly string[]; readonly same: readonly string[] }
  /** E110: nothing was written, because these files would lose what somebody wrote. */
  | { readonly ok: false; readonly code: 'E110'; readonly edited: readonly string[] }

/** Compares files with what is in a directory; writes nothing. */
export async function planFiles(
  directory: string,
  files: readonly GeneratedFile[],
): Promise<PlannedFile[]> {
  return Promise.all(
    files.map(async (file) => ({ ...file, state: await stateOf(directory, file) })),
  )
}

/** Writes files below a directory, all of them or none. */
export async function writeFiles(
  directory: string,
  files: readonly GeneratedFile[],
  options: WriteFilesOptions = {},
): Promise<WriteOutcome> {
  const { force = false } = options
  const mayReplace = typeof force === 'function' ? force : () => force
  const planned = await planFiles(directory, files)
  const edited = planned.filter((file) => file.state === 'edited' && !mayReplace(file.path))
  if (edited.length > 0) return { ok: false, code: 'E110', edited: edited.map((file) => file.path) }
  const changed = planned.filter((file) => file.state !== 'same')
  for (const file of changed) await writeAtOnce(placeIn(directory, file.path), file.text)
  const same = planned.filter((file) => file.state === 'same')
  return { ok: true, written: changed.map(({ path }) => path), same: same.map(({ path }) => path) }
}

/** Reads a file that may not be there, such as one generated before. */
export async function readPrevious(directory: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(placeIn(directory, path), 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

async function stateOf(directory: string, file: GeneratedFile): Promise<FileState> {
  const previous = await readPrevious(directory, file.path)
  if (previous === undefined) return 'new'
  if (previous === file.text) return 'same'
  return isEdited(previous) ? 'edited' : 'stale'
}

// A reader, or a crash, must never meet half a file.
async function writeAtOnce(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // A name that nobody can guess, and only if it is new: a link put there beforehand would be written through.
  const draft = `${path}.${randomUUID()}.tmp`
  await writeFile(draft, text, { flag: 'wx' })
  await rename(draft, path)
}

function placeIn(directory: string, path: string): string {
  const place = resolve(directory, path)
  const inside = relative(resolve(directory), place)
  if (inside.startsWith(`..${sep}`) || inside === '..' || resolve(inside) === inside) {
    throw new RangeError(`${path} is outside of ${directory}`)
  }
  return join(directory, inside)
}
