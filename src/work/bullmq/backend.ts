import { once } from 'node:events'
import { loadOptional, notApplied, type StoreOrigin, toStoreError } from '../../store/index.ts'
import { withinTime } from '../lease.ts'

/** The members of a BullMQ job that are called here. */
export interface BullmqJob {
  readonly id?: string | undefined
  readonly data: unknown
  readonly attemptsMade: number
  readonly stalledCounter: number
  moveToWait(token?: string): Promise<unknown>
  moveToDelayed(timestamp: number, token?: string): Promise<unknown>
}

/** The members of a BullMQ queue that are called here. */
export interface BullmqQueue {
  add(name: string, data: unknown, options: Readonly<Record<string, unknown>>): Promise<unknown>
  getJobState(id: string): Promise<string>
  remove(id: string): Promise<number>
  getJobs(
    states: readonly string[],
    start: number,
    end: number,
    oldestFirst: boolean,
  ): Promise<readonly ({ readonly timestamp: number; readonly delay?: number } | undefined)[]>
  waitUntilReady(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  close(): Promise<void>
}

/** The members of a BullMQ worker that are called here. */
export interface BullmqWorker {
  waitUntilReady(): Promise<unknown>
  pause(doNotWaitActive: boolean): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'lockRenewalFailed', listener: (ids: readonly string[]) => void): unknown
  on(event: 'locksRenewed', listener: (renewed: { jobIds: readonly string[] }) => void): unknown
  close(force?: boolean): Promise<void>
}

/** What BullMQ calls with each job. */
export type BullmqProcessor = (job: BullmqJob, token?: string) => Promise<void>

/** A server that BullMQ keeps its jobs on. */
export interface BullmqBackend {
  readonly kind: string
  /** Opens the sending side of a queue within the time limit, or rejects with UNAVAILABLE. */
  openQueue(name: string): Promise<BullmqQueue>
  openWorker(
    name: string,
    processor: BullmqProcessor,
    options: Readonly<Record<string, unknown>>,
  ): Promise<BullmqWorker>
  /** Sends a command at once or not at all, and answers within the time limit or rejects with UNAVAILABLE. */
  readonly send: <Answer>(command: () => Promise<Answer>) => Promise<Answer>
  close(): Promise<void>
}

/** What a backend can be told. */
export interface BullmqBackendOptions {
  /** Milliseconds that a connection or an answer is waited for; 5,000 when absent. */
  readonly timeout?: number
  /** Loads an optional package; `import` when absent. */
  readonly load?: ((name: string) => Promise<unknown>) | undefined
}

interface Bullmq {
  readonly Queue: new (name: string, options: unknown) => BullmqQueue
  readonly Worker: new (name: string, run: BullmqProcessor, options: unknown) => BullmqWorker
}

interface Redis {
  readonly status: string
  connect(): Promise<unknown>
  disconnect(reconnect?: boolean): void
  on(event: 'error', listener: () => void): unknown
}

type NewRedis = new (url: string, options: Readonly<Record<string, unknown>>) => Redis

type NewPostgresClient = new (
  options: unknown,
) => { on(event: 'error', listener: () => void): unknown }

