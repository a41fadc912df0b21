import { describe, expect, it } from 'vitest'
import { createShop } from '../../../../test/mcp/shop.ts'
import {
  legacyClient,
  modernClient,
  toHttpRequest,
  type WireClient,
} from '../../../../test/mcp/wire.ts'
import { createTestLogger, serviceOf } from '../../../../test/support/service.ts'
import { defineFunction } from '../../../core/function.ts'
import { createMcpHandler, measureTools } from '../../../entries/mcp.ts'

interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema?: Record<string, unknown>
  readonly annotations: Record<string, unknown>
  readonly _meta: Record<string, unknown>
}

const ERAS: readonly [string, (service?: ReturnType<typeof createShop>) => Promise<WireClient>][] =
  [
    ['2026-07-28', async (service = createShop()) => modernClient(createMcpHandler(service))],
    ['2025-11-25', async (service = createShop()) => legacyClient(createMcpHandler(service))],
    [
      '2025-06-18',
      async (service = createShop()) =>
        legacyClient(createMcpHandler(service), { revision: '2025-06-18' }),
    ],
  ]

async function listTools(client: WireClient): Promise<readonly ListedTool[]> {
  return (await client.request('tools/list')).result['tools'] as ListedTool[]
}

describe.each(ERAS)('tools in revision %s', (revision, connect) => {
  const modern = revision === '2026-07-28'

  it('lists the functions that may be seen, in a stable order', async () => {
    const client = await connect()
    const names = (await listTools(client)).map(({ name }) => name)
    expect(names).toEqual(['shop__find', 'shop__order', 'shop__names', 'shop__pack', 'shop__crash'])
    expect((await listTools(client)).map(({ name }) => name)).toEqual(names)
  })

  it('describes a tool with title, schemas, hints, function name and version', async () => {
    const [find, order, names, pack] = await listTools(await connect())
    expect(find).toEqual({
      name: 'shop__find',
      title: 'Find articles',
      description: 'Looks for articles in stock.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
        additionalProperties: false,
      },
      outputSchema: expect.objectContaining({ type: 'object' }),
      annotations: { readOnlyHint: true, destructiveHint: false },
      ...(!modern && { execution: { taskSupport: 'optional' } }),
      _meta: { 'waymark/function': 'shop.find', 'waymark/version': '1.0.0' },
    })
    expect(order?._meta['waymark/version']).toBe('2.0.0')
    expect(order?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true })
    expect(pack?.annotations['openWorldHint']).toBe(true)
    expect(names?.outputSchema !== undefined).toBe(modern)
  })

  it('gives the result as text and as structured content', async () => {
    const { result } = await (await connect()).request('tools/call', {
      name: 'shop__order',
      arguments: { sku: 'a' },
    })
    expect(result['content']).toEqual([{ type: 'text', text: '{"id":"order of a"}' }])
    expect(result['structuredContent']).toEqual({ id: 'order of a' })
    expect(result['isError']).toBeUndefined()
  })

  it('gives a list as structured content only where the revision can say it', async () => {
    const { result } = await (await connect()).request('tools/call', { name: 'shop__names' })
    expect(result['content']).toEqual([{ type: 'text', text: '["one","two"]' }])
    expect(result['structuredContent']).toEqual(modern ? ['one', 'two'] : undefined)
  })

  it('gives a declared error as a result with its code, never with structured content', async () => {
    const { result, status } = await (await connect()).request('tools/call', {
      name: 'shop__order',
      arguments: { sku: 'none' },
    })
    expect(status).toBe(200)
    expect(result['isError']).toBe(true)
    expect(result['structuredContent']).toBeUndefined()
    expect(result['content']).toEqual([
      { type: 'text', text: 'SHOP_SOLD_OUT: Sold out {"sku":"none"}' },
    ])
    expect(result['_meta']).toMatchObject({
      'waymark/errors': [{ code: 'SHOP_SOLD_OUT', details: { sku: 'none' } }],
    })
  })

  it('names every wrong argument, so that the model can try again', async () => {
    const { result } = await (await connect()).request('tools/call', {
      name: 'shop__order',
      arguments: { count: 0 },
    })
    const [{ text }] = result['content'] as [{ text: string }]
    expect(result['isError']).toBe(true)
    expect(text.split('\n')).toHaveLength(2)
    expect(text).toMatch(/INVALID_ARGUMENTS: .*sku/)
    expect(text).toMatch(/INVALID_ARGUMENTS: count/)
  })

  it('says nothing about an unexpected failure', async () => {
    const { result } = await (await connect()).request('tools/call', { name: 'shop__crash' })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  it('answers an unknown tool with an error, and a hidden one likewise', async () => {
    const client = await connect()
    for (const name of ['nothing', 'shop__hidden', 'urn___cline___forrst___fn___ping']) {
      const { error } = await client.request('tools/call', { name })
      expect(error.code).toBe(-32602)
      expect(error.message).toContain(name)
    }
  })

  it('takes a disabled function off the list and refuses it', async () => {
    const service = createShop()
    const client = await connect(service)
    service.registry.setHealth('shop.find', { status: 'disabled' })
    expect((await listTools(client)).map(({ name }) => name)).not.toContain('shop__find')
    expect((await client.request('tools/call', { name: 'shop__find' })).error.code).toBe(-32602)
    service.registry.setHealth('shop.find', { status: 'healthy' })
    expect((await listTools(client)).map(({ name }) => name)).toContain('shop__find')
  })

  it('calls the version that _meta names', async () => {
    const { result } = await (await connect()).request(
      'tools/call',
      { name: 'shop__order' },
      { meta: { 'waymark/version': '1.0.0' } },
    )
    expect(result['content']).toEqual([{ type: 'text', text: 'old' }])
  })

  it('answers a method nobody serves', async () => {
    const { error, status } = await (await connect()).request('tools/dance')
    expect(error.code).toBe(-32601)
    expect(status).toBe(modern ? 404 : 200)
  })
})

