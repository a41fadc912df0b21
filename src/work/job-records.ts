import { createHash, randomUUID } from 'node:crypto'
import { type Entry, type Store, storeKey, storePrefix } from '../store/index.ts'
import { type Clock, isRecord, type Json, toText } from '../values/index.ts'
import type { NewJob } from './queue.ts'

/** A job as its slot holds it. */
interface SlotJob {
  readonly id: string
  readonly data: Json
  /** Runs so far. */
  readonly attempt: number
  readonly priority: number
}

/** A job in its slot. */
export interface JobPlace extends SlotJob {
  readonly name: string
  /** The key of its slot. */
  readonly key: string
  readonly revision: number
  /** The process that runs it; null while it waits. */
  readonly by: string | null
}

/** A job that this process, and no other, may touch as long as the process counts as living. */
export interface Claim extends JobPlace {
  readonly by: string
}

/** Some of the jobs of a name, in the order in which they should run. */
export interface JobPage {
  readonly places: readonly JobPlace[]
  /** Continues the list; absent on the last page. */
  readonly cursor?: string
}

/** Jobs as entries of a store. */
export interface JobRecords {
  /** Keeps a job; answers its place unless a job of the id waits or runs already. */
  add(job: Required<NewJob>): Promise<JobPlace | undefined>
  /** Lists jobs that run or may run now. */
  list(name: string, cursor?: string): Promise<JobPage>
  /** Lists jobs that were delayed and are due, and how long the next one still waits. */
  listDue(name: string): Promise<JobPage & { readonly nextMs?: number }>
  /** Claims a job for a run, or to take it out; answers nothing when somebody else has it or it is gone. */
  claim(place: JobPlace, by: string, attempt?: 0 | 1): Promise<Claim | undefined>
  /** Tells whether a job whose process died is still to be run. */
  isLeft(place: JobPlace): Promise<boolean>
  find(name: string, id: string): Promise<JobPlace | undefined>
  /** Ends the job; `false` when somebody else has it by now. */
  finish(claim: Claim): Promise<boolean>
  /** Tells how long the oldest of the first jobs that nobody runs has waited, in milliseconds. */
  lagMs(name: string): Promise<number>
  /** Tells whether a job waits for its turn, as against for its time. */
  isReady(place: JobPlace): boolean
  /** Puts the job back to wait. */
  putBack(claim: Claim, next: { readonly delayMs: number; readonly attempt: number }): Promise<void>
}

const PAGE = 50
const FOREVER = { ttl: null } as const

/**
 * Keeps jobs in a store. A job lies in a slot whose key sorts by priority and age, or by due time; an entry under the
 * hash of its id names the slot, so that an id has one. The owner of a slot is the process that runs the job. A process
 * that was stopped in the middle of a move leaves at worst a second slot, or a name of none: `rename` tidies up.
 */
export function createJobRecords(store: Store, clock: Clock): JobRecords {
  const toSlot = createSlots(clock)
  const nameOf = ({ name, id }: Pick<NewJob, 'name' | 'id'>) =>
    storeKey('job', name, 'item', toHash(id))

  async function toPlaces(name: string, entries: readonly Entry[]): Promise<readonly JobPlace[]> {
    const places = await Promise.all(
      entries.map((entry) =>
        isRecord(entry.value) ? toPlace(name, entry) : adopt(store, name, entry),
      ),
    )
    return places.filter((place) => place !== undefined)
  }

  /** Names the slot of a job, unless another one does hold the job: a move was cut off after its first step, or before its last. */
  async function rename({ key, ...place }: JobPlace, next: string): Promise<boolean> {
    const item = await store.get(nameOf(place))
    const named = item && toSlotKey(item.value)
    const isMoved = named !== undefined && named !== key && (await store.get(named))
    if (isMoved) await store.delete(key)
    else if (item?.value !== next) {
      await store.put(nameOf(place), next, { ...FOREVER, owner: next })
    }
    return !isMoved
  }

  const isReady = ({ name, key }: JobPlace) => key.startsWith(storePrefix('job', name, 'ready'))

  return {
    isReady,
    isLeft: (place) => rename(place, place.key),
    async add({ name, id, data, delayMs, priority }) {
      const own = toSlot(name, priority, delayMs)
      const job: SlotJob = { id, data, attempt: 0, priority }
      const named = await store.putIfAbsent(nameOf({ name, id }), own, { ...FOREVER, owner: own })
      // A process that died between the two writes has left the name of an empty slot.
      const key = named.created ? own : toSlotKey(named.entry.value)
      const put = await store.putIfAbsent(key, { ...job }, FOREVER)
      return put.created ? { ...job, name, key, revision: put.revision, by: null } : undefined
    },
    async list(name, cursor) {
      const prefix = storePrefix('job', name, 'ready')
      const page = await store.listByPrefix(prefix, { limit: PAGE, ...(cursor && { cursor }) })
      const places = await toPlaces(name, page.entries)
      return { places, ...(page.cursor !== undefined && { cursor: page.cursor }) }
    },
    async listDue(name) {
      const prefix = storePrefix('job', name, 'later')
      const { entries } = await store.listByPrefix(prefix, { limit: PAGE })
      const waits = entries.map(({ key }) => Number(key.slice(prefix.length).slice(0, 16)))
      const due = entries.filter((_, index) => Number(waits[index]) <= clock.now())
      const next = waits[due.length] ?? (entries.length === PAGE ? clock.now() : undefined)
      const places = await toPlaces(name, due)
      return {
        places: places.toSorted((a, b) => a.priority - b.priority),
        ...(next !== undefined && { nextMs: Math.max(0, next - clock.now()) }),
      }
    },
    async claim({ id, data, attempt: before, priority, name, key, revision }, by, more = 1) {
      const job = { id, data, attempt: before + more, priority }
      const swap = await store.compareAndSet(key, job, { revision, ...FOREVER, owner: by })
      return swap.swapped ? { ...job, name, key, revision: swap.revision, by } : undefined
    },
    async find(name, id) {
      const item = await store.get(nameOf({ name, id }))
      const entry = item && (await store.get(toSlotKey(item.value)))
      return entry && (await toPlaces(name, [entry]))[0]
    },
    async finish(claim) {
      // The name first: whoever adds the id from now on means another job.
      await store.deleteIfOwner(nameOf(claim), claim.key)
      return (await store.deleteIfOwner(claim.key, claim.by)) !== 'foreign'
    },
    lagMs: (name) => readLag(store, clock, name),
    async putBack(claim, { delayMs, attempt }) {
      const { name, key, by, revision, id, data, priority } = claim
      const job = { id, data, attempt, priority }
      if (delayMs === 0 && isReady(claim)) {
        await store.compareAndSet(key, job, { revision, ...FOREVER, owner: null })
        return
      }
      // Whoever has taken it over has the job: a second slot would have it run beside them.
      if ((await store.get(key))?.owner !== by) return
      const next = toSlot(name, priority, Math.ceil(delayMs))
      if (!(await rename(claim, next))) return
      await store.put(next, job, FOREVER)
      await store.deleteIfOwner(key, by)
    },
  }
}

