import { type Entry, isUnavailable, type Store } from '../../store/index.ts'
import { createLedger } from '../../work/index.ts'
import {
  isOver,
  REPLAY_KEYS as KEYS,
  type QueuedReplay,
  type ReplayCall,
  type ReplayOutcome,
  type ReplayRecord,
  toReplay,
} from './record.ts'

/** The replays of a service: every change of a record is a comparison first, so that it ends once. */
export interface ReplayStore {
  /** Counts one more for a caller and tells how many wait. */
  count(owner: string, by: 1 | -1): Promise<number>
  /** Keeps a replay at the end of the queue, which comes last: whoever finds it there finds all of it. */
  create(record: Omit<ReplayRecord, 'order'>, call: ReplayCall): Promise<ReplayRecord>
  read(replay: Pick<ReplayRecord, 'id' | 'owner'>): Promise<ReplayRecord | undefined>
  readCall(id: string): Promise<ReplayCall | undefined>
  readOutcome(id: string): Promise<ReplayOutcome | undefined>
  /** Changes a record; `decide` answers undefined to leave it. Undefined unless this change was made. */
  change(
    replay: Pick<ReplayRecord, 'id' | 'owner'>,
    decide: (record: ReplayRecord) => ReplayRecord | undefined,
  ): Promise<ReplayRecord | undefined>
  keepOutcome(id: string, outcome: ReplayOutcome): Promise<void>
  /** Takes a replay out of the queue and forgets its call; the record stays for its retention. */
  remove(replay: ReplayRecord): Promise<void>
  /** Walks through the queue: the most urgent first, then the oldest. */
  queue(): AsyncIterable<QueuedReplay>
  /** Tells which place a replay has, counted from 1; undefined when it does not wait among the first thousand. */
  position(replay: ReplayRecord): Promise<number | undefined>
  /** Lists the replays of a caller, the oldest first. */
  listOf(owner: string): Promise<readonly ReplayRecord[]>
}

const PAGE = 200
/** Places further back are not counted. */
const FIRST = 1000
/** A listing reads no more of a caller's replays. */
const MOST_LISTED = 10_000
/** Counters that a crash left wrong start anew. */
const COUNT_MS = 7 * 24 * 3_600_000

/** Creates the replays that a store keeps; finished ones are kept for the given milliseconds. */
export function createReplayStore(store: Store, retentionMs: number): ReplayStore {
  const ledger = createLedger<ReplayRecord>(store, {
    key: ({ owner = '', id }) => KEYS.record({ owner, id }),
    isOver: ({ status }) => isOver(status),
    // Longer than it may wait, so that somebody can still tell its caller that it has expired.
    keptMs: ({ status, expiresAt, queuedAt }) =>
      isOver(status) ? retentionMs : expiresAt - queuedAt + retentionMs,
    parts: 'replay',
  })

  async function* walk(prefix: string, most: number): AsyncGenerator<Entry> {
    let cursor: string | undefined
    for (let seen = 0; seen < most; seen += PAGE) {
      const page = await store.listByPrefix(prefix, { limit: PAGE, ...(cursor && { cursor }) })
      yield* page.entries
      if (page.cursor === undefined) return
      cursor = page.cursor
    }
  }

  return {
    async count(owner, by) {
      return (await store.increment(KEYS.count(owner), { ttl: COUNT_MS, by })).value
    },
    async create(unordered, call) {
      const record = { ...unordered, order: await store.next('replay') }
      const ttl = record.expiresAt - record.queuedAt + retentionMs
      const { id, owner, function: name, version, expiresAt, service = '' } = record
      await Promise.all([ledger.keepPart(id, ['call'], call, ttl), ledger.add(record, record)])
      const queued = { id, owner, function: name, version, expiresAt, service }
      await store.put(KEYS.queued(record), queued, { ttl })
      return record
    },
    read: async (replay) => (await ledger.read(replay))?.item,
    readCall: async (id) => (await ledger.readPart(id, ['call'])) as ReplayCall | undefined,
    readOutcome: async (id) =>
      (await ledger.readPart(id, ['outcome'])) as ReplayOutcome | undefined,
    async change(replay, decide) {
      const change = await ledger.change(replay, decide)
      return change?.changed ? change.item : undefined
    },
    async keepOutcome(id, outcome) {
      try {
        await ledger.keepPart(id, ['outcome'], outcome, retentionMs)
      } catch (thrown) {
        if (isUnavailable(thrown)) throw thrown
        // Too large for the store: that the replay is done is what counts.
        await ledger.keepPart(id, ['outcome'], {}, retentionMs)
      }
    },
    async remove(record) {
      const gone = await store.delete(KEYS.queued(record))
      await ledger.dropPart(record.id, ['call'])
      if (gone) await store.increment(KEYS.count(record.owner), { ttl: COUNT_MS, by: -1 })
    },
    async *queue() {
      for await (const { value } of walk(KEYS.queue, Number.POSITIVE_INFINITY)) {
        yield value as unknown as QueuedReplay
      }
    },
    async position(record) {
      const { entries } = await store.listByPrefix(KEYS.queue, { limit: FIRST })
      const at = entries.findIndex(({ key }) => key === KEYS.queued(record))
      return at === -1 ? undefined : at + 1
    },
    async listOf(owner) {
      const found: ReplayRecord[] = []
      for await (const entry of walk(KEYS.listOf(owner), MOST_LISTED)) found.push(toReplay(entry))
      return found
    },
  }
}
