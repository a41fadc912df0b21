import { createHash, randomUUID } from 'node:crypto'
import { type Store, storeKey, storePrefix } from '../store/index.ts'
import { type Clock, isRecord, type Json, toText } from '../values/index.ts'
import type { CheckedJob } from './queue.ts'

/** A job that this process, and no other, may touch until its lease ends. */
export interface Claim {
  readonly name: string
  readonly id: string
  readonly data: Json
  readonly attempt: number
  readonly priority: number
  readonly hash: string
  /** The key under which it was found waiting. */
  readonly slot: string
  /** Names this claim; no other has it. */
  readonly token: string
  readonly key: string
  readonly lease: string
}

/** A place in the order of waiting jobs. */
export interface Waiting {
  readonly slot: string
  readonly hash: string
}

/** The first jobs that wait, or the next ones. */
export interface WaitingPage {
  readonly waiting: readonly Waiting[]
  /** Continues the list; absent on the last page. */
  readonly cursor?: string
}

/** Jobs as entries of a store. */
export interface JobRecords {
  add(job: CheckedJob): Promise<void>
  /** Lists the jobs that may run, in the order in which they should. */
  list(name: string, cursor?: string): Promise<WaitingPage>
  /** Moves jobs that are due to those that may run; answers how long the next one still waits. */
  promote(name: string): Promise<number | undefined>
  /** Claims a job for a run; answers nothing when somebody else has it or it is gone. */
  claim(name: string, waiting: Waiting): Promise<Claim | undefined>
  /** Claims a job by its id for taking it out. */
  find(name: string, id: string): Promise<Claim | undefined>
  /** Lengthens the lease; `false` when it is lost. */
  renew(claim: Claim): Promise<boolean>
  /** Ends the job; `false` when somebody else has it by now. */
  finish(claim: Claim): Promise<boolean>
  /** Puts the job back to wait. */
  putBack(claim: Claim, next: { readonly delayMs: number; readonly attempt: number }): Promise<void>
}

/** What job records need to know. */
export interface JobRecordsOptions {
  readonly clock: Clock
  readonly leaseMs: number
}

interface Item {
  readonly id: string
  readonly data: Json
  readonly attempt: number
  readonly priority: number
  readonly slot: string
}

const PAGE = 50

/**
 * Keeps jobs in a store. The item under the hash of a job's id is the truth; slots are an index whose keys sort by
 * priority and age, or by due time. Whoever moves or ends a job holds its lease, an entry that expires by itself, and
 * an item is only changed under the revision or the owner that was seen: so a process that was stopped in the middle
 * leaves at worst a slot that no item points to, which the next one to meet it removes.
 */
export function createJobRecords(store: Store, options: JobRecordsOptions): JobRecords {
  const { clock, leaseMs } = options
  const toSlot = createSlots(clock)

  async function take(name: string, hash: string, slot: string | undefined, attempt: 0 | 1) {
    const token = randomUUID()
    const lease = storeKey('job', name, 'lease', hash)
    const held = await store.putIfAbsent(lease, null, { ttl: leaseMs, owner: token })
    if (!held.created) return undefined
    const key = storeKey('job', name, 'item', hash)
    const entry = await store.get(key)
    const item = entry && toItem(entry.value)
    if (entry && item && (slot === undefined || item.slot === slot)) {
      const next = { ...item, attempt: item.attempt + attempt }
      const { revision } = entry
      const { swapped } = await store.compareAndSet(key, next, {
        revision,
        ttl: null,
        owner: token,
      })
      if (swapped) return { ...next, hash, name, token, key, lease }
    } else if (slot !== undefined) await store.delete(slot)
    await store.deleteIfOwner(lease, token)
    return undefined
  }

  async function move(claim: Claim, slot: string, attempt: number): Promise<void> {
    const entry = await store.get(claim.key)
    if (entry?.owner === claim.token) {
      const { id, data, priority } = claim
      const item = { id, data, priority, attempt, slot }
      // Before the item points to it: a slot too many is removed by whoever meets it, one too few would lose the job.
      await store.put(slot, toHash(id), { ttl: null })
      const { revision } = entry
      const { swapped } = await store.compareAndSet(claim.key, item, {
        revision,
        ttl: null,
        owner: null,
      })
      await store.delete(swapped ? claim.slot : slot)
    }
    await store.deleteIfOwner(claim.lease, claim.token)
  }

  return {
    async add({ name, id, data, delayMs, priority }) {
      const hash = toHash(id)
      const slot = toSlot(name, priority, delayMs)
      const item = { id, data, attempt: 0, priority, slot }
      const added = await store.putIfAbsent(storeKey('job', name, 'item', hash), item, {
        ttl: null,
      })
      // A process that died between the two writes has left an item without its slot.
      const known = added.created ? slot : toItem(added.entry.value)?.slot
      if (known !== undefined) await store.putIfAbsent(known, hash, { ttl: null })
    },
    async list(name, cursor) {
      const page = await store.listByPrefix(storePrefix('job', name, 'ready'), {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      })
      return {
        waiting: page.entries.map(({ key, value }) => ({ slot: key, hash: toText(value) })),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      }
    },
    async promote(name) {
      const prefix = storePrefix('job', name, 'later')
      const { entries } = await store.listByPrefix(prefix, { limit: PAGE })
      for (const { key, value } of entries) {
        const waitMs = Number(key.slice(prefix.length, prefix.length + 16)) - clock.now()
        if (waitMs > 0) return waitMs
        const claim = await take(name, toText(value), key, 0)
        if (claim) await move(claim, toSlot(name, claim.priority, 0), claim.attempt)
      }
      return entries.length === PAGE ? 0 : undefined
    },
    claim: (name, { slot, hash }) => take(name, hash, slot, 1),
    find: (name, id) => take(name, toHash(id), undefined, 0),
    async renew({ lease, token }) {
      const entry = await store.get(lease)
      if (entry?.owner !== token) return false
      const { revision } = entry
      return (await store.compareAndSet(lease, null, { revision, ttl: leaseMs })).swapped
    },
    async finish({ key, slot, lease, token }) {
      const answer = await store.deleteIfOwner(key, token)
      if (answer === 'foreign') return false
      await store.delete(slot)
      await store.deleteIfOwner(lease, token)
      return true
    },
    putBack: (claim, { delayMs, attempt }) =>
      move(claim, toSlot(claim.name, claim.priority, delayMs), attempt),
  }
}

type ToSlot = (name: string, priority: number, delayMs: number) => string

/** Names the slots of jobs: `ready` ones sort by priority and age, `later` ones by due time. */
function createSlots(clock: Clock): ToSlot {
  let count = 0
  return function toSlot(name, priority, delayMs) {
    const now = clock.now()
    // Jobs of one millisecond keep the order in which they were added.
    const age = `${digits(now, 16)}-${digits(count++ % 1e9, 9)}-${randomUUID().slice(0, 8)}`
    return delayMs > 0
      ? storeKey('job', name, 'later', digits(now + delayMs, 16), digits(priority, 2), age)
      : storeKey('job', name, 'ready', digits(priority, 2), age)
  }
}

function toItem(value: Json): Item | undefined {
  return isRecord(value) && typeof value['slot'] === 'string'
    ? (value as unknown as Item)
    : undefined
}

/** Writes an id of any length and alphabet as a key part; as JSON, because UTF-8 would make all lone surrogates one. */
function toHash(id: string): string {
  return createHash('sha256').update(JSON.stringify(id)).digest('base64url')
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
