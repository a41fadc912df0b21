import { type Store, storeKey, storePrefix } from '../../../store/index.ts'
import type { Clock, Maybe } from '../../../values/index.ts'
import { createLedger } from '../../../work/index.ts'
import type { InputRequests } from '../agent.ts'
import type { Era } from '../protocol.ts'
import { selectPage } from '../reader.ts'

/** How a task stands. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** Everything about a task that other processes may need to know. */
export interface TaskRecord {
  readonly id: string
  /** Only this principal sees the task; empty for callers nobody knows. */
  readonly owner: string
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Milliseconds after creation for which the task can be asked for. */
  readonly ttlMs: number
  /** Questions without an answer. */
  readonly inputRequests?: InputRequests
  /** JSON of the tool result. */
  readonly result?: string
  /** True when the result tells that the tool failed. */
  readonly isError?: boolean
  /** JSON of the error. */
  readonly error?: string
}

/** Where tasks are remembered. */
export interface TaskRecords {
  /** False when there is no room for another task, or for another one of this caller. */
  readonly create: (record: TaskRecord, caller: string) => Maybe<boolean>
  readonly put: (record: TaskRecord) => Maybe<void>
  readonly get: (id: string) => Maybe<TaskRecord | undefined>
  /** Lists the tasks of a principal, the newest first; clients cannot list tasks when absent. */
  readonly list?: (owner: string, options: TaskListOptions) => Maybe<TaskPage>
}

/** Which tasks are wanted. */
export interface TaskListOptions {
  readonly limit: number
  /** The `cursor` of the page before. */
  readonly cursor?: string
}

/** Some of the tasks of a principal. */
export interface TaskPage {
  readonly records: readonly TaskRecord[]
  /** Continues the list; absent on the last page. */
  readonly cursor?: string
}

/** How many tasks are remembered in one process, and how many bytes their results may take. */
export interface TaskLimits {
  readonly max: number
  readonly maxPerCaller: number
  readonly maxBytes: number
}

/**
 * Creates the memory of tasks inside this process. A task is refused when there are too many; a result is dropped
 * before its time only when all results together take too many bytes, the oldest first.
 */
export function memoryTaskRecords(
  clock: Clock,
  { max, maxPerCaller, maxBytes }: TaskLimits,
): TaskRecords {
  const records = new Map<string, TaskRecord>()
  const callers = new Map<string, string>()
  let bytes = 0
  const remove = (id: string) => {
    bytes -= sizeOf(records.get(id))
    records.delete(id)
    callers.delete(id)
  }
  const makeRoom = () => {
    for (const [id, record] of records) {
      if (bytes <= maxBytes) return
      if (isTaskOver(record)) remove(id)
    }
  }
  const isFull = (caller: string) => {
    if (records.size >= max) return true
    let own = 0
    for (const other of callers.values()) if (other === caller) own += 1
    return own >= maxPerCaller
  }
  const isOld = (record: TaskRecord) =>
    isTaskOver(record) && record.createdAt + record.ttlMs <= clock.now()

  return {
    create(record, caller) {
      if (isFull(caller)) {
        for (const [id, other] of records) if (isOld(other)) remove(id)
      }
      if (isFull(caller) || bytes >= maxBytes) return false
      records.set(record.id, record)
      callers.set(record.id, caller)
      return true
    },
    put(record) {
      const before = records.get(record.id)
      if (before === undefined) return
      bytes += sizeOf(record) - sizeOf(before)
      records.set(record.id, record)
      makeRoom()
    },
    get(id) {
      const record = records.get(id)
      if (record === undefined || !isOld(record)) return record
      remove(id)
      return undefined
    },
    list(owner, { limit, cursor }) {
      const own = [...records.values()].filter((record) => record.owner === owner && !isOld(record))
      const { items, nextCursor } = selectPage(own.reverse(), cursor, limit, ({ id }) => id)
      return { records: items, ...(nextCursor !== undefined && { cursor: nextCursor }) }
    },
  }
}

/** Gives the bytes that what a call left behind may take. */
function sizeOf(record: TaskRecord | undefined): number {
  return 2 * ((record?.result?.length ?? 0) + (record?.error?.length ?? 0))
}

/** Ids are ours and short; a longer one is somebody's guess. */
const LONGEST_ID = 64

/** How long a task is remembered that nobody ends, because its process died. */
const LONGEST_RUN_MS = 86_400_000

/** Creates the memory of tasks in a store: every process can tell how they stand, the one that runs them ends them. */
export function storeTaskRecords(store: Store, clock: Clock): TaskRecords {
  const listOf = (owner: string) => storePrefix('mcp-task-of', owner)
  const ledger = createLedger<TaskRecord>(store, {
    key: ({ id }) => storeKey('mcp-task', id),
    isOver: isTaskOver,
    keptMs: (record) =>
      isTaskOver(record)
        ? Math.max(1, record.createdAt + record.ttlMs - clock.now())
        : LONGEST_RUN_MS,
    // Strangers have no list, so theirs is not written.
    listed: ({ owner, createdAt }) => ({
      prefixes: owner === '' ? [] : [listOf(owner)],
      at: createdAt,
    }),
  })
  const writes = new Map<string, Promise<unknown>>()

  return {
    async create(record) {
      await Promise.all([ledger.add(record, record), ledger.list(record, record)])
      return true
    },
    async put(record) {
      // One after the other: an older state must never be written over a newer one.
      const before = writes.get(record.id)
      const write = (before ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => ledger.change(record, (now) => (isTaskOver(now) ? undefined : record)))
        .then(() => (isTaskOver(record) ? ledger.list(record, record) : undefined))
      writes.set(record.id, write)
      try {
        await write
      } finally {
        if (writes.get(record.id) === write) writes.delete(record.id)
      }
    },
    async get(id) {
      if (id.length > LONGEST_ID) return undefined
      await writes.get(id)?.catch(() => undefined)
      return (await ledger.read({ id }))?.item
    },
    async list(owner, options) {
      const { items, cursor } = await ledger.page(listOf(owner), options)
      return { records: items, ...(cursor !== undefined && { cursor }) }
    },
  }
}

/** Tells whether a task has ended. */
export function isTaskOver({ status }: TaskRecord): boolean {
  return status !== 'working' && status !== 'input_required'
}

/** Writes the members of a task, without braces; before 2026-07-28 its outcome is asked for separately. */
export function encodeTask(record: TaskRecord, pollIntervalMs: number, era: Era): string {
  const { status, isError, ttlMs, inputRequests, result, error } = record
  if (era === 'legacy') {
    const failed = isError === true ? 'failed' : status
    return encodeHead(record, failed, { ttl: ttlMs, pollInterval: pollIntervalMs })
  }
  const head = encodeHead(record, status, { ttlMs, pollIntervalMs })
  if (status === 'input_required') return `${head},"inputRequests":${JSON.stringify(inputRequests)}`
  if (status === 'completed') return `${head},"result":${result}`
  return status === 'failed' ? `${head},"error":${error}` : head
}

function encodeHead(
  { id, statusMessage, createdAt, updatedAt }: TaskRecord,
  status: TaskStatus,
  times: Readonly<Record<string, number>>,
): string {
  return JSON.stringify({
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ...times,
  }).slice(1, -1)
}
