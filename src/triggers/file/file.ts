import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import picomatch from 'picomatch'
import {
  expandEnvText,
  FILE_EVENTS,
  type FileEvent,
  type FileTrigger,
} from '../../sources/tool-spec/index.ts'
import type { SourceContext, TriggerEvent, TriggerSource } from '../trigger.ts'
import { createSettler } from './settle.ts'
import { watchFolder } from './watch.ts'

/** Where to look, and which of the files below count; paths are relative to the base and use `/`. */
export interface WatchedFiles {
  readonly base: string
  readonly matches: (relativePath: string) => boolean
}

/** Splits `watch_path` into the folder to watch and the pattern of its files. */
export function readWatchPath(
  trigger: FileTrigger,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): WatchedFiles {
  const field = `file ${trigger.name}: watch_path`
  const expanded = expandEnvText(trigger.watch_path, (name) => env[name])
  if (!expanded.ok) {
    throw new TypeError(`${field}: set the environment variable ${expanded.missing.join(' and ')}`)
  }
  const { base, glob, isGlob } = picomatch.scan(expanded.text)
  const folder = resolve(cwd, isGlob ? base : expanded.text)
  if (!isGlob && isFile(folder)) {
    const name = basename(folder)
    return { base: toReal(dirname(folder)), matches: (path) => path === name }
  }
  if (folder === resolve(folder, '..')) throw new TypeError(`${field}: must not be ${folder}`)
  return { base: toReal(folder), matches: isGlob ? picomatch(glob) : () => true }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** The folder itself may be a link; below it links are not followed. */
function toReal(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** How files are watched. */
export interface StartFileOptions {
  /** How long a file must be left alone before it counts, in milliseconds; 500 when absent. */
  readonly settleMs?: number
  /** How many files may wait to settle; more are found by looking again. 10,000 when absent. */
  readonly maxPending?: number
}

interface Seen {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

const SETTLE_MS = 500
const MAX_PENDING = 10_000

/**
 * Fires when files come, change or go. What the system reports is only a hint: a file counts when it has been left
 * alone for a while and differs from what was known of it, so that a save fires once however an editor makes it.
 */
export async function startFile(
  context: SourceContext<FileTrigger>,
  { settleMs = SETTLE_MS, maxPending = MAX_PENDING }: StartFileOptions = {},
): Promise<TriggerSource> {
  const { trigger, log } = context
  const { base, matches } = readWatchPath(trigger, context.env, context.cwd)
  const wanted = new Set<FileEvent>(trigger.events ?? FILE_EVENTS)
  const known = new Map<string, Seen>()
  // Files that are there at the start are not news.
  let initial: Set<string> | undefined = new Set()

  async function look(path: string): Promise<number | undefined> {
    const found = await readSeen(path)
    const age = found ? context.clock.now() - found.mtimeMs : settleMs
    if (age >= 0 && age < settleMs) return settleMs - age
    const before = known.get(path)
    const event = toFileEvent(before, found)
    const facts = found ?? before
    if (event !== undefined && facts !== undefined && wanted.has(event)) {
      await context.accept(toEvent(event, base, path, facts))
    }
    // Only now: what could not be stored still differs from what is known, and is found again.
    if (found) known.set(path, found)
    else known.delete(path)
    return undefined
  }

  const settler = createSettler({
    settleMs,
    maxPending,
    look,
    onFailure: (error) => log.error(`file ${trigger.name} could not store a delivery`, { error }),
    onOverflow: () => log.warn(`file ${trigger.name}: more than ${maxPending} files change`),
    onDrained: () => folder.rescan(),
  })
  const folder = await watchFolder({
    base,
    poll: trigger.poll ?? false,
    onHint(path, stats) {
      if (!matches(toRelative(base, path))) return
      if (initial) initial.add(path)
      // A scan names every file: those that are as they were must not keep others from being looked at.
      else if (!stats || toFileEvent(known.get(path), stats) !== undefined) settler.hint(path)
    },
    onScanned(found) {
      for (const path of known.keys()) if (!found.has(path)) settler.hint(path)
    },
    onProblem: (error) => log.warn(`file ${trigger.name}: watching failed`, { error }),
  })
  await learn(initial, known)
  initial = undefined

  return {
    trouble: () => (folder.isThere() ? settler.trouble() : `waiting for the folder ${base}`),
    async stop(signal) {
      await folder.close()
      await settler.stop(signal)
    },
  }
}

async function learn(paths: ReadonlySet<string>, known: Map<string, Seen>): Promise<void> {
  for (const path of paths) {
    const found = await readSeen(path)
    if (found) known.set(path, found)
  }
}

function toFileEvent(before: Seen | undefined, found: Seen | undefined): FileEvent | undefined {
  if (before === undefined) return found && 'create'
  if (found === undefined) return 'delete'
  return found.size === before.size && found.mtimeMs === before.mtimeMs ? undefined : 'modify'
}

/** A link is not a file: following it would lead out of the folder. */
async function readSeen(path: string): Promise<Seen | undefined> {
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) return undefined
    return { size: stats.size, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs }
  } catch (thrown) {
    if (isGone(thrown)) return undefined
    throw thrown
  }
}

function isGone(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')
  )
}

function toEvent(event: FileEvent, base: string, path: string, seen: Seen): TriggerEvent {
  const { size, mtimeMs, ctimeMs } = seen
  const relativePath = toRelative(base, path)
  // The same in every process that watches the folder; a file moved away and back has a new ctime.
  const facts = [event, relativePath, size, mtimeMs, ctimeMs].join('\n')
  return {
    id: createHash('sha256').update(facts).digest('hex'),
    event,
    payload: {
      event,
      path,
      relative_path: relativePath,
      size,
      mtime: new Date(mtimeMs).toISOString(),
    },
  }
}

function toRelative(base: string, path: string): string {
  return relative(base, path).split(sep).join('/')
}
