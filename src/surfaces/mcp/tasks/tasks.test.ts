import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createFixture } from '../../../../test/mcp/fixture-service.ts'
import { createShop, slow } from '../../../../test/mcp/shop.ts'
import { modernClient, type WireClient } from '../../../../test/mcp/wire.ts'
import { createTestLog } from '../../../../test/support/forrst.ts'
import { createFailingStore } from '../../../../test/support/stores.ts'
import { defineFunction, type FunctionDefinition } from '../../../core/function.ts'
import {
  agentOf,
  createMcpHandler,
  storeTaskRecords,
  type TaskOptions,
} from '../../../entries/mcp.ts'
import { createMemoryStore } from '../../../store/memory/memory.ts'
import type { ServiceOptions } from '../../../system/create-service.ts'
import type { JsonObject } from '../../../values/json.ts'
import { systemClock } from '../../../values/time.ts'

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const declared = defineFunction({
  name: 'shop.declared',
  version: '1.0.0',
  extensions: [{ urn: 'urn:forrst:ext:async' }],
  handler: () => ({ done: 'at once' }),
})

const detaching = defineFunction({
  name: 'shop.detaching',
  version: '1.0.0',
  async handler({ call }) {
    await agentOf(call)?.detach()
    await delay(20)
    return 'later'
  },
})

function connect(
  tasks: TaskOptions | false,
  options: Partial<ServiceOptions<readonly FunctionDefinition[]>> = {},
): WireClient {
  const service = createShop(options, [slow, declared, detaching])
  return modernClient(createMcpHandler(service, { tasks }), { capabilities: TASKS })
}

async function finished(client: WireClient, taskId: unknown): Promise<Record<string, unknown>> {
  return vi.waitFor(
    async () => {
      const { result } = await client.request('tasks/get', { taskId: String(taskId) })
      expect(result['status']).not.toMatch(/working|input_required/)
      return result
    },
    { timeout: 5_000, interval: 10 },
  )
}

describe('a call that takes long', () => {
  it('becomes a task; its result can be asked for', async () => {
    const client = connect({ afterMs: 10, pollIntervalMs: 50 })
    const { result } = await client.request('tools/call', {
      name: 'shop__slow',
      arguments: { ms: 60 },
    })
    expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 50 })
    const task = await finished(client, result['taskId'])
    expect(task).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { structuredContent: { done: true } },
    })
  })

  it('stays a call when it is quick, or when the client does not know tasks', async () => {
    const client = connect({ afterMs: 10 })
    const call = { name: 'shop__slow', arguments: { ms: 40 } }
    const plain = await client.request('tools/call', call, { capabilities: {} })
    expect(plain.result['structuredContent']).toEqual({ done: true })
    const quick = await client.request('tools/call', { name: 'shop__names' })
    expect(quick.result['resultType']).toBe('complete')
  })

  it('is a task from the start when its function says that it takes long', async () => {
    const client = connect({})
    const { result } = await client.request('tools/call', { name: 'shop__declared' })
    expect(result['resultType']).toBe('task')
    expect(await finished(client, result['taskId'])).toMatchObject({ status: 'completed' })
  })

  it('becomes a task when the handler lets the client go', async () => {
    const client = connect({ afterMs: 60_000 })
    const { result } = await client.request('tools/call', { name: 'shop__detaching' })
    expect(result['resultType']).toBe('task')
    const task = await finished(client, result['taskId'])
    expect(task['result']).toMatchObject({ content: [{ text: 'later' }] })
    const plain = await client.request(
      'tools/call',
      { name: 'shop__detaching' },
      { capabilities: {} },
    )
    expect(plain.result['content']).toEqual([{ type: 'text', text: 'later' }])
  })

  it('is never a task where tasks are switched off', async () => {
    const client = connect(false)
    const { result } = await client.request('tools/call', { name: 'shop__declared' })
    expect(result['resultType']).toBe('complete')
    expect((await client.request('tasks/get', { taskId: 'x' })).error.code).toBe(-32601)
  })
})

describe('tasks in a store', () => {
  it('are known to every process, and ended by the one that runs them', async () => {
    const store = createMemoryStore()
    const records = () => storeTaskRecords(store, systemClock)
    const one = connect({ mode: () => 'always', records: records() })
    const other = connect({ records: records() })
    const { result } = await one.request('tools/call', {
      name: 'shop__slow',
      arguments: { ms: 20 },
    })
    const taskId = String(result['taskId'])
    expect((await other.request('tasks/get', { taskId })).result['taskId']).toBe(taskId)
    expect(await finished(other, taskId)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { done: true } },
    })
    await store.close()
  })
})

describe('tasks of a service with a store', () => {
  const slowly = { name: 'shop__slow', arguments: { ms: 60 } }

  it('are remembered in it', async () => {
    const store = createMemoryStore()
    const one = connect({ afterMs: 10 }, { store })
    const other = connect({}, { store })
    const { result } = await one.request('tools/call', slowly)
    expect(await finished(other, result['taskId'])).toMatchObject({ status: 'completed' })
  })

  it('stay ordinary calls while it is away', async () => {
    const { store, fail } = createFailingStore()
    const client = connect({ afterMs: 10 }, { store, log: createTestLog() })
    fail(true)
    const { result } = await client.request('tools/call', slowly)
    expect(result).toMatchObject({ structuredContent: { done: true } })
  })
})

