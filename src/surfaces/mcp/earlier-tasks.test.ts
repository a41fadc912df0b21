import { afterEach, describe, expect, it, vi } from 'vitest'
import { createShop, slow } from '../../../test/mcp/shop.ts'
import { legacyClient, type WireClient, type WireOptions } from '../../../test/mcp/wire.ts'
import { defineFunction, type FunctionDefinition } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import {
  agentOf,
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
  type TaskOptions,
} from '../../entries/mcp.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'
import type { ServiceOptions } from '../../system/create-service.ts'
import type { JsonObject } from '../../values/json.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const QUESTION = { message: 'Really?', requestedSchema: { type: 'object', properties: {} } }

const careful = defineFunction({
  name: 'shop.careful',
  version: '1.0.0',
  async handler({ call }) {
    const agent = agentOf(call)
    const { action } = (await agent?.elicit('sure', QUESTION)) ?? {}
    agent?.log('info', 'asked')
    return `said ${String(action)}`
  },
})

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

interface Setting extends Partial<ServiceOptions<readonly FunctionDefinition[]>> {
  readonly mcp?: McpHandlerOptions
  readonly client?: Parameters<typeof legacyClient>[1]
}

function connect(
  tasks: TaskOptions | false = {},
  { mcp, client, ...options }: Setting = {},
  more: readonly FunctionDefinition[] = [],
): Promise<WireClient> {
  const service = createShop(options, [slow, careful, ...more])
  return legacyClient(
    open(service, { ...mcp, tasks: tasks && { pollIntervalMs: 20, ...tasks } }),
    client,
  )
}

function open(service: Service, options: McpHandlerOptions): McpHandler {
  const handler = createMcpHandler(service, options)
  handlers.push(handler)
  return handler
}

async function start(
  client: WireClient,
  name: string,
  input: JsonObject = {},
  options: WireOptions = {},
): Promise<string> {
  const params = { name, arguments: input, task: { ttl: 60_000 } }
  const { result } = await client.request('tools/call', params, options)
  expect(result['task']).toMatchObject({ status: 'working', ttl: 60_000, pollInterval: 20 })
  return String((result['task'] as JsonObject)['taskId'])
}

