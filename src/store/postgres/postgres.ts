import { toText } from '../../values/index.ts'
import type { Attempt, Backend, Row } from '../backend.ts'
import {
  createStore,
  notACounter,
  notApplied,
  type SweepOptions,
  toStoreError,
  toSwept,
} from '../front.ts'
import { toBucket } from '../hash.ts'
import type { Store } from '../store.ts'
import {
  createPostgresConnection,
  type PostgresConnection,
  type PostgresPool,
  type PostgresValue,
} from './connection.ts'
import { buildPostgresQueries, migratePostgres, type PostgresQueries } from './schema.ts'

/** What a PostgreSQL store can be told. */
export interface PostgresStoreOptions {
  /** The database schema that holds the tables; `waymark` when absent. Lower-case letters, digits, underscores. */
  readonly schema?: string
  /** Milliseconds an operation may take to get a connection, and again to get its answer; 5,000 when absent. */
  readonly timeout?: number
  readonly sweep?: SweepOptions
  /** Called when the store closes; for whoever made the pool. */
  readonly onClose?: () => Promise<void>
}

// Enough that two locks hardly ever wait for one counter, few enough to cost nothing.
const SEQUENCES = 1024
const ATTEMPTS = 100

/** Creates a store on a pg pool; the pool stays the caller's. */
export async function createPostgresStore(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  const { schema = 'waymark', timeout = 5000, sweep, onClose } = options
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw new TypeError(
      'The schema of a PostgreSQL store must be 1 to 40 lower-case letters, digits and underscores',
    )
  }
  const connection = createPostgresConnection(pool, timeout)
  try {
    await connection.using((client) => migratePostgres(client, schema))
  } catch (thrown) {
    await onClose?.()
    connection.detach()
    throw thrown instanceof TypeError ? thrown : toStoreError('postgres', thrown)
  }
  return createStore(
    createBackend(connection, buildPostgresQueries(schema), schema, onClose),
    sweep,
  )
}

function createBackend(
  connection: PostgresConnection,
  queries: PostgresQueries,
  schema: string,
  onClose: (() => Promise<void>) | undefined,
): Backend {
  async function query(operation: keyof PostgresQueries, values: PostgresValue[]) {
    // A listing is planned anew each time: for unknown ends the planner might sort the whole prefix.
    const name = operation.startsWith('range') ? {} : { name: `${schema}.${operation}` }
    const statement = { ...name, text: queries[operation], values }
    for (let attempt = 1; ; attempt++) {
      try {
        return (await connection.query(statement)).rows
      } catch (thrown) {
        if (attempt === ATTEMPTS || !isCollision(thrown)) throw thrown
      }
    }
  }

  async function get(key: string): Promise<Row | undefined> {
    const [row] = await query('get', [key])
    return row && toRow(row)
  }

  async function putIfAbsent(values: PostgresValue[]): Promise<Attempt> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [row] = await query('putIfAbsent', values)
      if (!row) continue
      return row[5] === true
        ? { done: true, revision: Number(row[2]) }
        : { done: false, row: toRow(row) }
    }
    return { done: false, row: undefined }
  }

  return {
    kind: 'postgres',
    get,
    async put({ key, text, owner, ttl }) {
      return toNumber(await query('put', [key, text, owner, ttl]))
    },
    putIfAbsent: ({ key, text, owner, ttl }) => putIfAbsent([key, text, owner, ttl]),
    async compareAndSet({ key, text, revision, ttl, owner }) {
      const kept = owner === 'keep'
      const time = ttl === 'keep' ? null : ttl
      const values = [key, text, kept ? null : owner.set, time, kept, ttl === 'keep', revision]
      const rows = await query('compareAndSet', values)
      if (rows.length > 0) return { done: true, revision: toNumber(rows) }
      return { done: false, row: await get(key) }
    },
    delete: async (key) => (await query('delete', [key]))[0]?.[0] === true,
    async deleteIfOwner(key, owner) {
      if ((await query('deleteIfOwner', [key, owner])).length > 0) return 'deleted'
      return (await get(key)) ? 'foreign' : 'absent'
    },
    async increment({ key, by, ttl }) {
      const [row] = await query('increment', [key, by, ttl])
      if (!row) throw notACounter()
      return { value: Number(row[0]), revision: Number(row[1]), ttl: toTtl(row[2]) }
    },
    next: async (name) => toNumber(await query('next', [toBucket(name, SEQUENCES)])),
    async range({ start, after, end }, limit) {
      const values = [after ?? start, after ?? '', limit]
      const rows =
        end === undefined ? query('rangeToEnd', values) : query('range', [...values, end])
      return (await rows).map(toRow)
    },
    sweep: async (limit) => toSwept((await query('sweep', [limit])).length, limit),
    async check() {
      const { rows } = await connection.query({ text: 'SELECT pg_is_in_recovery()' })
      if (rows[0]?.[0] !== false) throw notApplied('postgres', 'the server is a read-only replica')
    },
    abandon: () => {},
    async close() {
      await onClose?.()
      connection.detach()
    },
  }
}

/** Two statements met where the database is set to a stricter isolation: the one that lost starts again. */
function isCollision(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return code === '40001' || code === '40P01'
}

function toNumber(rows: readonly (readonly unknown[])[]): number {
  return Number(rows[0]?.[0])
}

function toRow(row: readonly unknown[]): Row {
  const [key, text, revision, owner, left] = row
  return {
    key: toText(key),
    text: toText(text),
    revision: Number(revision),
    owner: owner === null ? null : toText(owner),
    ttl: toTtl(left),
  }
}

function toTtl(left: unknown): number | null {
  return left === null ? null : Math.max(0, Number(left))
}
