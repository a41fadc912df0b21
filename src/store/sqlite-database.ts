import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'

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

/** Opens a database file for several processes, and makes it readable to its owner only when it is new. */
export function openDatabase(path: string, sync: SqliteSync): SqliteDatabase {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
  }
  const database = new Database(path, { timeout: 1000 })
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
