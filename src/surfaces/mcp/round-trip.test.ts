import { describe, expect, it } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { modernClient, type WireReply } from '../../../test/mcp/wire.ts'
import { defineFunction } from '../../core/function.ts'
import { agentOf, createMcpHandler } from '../../entries/mcp.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'
import type { JsonObject } from '../../values/json.ts'

let runs = 0
const asking = defineFunction({
  name: 'shop.ask',
  version: '1.0.0',
  async handler({ call }) {
    runs += 1
    const agent = agentOf(call)
    const form = (message: string) => ({
      message,
      requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
    })
    const first = await agent?.elicit('first', form('One?'))
    const second = await agent?.elicit('second', form('Two?'))
    return JSON.stringify([first, second])
  },
})

let now = 1_000_000
const service = createShop(
  {
    clock: { now: () => now, elapsed: () => now },
    authenticate: ({ header }) => ({ id: header('authorization') ?? '' }),
  },
  [asking],
)
const client = modernClient(createMcpHandler(service), { capabilities: { elicitation: {} } })
const answer = (a: string) => ({ action: 'accept', content: { a } })

function call(more: JsonObject = {}, authorization = 'ada'): Promise<WireReply> {
  return client.request(
    'tools/call',
    { name: 'shop__ask', arguments: {}, ...more },
    { headers: { authorization } },
  )
}

describe('a call that asks its client by rounds', () => {
  it('remembers the answers of earlier rounds in the state it hands out', async () => {
    const first = await call()
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { first: { method: 'elicitation/create', params: { message: 'One?' } } },
    })
    const second = await call({
      inputResponses: { first: answer('1') },
      requestState: String(first.result['requestState']),
    })
    expect(Object.keys(second.result['inputRequests'] as JsonObject)).toEqual(['second'])
    const third = await call({
      inputResponses: { second: answer('2') },
      requestState: String(second.result['requestState']),
    })
    expect(third.result['content']).toEqual([
      { type: 'text', text: JSON.stringify([answer('1'), answer('2')]) },
    ])
    expect(runs).toBe(3)
  })

  it.each([
    ['another caller', { owner: 'eve' }],
    ['another tool', { name: 'shop__names' }],
    ['other arguments', { arguments: { other: true } }],
    ['another secret', { requestState: 'e30.e30' }],
    ['nonsense', { requestState: 'x' }],
    ['no text', { requestState: 5 }],
  ])(
    'refuses the state of a request in the hands of %s',
    async (_case, { owner, ...change }: JsonObject) => {
      const { result } = await call()
      const { error } = await call(
        {
          inputResponses: { first: answer('1') },
          requestState: String(result['requestState']),
          ...change,
        },
        typeof owner === 'string' ? owner : 'ada',
      )
      expect(error.code).toBe(-32602)
      expect(error.message).toContain('requestState')
    },
  )

  it('refuses state that is too old', async () => {
    const { result } = await call()
    now += 3_600_000
    const { error } = await call({ requestState: String(result['requestState']) })
    expect(error.code).toBe(-32602)
  })

  it('asks again for an answer that has another form', async () => {
    for (const wrong of [{ action: 'perhaps' }, { content: {} }, 7, null]) {
      const { result } = await call({ inputResponses: { first: wrong } as JsonObject })
      expect(Object.keys(result['inputRequests'] as JsonObject)).toEqual(['first'])
    }
  })

  it('says which capability the client would need', async () => {
    const { error, status } = await client.request(
      'tools/call',
      { name: 'shop__ask' },
      { capabilities: {} },
    )
    expect(status).toBe(400)
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    })
  })

  it('goes on under its idempotency key, and has its effect once', async () => {
    const store = createMemoryStore()
    const remembering = createShop({ store }, [asking])
    const keyed = modernClient(createMcpHandler(remembering), {
      capabilities: { elicitation: {} },
      meta: { 'waymark/idempotency-key': 'k-1' },
    })
    const params = { name: 'shop__ask', arguments: {} }
    const before = runs
    const first = await keyed.request('tools/call', params)
    const inputResponses = { first: answer('1'), second: answer('2') }
    const retry = { ...params, inputResponses, requestState: String(first.result['requestState']) }
    const done = await keyed.request('tools/call', retry)
    const again = await keyed.request('tools/call', retry)
    expect(done.result['content']).toEqual(again.result['content'])
    expect(runs - before).toBe(2)
    await store.close()
  })

  it('knows that a call from elsewhere has no agent', () => {
    expect(agentOf({ facts: {} })).toBeUndefined()
  })
})
