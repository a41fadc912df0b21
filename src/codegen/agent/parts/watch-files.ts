import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import type { AgentTrigger } from './agent.ts'

const LOOK_EVERY_MS = 1000
const MAX_FILES = 10_000

/** What a file trigger hands to its code. */
export interface FileChange {
  readonly event: 'create' | 'modify' | 'delete'
  readonly path: string
  readonly relative_path: string
  readonly size?: number
  readonly mtime?: string
}

interface Seen {
  readonly size: number
  readonly mtime: number
}

/** Looks at files again and again and tells what has changed; returns what ends it. */
export function watchFiles(
  trigger: AgentTrigger,
  run: (change: FileChange) => void,
  everyMs: number = LOOK_EVERY_MS,
): () => void {
  const { base, matches } = splitGlob(trigger.watch_path ?? '.')
  const wanted = new Set<string>(trigger.events ?? ['create', 'modify', 'delete'])
  let known: Map<string, Seen> | undefined
  let unsettled = new Map<string, Seen>()
  let timer: NodeJS.Timeout
  let isStopped = false

  const look = async (): Promise<void> => {
    const found = await listFiles(base, matches)
    const before = known ?? found
    const changes: FileChange[] = []
    const still = new Map<string, Seen>()
    for (const [path, seen] of found) {
      if (isSame(before.get(path), seen)) continue
      // A file that is still being written changes from look to look; it counts once it has settled.
      if (!isSame(unsettled.get(path), seen)) still.set(path, seen)
      else changes.push(toChange(before.has(path) ? 'modify' : 'create', base, path, seen))
    }
    for (const path of before.keys()) {
      if (!found.has(path)) changes.push(toChange('delete', base, path))
    }
    for (const path of still.keys()) {
      const old = before.get(path)
      if (old) found.set(path, old)
      else found.delete(path)
    }
    known = found
    unsettled = still
    for (const change of changes) if (wanted.has(change.event)) run(change)
    if (!isStopped) timer = setTimeout(() => void look(), everyMs)
  }

  timer = setTimeout(() => void look(), 0)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Splits a path into the directory to look in and what the files below it must be like. */
export function splitGlob(path: string): {
  readonly base: string
  readonly matches: (relativePath: string) => boolean
} {
  const parts = path.split(/[\\/]/)
  const first = parts.findIndex((part) => /[*?[{]/.test(part))
  if (first === -1) return { base: resolve(path), matches: () => true }
  const base = resolve(parts.slice(0, first).join('/') || '.')
  const pattern = toPattern(parts.slice(first).join('/'))
  return { base, matches: (relativePath) => pattern.test(relativePath.split(sep).join('/')) }
}

function toPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[^*?{]/g, (token) => {
    if (token === '**/') return '(?:.*/)?'
    if (token === '**') return '.*'
    if (token === '*') return '[^/]*'
    if (token === '?') return '[^/]'
    if (token.length > 1) return `(?:${token.slice(1, -1).split(',').map(escapeText).join('|')})`
    return escapeText(token)
  })
  return new RegExp(`^${source}$`)
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

async function listFiles(
  base: string,
  matches: (relativePath: string) => boolean,
): Promise<Map<string, Seen>> {
  const found = new Map<string, Seen>()
  const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !matches(relative(base, path)) || found.size >= MAX_FILES) continue
    const state = await stat(path).catch(() => undefined)
    if (state) found.set(path, { size: state.size, mtime: state.mtimeMs })
  }
  return found
}

function isSame(one: Seen | undefined, other: Seen): boolean {
  return one !== undefined && one.size === other.size && one.mtime === other.mtime
}

function toChange(event: FileChange['event'], base: string, path: string, seen?: Seen): FileChange {
  return {
    event,
    path,
    relative_path: relative(base, path),
    ...(seen && { size: seen.size, mtime: new Date(seen.mtime).toISOString() }),
  }
}
