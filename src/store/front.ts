import { CallError } from '../errors/index.ts'
import { fromJson, type Json, once, unref } from '../values/index.ts'
import {
  type Attempt,
  assertAmount,
  assertPrefix,
  assertRevision,
  assertText,
  type Backend,
  type Row,
  requireLimit,
  requireTtl,
  type Swept,
  toBackendText,
  toCursor,
  toRange,
} from './backend.ts'
import type { Entry, Page, Store } from './store.ts'

/** Says that a store cannot be used and that the operation surely did nothing, so that it may be repeated. */
export function notApplied(
  kind: string,
  reason: string,
  cause?: unknown,
  place?: string,
): CallError {
  return unavailable(kind, reason, { outcome: 'not_applied', cause, place })
}

/** Converts what a driver threw; a write that was under way may or may not have happened. */
export function toStoreError(kind: string, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown
  return unavailable(kind, 'it did not answer', { outcome: 'unknown', cause: thrown })
}

/** Says that a counter was asked of an entry that is none, or that the counter is full. */
export function notACounter(): CallError {
  return new CallError('CONFLICT', {
    message: 'The store entry cannot be incremented: it is not a whole number within safe range',
  })
}

// Addresses and driver messages stay in the cause: they are for logs, not for remote callers.
function unavailable(
  kind: string,
  reason: string,
  {
    outcome,
    cause,
    place,
  }: {
    readonly outcome: 'not_applied' | 'unknown'
    readonly cause: unknown
    readonly place?: string | undefined
  },
): CallError {
  const message = `The ${kind} store is unavailable: ${reason}`
  const details = { store: kind, outcome }
  return new CallError('UNAVAILABLE', { message, reason: place, details, cause })
}

/** How expired entries are removed in the background. */
export interface SweepOptions {
  /** Milliseconds between rounds while there is something to remove; 1,000 when absent. */
  readonly interval?: number
  /** The most entries removed in one round; 500 when absent. */
  readonly batch?: number
}

const SOON = 20
const IDLE_FACTOR = 30

/** Starts removing expired entries until the answered function is called. */
export function startSweeping(
  sweep: (batch: number) => Promise<Swept>,
  { interval = 1000, batch = 500 }: SweepOptions,
): () => void {
  let wait = interval
  let stopped = false
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return unref(setTimeout(round, wait))
  }

  async function round(): Promise<void> {
    // A failed round costs nothing: expired entries are invisible anyway, and the next round comes.
    const swept = await sweep(batch).catch(() => 'none')
    if (stopped) return
    // A thousand idle processes must not ask the one database every second.
    if (swept === 'none') wait = Math.min(Math.max(wait * 2, interval), interval * IDLE_FACTOR)
    else wait = swept === 'some' ? interval : Math.min(SOON, interval)
    timer = schedule()
  }

  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Tells from a number of removed entries whether there are likely more. */
export function toSwept(removed: number, limit: number): Swept {
  if (removed === 0) return 'none'
  return removed < limit ? 'some' : 'many'
}

/** Makes a store of a backend: checks arguments, converts values and failures, sweeps, and closes in order. */
export function createStore(backend: Backend, sweep: SweepOptions = {}): Store {
  const gate = createGate(backend)
  const { freeBytes } = backend
  // Begun with the first operation: a module that makes a store may be evaluated where timers are not allowed.
  const sweeping = once(() => startSweeping((batch) => gate.run(() => backend.sweep(batch)), sweep))
  const run: Gate['run'] = (operation) => {
    sweeping()
    return gate.run(operation)
  }

  return {
    kind: backend.kind,
    async get(key) {
      assertText('key', key)
      const row = await run(() => backend.get(key))
      return row && toEntry(row)
    },
    async put(key, value, { ttl, owner = null, lazy }) {
      const write = { ...toWrite(key, value, ttl, owner), lazy }
      return { revision: await run(() => backend.put(write)) }
    },
    async putIfAbsent(key, value, { ttl, owner = null, lazy }) {
      const write = { ...toWrite(key, value, ttl, owner), lazy }
      const attempt = await run(() => backend.putIfAbsent(write))
      if (attempt.done) return { created: true, revision: attempt.revision }
      return { created: false, entry: toEntry(requireRow(attempt, backend)) }
    },
    async compareAndSet(key, value, { revision, ttl, owner }) {
      assertRevision(revision)
      const write = toWrite(key, value, ttl === 'keep' ? null : ttl, owner ?? null)
      const replace = {
        key,
        text: write.text,
        revision,
        ttl: ttl === 'keep' ? ttl : write.ttl,
        owner: owner === undefined ? ('keep' as const) : { set: owner },
      }
      const attempt = await run(() => backend.compareAndSet(replace))
      if (attempt.done) return { swapped: true, revision: attempt.revision }
      return { swapped: false, ...(attempt.row && { entry: toEntry(attempt.row) }) }
    },
    async delete(key) {
      assertText('key', key)
      return run(() => backend.delete(key))
    },
    async deleteIfOwner(key, owner) {
      assertText('key', key)
      assertText('owner', owner)
      return run(() => backend.deleteIfOwner(key, owner))
    },
    async increment(key, { by = 1, ttl }) {
      assertText('key', key)
      assertAmount(by)
      const whole = requireTtl(ttl)
      return run(() => backend.increment({ key, by, ttl: whole }))
    },
    async next(name) {
      assertText('name', name)
      return run(() => backend.next(name))
    },
    async listByPrefix(prefix, options = {}) {
      assertPrefix(prefix)
      const limit = requireLimit(options.limit)
      const range = toRange(prefix, options.cursor)
      return toPage(await run(() => backend.range(range, limit + 1)), limit)
    },
    async check() {
      await run(() => backend.check())
    },
    ...(freeBytes && { freeBytes: () => run(freeBytes) }),
    async close() {
      sweeping()()
      await gate.close()
    },
  }
}

function toWrite(key: string, value: Json, ttl: number | null, owner: string | null) {
  assertText('key', key)
  if (owner !== null) assertText('owner', owner)
  return { key, text: toBackendText(value), ttl: requireTtl(ttl), owner }
}

function toEntry({ key, text, revision, owner, ttl }: Row): Entry {
  return { key, value: fromJson(text), revision, owner, ttl }
}

/** One row more than the page holds was asked for: it tells that there is a next page. */
function toPage(rows: readonly Row[], limit: number): Page {
  const entries = rows.slice(0, limit).map(toEntry)
  const last = entries.at(-1)
  return { entries, ...(rows.length > limit && last && { cursor: toCursor(last.key) }) }
}

function requireRow(attempt: Attempt & { done: false }, backend: Backend): Row {
  if (attempt.row) return attempt.row
  throw notApplied(backend.kind, 'too many concurrent writes to the same key')
}

interface Gate {
  readonly run: <Result>(operation: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/** Lets operations through until the store closes, and closes the backend when the last one has settled. */
function createGate(backend: Backend): Gate {
  let pending = 0
  let whenIdle: (() => void) | undefined
  let closing: Promise<void> | undefined

  function settle(): void {
    pending--
    if (pending === 0) whenIdle?.()
  }

  async function shut(): Promise<void> {
    backend.abandon()
    if (pending > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
    }
    await backend.close()
  }

  return {
    // Without async and await: a promise less for every operation.
    run(operation) {
      if (closing) return Promise.reject(notApplied(backend.kind, 'it is closed'))
      pending++
      return operation().then(
        (result) => {
          settle()
          return result
        },
        (thrown) => {
          settle()
          throw toStoreError(backend.kind, thrown)
        },
      )
    },
    close() {
      closing ??= shut()
      return closing
    },
  }
}
