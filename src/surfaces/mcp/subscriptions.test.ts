import { describe, expect, it } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { modernClient } from '../../../test/mcp/wire.ts'
import { createMcpHandler } from '../../entries/mcp.ts'
import type { JsonObject } from '../../values/json.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

describe('subscriptions/listen', () => {
  it('acknowledges first, then tells what was asked for, under its own id', async () => {
    const service = createShop()
    const handler = createMcpHandler(service)
    const leave = new AbortController()
    const messages = modernClient(handler).stream(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, unknownThing: true } },
      { id: 'sub-1', signal: leave.signal },
    )
    const { value: first } = await messages.next()
    expect(first).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [SUBSCRIPTION]: 'sub-1' }, notifications: { toolsListChanged: true } },
    })
    service.registry.setHealth('shop.find', { status: 'disabled' })
    const { value: second } = await messages.next()
    expect(second).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [SUBSCRIPTION]: 'sub-1' } },
    })
    leave.abort()
    expect((await messages.next()).done).toBe(true)
  })

  it('tells about followed resources: the description changes with the functions', async () => {
    const service = createShop()
    const leave = new AbortController()
    const messages = modernClient(createMcpHandler(service)).stream(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['waymark://document'] } },
      { signal: leave.signal },
    )
    await messages.next()
    service.registry.remove('shop.find')
    const { value } = await messages.next()
    expect(value).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'waymark://document' },
    })
    leave.abort()
  })

  it('ends with a result when the server closes', async () => {
    const handler = createMcpHandler(createShop())
    const messages = modernClient(handler).stream(
      'subscriptions/listen',
      { notifications: {} },
      { id: 5 },
    )
    await messages.next()
    handler.close()
    const { value } = await messages.next()
    expect((value as JsonObject)['result']).toMatchObject({
      resultType: 'complete',
      _meta: { [SUBSCRIPTION]: 5 },
    })
  })

  it('needs a client that reads events', async () => {
    const { status } = await modernClient(createMcpHandler(createShop())).request(
      'subscriptions/listen',
      { notifications: {} },
      { headers: { accept: 'application/json' } },
    )
    expect(status).toBe(406)
  })

  it.each([
    [{ resourceSubscriptions: 'all' }, -32602],
    [{ resourceSubscriptions: [1] }, -32602],
    [{ resourceSubscriptions: Array.from({ length: 1_001 }, () => 'a://b') }, -32602],
    [{ taskIds: ['t'] }, -32021],
  ])('refuses the wish %#', async (notifications, code) => {
    const client = modernClient(createMcpHandler(createShop()))
    const { error } = await client.request('subscriptions/listen', { notifications } as JsonObject)
    expect(error.code).toBe(code)
  })
})
