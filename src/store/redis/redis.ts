import { isList } from '../../values/index.ts'
import {
  type Attempt,
  type Backend,
  compareKeys,
  type KeyRange,
  type Row,
  type Swept,
} from '../backend.ts'
import { createStore, notACounter, type SweepOptions } from '../front.ts'
import { toBucket } from '../hash.ts'
import type { OwnerDelete, Store } from '../store.ts'
import { createRedisBatch, type OperationArguments, type RedisBatch } from './batch.ts'
import { createRedisConnection, type RedisClient, type RedisConnection } from './connection.ts'

/** What a Redis store can be told. */
export interface RedisStoreOptions {
  /** Starts every key in Redis; `waymark` when absent. No braces. */
  readonly prefix?: string
  /**
   * Over how many hash slots the entries are spread, 1 when absent: more lets a Redis Cluster share the load,
   * and makes a listing ask every slot. Cannot be changed once entries exist.
   */
  readonly shards?: number
  /** Milliseconds an operation may take, including waiting for a lost connection; 5,000 when absent. */
  readonly timeout?: number
  readonly sweep?: SweepOptions
  /** Called when the server has not answered in time; whoever made the client may connect it anew. */
  readonly onSilence?: () => void
  /** Called when the store closes; for whoever made the client. */
  readonly onClose?: () => Promise<void>
}

const LAYOUT = 1

/** Creates a store on an ioredis client; the client stays the caller's. */
export async function createRedisStore(
  client: RedisClient,
  options: RedisStoreOptions = {},
): Promise<Store> {
  const { prefix = 'waymark', shards = 1, timeout = 5000, sweep } = options
  const { onSilence = () => {}, onClose } = options
  if (/[{}\0]/.test(prefix)) throw new TypeError('The prefix of a Redis store must hold no braces')
  if (!Number.isInteger(shards) || shards < 1 || shards > 1024) {
    throw new TypeError('The shards of a Redis store must be a whole number from 1 to 1024')
  }
  const connection = createRedisConnection(client, { timeout, onSilence })
  const layout = createLayout(connection, { prefix, shards, timeout })
  const store = createStore(createBackend(connection, layout, onClose), sweep)
  try {
    await assertLayout(connection, prefix, shards)
  } catch (thrown) {
    await store.close()
    throw thrown
  }
  return store
}

/** What one shard holds; the braces in the names keep it in one hash slot of a cluster. */
interface Shard {
  readonly entry: (key: string) => string
  readonly keys: string
  readonly sequence: string
  readonly check: string
  readonly batch: RedisBatch
}

interface Layout {
  readonly shards: readonly Shard[]
  readonly shardOf: (text: string) => Shard
}

function createLayout(
  connection: RedisConnection,
  {
    prefix,
    shards: count,
    timeout,
  }: Pick<Required<RedisStoreOptions>, 'prefix' | 'shards' | 'timeout'>,
): Layout {
  const shards = Array.from({ length: count }, (_, index): Shard => {
    const start = `${prefix}:{${index}}`
    const keys = [`${start}:keys`, `${start}:revision`] as const
    return {
      entry: (key) => `${start}:e:${key}`,
      keys: keys[0],
      sequence: `${start}:sequence`,
      check: `${start}:check`,
      batch: createRedisBatch(connection, { keys, timeout }),
    }
  })
  const [only] = shards
  if (count === 1 && only) return { shards, shardOf: () => only }
  return { shards, shardOf: (text) => shards[toBucket(text, count)] as Shard }
}

/** Two processes with other ideas of where a key lies would not see each other's locks. */
async function assertLayout(connection: RedisConnection, prefix: string, shards: number) {
  const name = `${prefix}:layout`
  const mine = `${LAYOUT}:${shards}`
  await connection.send((client) => client.setnx(name, mine))
  const found = await connection.send((client) => client.get(name))
  if (found !== null && found !== mine) {
    throw new TypeError(
      `The Redis store "${prefix}" has layout ${found} (version:shards), but this process is configured for ${mine}: use the same options, upgrade waymark or use another prefix`,
    )
  }
}

