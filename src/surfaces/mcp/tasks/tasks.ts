import { randomUUID } from 'node:crypto'
import type { Logger } from '../../../core/index.ts'
import {
  type Abortable,
  andThen,
  type Clock,
  isPromise,
  type JsonObject,
  type Maybe,
} from '../../../values/index.ts'
import { invalidParams } from '../errors.ts'
import { type Ask, type Asker, createTaskQuestions, type TaskQuestions } from './questions.ts'
import { isTaskOver, memoryTaskRecords, type TaskRecord, type TaskRecords } from './records.ts'

/** How calls become tasks. */
export interface TaskOptions {
  /** Milliseconds after which a call becomes a task, if the client knows tasks; 5000 when absent. */
  readonly afterMs?: number
  /** Milliseconds for which a finished task can be asked for; one hour when absent. */
  readonly ttlMs?: number
  /** How often clients should ask, in milliseconds; 1000 when absent. */
  readonly pollIntervalMs?: number
  /** Tasks at one time, running and finished; 1000 when absent. Further calls stay ordinary ones. */
  readonly max?: number
  /**
   * Tasks of one caller in this process at one time; 100 when absent. Running and finished ones count, with a store only
   * running ones. Further calls stay ordinary ones.
   */
  readonly maxPerCaller?: number
  /** Bytes that results of finished tasks may take in this process; 67108864 when absent. The oldest make room. */
  readonly maxBytes?: number
  /** Where tasks are remembered; in the store of the service when absent, in this process when it has none. */
  readonly records?: TaskRecords
  /**
   * Decides by function name. `always`: a task from the start. `required`: and clients that do not know tasks are
   * refused. `never`: always an ordinary call. Undefined: `always` for functions that declare the extension
   * `urn:forrst:ext:async`, unless they declare its mode `never`; otherwise after `afterMs`.
   */
  readonly mode?: (functionName: string) => 'always' | 'required' | 'never' | undefined
}

/** A call that goes on after its request was answered. */
export interface Task {
  readonly id: string
  readonly record: () => TaskRecord
  /** Asks the client and waits for its answers. */
  readonly ask: Ask
  readonly report: (message: string) => void
  /** Ends the task with the JSON of a tool result, or of an error. */
  readonly finish: (
    end:
      | { readonly result: string; readonly isError?: true }
      | { readonly error: string; readonly statusMessage: string },
  ) => void
}

/** Who starts a task. */
export interface TaskStarter {
  /** Id of the principal; empty for callers nobody knows. */
  readonly owner: string
  /** Under which name its tasks are counted. */
  readonly caller: string
}

/** The tasks of one server. */
export interface Tasks {
  readonly pollIntervalMs: number
  /** Makes a task of a running call; undefined when there is no room. A client may want it kept for less long. */
  readonly start: (who: TaskStarter, running: Abortable, ttlMs?: number) => Maybe<Task | undefined>
  readonly get: (id: string, owner: string) => Maybe<TaskRecord>
  /** Brings answers to questions; those nobody asked for are ignored. */
  readonly update: (id: string, owner: string, responses: JsonObject) => Maybe<void>
  /** Cancels a task and gives what became of it; says why where that could not be. */
  readonly cancel: (id: string, owner: string) => Maybe<TaskRecord | 'over' | 'elsewhere'>
  /** Lets somebody who can reach the client ask what a task of this process wants to know. */
  readonly deliver: (id: string, ask: Asker, signal: AbortSignal) => void
  /** Lists the tasks of a principal; absent where they cannot be listed. */
  readonly list: TaskRecords['list']
  readonly onChange: (listener: (record: TaskRecord) => void) => () => void
}

interface Live {
  readonly running: Abortable
  readonly questions: TaskQuestions
  readonly record: () => TaskRecord
  readonly change: (change: Partial<TaskRecord>) => void
}

