import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type FSWatcher, watch } from 'chokidar'

/** What a folder tells. */
export interface FolderWatchOptions {
  readonly base: string
  /** Looks again and again instead of trusting the system, for network drives. */
  readonly poll: boolean
  /** A file may have come, changed or gone: look for yourself. */
  readonly onHint: (path: string, stats?: Stats) => void
  /** These are all files below the folder, and each has been hinted at. */
  readonly onScanned: (found: ReadonlySet<string>) => void
  readonly onProblem: (error: unknown) => void
}

/** A folder that is watched while it exists, and waited for while it does not. */
export interface FolderWatch {
  readonly isThere: () => boolean
  /** Looks at everything anew. */
  readonly rescan: () => void
  readonly close: () => Promise<void>
}

const LOOK_MS = 1000

/** Watches a folder. One that vanishes, is replaced by another of its name, or comes late is picked up again. */
export async function watchFolder(options: FolderWatchOptions): Promise<FolderWatch> {
  let watcher: FSWatcher | undefined
  let identity: string | undefined
  let isClosed = false
  let looking = Promise.resolve()
  let onClose = () => {}

  async function look(): Promise<void> {
    const found = await readIdentity(options.base)
    if (isClosed || found === identity) return
    identity = found
    await watcher?.close()
    watcher = undefined
    if (found !== undefined && !isClosed) await open()
    else reportScanned(new Set())
  }

  async function open(): Promise<void> {
    const { base, poll, onHint, onProblem } = options
    const fresh = watch(base, {
      followSymlinks: false,
      usePolling: poll,
      interval: 200,
      alwaysStat: true,
      // Saves that replace a file are told apart by what is found on disk, not by the order of events.
      atomic: false,
    })
    watcher = fresh
    const found = new Set<string>()
    fresh.on('add', (path) => found.add(path))
    for (const event of ['add', 'change', 'unlink'] as const) fresh.on(event, onHint)
    fresh.on('unlinkDir', (path) => {
      if (path === base) identity = undefined
    })
    fresh.on('error', onProblem)
    await new Promise<void>((resolve) => {
      onClose = resolve
      fresh.once('ready', resolve)
    })
    reportScanned(found)
    fresh.removeAllListeners('add').on('add', onHint)
  }

  function reportScanned(found: ReadonlySet<string>): void {
    if (!isClosed) options.onScanned(found)
  }

  const timer = setInterval(() => {
    looking = looking.then(look).catch(options.onProblem)
  }, LOOK_MS)
  await look()

  return {
    isThere: () => identity !== undefined,
    rescan() {
      identity = undefined
    },
    async close() {
      isClosed = true
      onClose()
      clearInterval(timer)
      await looking
      await watcher?.close()
    },
  }
}

/** Tells folders of the same name apart. */
async function readIdentity(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path)
    // Numbers of files are used again, so that they alone do not tell.
    const { dev, ino, birthtimeMs } = stats
    return stats.isDirectory() ? `${dev}:${ino}:${birthtimeMs}` : undefined
  } catch {
    return undefined
  }
}
