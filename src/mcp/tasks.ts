import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { CallError } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'
import { andThen, isPromise, type Maybe } from '../core/maybe.ts'
import type { Logger } from '../core/service.ts'
import type { Abortable } from './abortable.ts'
import type { InputRequest, InputRequests } from './agent.ts'
import { invalidParams } from './errors.ts'
import { isAnswerTo } from './round-trip.ts'
import { isOver, memoryTaskRecords, type TaskRecord, type TaskRecords } from './task-records.ts'

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
  /** Asks the client and waits for `tasks/update`. */
  readonly ask: (requests: InputRequests) => Promise<Readonly<Record<string, JsonObject>>>
  readonly report: (message: string) => void
  /** Ends the task with the JSON of a tool result, or of an error. */
  readonly finish: (
    end: { readonly result: string } | { readonly error: string; readonly statusMessage: string },
  ) => void
}

/** The tasks of one server. */
export interface Tasks {
  readonly pollIntervalMs: number
  /** Makes a task of a running call; undefined when there is no room. */
  readonly start: (owner: string, running: Abortable) => Maybe<Task | undefined>
  readonly get: (id: string, owner: string) => Maybe<TaskRecord>
  /** Brings answers to questions; those nobody asked for are ignored. */
  readonly update: (id: string, owner: string, responses: JsonObject) => Maybe<void>
  readonly cancel: (id: string, owner: string) => Maybe<void>
  readonly onChange: (listener: (record: TaskRecord) => void) => () => void
}

interface Question {
  readonly request: InputRequest
  readonly answer: (reply: JsonObject) => void
}

interface Live {
  readonly running: Abortable
  readonly questions: Map<string, Question>
  readonly change: (change: Partial<TaskRecord>) => void
}

/** Creates the tasks of one server. */
export function createTasks(options: TaskOptions, clock: Clock, log: Logger): Tasks {
  const ttlMs = options.ttlMs ?? 3_600_000
  const pollIntervalMs = options.pollIntervalMs ?? 1_000
  const records = options.records ?? memoryTaskRecords(clock, options.max ?? 1_000)
  const live = new Map<string, Live>()
  const listeners = new Set<(record: TaskRecord) => void>()

  const find = (id: string, owner: string): Maybe<TaskRecord> =>
    andThen(records.get(id), (record) => {
      if (record !== undefined && record.owner === owner) return record
      throw invalidParams('Task not found: it never was, it is too old, or it is not yours')
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
    start(owner, running) {
      const now = clock.now()
      const first: TaskRecord = {
        id: randomUUID(),
        owner,
        status: 'working',
        createdAt: now,
        updatedAt: now,
        ttlMs,
      }
      return andThen(records.create(first), (created) => {
        if (!created) return undefined
        return createTask(first, running, { clock, ttlMs, live, announce })
      })
    },
    get: find,
    update: (id, owner, responses) =>
      andThen(find(id, owner), () => {
        for (const [key, reply] of Object.entries(responses)) {
          const question = live.get(id)?.questions.get(key)
          if (question !== undefined && isAnswerTo(question.request, reply)) question.answer(reply)
        }
      }),
    cancel: (id, owner) =>
      andThen(find(id, owner), () => {
        const entry = live.get(id)
        if (entry === undefined) return
        entry.change({ status: 'cancelled', statusMessage: 'Cancelled by the client' })
        entry.running.abort()
      }),
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
}

function createTask(first: TaskRecord, running: Abortable, parts: TaskParts): Task {
  const { clock, live, announce } = parts
  const questions = new Map<string, Question>()
  const used = new Set<string>()
  let record = first

  const change = (next: Partial<TaskRecord>): void => {
    if (isOver(record)) return
    const now = clock.now()
    const ended = isOver({ ...record, ...next })
    // A result can be asked for as long as ever, however long the work took.
    const ttlMs = ended ? now - record.createdAt + parts.ttlMs : record.ttlMs
    record = { ...record, ...next, updatedAt: now, ttlMs }
    if (ended) live.delete(record.id)
    announce(record)
  }
  const showQuestions = (): void => {
    const open = [...questions].map(([key, { request }]) => [key, request] as const)
    change({
      status: open.length === 0 ? 'working' : 'input_required',
      inputRequests: Object.fromEntries(open),
    })
  }
  live.set(first.id, { running, questions, change })
  return {
    id: first.id,
    record: () => record,
    report: (statusMessage) => change({ statusMessage }),
    finish: (end) =>
      change('error' in end ? { ...end, status: 'failed' } : { ...end, status: 'completed' }),
    async ask(requests) {
      const signal = running.signal()
      const replies = Object.entries(requests).map(async ([name, request]) => {
        const key = toFreeKey(name, used)
        const reply = await waitFor(signal, (resolve) => {
          const answer = (value: JsonObject) => {
            questions.delete(key)
            showQuestions()
            resolve(value)
          }
          questions.set(key, { request, answer })
        })
        return [name, reply] as const
      })
      showQuestions()
      return Object.fromEntries(await Promise.all(replies))
    },
  }
}

/** A key may never mean two questions of one task. */
function toFreeKey(name: string, used: Set<string>): string {
  let key = name
  for (let count = 2; used.has(key); count += 1) key = `${name}-${count}`
  used.add(key)
  return key
}

function waitFor(
  signal: AbortSignal,
  register: (answer: (reply: JsonObject) => void) => void,
): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CallError('CANCELLED'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    register((reply) => {
      signal.removeEventListener('abort', stop)
      resolve(reply)
    })
  })
}

/** Writes the members of a task, without braces. */
export function encodeTask(record: TaskRecord, pollIntervalMs: number): string {
  const { status, statusMessage, inputRequests, result, error } = record
  const head = JSON.stringify({
    taskId: record.id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.updatedAt).toISOString(),
    ttlMs: record.ttlMs,
    pollIntervalMs,
  }).slice(1, -1)
  if (status === 'input_required') return `${head},"inputRequests":${JSON.stringify(inputRequests)}`
  if (status === 'completed') return `${head},"result":${result}`
  return status === 'failed' ? `${head},"error":${error}` : head
}
