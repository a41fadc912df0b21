import { describe, expect, it } from 'vitest'
import { createMcpHandler } from 'waymark/mcp'
import { z } from 'zod'
import { buildDocument } from '../../src/discovery/document.ts'
import { createServiceToolApi } from '../../src/entries/tools.ts'
import type { Schema } from '../../src/schema/schema.ts'
import { buildOpenApi } from '../../src/surfaces/documents/openapi.ts'
import { createRestHandler } from '../../src/surfaces/rest/handler.ts'
import { ask } from '../explorer/ask.ts'
import { modernClient } from '../mcp/wire.ts'
import { call, toRequest } from '../support/forrst.ts'
import { serviceOf } from '../support/service.ts'
import { DOORS, MISSPELT, orders } from './orders.ts'

const zod = z.object({ status: z.string().optional(), limit: z.int().optional() })
const plain = {
  type: 'object',
  properties: { status: { type: 'string' }, limit: { type: 'integer' } },
}
const MEANT = 'did you mean \\"status\\"?'

describe('as reported: an argument that a function does not have', () => {
  const schemas = { Zod: zod, 'JSON Schema': plain }
  for (const [kind, input] of Object.entries(schemas)) {
    it.each(Object.entries(DOORS))(`is refused by a ${kind} schema over %s`, async (_, door) => {
      const { service, ran } = orders(input)
      const answer = await door(service, MISSPELT)
      expect(answer.replaceAll('\\\\\\"', '\\"')).toContain(MEANT)
      expect(ran).toEqual([])
      expect(await door(service, { status: 'open' })).not.toContain('did you mean')
    })
  }

  it('is named with its function, a pointer and the rule', async () => {
    const { service } = orders(zod)
    const { body } = await call(service, { function: 'orders.list', arguments: MISSPELT })
    expect(body.errors).toEqual([
      {
        code: 'INVALID_ARGUMENTS',
        message: 'statsu: is not an argument of orders.list; did you mean "status"?',
        source: { pointer: '/call/arguments/statsu' },
        details: { constraint: 'additionalProperties' },
      },
    ])
  })

  it.each([
    ['a loose Zod object', z.looseObject({ status: z.string().optional() })],
    ['one that passes through', z.object({ status: z.string().optional() }).loose()],
    ['a catch-all', z.object({}).catchall(z.string())],
    ['a record', z.record(z.string(), z.string())],
    ['additionalProperties: true', { ...plain, additionalProperties: true }],
    ['additionalProperties with a schema', { ...plain, additionalProperties: { type: 'string' } }],
    ['unevaluatedProperties: true', { ...plain, unevaluatedProperties: true }],
    ['a pattern for its name', { ...plain, patternProperties: { '^stat': {} } }],
    ['an open branch', { ...plain, allOf: [{ type: 'object', additionalProperties: true }] }],
  ])('is taken by %s', async (_, input) => {
    const { service, ran } = orders(input)
    await call(service, { function: 'orders.list', arguments: MISSPELT })
    expect(ran).toEqual([MISSPELT])
  })

  it('is ignored as before where the service or the function says so', async () => {
    const { definition, ran } = orders(zod)
    const service = serviceOf([definition], { unknownArguments: 'ignore' })
    await call(service, { function: 'orders.list', arguments: { ...MISSPELT, limit: 1 } })
    expect(ran).toEqual([{ limit: 1 }])
    const own = orders(plain, { unknownArguments: 'ignore' })
    await call(own.service, { function: 'orders.list', arguments: MISSPELT })
    expect(own.ran).toEqual([MISSPELT])
    const strict = serviceOf([{ ...definition, unknownArguments: 'reject' }], {
      unknownArguments: 'ignore',
    })
    const { status } = await call(strict, { function: 'orders.list', arguments: MISSPELT })
    expect(status).toBe(400)
  })

  it('is refused as a filter of a query', async () => {
    const { service, ran } = orders(zod, {
      query: { filters: { allowed: ['status'] } },
      resources: () => ({ data: [] }),
    })
    const filters = { self: [{ attribute: 'statsu', operator: 'equals', value: 'open' }] }
    const extensions = [{ urn: 'urn:forrst:ext:query', options: { filters } }]
    const { body } = await call(service, { function: 'orders.list', extensions })
    expect(body.errors?.[0]?.message).toContain('did you mean "status"?')
    const misspelt = [{ urn: 'urn:forrst:ext:query', options: { filter: filters } }]
    const other = await call(service, { function: 'orders.list', extensions: misspelt })
    expect(other.body.errors?.[0]?.message).toBe(
      'options.filter is not an option of the query extension; did you mean "filters"?',
    )
    expect(ran).toEqual([])
  })
})