/** Creates the tasks of one server. */
export function createTasks(options: TaskOptions, clock: Clock, log: Logger): Tasks {
  const ttlMs = options.ttlMs ?? 3_600_000
  const pollIntervalMs = options.pollIntervalMs ?? 1_000
  const maxPerCaller = options.maxPerCaller ?? 100
  const records =
    options.records ??
    memoryTaskRecords(clock, {
      max: options.max ?? 1_000,
      maxPerCaller,
      maxBytes: options.maxBytes ?? 67_108_864,
    })
  const live = new Map<string, Live>()
  const turns = createTurns(maxPerCaller)
  const listeners = new Set<(record: TaskRecord) => void>()

  const find = (id: string, owner: string): Maybe<TaskRecord> =>
    andThen(records.get(id), (record) => {
      if (record !== undefined && record.owner === owner) return record
      throw invalidParams(
        'Task not found: it does not exist, has expired, or belongs to another caller',
      )
    })

  function announce(record: TaskRecord): void {
    const written = records.put(record)
    if (isPromise(written)) {
      written.catch((error: unknown) => log.error('a task could not be remembered', { error }))
    }
    for (const listener of [...listeners]) listener(record)
  }

  return {
    pollIntervalMs,
    list: records.list,
    start({ owner, caller }, running, wanted = ttlMs) {
      const leave = turns.enter(caller)
      if (leave === undefined) return undefined
      const now = clock.now()
      const kept = Math.min(wanted, ttlMs)
      const first: TaskRecord = {
        id: randomUUID(),
        owner,
        status: 'working',
        createdAt: now,
        updatedAt: now,
        ttlMs: kept,
      }
      const begin = (created: boolean): Task | undefined => {
        if (created)
          return createTask(first, running, { clock, ttlMs: kept, live, announce, leave })
        leave()
        return undefined
      }
      const created = records.create(first, caller)
      if (!isPromise(created)) return begin(created)
      return created.then(begin, (thrown: unknown) => {
        leave()
        throw thrown
      })
    },
    get: find,
    update: (id, owner, responses) =>
      andThen(find(id, owner), () => {
        for (const [key, reply] of Object.entries(responses)) {
          live.get(id)?.questions.answer(key, reply)
        }
      }),
    cancel: (id, owner) =>
      andThen(find(id, owner), (record) => {
        const entry = live.get(id)
        if (entry === undefined) return isTaskOver(record) ? 'over' : 'elsewhere'
        entry.change({ status: 'cancelled', statusMessage: 'Cancelled by the client' })
        entry.running.abort()
        return entry.record()
      }),
    deliver(id, ask, signal) {
      live.get(id)?.questions.deliver(ask, signal)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

interface TaskParts {
  readonly clock: Clock
  readonly ttlMs: number
  readonly live: Map<string, Live>
  readonly announce: (record: TaskRecord) => void
  /** Runs when the task is over. */
  readonly leave: () => void
}

/** Counts what runs for each caller; gives what ends a turn, or undefined when the caller has too many. */
function createTurns(maxPerCaller: number): {
  readonly enter: (caller: string) => (() => void) | undefined
} {
  const running = new Map<string, number>()
  return {
    enter(caller) {
      const own = running.get(caller) ?? 0
      if (own >= maxPerCaller) return undefined
      running.set(caller, own + 1)
      return () => {
        const left = (running.get(caller) ?? 1) - 1
        if (left === 0) running.delete(caller)
        else running.set(caller, left)
      }
    },
  }
}

function createTask(first: TaskRecord, running: Abortable, parts: TaskParts): Task {
  const { clock, live, announce } = parts
  let record = first

  const change = (next: Partial<TaskRecord>): void => {
    if (isTaskOver(record)) return
    const now = clock.now()
    const ended = isTaskOver({ ...record, ...next })
    // A result can be asked for as long as ever, however long the work took.
    const ttlMs = ended ? now - record.createdAt + parts.ttlMs : record.ttlMs
    record = { ...record, ...next, updatedAt: now, ttlMs }
    if (ended) {
      live.delete(record.id)
      parts.leave()
    }
    announce(record)
  }
  const questions = createTaskQuestions(running.signal, () => {
    const inputRequests = questions.open()
    const waits = Object.keys(inputRequests).length > 0
    change({ status: waits ? 'input_required' : 'working', inputRequests })
  })
  live.set(first.id, { running, questions, record: () => record, change })
  return {
    id: first.id,
    record: () => record,
    report: (statusMessage) => change({ statusMessage }),
    finish: (end) =>
      change('error' in end ? { ...end, status: 'failed' } : { ...end, status: 'completed' }),
    ask: questions.ask,
  }
}
