import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type Database from 'libsql'
import { newerSchema } from '../deadlines.ts'
import { loadOptional } from '../optional-package.ts'

/** A prepared statement: the members of better-sqlite3 that are called here. */
export interface SqliteStatement {
  raw(): SqliteStatement
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
  run(...values: SqliteValue[]): { changes: number; lastInsertRowid: number | bigint }
}

/** A value that can be bound to a statement. */
export type SqliteValue = string | number | null

/** An open database file. */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** How safe a committed write is: `full` survives a power cut, `normal` only the end of the process. */
export type SqliteSync = 'full' | 'normal'

/** The engine, once it is loaded. */
export type Sqlite = typeof Database

/** Loads the engine; its binary is not there on every machine, and not every service has such a store. */
export async function loadSqlite(load?: (name: string) => Promise<unknown>): Promise<Sqlite> {
  const { default: engine } = await loadOptional('libsql', 'sqlite:', load)
  return engine as Sqlite
}

/** Opens a database file for several processes, and makes it readable to its owner only when it is new. */
export function openDatabase(engine: Sqlite, path: string, sync: SqliteSync): SqliteDatabase {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
  }
  const database = new engine(path, { timeout: 1000 })
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${sync === 'full' ? 'FULL' : 'NORMAL'}`,
  )
  return {
    get inTransaction() {
      return database.inTransaction
    },
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => database.prepare<SqliteValue[]>(sql),
    close: () => void database.close(),
  }
}

/** Tells whether an error only means that another process is writing right now. */
export function isBusy(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code)
}

/** One step per schema version, in order; a released step never changes. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE waymark_entries (
     revision INTEGER PRIMARY KEY AUTOINCREMENT,
     key TEXT NOT NULL UNIQUE,
     value TEXT NOT NULL,
     owner TEXT,
     expires_at INTEGER
   );
   CREATE INDEX waymark_entries_expiry ON waymark_entries (expires_at) WHERE expires_at IS NOT NULL;
   CREATE TABLE waymark_sequence (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL);
   INSERT INTO waymark_sequence VALUES (1, 0);
   CREATE TABLE waymark_clock (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     boot TEXT NOT NULL,
     uptime INTEGER NOT NULL,
     at INTEGER NOT NULL,
     wall INTEGER NOT NULL
   );`,
  // Under a new name: a process of an older version must not miss that a row was replaced in its place.
  `ALTER TABLE waymark_entries RENAME TO waymark_rows;
   ALTER TABLE waymark_rows ADD COLUMN version INTEGER NOT NULL DEFAULT 0;`,
]

/** Brings a database file to the schema of this version; the caller holds the write lock. */
export function migrateSqlite(database: SqliteDatabase, name: string): void {
  database.exec('CREATE TABLE IF NOT EXISTS waymark_schema (version INTEGER NOT NULL)')
  const version = readVersion(database)
  if (version > MIGRATIONS.length) throw newerSchema(name, version, MIGRATIONS.length)
  if (version === MIGRATIONS.length) return
  for (const step of MIGRATIONS.slice(version)) database.exec(step)
  database.exec('DELETE FROM waymark_schema')
  database.prepare('INSERT INTO waymark_schema VALUES (?)').run(MIGRATIONS.length)
}

function readVersion(database: SqliteDatabase): number {
  const row = database.prepare('SELECT max(version) FROM waymark_schema').raw().get()
  return Array.isArray(row) && typeof row[0] === 'number' ? row[0] : 0
}
