import { toText } from '../core/text.ts'
import type { PostgresClient } from './postgres-connection.ts'
import { newerSchema } from './schema-version.ts'

/** One step per schema version, in order; a released step never changes. `$schema` is the quoted schema name. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE $schema.entries (
     key text COLLATE "C" PRIMARY KEY,
     value text NOT NULL,
     revision bigint NOT NULL,
     owner text,
     expires_at timestamptz
   );
   CREATE INDEX entries_expiry ON $schema.entries (expires_at) WHERE expires_at IS NOT NULL;
   CREATE SEQUENCE $schema.revisions;
   CREATE TABLE $schema.sequences (bucket integer PRIMARY KEY, value bigint NOT NULL);`,
]

/** Brings a database to the schema of this version; processes that start together take turns. */
export async function migratePostgres(client: PostgresClient, schema: string): Promise<void> {
  await assertEncoding(client)
  if ((await readVersion(client, schema)) === MIGRATIONS.length) return
  await client.query({ text: 'BEGIN' })
  try {
    const lock = `SELECT pg_advisory_xact_lock(hashtext('waymark.migrate'), hashtext($1))`
    await client.query({ text: lock, values: [schema] })
    await migrate(client, schema, await readVersion(client, schema))
    await client.query({ text: 'COMMIT' })
  } catch (thrown) {
    await client.query({ text: 'ROLLBACK' })
    throw thrown
  }
}

async function assertEncoding(client: PostgresClient): Promise<void> {
  const { rows } = await client.query({ text: 'SELECT getdatabaseencoding()' })
  const encoding = toText(rows[0]?.[0])
  if (encoding === 'UTF8') return
  throw new TypeError(`A PostgreSQL store needs a database in UTF8, this one is in ${encoding}`)
}

async function migrate(client: PostgresClient, schema: string, version: number): Promise<void> {
  if (version > MIGRATIONS.length) {
    throw newerSchema(`postgres schema "${schema}"`, version, MIGRATIONS.length)
  }
  if (version === 0) {
    // An existing schema may belong to a role that is not allowed to create one.
    const found = await client.query({
      text: 'SELECT 1 FROM pg_namespace WHERE nspname = $1',
      values: [schema],
    })
    if (found.rows.length === 0) await client.query({ text: `CREATE SCHEMA "${schema}"` })
    await client.query({
      text: `CREATE TABLE "${schema}".schema_version (version integer NOT NULL)`,
    })
    await client.query({ text: `INSERT INTO "${schema}".schema_version VALUES (0)` })
  }
  for (const step of MIGRATIONS.slice(version)) {
    await client.query({ text: step.replaceAll('$schema', `"${schema}"`) })
  }
  const text = `UPDATE "${schema}".schema_version SET version = $1`
  await client.query({ text, values: [MIGRATIONS.length] })
}

/** Zero when the store has no tables yet. */
async function readVersion(client: PostgresClient, schema: string): Promise<number> {
  // Not to_regclass: it answers from a cache that does not see what another process made meanwhile.
  const found = await client.query({
    text: `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'schema_version'`,
    values: [schema],
  })
  if (found.rows.length === 0) return 0
  const { rows } = await client.query({ text: `SELECT version FROM "${schema}".schema_version` })
  return Number(rows[0]?.[0] ?? 0)
}
