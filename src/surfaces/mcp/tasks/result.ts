import { once } from 'node:events'
import { type JsonObject, runInScope } from '../../../values/index.ts'
import { requireText } from '../decode.ts'
import { McpError, RPC } from '../errors.ts'
import { type McpExchange, type McpMethod, META } from '../protocol.ts'
import { askDirectly } from '../run.ts'
import type { Asker } from './questions.ts'
import { encodeTask, isTaskOver, type TaskRecord } from './records.ts'
import type { Tasks } from './tasks.ts'

/** Makes the method that waits for the end of a task and gives what the call would have given. */
export function createTaskResult(tasks: Tasks, closing: () => AbortSignal): McpMethod {
  return async (exchange) => {
    const id = requireText(exchange.params, 'taskId')
    const { result, error } = await runInScope(
      [exchange.signal(), closing()],
      undefined,
      (leaving) => waitForEnd(tasks, exchange, id, leaving),
    )
    if (result !== undefined) return result
    if (error === undefined) throw new McpError(RPC.internalError, 'The task was cancelled')
    const { code, message, data } = JSON.parse(error) as {
      readonly code: number
      readonly message: string
      readonly data?: JsonObject
    }
    throw new McpError(code, message, data && { data })
  }
}

/** Waits, tells how the task stands, and asks what it wants to know: its client listens here. */
async function waitForEnd(
  tasks: Tasks,
  exchange: McpExchange,
  id: string,
  leaving: AbortSignal,
): Promise<TaskRecord> {
  const owner = exchange.principal?.id ?? ''
  const ask = toAsker(exchange, id)
  let told: number | undefined
  for (;;) {
    // Listening begins before looking: no change gets lost in between.
    const change = nextChange(tasks, id, leaving)
    try {
      const record = await tasks.get(id, owner)
      if (isTaskOver(record)) return record
      if (told !== undefined && told !== record.updatedAt) tell(exchange, record, tasks)
      told = record.updatedAt
      if (ask !== undefined) tasks.deliver(id, ask, leaving)
      await change.happened
    } finally {
      change.stop()
    }
    if (leaving.aborted) throw new McpError(RPC.internalError, 'The waiting client has left')
  }
}

function tell(exchange: McpExchange, record: TaskRecord, { pollIntervalMs }: Tasks): void {
  const members = encodeTask(record, pollIntervalMs, 'legacy')
  void exchange.notify('notifications/tasks/status', JSON.parse(`{${members}}`) as JsonObject)
}

function toAsker({ request }: McpExchange, taskId: string): Asker | undefined {
  if (request === undefined) return undefined
  const related = { [META.relatedTask]: { taskId } }
  const send: typeof request = (method, params, signal) =>
    request(method, { ...params, _meta: related }, signal)
  return (requests, signal) => askDirectly(send, requests, signal)
}

/** A task of this process announces its changes; one of another process has to be looked after. */
function nextChange(
  tasks: Tasks,
  id: string,
  leaving: AbortSignal,
): { readonly happened: Promise<unknown>; readonly stop: () => void } {
  const changed = new AbortController()
  const stop = () => changed.abort()
  const unsubscribe = tasks.onChange((record) => {
    if (record.id === id) stop()
  })
  const timer = setTimeout(stop, tasks.pollIntervalMs)
  leaving.addEventListener('abort', stop, { once: true })
  return {
    happened: changed.signal.aborted ? Promise.resolve() : once(changed.signal, 'abort'),
    stop() {
      unsubscribe()
      clearTimeout(timer)
      leaving.removeEventListener('abort', stop)
    },
  }
}