describe('as reported: every document says so', () => {
  const composed = { type: 'object', allOf: [{ properties: { status: { type: 'string' } } }] }

  it.each([
    ['Zod', zod, { additionalProperties: false }],
    ['JSON Schema', plain, { additionalProperties: false }],
    ['allOf', composed, { unevaluatedProperties: false }],
  ])('of a %s schema', async (_, input, closing) => {
    const { service } = orders(input)
    const described = await call(service, {
      function: 'urn:cline:forrst:fn:describe',
      arguments: { function: 'orders.list' },
    })
    expect(described.body.result).toMatchObject({ versions: [{ schema: { arguments: closing } }] })
    const { post } = buildOpenApi(service).paths['/api/orders.list'] as { post: object }
    expect(post).toMatchObject({
      requestBody: { content: { 'application/json': { schema: closing } } },
    })
    const detail = await ask(createServiceToolApi(service), '/explorer/tools/orders__list', {
      method: 'GET',
    })
    expect(detail.json).toMatchObject({ inputSchema: closing })
    const listed = await modernClient(createMcpHandler(service)).request('tools/list')
    // Unions and compositions at the root make clients refuse a whole list; there it is a plain object.
    expect(listed.result['tools']).toMatchObject([{ inputSchema: { additionalProperties: false } }])
  })

  it('and discovery says which functions take others', () => {
    const open = { ...plain, additionalProperties: true }
    const [closed] = buildDocument(orders(plain).service).functions
    const [loose] = buildDocument(orders(open).service).functions
    expect(closed).not.toHaveProperty('x-additional-arguments')
    expect(loose).toMatchObject({ 'x-additional-arguments': true })
  })
})

describe('beside it: members of nested objects that Zod would drop', () => {
  const item = z.object({ sku: z.string(), quantity: z.int().optional() })
  const nested = z.object({
    items: z.array(item).optional(),
    ship: z.union([z.object({ to: z.string() }), z.string()]).optional(),
    pay: z
      .discriminatedUnion('by', [
        z.object({ by: z.literal('card'), number: z.string() }),
        z.object({ by: z.literal('cash'), change: z.number().optional() }),
      ])
      .optional(),
    labels: z.record(z.string(), z.object({ text: z.string() })).optional(),
    extra: z.looseObject({}).optional(),
    either: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })).optional(),
    count: z.coerce.number().optional(),
    pair: z.tuple([item, z.string()]).optional(),
    some: z.union([z.string(), z.array(item)]).optional(),
  })

  it.each([
    [{ items: [{ sku: 's' }, { sku: 's', quantty: 2 }] }, 'items.1.quantty', 'quantity'],
    [{ ship: { to: 'x', too: 'y' } }, 'ship.too', 'to'],
    [{ pay: { by: 'card', number: '1', numbr: '2' } }, 'pay.numbr', 'number'],
    [{ pay: { by: 'cash', chnge: 1 } }, 'pay.chnge', 'change'],
    [{ labels: { one: { text: 't', txt: 'u' } } }, 'labels.one.txt', 'text'],
    [{ pair: [{ sku: 's', quantty: 1 }, 'x'] }, 'pair.0.quantty', 'quantity'],
    [{ some: [{ sku: 's', quantty: 1 }] }, 'some.0.quantty', 'quantity'],
    [{ either: { a: '1', b: '2', cc: '3' } }, 'either.cc', undefined],
  ])('are refused in %j', async (input, field, meant) => {
    const { service, ran } = orders(nested)
    const { body } = await call(service, { function: 'orders.list', arguments: input })
    expect(ran).toEqual([])
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
    expect(body.errors?.map(({ message }) => message)).toContain(
      `${field}: is not a known property${hint}`,
    )
  })

  it.each([
    { items: [{ sku: 's', quantity: 2 }], ship: { to: 'x' }, pay: { by: 'cash', change: 1 } },
    { ship: 'x', extra: { anything: 1 }, count: '5', labels: { one: { text: 't' } } },
    { either: { a: '1', b: '2' }, pair: [{ sku: 's' }, 'x'] },
    { some: [{ sku: 's', quantity: 1 }] },
    { some: 'x' },
  ])('are taken when the schema knows them: %j', async (input) => {
    const { service, ran } = orders(nested)
    await call(service, { function: 'orders.list', arguments: input })
    expect(ran).toHaveLength(1)
  })

  it('are refused below a schema that contains itself', async () => {
    const node = z.object({
      name: z.string(),
      get parts() {
        return z.array(node).optional()
      },
    })
    const { service, ran } = orders(z.object({ tree: node }) as unknown as Schema)
    const good = { tree: { name: 'a', parts: [{ name: 'b', parts: [] }] } }
    await call(service, { function: 'orders.list', arguments: good })
    expect(ran).toHaveLength(1)
    const bad = { tree: { name: 'a', parts: [{ name: 'b', prts: [] }] } }
    const { body } = await call(service, { function: 'orders.list', arguments: bad })
    expect(body.errors?.[0]?.message).toContain('did you mean "parts"?')
    expect(ran).toHaveLength(1)
  })

  it('are closed in the published schema as well, and only those', () => {
    const { service } = orders(nested)
    const schema = service.registry.find('orders.list')?.latest?.inputSchema
    expect(schema).toMatchObject({
      additionalProperties: false,
      properties: {
        items: { items: { additionalProperties: false } },
        ship: { anyOf: [{ additionalProperties: false }, { type: 'string' }] },
        pay: { oneOf: [{ additionalProperties: false }, { additionalProperties: false }] },
        labels: { additionalProperties: { additionalProperties: false } },
        extra: { additionalProperties: {} },
      },
    })
  })

  it('keep the meaning that plain JSON Schema gives them', async () => {
    const input = { type: 'object', properties: { place: { type: 'object', properties: {} } } }
    const { service, ran } = orders(input)
    await call(service, { function: 'orders.list', arguments: { place: { other: 1 } } })
    expect(ran).toEqual([{ place: { other: 1 } }])
  })
})

