import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const FOLDER = fileURLToPath(new URL('../../../shared/fixtures/mcp/', import.meta.url))

/** Whether the schemas of the revisions are at hand; without them messages are not checked. */
export const HAS_SCHEMAS: boolean = existsSync(FOLDER)

/** A revision whose schema we have. */
export type Revision = '2025-06-18' | '2025-11-25' | '2026-07-28'

const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
}

/** Results in the revision where clients ask for tasks themselves. */
const EARLIER_TASK_RESULTS: Readonly<Record<string, string>> = {
  'tasks/get': 'GetTaskResult',
  'tasks/result': 'CallToolResult',
  'tasks/list': 'ListTasksResult',
  'tasks/cancel': 'CancelTaskResult',
}

/** What is sent to clients before they asked for it, as far as the schema has a name for it. */
const SENT: Readonly<Record<string, string>> = {
  'notifications/tasks/status': 'TaskStatusNotification',
  'notifications/progress': 'ProgressNotification',
  'notifications/message': 'LoggingMessageNotification',
  'elicitation/create': 'ElicitRequest',
  'sampling/createMessage': 'CreateMessageRequest',
}

/** The tasks extension has a schema of its own. */
const TASK = {
  type: 'object',
  required: ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs', 'resultType'],
  properties: {
    taskId: { type: 'string' },
    status: { enum: ['working', 'input_required', 'completed', 'cancelled', 'failed'] },
    statusMessage: { type: 'string' },
    createdAt: { type: 'string' },
    lastUpdatedAt: { type: 'string' },
    ttlMs: { type: ['integer', 'null'] },
    pollIntervalMs: { type: 'integer' },
    resultType: { enum: ['complete', 'task'] },
  },
  not: { required: ['requestState'] },
}

/** Refuses messages that the schema of a revision refuses. */
export interface WireCheck {
  readonly result: (method: string, result: Record<string, unknown>) => void
  /** A whole message: notification, request or error. */
  readonly message: (message: unknown) => void
}

const checks = new Map<Revision, WireCheck>()

/** Gives the check of one revision; compiling it takes a while, so there is one of each. */
export function createWireCheck(revision: Revision): WireCheck {
  const check = checks.get(revision) ?? compileWireCheck(revision)
  checks.set(revision, check)
  return check
}

function compileWireCheck(revision: Revision): WireCheck {
  if (!HAS_SCHEMAS) return { result: () => undefined, message: () => undefined }
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  const text = readFileSync(`${FOLDER}schema-${revision}.json`, 'utf8')
  // What the older schemas use of draft 7 means the same in 2020-12.
  const { $schema: _dialect, ...schema } = JSON.parse(text) as {
    $schema: string
    $defs?: object
    definitions?: object
  }
  const root = schema.$defs === undefined ? 'definitions' : '$defs'
  ajv.addSchema(schema, 'mcp')
  const task = ajv.compile(TASK)
  const known = new Map<string, ValidateFunction>()
  const assert = (name: string, value: unknown): void => {
    const validate = known.get(name) ?? ajv.compile({ $ref: `mcp#/${root}/${name}` })
    known.set(name, validate)
    refuse(name, validate, value)
  }
  return {
    message(message) {
      assert('JSONRPCMessage', message)
      const { method } = message as { readonly method?: string }
      const name = method === undefined ? undefined : SENT[method]
      if (name !== undefined && name in (schema[root] ?? {})) assert(name, message)
    },
    result(method, result) {
      const { resultType } = result
      const earlier = revision === '2025-11-25' ? EARLIER_TASK_RESULTS[method] : undefined
      if (earlier !== undefined) assert(earlier, result)
      else if (earlierTask(method, result)) assert('CreateTaskResult', result)
      else if (resultType === 'task' || method === 'tasks/get') refuse('Task', task, result)
      else if (resultType === 'input_required') assert('InputRequiredResult', result)
      else assert(RESULTS[method] ?? 'Result', result)
    },
  }
}

function earlierTask(method: string, result: Record<string, unknown>): boolean {
  return method === 'tools/call' && result['task'] !== undefined
}

function refuse(name: string, validate: ValidateFunction, value: unknown): void {
  if (validate(value)) return
  throw new Error(
    `not a valid ${name}: ${JSON.stringify(validate.errors?.slice(0, 5))}\n${JSON.stringify(value).slice(0, 2_000)}`,
  )
}