describe('pages of tools/list', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      defineFunction({ name: `many.f${index}`, version: '1.0.0', handler: () => index }),
    )

  async function walk(client: WireClient, onPage: (page: number) => void = () => undefined) {
    const names: string[] = []
    let cursor: unknown
    for (let page = 0; page < 100; page += 1) {
      const { result } = await client.request('tools/list', {
        ...(typeof cursor === 'string' && { cursor }),
      })
      names.push(...(result['tools'] as ListedTool[]).map(({ name }) => name))
      cursor = result['nextCursor']
      if (cursor === undefined) return names
      onPage(page)
    }
    throw new Error('endless')
  }

  it('gives every tool once', async () => {
    const client = modernClient(createMcpHandler(serviceOf(many(25)), { pageSize: 10 }))
    const names = await walk(client)
    expect(names).toHaveLength(25)
    expect(new Set(names).size).toBe(25)
  })

  it('neither repeats nor skips what stays when functions go between two pages', async () => {
    const service = serviceOf(many(25))
    const client = modernClient(createMcpHandler(service, { pageSize: 10 }))
    const names = await walk(client, (page) => {
      if (page === 0) service.registry.remove('many.f3')
    })
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength(25)
  })

  it.each(['nonsense', '', 'OTk5OnRvb2w'])('refuses the cursor %j', async (cursor) => {
    const client = modernClient(createMcpHandler(serviceOf(many(3)), { pageSize: 1 }))
    expect((await client.request('tools/list', { cursor })).error.code).toBe(-32602)
  })
})

describe('what tools cost', () => {
  it('is estimated from what a model sees', () => {
    const cost = measureTools(createShop())
    expect(cost.tools).toBe(5)
    expect(cost.tokens).toBeGreaterThan(100)
    expect(cost.largest[0]?.name).toBe('shop__order')
    expect(measureTools(createShop(), { tools: 'search' }).tools).toBe(3)
  })

  it('is warned about once, above a budget', async () => {
    const log = createTestLogger()
    const handler = createMcpHandler(createShop({ log }), { toolBudget: 100 })
    const client = modernClient(handler)
    await client.request('tools/list')
    await client.request('tools/list')
    const warnings = log.lines.filter(({ message }) => message.includes('tokens'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toContain("tools: 'search'")
  })
})

describe('names of tools', () => {
  it('may be chosen, but not twice', async () => {
    const rename = createMcpHandler(createShop(), { toolName: (name) => name.replace('shop.', '') })
    expect((await listTools(modernClient(rename)))[0]?.name).toBe('find')
    expect(() => createMcpHandler(createShop(), { toolName: () => 'same' })).toThrow(
      'functions "shop.find" and "shop.order" share the tool name "same"; rename one',
    )
    expect(() => createMcpHandler(createShop(), { toolName: () => 'not a name' })).toThrow(
      'function shop.find: "not a name" is not a tool name',
    )
  })
})

describe('requests without introduction', () => {
  it('are served, so that a shell can call a tool', async () => {
    const handler = createMcpHandler(createShop())
    const message = {
      jsonrpc: '2.0',
      id: 'a',
      method: 'tools/call',
      params: { name: 'shop__names' },
    }
    const { status, body } = await handler(toHttpRequest(message))
    expect(status).toBe(200)
    expect(JSON.parse(String(body))).toMatchObject({ id: 'a', result: { content: [{}] } })
  })
})