describe('beside it: schemas that are more than one object', () => {
  const named = (name: string) => ({ properties: { [name]: { type: 'string' } } })
  const schemas: Readonly<Record<string, [object, object]>> = {
    allOf: [{ type: 'object', allOf: [named('status'), named('limit')] }, { limit: 'x' }],
    anyOf: [{ type: 'object', anyOf: [named('status'), named('limit')] }, { status: 'x' }],
    'a reference': [{ $ref: '#/components/schemas/Filter' }, { status: 'x' }],
    'a condition': [
      {
        type: 'object',
        ...named('status'),
        if: { required: ['status'] }, // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: named('limit'),
      },
      { status: 'x', limit: 'y' },
    ],
    'draft 7': [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        allOf: [{ $ref: '#/definitions/F' }],
        definitions: { F: named('status') },
      },
      { status: 'x' },
    ],
    'what is only required': [
      { type: 'object', ...named('status'), required: ['key'] },
      { key: 1 },
    ],
  }

  it.each(Object.entries(schemas))('%s', async (_, [input, good]) => {
    const { service, ran } = orders(input as Schema)
    const { body } = await call(service, {
      function: 'orders.list',
      arguments: { ...good, statsu: 'x' },
    })
    expect(body.errors?.map(({ message }) => message)).toContain(
      'statsu: is not an argument of orders.list; did you mean "status"?',
    )
    expect(ran).toEqual([])
    await call(service, { function: 'orders.list', arguments: good })
    expect(ran).toEqual([good])
  })
})

describe('beside it: whoever sends names on purpose', () => {
  it.each([
    ['Zod', zod],
    ['JSON Schema', plain],
  ])('gets a short answer from %s', async (_, input) => {
    const { service } = orders(input)
    const long = 'n'.repeat(200_000)
    const crowd = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`name${i}`, 1]))
    const one = await call(service, { function: 'orders.list', arguments: { [long]: 1 } })
    expect(one.status).toBe(400)
    expect(JSON.stringify(one.body).length).toBeLessThan(1000)
    const many = await call(service, {
      function: 'orders.list',
      arguments: { ...crowd, limit: 'x' },
    })
    expect(many.status).toBe(400)
    expect(JSON.stringify(many.body).length).toBeLessThan(40_000)
  })

  it('finds no member that every object inherits', async () => {
    const { service, ran } = orders(zod)
    const request = toRequest('{"__proto__":{"status":"x"}}', { path: '/api/orders.list' })
    expect((await createRestHandler(service)(request)).status).toBe(400)
    const { status } = await call(service, {
      function: 'orders.list',
      arguments: { constructor: 1 },
    })
    expect(status).toBe(400)
    expect(ran).toEqual([])
  })
})
