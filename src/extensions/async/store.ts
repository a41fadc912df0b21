import type { Logger } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import type { Store } from '../../store/index.ts'
import { type KeepAlive, startKeepAlive } from '../../work/index.ts'
import {
  hasEnded,
  OPERATION_KEYS as KEYS,
  type OperationCall,
  type OperationOutcome,
  type OperationProgress,
  type OperationRecord,
  toOperationRecord,
  toStoredJson,
} from './record.ts'

/** How long operations are kept, in milliseconds. */
export interface OperationTimes {
  /** Counted from their end. */
  readonly retentionMs: number
  /** Counted from their acceptance, for those that never end. */
  readonly openMs: number
}

/** What a change came to: the record as it is now, and whether this change made it so. */
export interface OperationChange {
  readonly record: OperationRecord
  readonly changed: boolean
}

/** The operations of a service: every change is a comparison first, so that an end is recorded once. */
export interface OperationStore {
  /** Keeps an accepted operation. */
  create(record: OperationRecord, call: OperationCall): Promise<void>
  /** Marks an operation as one that must run; only then may its job be added. */
  open(id: string, service: string): Promise<void>
  /** Takes an operation back whose job could not be added. */
  discard(record: OperationRecord): Promise<void>
  read(id: string): Promise<OperationRecord | undefined>
  readCall(id: string): Promise<OperationCall | undefined>
  readOutcome(record: OperationRecord): Promise<OperationOutcome | undefined>
  /** Changes a record; `decide` answers undefined to leave it. Undefined when there is no such operation. */
  change(
    id: string,
    decide: (record: OperationRecord) => OperationRecord | undefined,
  ): Promise<OperationChange | undefined>
  /** Records the end of a run, unless the operation has ended or belongs to another run by now. */
  end(
    id: string,
    run: string,
    end: OperationOutcome & { readonly at: number; readonly report?: OperationProgress },
  ): Promise<OperationRecord | undefined>
  /** Lets an ended operation go: it is listed for its retention, and nothing remains to be done for it. */
  close(record: OperationRecord): Promise<void>
  /** Gives operations that are not closed, a page at a time, with the name of their service where it is known. */
  listOpen(cursor?: string): Promise<{
    readonly open: readonly { readonly id: string; readonly service: string | undefined }[]
    readonly cursor?: string
  }>
}

/** Creates the operations that a store keeps. */
export function createOperationStore(store: Store, times: OperationTimes): OperationStore {
  const { retentionMs, openMs } = times
  const keepListed = (record: OperationRecord, ttl: number) =>
    store.put(KEYS.listed(record), { id: record.id, function: record.function }, { ttl })

  async function change(
    id: string,
    decide: (record: OperationRecord) => OperationRecord | undefined,
  ): Promise<OperationChange | undefined> {
    let entry = await store.get(KEYS.record(id))
    while (entry !== undefined) {
      const record = toOperationRecord(entry)
      const next = decide(record)
      if (next === undefined) return { record, changed: false }
      const swap = await store.compareAndSet(entry.key, toStoredJson(next), {
        revision: entry.revision,
        ttl: hasEnded(next) ? retentionMs : 'keep',
      })
      if (swap.swapped) return { record: next, changed: true }
      entry = swap.entry
    }
    return undefined
  }

  return {
    change,
    async create(record, call) {
      await Promise.all([
        store.put(KEYS.call(record.id), toStoredJson(call), { ttl: openMs }),
        keepListed(record, openMs),
        store.put(KEYS.record(record.id), toStoredJson(record), { ttl: openMs }),
      ])
    },
    async open(id, service) {
      await store.put(KEYS.open(id), service, { ttl: openMs })
    },
    async discard(record) {
      const { id } = record
      const keys = [KEYS.open(id), KEYS.record(id), KEYS.listed(record), KEYS.call(id)]
      for (const key of keys) await store.delete(key)
    },
    async read(id) {
      const entry = await store.get(KEYS.record(id))
      return entry && toOperationRecord(entry)
    },
    async readCall(id) {
      return (await store.get(KEYS.call(id)))?.value as OperationCall | undefined
    },
    async readOutcome({ id, run = '' }) {
      return (await store.get(KEYS.outcome(id, run)))?.value as OperationOutcome | undefined
    },
    async end(id, run, { at, report, ...outcome }) {
      // Under the name of the run: what another run of the same operation left is never overwritten.
      await store.put(KEYS.outcome(id, run), toStoredJson(outcome), { ttl: retentionMs })
      const { ok } = outcome.outcome
      const ended = await change(id, (record) =>
        record.status !== 'processing' || record.run !== run
          ? undefined
          : {
              ...record,
              ...report,
              status: ok ? 'completed' : 'failed',
              ...(ok && { progress: 1 }),
              ended: at,
            },
      )
      return ended?.record
    },
    async close(record) {
      await keepListed(record, retentionMs)
      await store.delete(KEYS.open(record.id))
      await store.delete(KEYS.call(record.id))
    },
    async listOpen(cursor) {
      const page = await store.listByPrefix(KEYS.allOpen, cursor === undefined ? {} : { cursor })
      return {
        open: page.entries.map(({ key, value }) => ({
          id: key.slice(KEYS.allOpen.length),
          service: typeof value === 'string' ? value : undefined,
        })),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      }
    },
  }
}

/** An operation that runs in this process. */
export interface WatchedRun {
  readonly id: string
  readonly run: string
  readonly abort: (reason: CallError) => void
}

/** Tells operations of this process that they were cancelled, here or in another process. */
export interface OperationWatch {
  add(running: WatchedRun): { readonly remove: () => void }
  /** Stops an operation if it runs here, without waiting for the next look at the store. */
  cancel(id: string): void
  stop(): Promise<void>
}

/** Creates the watch of one process: one look at the store per interval, and none while nothing runs. */
export function createOperationWatch(
  operations: OperationStore,
  { everyMs, log }: { readonly everyMs: number; readonly log: () => Logger | undefined },
): OperationWatch {
  const here = new Map<string, WatchedRun>()
  let polling: KeepAlive | undefined

  async function look({ id, run, abort }: WatchedRun): Promise<void> {
    try {
      const record = await operations.read(id)
      if (record?.status === 'processing' && record.run === run) return
      const message = record?.run === run ? undefined : 'Another process runs this operation'
      abort(new CallError('CANCELLED', { message }))
    } catch (error) {
      log()?.warn('an operation cannot see whether it was cancelled', { operation: id, error })
    }
  }

  async function poll(): Promise<boolean> {
    await Promise.all([...here.values()].map(look))
    if (here.size > 0) return true
    polling = undefined
    return false
  }

  return {
    add(running) {
      here.set(running.run, running)
      polling ??= startKeepAlive(everyMs, poll)
      return { remove: () => here.delete(running.run) }
    },
    cancel(id) {
      for (const running of here.values()) {
        if (running.id === id) running.abort(new CallError('CANCELLED'))
      }
    },
    async stop() {
      await polling?.stop()
    },
  }
}
