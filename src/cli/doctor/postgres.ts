import { loadOptional } from '../../store/index.ts'
import { toText } from '../../values/index.ts'
import { type Diagnosis, diagnose, judgeClock, tryCheck } from './diagnosis.ts'
import { toSkew } from './redis.ts'

/** The members of a pg `Client` that are called here. */
interface PostgresAdmin {
  connect(): Promise<unknown>
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
  on(event: 'error', listener: () => void): unknown
  end(): Promise<void>
}

type NewClient = new (options: Readonly<Record<string, unknown>>) => PostgresAdmin

const FACTS = `select extract(epoch from clock_timestamp()) * 1000 as now,
  current_setting('server_version_num')::int as version,
  pg_is_in_recovery() as standby,
  current_setting('default_transaction_read_only') as readonly,
  current_setting('synchronous_commit') as sync, current_setting('fsync') as fsync,
  current_setting('max_connections')::int as connections,
  (select count(*)::int from pg_stat_activity) as used`

/** What a process of ours may open at once: the pools of the store and of its jobs. */
const CONNECTIONS_PER_PROCESS = 20

/** Looks at the settings of a PostgreSQL server that keep what is written there. */
export async function checkPostgres(url: string): Promise<readonly Diagnosis[]> {
  const { Client } = await loadOptional('pg', 'postgres:')
  const client = new (Client as NewClient)({
    connectionString: url,
    application_name: 'waymark-doctor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const ask = 'ask who runs the server'
    return await tryCheck('postgres settings', ask, async () => {
      const asked = Date.now()
      const { rows } = await client.query(FACTS)
      const facts = rows[0] ?? {}
      return [
        judgeClock('postgres clock', toSkew(asked, Number(facts['now']))),
        ...judgeFacts(facts),
      ]
    })
  } finally {
    await client.end()
  }
}

function judgeFacts(facts: Readonly<Record<string, unknown>>): readonly Diagnosis[] {
  const isWritable = facts['standby'] === false && facts['readonly'] === 'off'
  const version = Math.floor(Number(facts['version']) / 10_000)
  const free = Number(facts['connections']) - Number(facts['used'])
  const room = `${toText(facts['used'])} of ${toText(facts['connections'])} in use`
  return [
    version >= OLDEST
      ? diagnose.ok('postgres version', String(version))
      : diagnose.warn(
          'postgres version',
          String(version),
          `tried with ${OLDEST} and later: upgrade`,
        ),
    isWritable
      ? diagnose.ok('postgres role', 'primary, writable')
      : diagnose.fail('postgres role', 'read only', 'give the address of the primary'),
    facts['fsync'] === 'on' && facts['sync'] !== 'off'
      ? diagnose.ok('postgres durability', 'fsync, synchronous_commit')
      : diagnose.warn(
          'postgres durability',
          `fsync ${toText(facts['fsync'])}, synchronous_commit ${toText(facts['sync'])}: a crash loses what was promised`,
          'switch both on for the database of the store',
        ),
    free >= CONNECTIONS_PER_PROCESS
      ? diagnose.ok('postgres connections', room)
      : diagnose.warn(
          'postgres connections',
          room,
          `a process opens up to ${CONNECTIONS_PER_PROCESS}: raise max_connections or put a pooler in between`,
        ),
  ]
}

const OLDEST = 13
