import { loadOptional } from '../../store/index.ts'
import { type Diagnosis, diagnose, judgeClock, tryCheck } from './diagnosis.ts'

/** The members of an ioredis client that are called here. */
interface RedisAdmin {
  connect(): Promise<unknown>
  call(...command: string[]): Promise<unknown>
  info(): Promise<string>
  time(): Promise<readonly (string | number)[]>
  on(event: 'error', listener: () => void): unknown
  disconnect(): void
}

type NewRedis = new (url: string, options: Readonly<Record<string, unknown>>) => RedisAdmin

/** Looks at the settings of a Redis server that keep what is written there. */
export async function checkRedis(url: string): Promise<readonly Diagnosis[]> {
  const { Redis } = await loadOptional('ioredis', 'redis:')
  const client = new (Redis as NewRedis)(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    commandTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const ask = 'ask who runs the server; a managed one shows it in its console'
    return [
      await tryCheck('redis clock', ask, async () => {
        const asked = Date.now()
        const [seconds, micros] = await client.time()
        return judgeClock(
          'redis clock',
          toSkew(asked, Number(seconds) * 1e3 + Number(micros) / 1e3),
        )
      }),
      await tryCheck('redis server', ask, async () => judgeServer(toFields(await client.info()))),
      await tryCheck('redis persistence', ask, async () => {
        const { appendonly, save } = await readSettings(client, 'appendonly', 'save')
        return judgePersistence(appendonly, save)
      }),
    ].flat()
  } finally {
    client.disconnect()
  }
}

/** The clock of the other side against the middle of the time the question took. */
export function toSkew(asked: number, told: number, now: number = Date.now()): number {
  return told - (asked + now) / 2
}

function toFields(info: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    info.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':')
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : []
    }),
  )
}

async function readSettings(client: RedisAdmin, ...names: string[]) {
  const settings: Record<string, string> = {}
  for (const name of names) {
    const [, value] = (await client.call('CONFIG', 'GET', name)) as readonly string[]
    settings[name] = value ?? ''
  }
  return settings
}

function judgeServer(fields: Readonly<Record<string, string>>): readonly Diagnosis[] {
  const policy = fields['maxmemory_policy'] ?? 'unknown'
  const set = 'redis-cli CONFIG SET maxmemory-policy noeviction, and write it into redis.conf'
  const role = fields['role'] ?? 'unknown'
  const isSaved =
    fields['rdb_last_bgsave_status'] !== 'err' && fields['aof_last_write_status'] !== 'err'
  return [
    policy === 'noeviction'
      ? diagnose.ok('redis eviction', 'noeviction')
      : diagnose.fail(
          'redis eviction',
          `${policy}: a full server deletes locks, keys and jobs`,
          set,
        ),
    role === 'master'
      ? diagnose.ok('redis role', role)
      : diagnose.fail(
          'redis role',
          role,
          'give the address of the primary: a replica refuses writes',
        ),
    ...(isSaved
      ? []
      : [
          diagnose.fail(
            'redis disk',
            'the last save failed',
            'look at the log of the server: its disk is full or may not be written',
          ),
        ]),
    Number(fields['maxmemory'] ?? 0) > 0
      ? diagnose.ok('redis memory', `limited to ${fields['maxmemory_human'] ?? ''}`)
      : diagnose.warn(
          'redis memory',
          'no limit',
          'set maxmemory below the memory of the machine: a refused write is better than a killed server',
        ),
  ]
}

function judgePersistence(appendonly = '', save = ''): Diagnosis {
  if (appendonly === 'yes') return diagnose.ok('redis persistence', 'append-only file')
  if (save !== '') {
    return diagnose.warn(
      'redis persistence',
      'snapshots only: a crash loses what came after the last one',
      'set appendonly yes where operations and idempotency keys must survive a crash',
    )
  }
  return diagnose.warn(
    'redis persistence',
    'none: a restart loses operations, locks and idempotency keys',
    'set appendonly yes, or accept the loss',
  )
}
