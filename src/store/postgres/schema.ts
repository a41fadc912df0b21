import { toText } from '../../values/index.ts'
import { newerSchema } from '../deadlines.ts'
import type { PostgresClient } from './connection.ts'

/** The statements of the PostgreSQL store: values are parameters, only the checked schema name is text. */
export interface PostgresQueries {
  readonly get: string
  readonly put: string
  readonly putIfAbsent: string
  readonly compareAndSet: string
  readonly delete: string
  readonly deleteIfOwner: string
  readonly increment: string
  readonly next: string
  readonly range: string
  readonly rangeToEnd: string
  readonly sweep: string
}

/**
 * Writes the statements for a schema. Time is statement_timestamp(), the server's clock: it is one value for the
 * whole statement, so that a row cannot be alive in one clause and expired in the next.
 */
export function buildPostgresQueries(schema: string): PostgresQueries {
  const entries = `"${schema}".entries`
  const revision = `nextval('"${schema}".revisions')`
  const expiry = (ttl: string): string =>
    `statement_timestamp() + ${ttl}::float8 * interval '1 millisecond'`
  const expired = 'e.expires_at <= statement_timestamp()'
  const alive = `(e.expires_at IS NULL OR e.expires_at > statement_timestamp())`
  const ttl = 'ceil(extract(epoch FROM e.expires_at - statement_timestamp()) * 1000)::float8 AS ttl'
  const row = `e.key, e.value, e.revision::float8, e.owner, ${ttl}`
  const insert = `INSERT INTO ${entries} AS e (key, value, owner, expires_at, revision)
    VALUES ($1, $2, $3, ${expiry('$4')}, ${revision})`
  const overwrite = `ON CONFLICT (key) DO UPDATE SET value = excluded.value, owner = excluded.owner,
    expires_at = excluded.expires_at, revision = ${revision}`

  return {
    get: `SELECT ${row} FROM ${entries} e WHERE e.key = $1 AND ${alive}`,
    put: `${insert} ${overwrite} RETURNING e.revision::float8`,
    // Losing only reads. No row at all when another transaction took the key after this statement began.
    putIfAbsent: `WITH found AS (SELECT ${row}, false FROM ${entries} e WHERE e.key = $1 AND ${alive}),
      made AS (INSERT INTO ${entries} AS e (key, value, owner, expires_at, revision)
        SELECT $1, $2, $3, ${expiry('$4')}, ${revision} WHERE NOT EXISTS (SELECT 1 FROM found)
        ${overwrite} WHERE ${expired} RETURNING e.revision)
      SELECT * FROM found UNION ALL
      SELECT NULL, NULL, revision::float8, NULL, NULL, true FROM made`,
    compareAndSet: `UPDATE ${entries} e SET value = $2, revision = ${revision},
        owner = CASE WHEN $5 THEN e.owner ELSE $3 END,
        expires_at = CASE WHEN $6 THEN e.expires_at ELSE ${expiry('$4')} END
      WHERE e.key = $1 AND e.revision = $7::bigint AND ${alive} RETURNING e.revision::float8`,
    delete: `DELETE FROM ${entries} e WHERE e.key = $1 RETURNING ${alive}`,
    deleteIfOwner: `DELETE FROM ${entries} e WHERE e.key = $1 AND e.owner = $2 AND ${alive} RETURNING 1`,
    increment: `INSERT INTO ${entries} AS e (key, value, expires_at, revision)
      VALUES ($1, $2::bigint::text, ${expiry('$3')}, ${revision})
      ON CONFLICT (key) DO UPDATE SET
        value = CASE WHEN ${expired} THEN excluded.value ELSE (e.value::bigint + $2::bigint)::text END,
        owner = CASE WHEN ${expired} THEN NULL ELSE e.owner END,
        expires_at = CASE WHEN ${expired} THEN excluded.expires_at ELSE e.expires_at END,
        revision = ${revision}
      WHERE ${expired} OR CASE WHEN e.value ~ '^-?[0-9]{1,16}$'
        THEN abs(e.value::bigint + $2::bigint) <= 9007199254740991 ELSE false END
      RETURNING e.value::float8, e.revision::float8, ${ttl}`,
    next: `INSERT INTO "${schema}".sequences AS s (bucket, value) VALUES ($1, 1)
      ON CONFLICT (bucket) DO UPDATE SET value = s.value + 1 RETURNING value::float8`,
    // Two statements: an upper bound that may be absent would keep the planner from using it.
    range: `SELECT ${row} FROM ${entries} e
      WHERE e.key >= $1 AND e.key <> $2 AND ${alive} AND e.key < $4 ORDER BY e.key LIMIT $3`,
    rangeToEnd: `SELECT ${row} FROM ${entries} e
      WHERE e.key >= $1 AND e.key <> $2 AND ${alive} ORDER BY e.key LIMIT $3`,
    sweep: `DELETE FROM ${entries} WHERE key IN (
      SELECT e.key FROM ${entries} e WHERE ${expired}
      ORDER BY e.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING 1`,
  }
}

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
