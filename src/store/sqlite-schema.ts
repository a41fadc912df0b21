import { newerSchema } from './schema-version.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

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
