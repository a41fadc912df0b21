import { createDeadlines } from '../deadlines.ts'
import { notApplied } from '../front.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

/** The members of an ioredis client (`Redis` or `Cluster`) that are called here. */
export interface RedisClient {
  readonly status: string
  connect(): Promise<unknown>
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>
  eval(lua: string, keys: number, ...args: string[]): Promise<unknown>
  get(key: string): Promise<string | null>
  set(key: string, value: string, unit: 'PX', milliseconds: number): Promise<unknown>
  setnx(key: string, value: string): Promise<number>
  zrangebylex(
    key: string,
    min: string,
    max: string,
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>
  zrandmember(key: string, count: number): Promise<string[] | string | null>
  on(event: 'ready' | 'close' | 'end' | 'error', listener: (reason?: unknown) => void): unknown
  off(event: 'ready' | 'close' | 'end' | 'error', listener: (reason?: unknown) => void): unknown
}

/** Sends commands while the server is there, and fails within a bounded time while it is not. */
export interface RedisConnection {
  readonly send: <Answer>(command: (client: RedisClient) => Promise<Answer>) => Promise<Answer>
  readonly run: (
    name: ScriptName,
    keys: readonly string[],
    args: readonly string[],
  ) => Promise<unknown>
  /** Fails the commands that wait for the connection. */
  readonly abandon: () => void
  /** Forgets the client; it stays open, for it may be somebody else's. */
  readonly detach: () => void
}

/** What a connection can be told. */
export interface RedisConnectionOptions {
  /** Milliseconds that an answer, or a lost connection, is waited for. */
  readonly timeout: number
  /** Called when the server has not answered in time. */
  readonly onSilence: () => void
}

/** Watches a client. Nothing is queued for later: a write that was reported as failed must not happen afterwards. */
export function createRedisConnection(
  client: RedisClient,
  { timeout, onSilence }: RedisConnectionOptions,
): RedisConnection {
  const watch = watchClient(client, timeout)
  const deadlines = createDeadlines({ timeout, onLate: onSilence })

  function send<Answer>(command: (client: RedisClient) => Promise<Answer>): Promise<Answer> {
    if (client.status === 'ready') return deadlines.bind(command(client))
    return watch.whenReady().then(() => deadlines.bind(command(client)))
  }

  return {
    send: (command) => send(command).catch(throwFailure),
    run(name, keys, args) {
      const { sha, lua } = SCRIPTS[name]
      const count = keys.length
      return send((ready) => ready.evalsha(sha, count, ...keys, ...args)).catch((thrown) => {
        // A server that was restarted has forgotten its scripts.
        if (!isMessage(thrown, 'NOSCRIPT')) throwFailure(thrown)
        return send((ready) => ready.eval(lua, count, ...keys, ...args)).catch(throwFailure)
      })
    },
    abandon: watch.abandon,
    detach: watch.stop,
  }
}

function throwFailure(thrown: unknown): never {
  throw isRefusal(thrown) ? notApplied('redis', 'it refused the command', thrown) : thrown
}

interface Watch {
  readonly whenReady: () => Promise<void>
  readonly abandon: () => void
  readonly stop: () => void
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Follows the state of a client: a short interruption is waited out, a long one fails at once. */
function watchClient(client: RedisClient, timeout: number): Watch {
  const waiting = new Set<Waiter>()
  let connected = client.status === 'ready'
  let lostAt = performance.now()
  let abandoned = false
  let lastError: unknown

  function settle(how: (waiter: Waiter) => void): void {
    for (const waiter of waiting) how(waiter)
    waiting.clear()
  }

  function fail(): void {
    settle((waiter) => waiter.reject(notApplied('redis', 'there is no connection', lastError)))
  }

  const stop = listen(client, {
    ready() {
      connected = true
      settle((waiter) => waiter.resolve())
    },
    close() {
      // Fires again for every attempt to reconnect; only the first one is the loss.
      if (connected) lostAt = performance.now()
      connected = false
    },
    end: fail,
    error(reason) {
      lastError = reason
    },
  })

  return {
    async whenReady() {
      const left = lostAt + timeout - performance.now()
      if (abandoned || client.status === 'end' || left <= 0) {
        throw notApplied('redis', 'there is no connection', lastError)
      }
      if (client.status === 'wait') client.connect().catch(() => {})
      const timer = setTimeout(fail, left)
      try {
        await new Promise<void>((resolve, reject) => waiting.add({ resolve, reject }))
      } finally {
        clearTimeout(timer)
      }
    },
    abandon() {
      abandoned = true
      fail()
    },
    stop,
  }
}

type Listeners = Readonly<Record<'ready' | 'close' | 'end' | 'error', (reason?: unknown) => void>>

function listen(client: RedisClient, listeners: Listeners): () => void {
  const names = ['ready', 'close', 'end', 'error'] as const
  for (const name of names) client.on(name, listeners[name])
  return () => {
    for (const name of names) client.off(name, listeners[name])
  }
}

/** Tells whether the server itself answered with an error: then it has done nothing. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'ReplyError'
}

function isMessage(thrown: unknown, start: string): boolean {
  return thrown instanceof Error && thrown.message.startsWith(start)
}
