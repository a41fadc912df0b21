import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
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
  for (const file of changed) await writeInside(directory, file.path, file.text)
  const same = planned.filter((file) => file.state === 'same')
  return { ok: true, written: changed.map(({ path }) => path), same: same.map(({ path }) => path) }
}

/** Reads a file that may not be there, such as one generated before. */
export async function readPrevious(directory: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(await requirePlace(directory, path), 'utf8')
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

/**
 * Writes one file below a directory, whole or not at all. The directory itself may be a symbolic link; one inside it
 * is refused, because it would lead the file to a place that nobody chose.
 */
export async function writeInside(directory: string, path: string, text: string): Promise<void> {
  const place = await requirePlace(directory, path)
  await mkdir(dirname(place), { recursive: true })
  await assertInside(directory, place)
  // A reader, or a crash, must never meet half a file. The name is one that nobody can guess, and must be new: a link
  // put there beforehand would be written through.
  const draft = `${place}.${randomUUID()}.tmp`
  await writeFile(draft, text, { flag: 'wx' })
  try {
    await assertInside(directory, place)
    await rename(draft, place)
  } catch (thrown) {
    await rm(draft, { force: true })
    throw thrown
  }
}

/** Gives the place of a file below a directory, unless a symbolic link stands on the way to it. */
async function requirePlace(directory: string, path: string): Promise<string> {
  const place = placeIn(directory, path)
  let step = directory
  for (const part of relative(directory, place).split(sep)) {
    step = join(step, part)
    const found = await lstat(step).catch(() => undefined)
    if (found === undefined) break
    if (found.isSymbolicLink()) throw new LinkError(step)
  }
  return place
}

/** Catches a link that was put in place while the file was being written. */
async function assertInside(directory: string, place: string): Promise<void> {
  const wanted = join(await realpath(directory), relative(directory, dirname(place)))
  if ((await realpath(dirname(place))) !== wanted) throw new LinkError(dirname(place))
}

/** Says which symbolic link stands where a file should be written; coded like what the file system refuses. */
class LinkError extends Error {
  readonly code = 'ELOOP'
  constructor(link: string) {
    super(`${link} is a symbolic link and could lead outside; remove it, or choose another folder`)
  }
}

function placeIn(directory: string, path: string): string {
  const place = resolve(directory, path)
  const inside = relative(resolve(directory), place)
  if (inside.startsWith(`..${sep}`) || inside === '..' || resolve(inside) === inside) {
    throw new RangeError(`${path} is outside of ${directory}`)
  }
  return join(directory, inside)
}