describe('a task', () => {
  const start = async (client: WireClient, ms: number) => {
    const { result } = await client.request('tools/call', {
      name: 'shop__slow',
      arguments: { ms },
    })
    return String(result['taskId'])
  }

  it('tells how far it is', async () => {
    const client = connect({ mode: () => 'always' })
    const taskId = await start(client, 10_000)
    const { result } = await client.request('tasks/get', { taskId })
    expect(result['statusMessage']).toBe('half way')
    await client.request('tasks/cancel', { taskId })
  })

  it('is cancelled, and the handler notices', async () => {
    const client = connect({ mode: () => 'always' })
    const taskId = await start(client, 60_000)
    const { result } = await client.request('tasks/cancel', { taskId })
    expect(result).toMatchObject({ resultType: 'complete' })
    expect(result['status']).toBeUndefined()
    const task = await finished(client, taskId)
    expect(task['status']).toBe('cancelled')
    expect((await client.request('tasks/cancel', { taskId })).result['resultType']).toBe('complete')
  })

  it('outlives the request that started it', async () => {
    const client = connect({ mode: () => 'always' })
    const leave = new AbortController()
    const { result } = await client.request(
      'tools/call',
      { name: 'shop__slow', arguments: { ms: 40 } },
      { signal: leave.signal },
    )
    leave.abort()
    expect((await finished(client, result['taskId']))['status']).toBe('completed')
  })

  it('belongs to whoever started it', async () => {
    const client = connect(
      { mode: () => 'always' },
      { authenticate: ({ header }) => ({ id: header('authorization') ?? '' }) },
    )
    const ada = { headers: { authorization: 'ada' } }
    const eve = { headers: { authorization: 'eve' } }
    const { result } = await client.request('tools/call', { name: 'shop__declared' }, ada)
    const taskId = String(result['taskId'])
    expect((await client.request('tasks/get', { taskId }, ada)).error.code).toBe(0)
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { taskId, inputResponses: {} }
      expect((await client.request(method, params, eve)).error.code).toBe(-32602)
    }
  })

  it('is forgotten after its time, and not before', async () => {
    let now = 1_000_000
    const client = connect(
      { mode: () => 'always', ttlMs: 1_000 },
      { clock: { now: () => now, elapsed: () => now } },
    )
    const { result } = await client.request('tools/call', { name: 'shop__declared' })
    const taskId = String(result['taskId'])
    await finished(client, taskId)
    now += 999
    expect((await client.request('tasks/get', { taskId })).result['ttlMs']).toBe(1_000)
    now += 1
    expect((await client.request('tasks/get', { taskId })).error.code).toBe(-32602)
  })

  it('finds no room when there are too many; the call stays an ordinary one', async () => {
    const client = connect({ mode: () => 'always', max: 1 })
    const first = await start(client, 60_000)
    const { result } = await client.request('tools/call', { name: 'shop__declared' })
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { done: 'at once' } })
    await client.request('tasks/cancel', { taskId: first })
  })

  it('is announced to whoever listens, complete as in tasks/get', async () => {
    const client = connect({ mode: () => 'always' })
    const taskId = await start(client, 30)
    const leave = new AbortController()
    const messages = client.stream(
      'subscriptions/listen',
      { notifications: { taskIds: [taskId] } },
      { signal: leave.signal },
    )
    expect((await messages.next()).value).toMatchObject({
      params: { notifications: { taskIds: [taskId] } },
    })
    const { value } = await messages.next()
    expect(value).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'completed', result: { structuredContent: { done: true } } },
    })
    leave.abort()
  })

  it('never gives two questions one name', async () => {
    const { options } = createFixture()
    const service = createShop({}, [
      defineFunction({
        name: 'shop.ask',
        version: '1.0.0',
        async handler({ call }) {
          const agent = agentOf(call)
          const params = { message: 'Again?', requestedSchema: { type: 'object', properties: {} } }
          await agent?.elicit('again', params)
          await agent?.elicit('again', params)
          return 'twice'
        },
      }),
    ])
    const client = modernClient(
      createMcpHandler(service, { tasks: { ...options.tasks, mode: () => 'always' } }),
      { capabilities: { ...TASKS, elicitation: {} } },
    )
    const { result } = await client.request('tools/call', { name: 'shop__ask' })
    const taskId = String(result['taskId'])
    const keys: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const [key = ''] = await vi.waitFor(async () => {
        const task = await client.request('tasks/get', { taskId })
        const open = Object.keys((task.result['inputRequests'] as JsonObject | undefined) ?? {})
        expect(open).toHaveLength(1)
        expect(keys).not.toContain(open[0])
        return open
      })
      keys.push(key)
      const wrong = { [key]: { action: 'maybe' }, nobody: { action: 'accept' } }
      await client.request('tasks/update', { taskId, inputResponses: wrong })
      const right = { [key]: { action: 'accept', content: {} } }
      await client.request('tasks/update', { taskId, inputResponses: right })
    }
    expect(keys).toEqual(['again', 'again-2'])
    expect((await finished(client, taskId))['status']).toBe('completed')
  })
})