/** Reads a job of an earlier release, where the slot held the hash and the other entry the job. */
async function adopt(store: Store, name: string, slot: Entry): Promise<JobPlace | undefined> {
  const hash = toText(slot.value)
  const [item, lease] = await Promise.all([
    store.get(storeKey('job', name, 'item', hash)),
    store.get(storeKey('job', name, 'lease', hash)),
  ])
  if (lease !== undefined) return undefined
  const { slot: key, id, data, attempt, priority } = isRecord(item?.value) ? item.value : {}
  const { revision } = slot
  if (item === undefined || key !== slot.key) {
    // It goes only as it was seen: another process may have moved the job into it since.
    await store.compareAndSet(slot.key, slot.value, { revision, ttl: 1 })
    return undefined
  }
  const job = { id, data, attempt, priority } as unknown as SlotJob
  const swap = await store.compareAndSet(slot.key, { ...job }, { revision, ...FOREVER })
  if (!swap.swapped) return undefined
  await store.put(item.key, slot.key, { ...FOREVER, owner: slot.key })
  return { ...job, name, key: slot.key, revision: swap.revision, by: null }
}

function toPlace(name: string, { key, value, revision, owner }: Entry): JobPlace {
  return { ...(value as unknown as SlotJob), name, key, revision, by: owner }
}

/** Reads which slot an id has; an earlier release kept the whole job under the id. */
function toSlotKey(value: Json): string {
  return toText(isRecord(value) ? value['slot'] : value)
}

/** Names the slots of jobs: `ready` ones sort by priority and age, `later` ones by due time. */
function createSlots(clock: Clock) {
  let count = 0
  return function toSlot(name: string, priority: number, delayMs: number): string {
    const now = clock.now()
    // Jobs of one millisecond keep the order in which they were added.
    const age = `${digits(now, 16)}-${digits(count++ % 1e9, 9)}-${randomUUID().slice(0, 8)}`
    return delayMs > 0
      ? storeKey('job', name, 'later', digits(now + delayMs, 16), digits(priority, 2), age)
      : storeKey('job', name, 'ready', digits(priority, 2), age)
  }
}

async function readLag(store: Store, clock: Clock, name: string): Promise<number> {
  const waits = async (kind: 'ready' | 'later') => {
    const prefix = storePrefix('job', name, kind)
    const { entries } = await store.listByPrefix(prefix, { limit: PAGE })
    return entries
      .filter(({ owner }) => owner === null)
      .map(({ key }) => clock.now() - toTime(key.slice(prefix.length), kind))
  }
  return Math.max(0, ...(await waits('ready')), ...(await waits('later')))
}

/** Reads when a slot was taken, or when its job is due. */
function toTime(slot: string, kind: 'ready' | 'later'): number {
  const [first = '', second = ''] = slot.split(':')
  return Number((kind === 'ready' ? second : first).slice(0, 16))
}

/** Writes an id of any length and alphabet as a key part; as JSON, because UTF-8 would make all lone surrogates one. */
function toHash(id: string): string {
  return createHash('sha256').update(JSON.stringify(id)).digest('base64url')
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
