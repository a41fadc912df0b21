import { type Logger, mayFit } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { type Entry, type Store, storeKey } from '../../store/index.ts'
import { asRecord } from '../../values/index.ts'
import {
  createLedger,
  type KeepAlive,
  type Ledger,
  type LedgerEntry,
  startKeepAlive,
  toStoredJson,
} from '../../work/index.ts'
import {
  hasEnded,
  OPERATION_KEYS as KEYS,
  type OperationCall,
  type OperationOutcome,
  type OperationProgress,
  type OperationRecord,
} from './record.ts'

/** How long operations are kept, in milliseconds. */
export interface OperationTimes {
  /** Counted from their end. */
  readonly retentionMs: number
  /** Counted from their acceptance, for those that never end. */
  readonly openMs: number
}

/** The operations of a service: items of the ledger, with their call and large outcomes beside them. */
export interface OperationStore extends Pick<Ledger<OperationRecord>, 'change' | 'page'> {
  /** Keeps an accepted operation. */
  create(record: OperationRecord): Promise<void>
  /** Keeps the call of an operation, unless there is one: it must run from now on, and only now may its job be added. */
  open(id: string, call: OperationCall): Promise<void>
  /** Takes an operation back whose job could not be added. */
  discard(record: OperationRecord): Promise<void>
  read(id: string): Promise<OperationRecord | undefined>
  readCall(id: string): Promise<OperationCall | undefined>
  readOutcome(record: OperationRecord): Promise<OperationOutcome | undefined>
  /** Records the end of a run, unless the operation has ended or belongs to another run by now. */
  end(
    id: string,
    begun: { readonly run: string; readonly seen?: LedgerEntry<OperationRecord> },
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

/** Longer outcomes lie beside their record, which lists read. */
const MOST_INLINE = 2_000
/** Calls may be large, and a page of them is read at once. */
const OPEN_PAGE = 20

/** Creates the operations that a store keeps. */
export function createOperationStore(store: Store, times: OperationTimes): OperationStore {
  const { retentionMs, openMs } = times
  const ledger = createLedger<OperationRecord>(store, {
    key: ({ id }) => KEYS.record(id),
    isOver: hasEnded,
    keptMs: (record) => (hasEnded(record) ? retentionMs : openMs),
    parts: 'operation',
    listed: ({ owner, accepted }) => ({ prefixes: [KEYS.listOf(owner)], at: accepted }),
  })

  /** An earlier release marked open operations beside their calls. */
  async function toOpen({ key, value }: Entry) {
    const id = key.slice(KEYS.calls.length)
    const { service = await ledger.readPart(id, ['open']) } = asRecord(value)
    return { id, service: typeof service === 'string' ? service : undefined }
  }

  return {
    change: ledger.change,
    page: ledger.page,
    async create(record) {
      await Promise.all([ledger.list(record, record), ledger.add(record, record)])
    },
    async open(id, call) {
      await store.putIfAbsent(storeKey('operation-call', id), toStoredJson(call), { ttl: openMs })
    },
    async discard(record) {
      await Promise.all([ledger.remove(record, record), ledger.dropPart(record.id, ['call'])])
    },
    read: async (id) => (await ledger.read({ id }))?.item,
    readCall: async (id) => (await ledger.readPart(id, ['call'])) as OperationCall | undefined,
    readOutcome: async ({ id, run = '', outcome }) =>
      outcome ?? ((await ledger.readPart(id, ['outcome', run])) as OperationOutcome | undefined),
    async end(id, { run, seen }, { at, report, ...outcome }) {
      const isSmall = mayFit(outcome, MOST_INLINE) && JSON.stringify(outcome).length <= MOST_INLINE
      // Under the name of the run: what another run of the same operation left is never overwritten.
      if (!isSmall) await ledger.keepPart(id, ['outcome', run], outcome, retentionMs)
      const { ok } = outcome.outcome
      const toEnded = (record: OperationRecord): OperationRecord | undefined =>
        record.status !== 'processing' || record.run !== run
          ? undefined
          : {
              ...record,
              ...report,
              status: ok ? 'completed' : 'failed',
              ...(ok && { progress: 1 }),
              ...(isSmall && { outcome }),
              ended: at,
            }
      return (await ledger.change({ id }, toEnded, seen))?.item
    },
    async close(record) {
      await ledger.list(record, record)
      await ledger.dropPart(record.id, ['call'])
    },
    async listOpen(cursor) {
      const page = await store.listByPrefix(KEYS.calls, {
        limit: OPEN_PAGE,
        ...(cursor !== undefined && { cursor }),
      })
      const open = await Promise.all(page.entries.map(toOpen))
      return { open, ...(page.cursor !== undefined && { cursor: page.cursor }) }
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

const MOST_CANCELLED = 100

/** Creates the watch of one process: one look at the store per interval, and none while nothing runs. */
export function createOperationWatch(
  operations: OperationStore,
  { everyMs, log }: { readonly everyMs: number; readonly log: () => Logger | undefined },
): OperationWatch {
  const here = new Map<string, WatchedRun>()
  /** The newest that were cancelled here: a run may have begun and not be watched yet. */
  const cancelled = new Set<string>()
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
      if (cancelled.has(running.id)) running.abort(new CallError('CANCELLED'))
      polling ??= startKeepAlive(everyMs, poll)
      return { remove: () => here.delete(running.run) }
    },
    cancel(id) {
      cancelled.add(id)
      for (const oldest of cancelled) if (cancelled.size > MOST_CANCELLED) cancelled.delete(oldest)
      for (const running of here.values()) {
        if (running.id === id) running.abort(new CallError('CANCELLED'))
      }
    },
    async stop() {
      await polling?.stop()
    },
  }
}
