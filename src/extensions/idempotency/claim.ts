import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../core/index.ts'
import { isUnavailable, type Store } from '../../store/index.ts'
import { holdEntry } from '../../work/index.ts'
import { type IdempotencyRecord, toRecord, toStored } from './record.ts'

/** A key that a call has claimed and not yet settled. */
export interface IdempotencyClaim {
  /** Stores what came of the call. */
  settle(record: IdempotencyRecord, ttlMs: number): Promise<void>
  /** Gives the key back, so that another attempt runs the function again. */
  giveUp(): Promise<void>
}

/** What a claim is about. */
export interface ClaimFacts {
  readonly store: Store
  readonly key: string
  readonly running: IdempotencyRecord
  readonly revision: number
  /** How long the key outlives a process that died; false when it stays for its whole time. */
  readonly leaseMs: number | false
  readonly log: Logger
}

const ATTEMPTS = 10
const FIRST_DELAY_MS = 100

/** Keeps a claimed key alive while its function runs. */
export function holdClaim({
  store,
  key,
  running,
  revision,
  leaseMs,
  log,
}: ClaimFacts): IdempotencyClaim {
  let current = revision
  const lease =
    leaseMs === false
      ? undefined
      : holdEntry(store, { key, value: toStored(running), revision }, leaseMs)

  async function stopRenewing(): Promise<void> {
    await lease?.stop()
    current = lease?.revision() ?? current
  }

  async function write(record: IdempotencyRecord, ttl: number): Promise<void> {
    const value = toStored(record)
    const swap = await store.compareAndSet(key, value, { revision: current, ttl, owner: null })
    if (swap.swapped) return
    // An attempt that was reported as failed may have happened after all.
    if (swap.entry && toRecord(swap.entry).run === record.run) {
      current = swap.entry.revision
      if (toRecord(swap.entry).state === 'running') await write(record, ttl)
      return
    }
    if (swap.entry === undefined) {
      const put = await store.putIfAbsent(key, value, { ttl })
      if (put.created || toRecord(put.entry).run === record.run) return
    }
    log.error('a call outlived its claim on an idempotency key: its function may have run twice', {
      request: record.request,
    })
  }

  /** The effect is there and its caller has the answer: only the record is late. */
  async function writeLater(record: IdempotencyRecord, ttlMs: number): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await sleep(FIRST_DELAY_MS * 2 ** attempt, undefined, { ref: false })
      try {
        return await write(record, ttlMs)
      } catch (thrown) {
        if (!isUnavailable(thrown)) break
      }
    }
    log.error('the outcome of an idempotent call could not be stored', { request: record.request })
  }

  /** That the call is done must be known even where its result is too large for the store. */
  async function settleWithoutOutcome(record: IdempotencyRecord, ttlMs: number): Promise<void> {
    const { outcome: _, ...rest } = record
    log.warn('the result of an idempotent call is too large to be stored', {
      request: record.request,
    })
    await write(rest, ttlMs).catch(() => void writeLater(rest, ttlMs))
  }

  return {
    async settle(record, ttlMs) {
      await stopRenewing()
      try {
        await write(record, ttlMs)
      } catch (thrown) {
        if (isUnavailable(thrown)) void writeLater(record, ttlMs)
        else await settleWithoutOutcome(record, ttlMs)
      }
    },
    async giveUp() {
      await stopRenewing()
      await store.deleteIfOwner(key, running.run).catch(() => {
        log.warn('an idempotency key could not be given back; it is free when its lease ends')
      })
    },
  }
}
