import type { Logger } from '../../core/index.ts'
import { type Entry, type Store, storeKey, toSha256 } from '../../store/index.ts'
import { type KeepAlive, startKeepAlive } from '../../work/index.ts'

/** What is known about a token: its call runs, was told to stop, or is over. */
export type TokenState = 'active' | 'cancelled' | 'done'

/** How tokens are kept. */
export interface TokenTimes {
  readonly ttlMs: number
  /** How long a call may go on before it hears of a cancellation from another process. */
  readonly pollMs: number
  /** How long a finished call is remembered. */
  readonly rememberMs: number
}

/** A call that can be cancelled. */
export interface RunningCall {
  readonly key: string
  /** Tells the calls of one token apart. */
  readonly id: string
  readonly abort: () => void
  readonly log: Logger
}

/** The calls of this process that can be cancelled, and what all processes know about tokens. */
export interface TokenRegistry {
  /** Tells whether the token was free. */
  register(running: RunningCall): Promise<boolean>
  /** Watches a call without telling other processes: the store is away. */
  watchHere(running: RunningCall): void
  /** Marks a call as over; its token is not active any more. */
  finish(running: RunningCall): Promise<void>
  /** Cancels the call of a token; answers what the token was before, undefined when nobody knows it. */
  cancel(key: string): Promise<TokenState | undefined>
  stop(): Promise<void>
}

/** Gives the key of a token; callers with a principal cannot cancel the calls of others. */
export function toTokenKey(token: string, principal: string | undefined): string {
  return storeKey('cancel', toSha256(JSON.stringify([token, principal ?? null])))
}

/** Creates the registry of one process. */
export function createTokenRegistry(
  store: Store,
  { ttlMs, pollMs, rememberMs }: TokenTimes,
): TokenRegistry {
  const here = new Map<string, RunningCall>()
  const renewed = new Map<string, number>()
  let polling: KeepAlive | undefined

  async function look({ key, abort, log }: RunningCall, now: number): Promise<void> {
    try {
      const entry = await store.get(key)
      if (entry && toState(entry) === 'cancelled') return abort()
      if (entry && now - (renewed.get(key) ?? now) > ttlMs / 3) {
        renewed.set(key, now)
        await store.compareAndSet(key, entry.value, { revision: entry.revision, ttl: ttlMs })
      }
    } catch (thrown) {
      log.warn('a call cannot see whether another process cancels it', { error: thrown })
    }
  }

  /** One look at the store for all calls of this process; calls shorter than the interval never cause one. */
  async function poll(): Promise<boolean> {
    const now = performance.now()
    await Promise.all([...here.values()].map((running) => look(running, now)))
    if (here.size > 0) return true
    polling = undefined
    return false
  }

  function watchHere(running: RunningCall): void {
    here.set(running.key, running)
    renewed.set(running.key, performance.now())
    polling ??= startKeepAlive(pollMs, poll)
  }

  async function cancel(key: string): Promise<TokenState | undefined> {
    const running = here.get(key)
    const entry = await store.get(key).catch((thrown: unknown) => {
      if (running === undefined) throw thrown
      return undefined
    })
    const state = entry && toState(entry)
    if (entry && state === 'active') {
      const value = { state: 'cancelled' }
      const { swapped } = await store.compareAndSet(key, value, {
        revision: entry.revision,
        ttl: 'keep',
      })
      if (!swapped) return cancel(key)
    }
    if (state !== 'done') running?.abort()
    return running && state === undefined ? 'active' : state
  }

  return {
    watchHere,
    async register(running) {
      const value = { state: 'active', id: running.id }
      const put = await store.putIfAbsent(running.key, value, { ttl: ttlMs })
      if (!put.created) {
        if (toState(put.entry) !== 'done') return false
        const { revision } = put.entry
        const swap = await store.compareAndSet(running.key, value, { revision, ttl: ttlMs })
        if (!swap.swapped) return false
      }
      watchHere(running)
      return true
    },
    async finish(running) {
      if (here.get(running.key) !== running) return
      here.delete(running.key)
      renewed.delete(running.key)
      await store.put(running.key, { state: 'done', id: running.id }, { ttl: rememberMs })
    },
    cancel,
    async stop() {
      await polling?.stop()
    },
  }
}

function toState({ value }: Entry): TokenState {
  return (value as { readonly state: TokenState }).state
}