describe('a task that its client asked for', () => {
  it('is created at once; its result waits until it has ended and names its task', async () => {
    const client = await connect()
    const taskId = await start(client, 'shop__slow', { ms: 40 })
    const { result, messages } = await client.request('tasks/result', { taskId })
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"done":true}' }],
      structuredContent: { done: true },
      _meta: { [RELATED]: { taskId } },
    })
    expect(messages.length).toBeGreaterThan(0)
    const again = await client.request('tasks/result', { taskId })
    expect(again.result).toEqual(result)
    const task = await client.request('tasks/get', { taskId })
    expect(task.result).toMatchObject({ taskId, status: 'completed', statusMessage: 'half way' })
    expect(task.result['_meta']).toBeUndefined()
  })

  it('has failed when the tool says so, and gives what the call would have given', async () => {
    const client = await connect()
    for (const [name, args, text] of [
      ['shop__order', { sku: 'none' }, 'SHOP_SOLD_OUT'],
      ['shop__crash', {}, 'INTERNAL_ERROR'],
    ] as const) {
      const taskId = await start(client, name, args)
      const { result } = await client.request('tasks/result', { taskId })
      expect(result).toMatchObject({ isError: true, _meta: { [RELATED]: { taskId } } })
      expect(JSON.stringify(result['content'])).toContain(text)
      const task = await client.request('tasks/get', { taskId })
      expect(task.result['status']).toBe('failed')
    }
  })

  it('is cancelled once, and whoever waits for its result is told', async () => {
    const client = await connect()
    const taskId = await start(client, 'shop__slow', { ms: 60_000 })
    const waiting = client.request('tasks/result', { taskId })
    const { result } = await client.request('tasks/cancel', { taskId })
    expect(result).toMatchObject({ taskId, status: 'cancelled' })
    expect((await waiting).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('cancelled'),
    })
    const again = await client.request('tasks/cancel', { taskId })
    expect(again.error.code).toBe(-32602)
    expect((await client.request('tasks/get', { taskId })).result['status']).toBe('cancelled')
  })

  it('tells how it stands while its result is waited for', async () => {
    let report: ((message: string) => void) | undefined
    const told = defineFunction({
      name: 'shop.told',
      version: '1.0.0',
      handler: ({ progress }) =>
        new Promise((resolve) => {
          report = (message) => (message === '' ? resolve('told') : progress(0.5, message))
        }),
    })
    const client = await connect({ pollIntervalMs: 60_000 }, {}, [told])
    const { result } = await client.request('tools/call', { name: 'shop__told', task: {} })
    const { taskId } = result['task'] as { taskId: string }
    const messages = client.stream('tasks/result', { taskId })
    const next = messages.next()
    // Only changes that come while somebody waits are told, and the request may still be on its way.
    const reporting = setInterval(() => report?.('half way'), 20)
    expect((await next).value).toMatchObject({
      method: 'notifications/tasks/status',
      params: { taskId, status: 'working', statusMessage: 'half way' },
    })
    clearInterval(reporting)
    report?.('')
    let last = await messages.next()
    while (last.value?.method !== undefined) last = await messages.next()
    expect(last.value).toMatchObject({
      result: { content: [{ type: 'text', text: 'told' }] },
    })
  })

  it('is refused when there is no room for it, because its client could read nothing else', async () => {
    const client = await connect({ max: 1 })
    await start(client, 'shop__slow', { ms: 60_000 })
    const { error } = await client.request('tools/call', { name: 'shop__names', task: {} })
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('Too many tasks'),
    })
  })

  it('is kept no longer than its client wants, and no longer than allowed', async () => {
    let now = 1_000_000
    const client = await connect(
      { ttlMs: 1_000 },
      { clock: { now: () => now, elapsed: () => now } },
    )
    const call = (ttl: number) =>
      client.request('tools/call', { name: 'shop__names', task: { ttl } })
    const [short, long] = [await call(500), await call(999_999)]
    const idOf = ({ result }: typeof short) => String((result['task'] as JsonObject)['taskId'])
    expect(long.result['task']).toMatchObject({ ttl: 1_000 })
    now += 500
    const gone = await client.request('tasks/result', { taskId: idOf(short) })
    expect(gone.error.code).toBe(-32602)
    expect((await client.request('tasks/get', { taskId: idOf(long) })).result['status']).toBe(
      'completed',
    )
    for (const task of ['soon', { ttl: -1 }, { ttl: 'long' }]) {
      const { error } = await client.request('tools/call', { name: 'shop__names', task })
      expect(error.code).toBe(-32602)
    }
  })

  it('belongs to whoever started it', async () => {
    const service = createShop({
      authenticate: ({ header }) => ({ id: header('authorization') ?? '' }),
    })
    const handler = open(service, { tasks: { pollIntervalMs: 20 } })
    const ada = await legacyClient(handler, { headers: { authorization: 'ada' } })
    const eve = await legacyClient(handler, { headers: { authorization: 'eve' } })
    const taskId = await start(ada, 'shop__names')
    expect((await ada.request('tasks/result', { taskId })).error.code).toBe(0)
    expect((await eve.request('tasks/list')).result['tasks']).toEqual([])
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await eve.request(method, { taskId })).error.code).toBe(-32602)
    }
  })
})

describe('a question of a task', () => {
  const asking: Setting = { client: { capabilities: { elicitation: {} } } }

  async function untilAsked(client: WireClient, taskId: string): Promise<void> {
    await vi.waitFor(async () => {
      const { result } = await client.request('tasks/get', { taskId })
      expect(result['status']).toBe('input_required')
    })
  }

  it('waits until its client listens for the result, and names the task', async () => {
    const client = await connect({}, asking)
    const taskId = await start(client, 'shop__careful')
    await untilAsked(client, taskId)
    const messages = client.stream('tasks/result', { taskId })
    const { value: question } = await messages.next()
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Really?', _meta: { [RELATED]: { taskId } } },
    })
    await client.respond((question as JsonObject)['id'], { action: 'accept', content: {} })
    const rest: JsonObject[] = []
    for await (const message of messages) rest.push(message)
    expect(rest.at(-1)).toMatchObject({
      result: { content: [{ text: 'said accept' }], _meta: { [RELATED]: { taskId } } },
    })
  })

  it('is put again when the client left before it answered', async () => {
    const client = await connect({}, asking)
    const taskId = await start(client, 'shop__careful')
    const leave = new AbortController()
    const first = client.stream('tasks/result', { taskId }, { signal: leave.signal })
    const { value: lost } = await first.next()
    leave.abort()
    await untilAsked(client, taskId)
    const second = client.stream('tasks/result', { taskId })
    const { value: question } = await second.next()
    expect(question).toMatchObject({ method: 'elicitation/create' })
    expect((question as JsonObject)['id']).not.toBe((lost as JsonObject)['id'])
    await client.respond((question as JsonObject)['id'], { action: 'decline' })
    const rest: JsonObject[] = []
    for await (const message of second) rest.push(message)
    expect(rest.at(-1)).toMatchObject({ result: { content: [{ text: 'said decline' }] } })
  })

  it('fails the call when the client answers in another form', async () => {
    const client = await connect({}, asking)
    const taskId = await start(client, 'shop__careful')
    const messages = client.stream('tasks/result', { taskId })
    const { value: question } = await messages.next()
    await client.respond((question as JsonObject)['id'], { action: 'maybe' })
    const rest: JsonObject[] = []
    for await (const message of messages) rest.push(message)
    expect(JSON.stringify(rest.at(-1))).toContain('CLIENT_REFUSED')
  })
})

