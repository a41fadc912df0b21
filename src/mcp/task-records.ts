import type { Clock } from '../core/clock.ts'
import type { Maybe } from '../core/maybe.ts'
import type { InputRequests } from './agent.ts'

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
  /** JSON of the error. */
  readonly error?: string
}

/** Where tasks are remembered. */
export interface TaskRecords {
  /** False when there is no room for another task. */
  readonly create: (record: TaskRecord) => Maybe<boolean>
  readonly put: (record: TaskRecord) => Maybe<void>
  readonly get: (id: string) => Maybe<TaskRecord | undefined>
}

/** Creates the memory of tasks inside this process: bounded, and nothing is dropped before its time. */
export function memoryTaskRecords(clock: Clock, max: number): TaskRecords {
  const records = new Map<string, TaskRecord>()
  const isOld = (record: TaskRecord) =>
    isOver(record) && record.createdAt + record.ttlMs <= clock.now()

  return {
    create(record) {
      if (records.size >= max) {
        for (const [id, other] of records) if (isOld(other)) records.delete(id)
      }
      if (records.size >= max) return false
      records.set(record.id, record)
      return true
    },
    put(record) {
      if (records.has(record.id)) records.set(record.id, record)
    },
    get(id) {
      const record = records.get(id)
      if (record === undefined || !isOld(record)) return record
      records.delete(id)
      return undefined
    },
  }
}

/** Tells whether a task has ended. */
export function isOver({ status }: TaskRecord): boolean {
  return status !== 'working' && status !== 'input_required'
}
