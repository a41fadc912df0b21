import { isRecord } from '../../../values/index.ts'
import type { McpEnvironment } from '../environment.ts'
import { invalidParams, McpError, missingCapability, RPC } from '../errors.ts'
import { type McpExchange, TASKS_EXTENSION, TASKS_VERSION } from '../protocol.ts'
import type { ToolRequest } from '../tools/call-tool.ts'
import type { TaskSupport } from '../tools/catalogue.ts'

/** When a call becomes a task. */
export interface TaskWish {
  readonly when: 'never' | 'at once' | 'when long'
  /** How long the client wants the task to be kept, in milliseconds. */
  readonly ttlMs?: number
}

const NEVER: TaskWish = { when: 'never' }
const AT_ONCE: TaskWish = { when: 'at once' }
const WHEN_LONG: TaskWish = { when: 'when long' }

/** Reads when a call becomes a task: in 2025-11-25 its client decides, since then the server does. */
export function readTaskWish(
  environment: McpEnvironment,
  { exchange, tool }: ToolRequest,
): TaskWish {
  if (exchange.era === 'legacy') return readEarlierWish(environment, exchange, tool.taskSupport)
  const { tasks, taskMode } = environment
  const mode = taskMode(tool.target)
  const knowsTasks = exchange.capabilities.extensions?.[TASKS_EXTENSION] !== undefined
  if (mode === 'required' && !knowsTasks) {
    throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } })
  }
  if (!knowsTasks || mode === 'never' || tasks === undefined) return NEVER
  return mode === undefined ? WHEN_LONG : AT_ONCE
}

/** Reads the wish of a client of 2025-11-25; throws when the tool does not go along with it. */
export function readEarlierWish(
  { tasks }: McpEnvironment,
  { version, params }: McpExchange,
  support: TaskSupport | undefined,
): TaskWish {
  if (tasks === undefined || version !== TASKS_VERSION) return NEVER
  const { task } = params
  if (task === undefined) {
    if (support === 'required') throw unsuitable('This tool can only be called as a task')
    return NEVER
  }
  if (support === undefined) throw unsuitable('This tool cannot be called as a task')
  return { when: 'at once', ...readTtl(task) }
}

function readTtl(task: unknown): { readonly ttlMs?: number } {
  const ttl = isRecord(task) ? task['ttl'] : Number.NaN
  if (ttl === undefined) return {}
  if (Number.isInteger(ttl) && Number(ttl) >= 0) return { ttlMs: Number(ttl) }
  throw invalidParams('params.task must be { "ttl": … }, in whole milliseconds')
}

function unsuitable(message: string): McpError {
  return new McpError(RPC.methodNotFound, message)
}