/** Keeps jobs on the Redis of a store, over connections of their own. */
export async function openRedisBackend(
  { url, namespace }: StoreOrigin,
  { timeout = 5000, load }: BullmqBackendOptions,
): Promise<BullmqBackend> {
  const { Queue, Worker } = (await loadOptional(
    'bullmq',
    'redis:',
    load,
    'queue',
  )) as unknown as Bullmq
  const ioredis = await loadOptional('ioredis', 'redis:', load, 'queue')
  const common = {
    lazyConnect: true,
    connectTimeout: timeout,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1000),
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  }
  const connect = (options: Readonly<Record<string, unknown>>) => {
    const client = new (ioredis['Redis'] as NewRedis)(url, { ...common, ...options })
    client.on('error', () => {})
    return client
  }
  // What the caller was told has failed must not be sent after all when the connection is back.
  const sender = connect({
    connectionName: 'waymark-jobs',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  })
  const receiver = connect({ connectionName: 'waymark-work', maxRetriesPerRequest: null })
  const prefix = `${namespace}:jobs`

  async function send<Answer>(command: () => Promise<Answer>): Promise<Answer> {
    await waitForRedis(sender, timeout)
    try {
      return await withinTime(command(), timeout, () => {
        sender.disconnect(true)
        return new Error(`no answer within ${timeout} ms`)
      })
    } catch (thrown) {
      throw toStoreError('redis', thrown)
    }
  }

  return {
    kind: 'redis',
    send,
    async openQueue(name) {
      await waitForRedis(sender, timeout)
      return openReady(
        'redis',
        new Queue(name, { prefix, connection: sender, skipVersionCheck: true }),
        timeout,
      )
    },
    async openWorker(name, processor, options) {
      await waitForRedis(receiver, timeout)
      const worker = new Worker(name, processor, { prefix, ...options, connection: receiver })
      return openReady('redis', worker, timeout)
    },
    async close() {
      sender.disconnect()
      receiver.disconnect()
    },
  }
}

/** Keeps jobs on the PostgreSQL of a store, in a schema beside the store's, over connections of their own. */
export async function openPostgresBackend(
  { url, namespace }: StoreOrigin,
  { timeout = 5000, load }: BullmqBackendOptions,
): Promise<BullmqBackend> {
  const bullmq = await loadOptional('bullmq', 'postgres:', load, 'queue')
  const pg = await loadOptional('pg', 'postgres:', load, 'queue')
  const bind = bullmq['withBackend'] as (factory: unknown) => Bullmq
  const { Queue, Worker } = bind(bullmq['createPostgresBackend'])
  const connection = {
    connectionString: url,
    schema: `${namespace}_jobs`,
    migrate: true,
    application_name: 'waymark',
    max: 5,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    // The server gives up first: what was reported as failed must not happen later.
    statement_timeout: Math.ceil(timeout * 0.8),
    keepAlive: true,
    allowExitOnIdle: true,
    Client: toHeardClient(pg['Client'] as NewPostgresClient),
  }
  return {
    kind: 'postgres',
    async send(command) {
      try {
        return await withinTime(command(), timeout * 2)
      } catch (thrown) {
        throw toStoreError('postgres', thrown)
      }
    },
    openQueue: (name) => openReady('postgres', new Queue(name, { connection }), timeout * 2),
    async openWorker(name, processor, options) {
      const worker = new Worker(name, processor, { ...options, connection })
      return openReady('postgres', worker, timeout * 2)
    },
    close: async () => {},
  }
}

/**
 * BullMQ takes a connection out of its pool to make its tables, and nobody hears that one break: the process would end.
 * What was asked of it fails anyway.
 */
function toHeardClient(Client: NewPostgresClient): unknown {
  return function openClient(options: unknown) {
    const client = new Client(options)
    client.on('error', () => {})
    return client
  }
}

/** BullMQ remembers for ever that it could not connect: then it is thrown away, and the next caller begins anew. */
async function openReady<Opened extends BullmqQueue | BullmqWorker>(
  kind: string,
  opened: Opened,
  timeout: number,
): Promise<Opened> {
  opened.on('error', () => {})
  try {
    await withinTime(opened.waitUntilReady(), timeout)
    return opened
  } catch (thrown) {
    opened.close(true).catch(() => {})
    throw notApplied(kind, 'there is no connection', thrown)
  }
}

async function waitForRedis(client: Redis, timeout: number): Promise<void> {
  if (client.status === 'ready') return
  if (client.status === 'wait') client.connect().catch(() => {})
  try {
    const signal = AbortSignal.timeout(timeout)
    await once(client as unknown as NodeJS.EventEmitter, 'ready', { signal })
  } catch (thrown) {
    throw notApplied('redis', 'there is no connection', thrown)
  }
}