function createBackend(
  connection: RedisConnection,
  { shards, shardOf }: Layout,
  onClose: (() => Promise<void>) | undefined,
): Backend {
  const { send } = connection
  const sweepers = shards.map((shard) => createSweeper(connection, shard))

  function operate(...args: OperationArguments): Promise<unknown> {
    const shard = shardOf(args[1])
    return shard.batch.run(shard.entry(args[1]), args)
  }

  return {
    kind: 'redis',
    get: async (key) => toRow(key, await operate('get', key)),
    async put({ key, text, owner, ttl }) {
      return Number(await operate('put', key, text, toOwner(owner), toArgument(ttl)))
    },
    async putIfAbsent({ key, text, owner, ttl }) {
      const answer = await operate('putIfAbsent', key, text, toOwner(owner), toArgument(ttl))
      return toAttempt(key, answer)
    },
    async compareAndSet({ key, text, revision, owner, ttl }) {
      const keep = owner === 'keep'
      const answer = await operate(
        'compareAndSet',
        key,
        text,
        keep ? '' : toOwner(owner.set),
        toArgument(ttl),
        String(revision),
        keep ? '1' : '0',
      )
      return toAttempt(key, answer)
    },
    delete: async (key) => (await operate('delete', key)) === 1,
    async deleteIfOwner(key, owner) {
      return (await operate('deleteIfOwner', key, toOwner(owner))) as OwnerDelete
    },
    async increment({ key, by, ttl }) {
      const answer = await operate('increment', key, String(by), toArgument(ttl))
      if (!isList(answer)) throw notACounter()
      const [value, revision, left] = answer
      return { value: Number(value), revision: Number(revision), ttl: toTtl(left) }
    },
    async next(name) {
      const shard = shardOf(name)
      return Number(await shard.batch.run(shard.sequence, ['next', name]))
    },
    async range(range, limit) {
      const parts = await Promise.all(
        shards.map((shard) => readRange(connection, shard, range, limit)),
      )
      const [only, ...others] = parts
      if (only && others.length === 0) return only
      return parts
        .flat()
        .sort((left, right) => compareKeys(left.key, right.key))
        .slice(0, limit)
    },
    async sweep(limit) {
      const share = Math.ceil(limit / shards.length)
      const swept = await Promise.all(sweepers.map((sweep) => sweep(share)))
      return swept.find((one) => one === 'many') ?? swept.find((one) => one === 'some') ?? 'none'
    },
    async check() {
      // A write: a replica or a server that cannot save answers a mere ping just as well.
      await Promise.all(
        shards.map((shard) => send((client) => client.set(shard.check, '1', 'PX', 60_000))),
      )
    },
    abandon: connection.abandon,
    async close() {
      await onClose?.()
      connection.detach()
    },
  }
}

/** Reads the index, then the entries; one that expired in between only makes room for the next. */
async function readRange(
  connection: RedisConnection,
  shard: Shard,
  { start, after, end }: KeyRange,
  limit: number,
): Promise<Row[]> {
  const rows: Row[] = []
  const max = end === undefined ? '+' : `(${end}`
  let min = after === undefined ? `[${start}` : `(${after}`
  for (;;) {
    const wanted = limit - rows.length
    const keys = await connection.send((client) =>
      client.zrangebylex(shard.keys, min, max, 'LIMIT', 0, wanted),
    )
    if (keys.length > 0) rows.push(...(await readRows(connection, shard, keys)))
    if (keys.length < wanted || rows.length === limit) return rows
    min = `(${keys.at(-1)}`
  }
}

async function readRows(connection: RedisConnection, shard: Shard, keys: readonly string[]) {
  const found = (await connection.run('readMany', keys.map(shard.entry), [])) as unknown[]
  return keys.map((key, index) => toRow(key, found[index])).filter((row) => row !== undefined)
}

/**
 * Creates what clears one shard's index. A walk along the index finds every expired key in the end, and a
 * random pick finds out soon when there are many, as Redis itself does; so writing needs no second index.
 */
function createSweeper(
  connection: RedisConnection,
  shard: Shard,
): (limit: number) => Promise<Swept> {
  let min = '-'
  return async (limit) => {
    const half = Math.ceil(limit / 2)
    const [walked, picked] = await Promise.all([
      connection.send((client) => client.zrangebylex(shard.keys, min, '+', 'LIMIT', 0, half)),
      connection.send((client) => client.zrandmember(shard.keys, half)),
    ])
    min = walked.length < half ? '-' : `(${walked.at(-1)}`
    const keys = [...new Set([...walked, ...(Array.isArray(picked) ? picked : [])])]
    const gone = keys.length === 0 ? 0 : await prune(connection, shard, keys)
    if (gone === 0) return 'none'
    return gone * 10 < keys.length ? 'some' : 'many'
  }
}

/** Redis removes expired entries by itself; their place in the index is ours to clear. */
async function prune(connection: RedisConnection, shard: Shard, keys: readonly string[]) {
  const names = [shard.keys, ...keys.map(shard.entry)]
  return Number(await connection.run('prune', names, keys))
}

function toArgument(ttl: number | null | 'keep'): string {
  return ttl === null ? '' : String(ttl)
}

// Without spaces, so that a script finds where the owner ends.
function toOwner(owner: string | null): string {
  return owner === null ? '' : encodeURIComponent(owner)
}

function toAttempt(key: string, answer: unknown): Attempt {
  if (typeof answer === 'string') return { done: true, revision: Number(answer) }
  return { done: false, row: toRow(key, answer) }
}

function toRow(key: string, answer: unknown): Row | undefined {
  if (!Array.isArray(answer)) return undefined
  const entry = String(answer[0])
  const first = entry.indexOf(' ')
  const second = entry.indexOf(' ', first + 1)
  const owner = entry.slice(first + 1, second)
  return {
    key,
    text: entry.slice(second + 1),
    revision: Number(entry.slice(0, first)),
    owner: owner === '' ? null : decodeURIComponent(owner),
    ttl: toTtl(answer[1]),
  }
}

function toTtl(left: unknown): number | null {
  const milliseconds = Number(left)
  return milliseconds < 0 ? null : milliseconds
}