describe('which tools can be tasks', () => {
  const support = async (client: WireClient) => {
    const { result } = await client.request('tools/list')
    const tools = result['tools'] as readonly { name: string; execution?: JsonObject }[]
    return Object.fromEntries(
      tools.map(({ name, execution }) => [name, execution?.['taskSupport']]),
    )
  }
  const mode: TaskOptions['mode'] = (name) =>
    name === 'shop.find' ? 'never' : name === 'shop.order' ? 'required' : undefined

  it('stands in the list, and calls that do not respect it are refused', async () => {
    const client = await connect({ mode })
    expect(await support(client)).toMatchObject({
      shop__find: undefined,
      shop__order: 'required',
      shop__names: 'optional',
    })
    const forbidden = await client.request('tools/call', { name: 'shop__find', task: {} })
    const required = await client.request('tools/call', { name: 'shop__order' })
    expect([forbidden.error.code, required.error.code]).toEqual([-32601, -32601])
    const plain = await client.request('tools/call', { name: 'shop__names' })
    expect(plain.result['content']).toEqual([{ type: 'text', text: '["one","two"]' }])
  })

  it('is nobody’s affair in older revisions, or without tasks', async () => {
    const older = await connect({ mode }, { client: { revision: '2025-06-18' } })
    const without = await connect(false)
    for (const client of [older, without]) {
      const { result } = await client.request('tools/call', { name: 'shop__names', task: {} })
      expect(result['content']).toEqual([{ type: 'text', text: '["one","two"]' }])
      expect((await client.request('tasks/get', { taskId: 'x' })).error.code).toBe(-32601)
    }
    expect(Object.values(await support(without))).toEqual(Array(7).fill(undefined))
  })

  it('holds for the tools that stand for all, too', async () => {
    const client = await connect({ mode }, { mcp: { tools: 'search' } })
    expect(await support(client)).toEqual({
      search_tools: undefined,
      describe_tool: undefined,
      call_tool: 'optional',
    })
    const input = { name: 'shop__names' }
    const taskId = await start(client, 'call_tool', input)
    const { result } = await client.request('tasks/result', { taskId })
    expect(result['content']).toEqual([{ type: 'text', text: '["one","two"]' }])
    const search = { name: 'search_tools', arguments: { query: 'x' }, task: {} }
    expect((await client.request('tools/call', search)).error.code).toBe(-32601)
  })
})

describe('the list of tasks', () => {
  const known = { authenticate: () => ({ id: 'ada' }) }

  it.each([
    ['in this process', {}],
    ['in a store', { store: createMemoryStore() }],
  ])('gives a known caller the newest first, page by page, %s', async (_where, options) => {
    const client = await connect({ maxPerCaller: 200 }, { ...known, ...options })
    const started: string[] = []
    for (let count = 0; count < 101; count += 1) {
      started.unshift(await start(client, 'shop__names'))
    }
    const first = await client.request('tasks/list')
    const { nextCursor: cursor } = first.result
    const second = await client.request('tasks/list', { cursor: String(cursor) })
    const listed = [first, second].flatMap(({ result }) => result['tasks'] as JsonObject[])
    expect(new Set(listed.map(({ taskId }) => taskId))).toEqual(new Set(started))
    expect((first.result['tasks'] as JsonObject[]).length).toBe(100)
    expect(second.result['nextCursor']).toBeUndefined()
    const bad = await client.request('tasks/list', { cursor: 'made-up' })
    expect(bad.error.code).toBe(-32602)
  })

  it('is offered only where callers are known: strangers must not see one another’s', async () => {
    const tasksOf = async (options: Setting) => {
      const client = await connect({}, options)
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }
      const { result } = await client.request('initialize', params)
      return { tasks: (result['capabilities'] as JsonObject)['tasks'], client }
    }
    const call = { cancel: {}, requests: { tools: { call: {} } } }
    expect((await tasksOf(known)).tasks).toEqual({ list: {}, ...call })
    const { tasks, client } = await tasksOf({})
    expect(tasks).toEqual(call)
    expect((await client.request('tasks/list')).error.code).toBe(-32601)
    const anonymous = await connect({}, { authenticate: () => undefined })
    expect((await anonymous.request('tasks/list')).error.code).toBe(-32602)
  })
})
