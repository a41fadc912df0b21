import { andThen, type JsonObject, type Maybe } from '../../../values/index.ts'
import { readObject, requireText } from '../decode.ts'
import type { McpEnvironment } from '../environment.ts'
import { invalidParams, McpError, methodNotFound, missingCapability, RPC } from '../errors.ts'
import {
  type McpExchange,
  type McpMethod,
  type Methods,
  TASKS_EXTENSION,
  TASKS_VERSION,
} from '../protocol.ts'
import { encodeTask, type TaskRecord } from './records.ts'
import { createTaskResult } from './result.ts'

const PAGE_SIZE = 100
const CURSOR_TTL_MS = 3_600_000

/** Makes the method that lists a caller's tasks; none where callers are strangers, who must not see one another's. */
export function createTaskList(environment: McpEnvironment): McpMethod | undefined {
  const { tasks, seal, service, writer } = environment
  const list = tasks?.list
  if (tasks === undefined || list === undefined || service.authenticate === undefined) {
    return undefined
  }
  return ({ principal, params: { cursor } }) => {
    if (principal === undefined) throw invalidParams('tasks/list needs an authenticated caller')
    const owner = principal.id
    const opened = typeof cursor === 'string' ? seal.open(cursor) : undefined
    const after = opened?.['owner'] === owner ? opened['after'] : undefined
    if (cursor !== undefined && typeof after !== 'string') {
      throw invalidParams('params.cursor is not a cursor of this server, or too old')
    }
    const page = list(owner, {
      limit: PAGE_SIZE,
      ...(typeof after === 'string' && { cursor: after }),
    })
    return andThen(page, ({ records, cursor: next }) => {
      const entries = records.map(
        (record) => `{${encodeTask(record, tasks.pollIntervalMs, 'legacy')}}`,
      )
      const more =
        next === undefined
          ? ''
          : `,"nextCursor":"${seal.close({ owner, after: next }, CURSOR_TTL_MS)}"`
      return writer.complete('legacy', `"tasks":[${entries.join(',')}]${more}`)
    })
  }
}

type ByTask = (id: string, owner: string, exchange: McpExchange) => Maybe<string>

/** Makes the methods of the tasks extension, which ask for, feed and cancel tasks. */
export function createTaskMethods({ tasks, writer }: McpEnvironment): Methods {
  if (tasks === undefined) return {}
  const byTask =
    (work: ByTask): McpMethod =>
    (exchange) => {
      if (exchange.capabilities.extensions?.[TASKS_EXTENSION] === undefined) {
        throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } })
      }
      return work(requireText(exchange.params, 'taskId'), ownerOf(exchange), exchange)
    }
  const done = () => writer.complete('modern', '')
  return {
    'tasks/get': byTask((id, owner) =>
      andThen(tasks.get(id, owner), (record) =>
        writer.complete('modern', encodeTask(record, tasks.pollIntervalMs, 'modern')),
      ),
    ),
    'tasks/update': byTask((id, owner, { params }) =>
      andThen(tasks.update(id, owner, readObject(params, 'inputResponses')), done),
    ),
    'tasks/cancel': byTask((id, owner) => andThen(tasks.cancel(id, owner), done)),
  }
}

/** Makes the methods by which clients of 2025-11-25 deal with the tasks they asked for. */
export function createEarlierTaskMethods(
  environment: McpEnvironment,
  closing: () => AbortSignal,
): Methods {
  const { tasks, writer } = environment
  if (tasks === undefined) return {}
  const known =
    (method: McpMethod): McpMethod =>
    (exchange) => {
      if (exchange.version !== TASKS_VERSION) throw methodNotFound(exchange.method)
      return method(exchange)
    }
  const byTask = (work: ByTask): McpMethod =>
    known((exchange) => work(requireText(exchange.params, 'taskId'), ownerOf(exchange), exchange))
  const write = (record: TaskRecord) =>
    writer.complete('legacy', encodeTask(record, tasks.pollIntervalMs, 'legacy'))
  const list = createTaskList(environment)
  return {
    'tasks/get': byTask((id, owner) => andThen(tasks.get(id, owner), write)),
    'tasks/result': known(createTaskResult(tasks, closing)),
    'tasks/cancel': byTask((id, owner) =>
      andThen(tasks.cancel(id, owner), (cancelled) => {
        if (cancelled === 'over') throw refuse('The task has ended; nothing is left to cancel')
        if (cancelled !== 'elsewhere') return write(cancelled)
        throw new McpError(RPC.internalError, 'Another process runs the task and must cancel it')
      }),
    ),
    ...(list && { 'tasks/list': known(list) }),
  }
}

/** Says what clients of 2025-11-25 can do with tasks. */
export function toTaskCapability(environment: McpEnvironment): JsonObject {
  if (environment.tasks === undefined) return {}
  const list = createTaskList(environment) && { list: {} }
  return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } }
}

function ownerOf({ principal }: McpExchange): string {
  return principal?.id ?? ''
}

function refuse(message: string): McpError {
  return new McpError(RPC.invalidParams, message)
}
