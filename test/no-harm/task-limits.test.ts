import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMcpHandler, type McpHandler, type TaskOptions } from '../../src/entries/mcp.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { memoryTaskRecords, type TaskRecord } from '../../src/surfaces/mcp/tasks/records.ts'
import { createShop, slow } from '../mcp/shop.ts'
import { modernClient } from '../mcp/wire.ts'
import { createTestClock } from '../support/forrst.ts'

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

function connect(tasks: TaskOptions, options: Parameters<typeof createShop>[0] = {}) {
  const handler = createMcpHandler(createShop(options, [slow]), {
    tasks: { mode: () => 'always', ...tasks },
    callerKey: (request) => request.header('x-caller') ?? '',
  })
  handlers.push(handler)
  const client = modernClient(handler, { capabilities })
  const call = async (caller: string, ms: number) => {
    const params = { name: 'shop__slow', arguments: { ms } }
    return (await client.request('tools/call', params, { headers: { 'x-caller': caller } })).result
  }
  return { call, client }
}

describe.each([
  ['in the process', {}],
  ['in a store', { store: createMemoryStore() }],
])('tasks remembered %s', (_where, options) => {
  it('of one caller are bounded: its further calls stay ordinary ones, those of others do not', async () => {
    const { call, client } = connect({ maxPerCaller: 2 }, options)
    const first = await call('a', 60_000)
    const second = await call('a', 60_000)
    expect([first['resultType'], second['resultType']]).toEqual(['task', 'task'])
    expect(await call('a', 1)).not.toHaveProperty('taskId')
    expect(await call('b', 60_000)).toMatchObject({ resultType: 'task' })
    await client.request('tasks/cancel', { taskId: String(first['taskId']) })
    if ('store' in options) expect(await call('a', 60_000)).toMatchObject({ resultType: 'task' })
  })
})

describe('tasks in the process', () => {
  it('one caller may have 100 unless told otherwise', async () => {
    const { call } = connect({})
    const all = await Promise.all(Array.from({ length: 101 }, () => call('a', 200)))
    expect(all.filter(({ resultType }) => resultType === 'task')).toHaveLength(100)
  })

  it('finished ones count until they are forgotten', async () => {
    const { call, client } = connect({ maxPerCaller: 1, ttlMs: 50 })
    const { taskId } = await call('a', 1)
    await vi.waitFor(async () => {
      const { result, error } = await client.request('tasks/get', { taskId: String(taskId) })
      expect(result?.['status'] ?? error).not.toBe('working')
    })
    await vi.waitFor(async () => {
      expect(await call('a', 1)).toMatchObject({ resultType: 'task' })
    })
  })

  it('a caller at its limit gets room when its own are old, not before', () => {
    const clock = createTestClock()
    const records = memoryTaskRecords(clock, { max: 10, maxPerCaller: 1, maxBytes: 1_000 })
    const task = (id: string): TaskRecord => ({
      ...{ id, owner: '', status: 'completed', ttlMs: 1_000 },
      ...{ createdAt: clock.now(), updatedAt: clock.now() },
    })
    expect(records.create(task('one'), 'a')).toBe(true)
    expect(records.create(task('two'), 'a')).toBe(false)
    expect(records.create(task('three'), 'b')).toBe(true)
    clock.advance(1_001)
    expect(records.create(task('four'), 'a')).toBe(true)
  })
})
