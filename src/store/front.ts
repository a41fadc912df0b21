import { fromJson, type Json } from '../core/json.ts'
import type { Attempt, Backend, Row } from './backend.ts'
import { notApplied, toStoreError } from './failure.ts'
import {
  assertAmount,
  assertPrefix,
  assertRevision,
  assertText,
  requireLimit,
  requireTtl,
  toText,
} from './limits.ts'
import { toCursor, toRange } from './range.ts'
import type { Entry, Page, Store } from './store.ts'
import { type SweepOptions, startSweeping } from './sweep.ts'

/** Makes a store of a backend: checks arguments, converts values and failures, sweeps, and closes in order. */
export function createStore(backend: Backend, sweep: SweepOptions = {}): Store {
  const { run, close } = createGate(backend)
  const stopSweeping = startSweeping((batch) => run(() => backend.sweep(batch)), sweep)

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
    async close() {
      stopSweeping()
      await close()
    },
  }
}

function toWrite(key: string, value: Json, ttl: number | null, owner: string | null) {
  assertText('key', key)
  if (owner !== null) assertText('owner', owner)
  return { key, text: toText(value), ttl: requireTtl(ttl), owner }
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
  throw notApplied(backend.kind, 'too many others write the same key')
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
