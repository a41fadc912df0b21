import { isList, toText } from '../../values/index.ts'
import { type ClockMark, continueTime, type MachineClock } from '../machine-clock.ts'
import type { SavedRow, Table } from '../table.ts'
import type { SqliteDatabase, SqliteStatement } from './database.ts'

/** The rows of a database file, and the time that all processes using the file agree on. */
export interface SqliteTable extends Table {
  hasExpired(now: number): boolean
  /** Writes down what time it is, for the next start of the machine. */
  markTime(): void
  /** Writes and removes a few pages: the last write may fit where the next one does not. */
  tryRoom(): void
}

const COLUMNS = 'key, value, revision, version, owner, expires_at'
/** A row that is replaced keeps its id so many times, which spares its indexes; both together are the revision. */
const VERSIONS = 1024

/** No key of a store begins with this character. */
const ROOM_KEY = '\u0000room'
const ROOM = ' '.repeat(16 * 1024)

const ALIVE = '(expires_at IS NULL OR expires_at > ?)'

/** Prepares the statements on a migrated database; the caller holds the write lock. */
export function createSqliteTable(database: SqliteDatabase, clock: MachineClock): SqliteTable {
  const statements = prepare(database)
  let mark = continueTime(clock, readMark(database))
  saveMark(mark)

  function saveMark({ boot, uptime, at, wall }: ClockMark): void {
    statements.saveMark.run(boot, uptime, at, wall)
  }

  return {
    now: () => mark.at + clock.uptime() - mark.uptime,
    find(key) {
      const row = statements.find.get(key)
      return row === undefined ? undefined : toSavedRow(row)
    },
    save({ key, text, owner, expiresAt }) {
      return toRevision(statements.save.run(key, text, owner, expiresAt).lastInsertRowid)
    },
    insert({ key, text, owner, expiresAt }) {
      const { changes, lastInsertRowid } = statements.insert.run(key, text, owner, expiresAt)
      return changes === 0 ? undefined : toRevision(lastInsertRowid)
    },
    update({ key, text, revision, owner, expiresAt }, now) {
      const version = revision % VERSIONS
      // The next revision would belong to another row.
      if (version === VERSIONS - 1) return undefined
      const { changes } = statements.update.run(
        text,
        ...(owner === 'keep' ? [1, null] : [0, owner.set]),
        ...(expiresAt === 'keep' ? [1, null] : [0, expiresAt]),
        (revision - version) / VERSIONS,
        version,
        key,
        now,
      )
      return changes === 0 ? undefined : revision + 1
    },
    remove: (key) => void statements.remove.run(key),
    range({ start, after, end }, limit, now) {
      const rows =
        end === undefined
          ? statements.rangeToEnd.all(after ?? start, after ?? '', now, limit)
          : statements.range.all(after ?? start, after ?? '', end, now, limit)
      return rows.map(toSavedRow)
    },
    hasExpired: (now) => statements.hasExpired.get(now) !== undefined,
    removeExpired: (limit, now) => statements.removeExpired.run(now, limit).changes,
    nextInSequence: () => toNumber(statements.next.get()),
    markTime() {
      mark = continueTime(clock, mark)
      saveMark(mark)
    },
    tryRoom() {
      statements.save.run(ROOM_KEY, ROOM, null, null)
      statements.remove.run(ROOM_KEY)
    },
  }
}

function prepare(database: SqliteDatabase) {
  const raw = (sql: string): SqliteStatement => database.prepare(sql).raw()
  const select = `SELECT ${COLUMNS} FROM waymark_rows`
  return {
    find: raw(`${select} WHERE key = ?`),
    // REPLACE takes a fresh row id, and AUTOINCREMENT never gives one twice: that begins the revision.
    save: database.prepare(
      'INSERT OR REPLACE INTO waymark_rows (key, value, owner, expires_at) VALUES (?, ?, ?, ?)',
    ),
    insert: database.prepare(
      'INSERT INTO waymark_rows (key, value, owner, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING',
    ),
    update: database.prepare(
      `UPDATE waymark_rows SET value = ?, owner = iif(?, owner, ?), expires_at = iif(?, expires_at, ?),
         version = version + 1
       WHERE revision = ? AND version = ? AND key = ? AND ${ALIVE}`,
    ),
    remove: database.prepare('DELETE FROM waymark_rows WHERE key = ?'),
    range: raw(
      `${select} WHERE key >= ? AND key <> ? AND key < ? AND ${ALIVE} ORDER BY key LIMIT ?`,
    ),
    rangeToEnd: raw(`${select} WHERE key >= ? AND key <> ? AND ${ALIVE} ORDER BY key LIMIT ?`),
    hasExpired: raw('SELECT 1 FROM waymark_rows WHERE expires_at <= ? LIMIT 1'),
    removeExpired: database.prepare(
      `DELETE FROM waymark_rows WHERE revision IN (
         SELECT revision FROM waymark_rows WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ),
    next: raw('UPDATE waymark_sequence SET value = value + 1 WHERE id = 1 RETURNING value'),
    saveMark: database.prepare('INSERT OR REPLACE INTO waymark_clock VALUES (1, ?, ?, ?, ?)'),
  }
}

function readMark(database: SqliteDatabase): ClockMark | undefined {
  const row = database.prepare('SELECT boot, uptime, at, wall FROM waymark_clock').raw().get()
  if (!isList(row)) return undefined
  const [boot, uptime, at, wall] = row
  return { boot: toText(boot), uptime: Number(uptime), at: Number(at), wall: Number(wall) }
}

/** The columns of a row, in the order of `COLUMNS`. */
type RawRow = readonly [
  key: string,
  text: string,
  id: number,
  version: number,
  owner: string | null,
  expiresAt: number | null,
]

function toSavedRow(row: unknown): SavedRow {
  const [key, text, id, version, owner, expiresAt] = row as RawRow
  return { key, text, revision: toRevision(id) + version, owner, expiresAt }
}

function toRevision(id: number | bigint): number {
  return Number(id) * VERSIONS
}

function toNumber(row: unknown): number {
  return Number(Array.isArray(row) ? row[0] : row)
}
