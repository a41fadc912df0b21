import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UsageError } from '../../command.ts'
import { explainMissing } from '../../read-json.ts'

/** A folder that nothing named by somebody else leads out of. */
export interface Fence {
  /** Where the folder really is. */
  readonly root: string
  /** Finds the place of a path, which need not be there yet; refuses one outside, hidden or behind a link that leads out. */
  readonly place: (path: string) => string
  /** Reads a file of ordinary size. */
  readonly read: (path: string) => string
  /** Reads a file in a folder of `place`, hidden ones too; undefined when it is not there. */
  readonly readIfThere: (folder: string, path: string) => string | undefined
  /** Refuses a file in a folder of `place` if a link leads out on the way to it. */
  readonly assertInside: (folder: string, path: string) => void
}

/** Largest file that is read. */
const MAX_BYTES = 16 * 1024 * 1024

/** Makes a fence around a folder. */
export function createFence(folder: string): Fence {
  const root = realpathSync(folder)

  function place(path: string): string {
    if (/^[a-z][a-z0-9+.-]+:/i.test(path)) {
      throw new UsageError(`${path} is an address; only files under ${root} are read`)
    }
    const parts = (isAbsolute(path) ? fromRoot(path) : path).split(/[\\/]/)
    if (path.includes('\0') || parts.includes('..') || isAbsolute(parts.join(sep))) {
      throw new UsageError(`${path} is outside of ${root}`)
    }
    const hidden = parts.find((part) => part.startsWith('.') && part !== '.')
    if (hidden !== undefined)
      throw new UsageError(`${path}: hidden files and folders are left alone`)
    return follow(root, parts)
  }

  /** The folder may itself be named through a link. */
  const fromRoot = (path: string): string =>
    relative(isInside(root, path) ? root : resolve(folder), path)

  /** Walks down one part at a time, because a link anywhere on the way may lead out. */
  function follow(start: string, parts: readonly string[]): string {
    let current = start
    for (const part of parts) {
      current = join(current, part)
      if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink()) {
        current = followLink(current)
      }
    }
    return current
  }

  function followLink(link: string): string {
    const target = resolveLink(link)
    if (target !== undefined && isInside(root, target)) return target
    throw new UsageError(`${relative(root, link)} is a link that leads out of ${root}`)
  }

  const inFolder = (base: string, path: string): string => follow(base, path.split('/'))
  return {
    root,
    place,
    read(path) {
      const text = readRegular(place(path), path)
      if (text !== undefined) return text
      throw new UsageError(explainMissing(path, root))
    },
    readIfThere: (base, path) => readRegular(inFolder(base, path), path),
    assertInside: (base, path) => void inFolder(base, path),
  }
}

function isInside(root: string, path: string): boolean {
  const inside = relative(root, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

function resolveLink(link: string): string | undefined {
  try {
    return realpathSync(link)
  } catch {
    return undefined
  }
}

/** Reads through one descriptor: what was looked at is what is read, and a pipe cannot make it wait. */
function readRegular(place: string, name: string): string | undefined {
  const descriptor = open(place, name)
  if (descriptor === undefined) return undefined
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new UsageError(`${name} is not a file`)
    if (stats.size > MAX_BYTES) throw new UsageError(`${name} is larger than ${MAX_BYTES} bytes`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

function open(place: string, name: string): number | undefined {
  try {
    return openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    // A socket cannot be opened at all.
    if (code === 'ENXIO') throw new UsageError(`${name} is not a file`)
    throw thrown
  }
}
