import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend } from '../backend.ts'
import { createStore, notApplied, type SweepOptions } from '../front.ts'
import { createMachineClock, type MachineClock } from '../machine-clock.ts'
import type { Store } from '../store.ts'
import { toOperations } from '../table.ts'
import { type Batch, createBatch } from './batch.ts'
import {
  isBusy,
  loadSqlite,
  migrateSqlite,
  openDatabase,
  type Sqlite,
  type SqliteDatabase,
  type SqliteSync,
} from './database.ts'
import { createSqliteTable, type SqliteTable } from './table.ts'

/** What a SQLite store can be told. */
export interface SqliteStoreOptions {
  /** Milliseconds an operation may wait for the write lock of the file; 5,000 when absent. */
  readonly timeout?: number
  /** `full` (when absent) survives a power cut, `normal` only the end of the process. */
  readonly sync?: SqliteSync
  readonly clock?: MachineClock
  readonly sweep?: SweepOptions
  /** Loads the package `libsql`; `import` when absent. */
  readonly load?: (name: string) => Promise<unknown>
}

const MARK_EVERY = 60_000

/** Creates a store in a database file that the processes of one machine share; `:memory:` keeps it in this one. */
export async function createSqliteStore(
  path: string,
  options: SqliteStoreOptions = {},
): Promise<Store> {
  const { timeout = 5000, sync = 'full', clock = createMachineClock(), sweep } = options
  const engine = await loadSqlite(options.load)
  const { database, table } = await open(engine, path, { timeout, sync, clock })
  const batch = createBatch(database, { timeout, sync })
  return createStore(createBackend(path, database, table, batch), sweep)
}

interface Opened {
  readonly database: SqliteDatabase
  readonly table: SqliteTable
}

/** Opens and migrates; processes that start together take turns. */
async function open(
  engine: Sqlite,
  path: string,
  options: Required<Omit<SqliteStoreOptions, 'sweep' | 'load'>>,
) {
  const end = performance.now() + options.timeout
  for (;;) {
    try {
      return openOnce(engine, path, options)
    } catch (thrown) {
      if (thrown instanceof TypeError) throw thrown
      // Switching a new file to WAL answers busy at once, whatever the busy timeout says.
      if (!isBusy(thrown) || performance.now() > end) {
        throw notApplied('sqlite', 'its file cannot be opened', thrown, path)
      }
      await sleep(10)
    }
  }
}

function openOnce(
  engine: Sqlite,
  path: string,
  { sync, clock }: Pick<Required<SqliteStoreOptions>, 'sync' | 'clock'>,
): Opened {
  const database = openDatabase(engine, path, sync)
  try {
    database.exec('BEGIN IMMEDIATE')
    migrateSqlite(database, `sqlite:${path}`)
    const table = createSqliteTable(database, clock)
    database.exec('COMMIT')
    // From here on waiting for the lock is done without blocking the event loop.
    database.exec('PRAGMA busy_timeout = 5')
    return { database, table }
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

function createBackend(
  path: string,
  database: SqliteDatabase,
  table: SqliteTable,
  batch: Batch,
): Backend {
  const opened = readFileId(path)
  const operations = toOperations(table, {
    async read(step) {
      try {
        return step()
      } catch (thrown) {
        if (isBusy(thrown)) return batch.run(step)
        throw thrown
      }
    },
    write: (step, lazy) => batch.run(step, lazy),
  })
  let marked = table.now()

  return {
    kind: 'sqlite',
    ...operations,
    async sweep(limit) {
      const now = table.now()
      if (now - marked > MARK_EVERY) {
        await batch.run(() => table.markTime())
        marked = now
      }
      // Looking first spares the write lock, and the disk, a round without anything to do.
      return table.hasExpired(now) ? operations.sweep(limit) : 'none'
    },
    async check() {
      if (readFileId(path) !== opened) {
        throw notApplied('sqlite', 'its file was removed or replaced while it was open')
      }
      await batch.run(() => table.markTime())
      tryRoom(database, table)
    },
    ...(path !== ':memory:' && {
      async freeBytes() {
        const { bavail, bsize } = await statfs(dirname(resolve(path)))
        return bavail * bsize
      },
    }),
    abandon: () => batch.abandon(),
    async close() {
      database.close()
    },
  }
}

/** In a transaction of its own: where it does not fit, smaller writes of others may. */
function tryRoom(database: SqliteDatabase, table: SqliteTable): void {
  try {
    database.exec('BEGIN IMMEDIATE')
    table.tryRoom()
    database.exec('COMMIT')
  } catch (thrown) {
    if (database.inTransaction) database.exec('ROLLBACK')
    if (!isBusy(thrown)) throw notApplied('sqlite', 'its file cannot grow', thrown)
  }
}

function readFileId(path: string): string {
  if (path === ':memory:') return path
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : 'absent'
}
