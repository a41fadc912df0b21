import { describe, expect, it } from 'vitest'
import { createShop } from '../../../../test/mcp/shop.ts'
import { modernClient, type WireClient } from '../../../../test/mcp/wire.ts'
import { serviceOf } from '../../../../test/support/service.ts'
import { defineFunction, type FunctionDefinition } from '../../../core/function.ts'
import { createMcpHandler } from '../../../entries/mcp.ts'
import { parseToolSelection } from '../index.ts'

async function textOf(client: WireClient, name: string, input: Record<string, string | number>) {
  const { result } = await client.request('tools/call', { name, arguments: input })
  const [{ text }] = result['content'] as [{ text: string }]
  return { text, isError: result['isError'] === true }
}

const searching = (functions: readonly FunctionDefinition[], searchBudget?: number) =>
  modernClient(
    createMcpHandler(serviceOf(functions), {
      tools: 'search',
      ...(searchBudget !== undefined && { searchBudget }),
    }),
  )

function named(name: string, summary: string, more: Partial<FunctionDefinition> = {}) {
  return defineFunction({ name, version: '1.0.0', summary, handler: () => name, ...more })
}

const API: readonly FunctionDefinition[] = [
  named('invoices.create', 'Write an invoice'),
  named('invoices.send', 'Send an invoice to a customer'),
  named('customers.update', 'Change the address of a customer', {
    tags: [{ name: 'crm' }],
    input: { type: 'object', properties: { postalCode: { type: 'string' } } },
  }),
  named('weather.today', 'How the weather is', { description: 'Temperature and rain' }),
  ...Array.from({ length: 200 }, (_, index) => named(`filler.f${index}`, `Filler number ${index}`)),
]

describe('search mode', () => {
  it('lists three tools, however many functions there are', async () => {
    const { result } = await searching(API).request('tools/list')
    expect((result['tools'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'search_tools',
      'describe_tool',
      'call_tool',
    ])
  })

  it.each([
    ['send invoice', 'invoices__send'],
    ['postal code', 'customers__update'],
    ['crm', 'customers__update'],
    ['rain', 'weather__today'],
    ['customers', 'customers__update'],
    ['invoices__create', 'invoices__create'],
    ['invoi create', 'invoices__create'],
  ])('finds for %j first %s', async (query, first) => {
    const { text } = await textOf(searching(API), 'search_tools', { query })
    expect(text.split('(')[0]).toBe(first)
  })

  it('shows arguments, marks those that may be absent, and says how many more match', async () => {
    const client = modernClient(createMcpHandler(createShop(), { tools: 'search' }))
    const { text } = await textOf(client, 'search_tools', { query: 'order', limit: 1 })
    expect(text).toBe(
      'shop__order(sku, count?): Order articles\n(1 more match; search with more specific words to see them)',
    )
  })

  it('stops at its budget, and never gives nothing', async () => {
    const { text } = await textOf(searching(API, 30), 'search_tools', {
      query: 'filler',
      limit: 50,
    })
    expect(text.split('\n').length).toBeLessThan(6)
    expect(text).toContain('more match')
    const tiny = await textOf(searching(API, 1), 'search_tools', { query: 'filler' })
    expect(tiny.text).toContain('filler__f')
  })

  it('says so when nothing matches', async () => {
    const { text } = await textOf(searching(API), 'search_tools', { query: 'zebra' })
    expect(text).toContain('No tool matches. There are 204')
  })

  it('describes a tool in full and calls it', async () => {
    const client = modernClient(createMcpHandler(createShop(), { tools: 'search' }))
    const { text } = await textOf(client, 'describe_tool', { name: 'shop__order' })
    expect(JSON.parse(text)).toMatchObject({
      tool: 'shop__order',
      name: 'shop.order',
      version: '2.0.0',
      errors: [{ code: 'SHOP_SOLD_OUT' }],
      inputSchema: { required: ['sku'] },
      examples: [{ name: 'one article' }],
    })
    const { result } = await client.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'shop__order', arguments: { sku: 'b' } },
    })
    expect(result['structuredContent']).toEqual({ id: 'order of b' })
  })

  it.each(['describe_tool', 'call_tool'])('%s says where names come from', async (tool) => {
    const { text, isError } = await textOf(searching(API), tool, { name: 'nothing' })
    expect(isError).toBe(true)
    expect(text).toContain('search_tools')
  })

  it('says what is wrong with a query', async () => {
    expect(await textOf(searching(API), 'search_tools', { query: 5 })).toEqual({
      text: 'query must be a text',
      isError: true,
    })
  })

  it('finds functions that came later, and no longer those that went', async () => {
    const service = serviceOf([named('a.first', 'First')])
    const client = modernClient(createMcpHandler(service, { tools: 'search' }))
    await textOf(client, 'search_tools', { query: 'second' })
    service.registry.add(named('a.second', 'Second'))
    expect((await textOf(client, 'search_tools', { query: 'second' })).text).toContain('a__second')
    service.registry.remove('a.second')
    expect((await textOf(client, 'search_tools', { query: 'second' })).text).toContain('No tool')
  })
})

describe('filters', () => {
  const names = async (options: Parameters<typeof createMcpHandler>[1]) => {
    const client = modernClient(createMcpHandler(createShop(), options))
    const { result } = await client.request('tools/list')
    return (result['tools'] as { name: string }[]).map(({ name }) => name)
  }

  it.each([
    [{ only: { tags: ['orders'] } }, ['shop__order']],
    [{ only: { prefixes: ['shop.f', 'shop.n'] } }, ['shop__find', 'shop__names']],
    [{ only: { sideEffects: ['none'] } }, ['shop__find', 'shop__names']],
    [{ only: { sideEffects: ['unknown'] } }, ['shop__crash']],
    [
      { except: { sideEffects: ['update'], prefixes: ['shop.crash'] } },
      ['shop__find', 'shop__names'],
    ],
    [{ only: { sideEffects: ['none'] }, except: { tags: ['catalogue'] } }, ['shop__names']],
  ])('%j leave %j', async (options, expected) => {
    expect(await names(options)).toEqual(expected)
  })

  it('also keep tools from being called, by name and through call_tool', async () => {
    const only = { sideEffects: ['none'] }
    for (const tools of ['all', 'search'] as const) {
      const client = modernClient(createMcpHandler(createShop(), { only, tools }))
      const direct = await client.request('tools/call', { name: 'shop__order' })
      expect(direct.error.code).toBe(-32602)
    }
    const client = modernClient(createMcpHandler(createShop(), { only, tools: 'search' }))
    const { isError } = await textOf(client, 'call_tool', { name: 'shop__order' })
    expect(isError).toBe(true)
  })

  it('can be written on a command line', () => {
    expect(parseToolSelection(['tag:a', 'prefix:b.', 'effect:none', 'tag:c:d'])).toEqual({
      tags: ['a', 'c:d'],
      prefixes: ['b.'],
      sideEffects: ['none'],
    })
    expect(() => parseToolSelection(['name:x'])).toThrow('"name:x" must be tag:NAME')
  })
})
