import { describe, expect, it } from 'vitest'
import type { QueryCapabilities } from '../../core/description.ts'
import { createQueryParser } from '../../entries/query.ts'
import { CallError, type CallErrorShape } from '../../errors/error.ts'
import type { JsonObject } from '../../values/json.ts'

const QUERY: QueryCapabilities = {
  filters: {
    allowed: ['status', 'total'],
    related: { customer: ['country'] },
    operators: ['eq', 'in', 'between', 'like', 'gt', 'is_null', 'not_equals'],
    maxConditions: 4,
  },
  sorts: { allowed: ['total', 'id'], maxFields: 2 },
  fields: { allowed: ['status', 'total'], related: { customer: ['name'] }, default: ['status'] },
  relationships: { allowed: ['customer', 'items', 'items.product', 'a.b.c.d'] },
  pagination: { strategies: ['offset', 'cursor', 'keyset'], defaultSize: 10, maxSize: 100 },
}
const parser = createQueryParser(QUERY, { name: 'orders.list@1.0.0', cursorSecret: 'one' })

function refusal(options: unknown, from = parser): readonly CallErrorShape[] {
  try {
    from.parse(options as JsonObject, '/extensions/1')
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown.errors
    throw thrown
  }
  throw new Error('was accepted')
}

const self = (...filters: unknown[]) => ({ filters: { self: filters } })
const where = (operator: unknown, value?: unknown, attribute: unknown = 'status') =>
  self({ attribute, operator, ...(value !== undefined && { value }) })

describe('the options of a query', () => {
  it.each<[string, unknown, string, JsonObject | undefined]>([
    ['filters that are a list', { filters: [] }, 'filters', undefined],
    [
      'a filter of an unknown attribute',
      where('eq', 'x', 'card_number'),
      'filters/self/0/attribute',
      { attribute: 'card_number', allowed: ['status', 'total'] },
    ],
    [
      'an attribute of every object',
      where('eq', 'x', '__proto__'),
      'filters/self/0/attribute',
      { attribute: '__proto__', allowed: ['status', 'total'] },
    ],
    [
      'a filter without attribute',
      self({ operator: 'eq', value: 1 }),
      'filters/self/0/attribute',
      { allowed: ['status', 'total'] },
    ],
    ['a filter that is a text', self('status'), 'filters/self/0', undefined],
    ['filters of self that are an object', { filters: { self: {} } }, 'filters/self', undefined],
    [
      'filters of an unknown relationship',
      { filters: { 'a/b': [] } },
      'filters/a~1b',
      { relationship: 'a/b', available: ['customer'] },
    ],
    [
      'an attribute of the wrong resource',
      { filters: { customer: [{ attribute: 'status', operator: 'eq', value: 'x' }] } },
      'filters/customer/0/attribute',
      { attribute: 'status', allowed: ['country'] },
    ],
    [
      'an operator that does not exist',
      where('contains', 'x'),
      'filters/self/0/operator',
      expect.anything() as never,
    ],
    [
      'an operator the function does not offer',
      where('lt', 1),
      'filters/self/0/operator',
      expect.anything() as never,
    ],
    ['equals with null', where('equals', null), 'filters/self/0/value', undefined],
    ['equals with nothing', where('equals'), 'filters/self/0/value', undefined],
    ['equals with an object', where('equals', {}), 'filters/self/0/value', undefined],
    ['an order of booleans', where('gt', true), 'filters/self/0/value', undefined],
    ['a pattern that is a number', where('like', 5), 'filters/self/0/value', undefined],
    ['a text with a zero byte', where('eq', 'a\0b'), 'filters/self/0/value', undefined],
    ['half a character', where('eq', '\ud800'), 'filters/self/0/value', undefined],
    ['a text that is too long', where('like', '%'.repeat(2000)), 'filters/self/0/value', undefined],
    [
      'a number beyond all numbers',
      where('gt', Number.POSITIVE_INFINITY),
      'filters/self/0/value',
      undefined,
    ],
    ['a list that is none', where('in', 'x'), 'filters/self/0/value', undefined],
    ['a list that is too long', where('in', Array(101).fill(1)), 'filters/self/0/value', undefined],
    ['a list with null', where('in', ['a', null]), 'filters/self/0/value/1', undefined],
    ['a range of three', where('between', [1, 2, 3]), 'filters/self/0/value', undefined],
    ['a range of two kinds', where('between', [1, 'b']), 'filters/self/0/value', undefined],
    ['a null test with a value', where('is_null', 1), 'filters/self/0/value', undefined],
    [
      'a join that is neither',
      self({ attribute: 'status', operator: 'is_null', boolean: 'xor' }),
      'filters/self/0/boolean',
      undefined,
    ],
    [
      'too many conditions',
      self(...Array(5).fill({})),
      'filters',
      { requested: 5, max_conditions: 4 },
    ],
    ['sorts that are an object', { sorts: {} }, 'sorts', undefined],
    ['a sort that is a text', { sorts: ['total'] }, 'sorts/0', undefined],
    [
      'a sort by an unknown attribute',
      { sorts: [{ attribute: 'x', direction: 'asc' }] },
      'sorts/0/attribute',
      { attribute: 'x', allowed: ['total', 'id'] },
    ],
    [
      'a sort without direction',
      { sorts: [{ attribute: 'total' }] },
      'sorts/0/direction',
      undefined,
    ],
    ['too many sorts', { sorts: [1, 2, 3] }, 'sorts', { requested: 3, max_fields: 2 }],
    ['fields that are a list', { fields: [] }, 'fields', undefined],
    ['a fieldset that is a text', { fields: { self: 'status' } }, 'fields/self', undefined],
    [
      'a field that is not allowed',
      { fields: { self: ['id', 'type', 'total', 'secret'] } },
      'fields/self/3',
      { field: 'secret', resource: 'self', allowed: ['status', 'total'] },
    ],
    [
      'a field of a resource without any',
      { fields: { items: ['name'] } },
      'fields/items/0',
      { field: 'name', resource: 'items', allowed: [] },
    ],
    [
      'fields of an unknown resource',
      { fields: { owner: [] } },
      'fields/owner',
      expect.anything() as never,
    ],
    ['relationships that are a text', { relationships: 'customer' }, 'relationships', undefined],
    [
      'an unknown relationship',
      { relationships: ['customer', 'owner'] },
      'relationships/1',
      { relationship: 'owner', available: ['customer', 'items', 'items.product', 'a.b.c.d'] },
    ],
    [
      'a relationship nested too deep',
      { relationships: ['a.b.c.d'] },
      'relationships/0',
      { relationship: 'a.b.c.d', max_depth: 3 },
    ],
    ['pagination that is a number', { pagination: 10 }, 'pagination', undefined],
    ['a limit of none', { pagination: { limit: 0 } }, 'pagination/limit', undefined],
    ['a limit that is a text', { pagination: { limit: '10' } }, 'pagination/limit', undefined],
    ['an offset below zero', { pagination: { offset: -1 } }, 'pagination/offset', undefined],
    ['an offset beyond reason', { pagination: { offset: 1e15 } }, 'pagination/offset', undefined],
    [
      'a style the function does not have',
      { pagination: { page: 2 } },
      'pagination/page',
      { supported: ['offset', 'cursor', 'keyset'] },
    ],
    [
      'a parameter nobody knows',
      { pagination: { after: 'x' } },
      'pagination/after',
      { supported: ['offset', 'cursor', 'keyset'] },
    ],
    [
      'two styles at once',
      { pagination: { offset: 1, cursor: 'x' } },
      'pagination/cursor',
      undefined,
    ],
    [
      'a cursor that is none',
      { pagination: { cursor: 'b2Zmc2V0' } },
      'pagination/cursor',
      undefined,
    ],
    ['a cursor that is a number', { pagination: { cursor: 5 } }, 'pagination/cursor', undefined],
    ['an empty cursor', { pagination: { cursor: '' } }, 'pagination/cursor', undefined],
    ['an id that is a number', { pagination: { after_id: 5 } }, 'pagination/after_id', undefined],
    [
      'an id of 10 KB',
      { pagination: { before_id: 'x'.repeat(10_240) } },
      'pagination/before_id',
      undefined,
    ],
    [
      'a moment that is none',
      { pagination: { since: 'yesterday' } },
      'pagination/since',
      undefined,
    ],
    [
      'a day that is none',
      { pagination: { until: '2024-13-45T00:00:00Z' } },
      'pagination/until',
      undefined,
    ],
    ['an order of keyset pages', { sorts: [], pagination: { after_id: 'x' } }, 'sorts', undefined],
  ])('[F-240] refuses %s', (_title, options, path, details) => {
    const [error, ...others] = refusal(options)
    expect(others).toEqual([])
    expect(error).toEqual({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(`options.${path.split('/')[0]}`),
      source: { pointer: `/extensions/1/options/${path}` },
      ...(details && { details }),
    })
  })

  it('[F-248] refuses a limit above the maximum, with both numbers', () => {
    expect(refusal({ pagination: { limit: 500 } })).toEqual([
      {
        code: 'INVALID_ARGUMENTS',
        message: 'options.pagination.limit must be at most 100',
        source: { pointer: '/extensions/1/options/pagination/limit' },
        details: { requested: 500, max_limit: 100 },
      },
    ])
  })

  it('names everything that is wrong at once, up to a point', () => {
    const filters = { self: Array(4).fill({ attribute: 'x', operator: 'y' }) }
    const pointers = refusal({ filters, sorts: 1, pagination: { limit: 0 } })
    expect(pointers).toHaveLength(10)
    expect(refusal({ relationships: Array(10_000).fill('x') })).toHaveLength(20)
  })

  it('does not repeat a name of any length', () => {
    const [error] = refusal({ filters: { ['x'.repeat(100_000)]: [] } })
    expect(JSON.stringify({ ...error, source: '' }).length).toBeLessThan(500)
  })

  it('fills in what the caller left out', () => {
    expect(parser.parse({})).toEqual({
      filters: [],
      relatedFilters: new Map(),
      sorts: [{ attribute: 'id', direction: 'asc' }],
      fields: new Map([
        ['customer', ['name']],
        ['self', ['status']],
      ]),
      relationships: [],
      pagination: { style: 'offset', limit: 10, offset: 0 },
    })
  })

  it('takes short operators for long ones, adds parents to nested relationships and an id to the order', () => {
    const plan = parser.parse({
      filters: { self: [{ attribute: 'total', operator: 'gt', value: 5 }] },
      sorts: [{ attribute: 'total', direction: 'desc' }],
      relationships: ['items.product', 'items'],
    })
    expect(plan.filters).toEqual([
      { attribute: 'total', operator: 'greater_than', values: [5], boolean: 'and' },
    ])
    expect(plan.sorts).toEqual([
      { attribute: 'total', direction: 'desc' },
      { attribute: 'id', direction: 'asc' },
    ])
    expect(plan.relationships).toEqual(['items', 'items.product'])
  })

  it('reads moments of any zone as UTC', () => {
    const { pagination } = parser.parse({ pagination: { since: '2024-01-15T12:30:00+02:00' } })
    expect(pagination).toMatchObject({ since: '2024-01-15T10:30:00Z' })
  })

  it('refuses every page where a function has none', () => {
    const bare = createQueryParser({}, { name: 'x' })
    expect(bare.parse({}).pagination).toBeUndefined()
    expect(refusal({ pagination: { limit: 1 } }, bare)).toMatchObject([
      { source: { pointer: '/extensions/1/options/pagination/limit' } },
    ])
  })

  it.each([
    [{ filters: { operators: ['contains'] } }, 'query.filters.operators'],
    [{ pagination: { strategies: ['offset'], defaultStrategy: 'cursor' } }, 'defaultStrategy'],
    [{ pagination: { defaultSize: 50, maxSize: 10 } }, 'defaultSize'],
  ] as const)('finds the mistake in %j at start', (query, field) => {
    const create = () => createQueryParser(query as QueryCapabilities, { name: 'orders.list' })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(field)
  })
})

describe('a cursor', () => {
  const position = { direction: 'after', values: ['ann@example.com', 'ord_1'] } as const
  const sealOf = (options: JsonObject, from = parser) => {
    const { pagination } = from.parse({ ...options, pagination: { cursor: null } })
    if (pagination?.style !== 'cursor') throw new Error('no cursor style')
    return pagination.seal(position)
  }

  it('opens for the query it belongs to, and is the same every time', () => {
    const cursor = sealOf({})
    expect(cursor).toBe(sealOf({}))
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(parser.parse({ pagination: { cursor, limit: 3 } }).pagination).toMatchObject({
      position,
    })
  })

  it('shows nothing of what it holds', () => {
    expect(Buffer.from(sealOf({}), 'base64url').toString('latin1')).not.toContain('ann')
  })

  it('opens for no other filter, order, function or secret', () => {
    const others = [
      sealOf(where('eq', 'x') as unknown as JsonObject),
      sealOf({ sorts: [{ attribute: 'total', direction: 'asc' }] }),
      sealOf({}, createQueryParser(QUERY, { name: 'users.list@1.0.0', cursorSecret: 'one' })),
      sealOf({}, createQueryParser(QUERY, { name: 'orders.list@1.0.0', cursorSecret: 'two' })),
    ]
    for (const cursor of others) {
      expect(refusal({ pagination: { cursor } })).toMatchObject([
        { source: { pointer: '/extensions/1/options/pagination/cursor' } },
      ])
    }
  })

  it('opens no more when any of its characters is changed', () => {
    const cursor = sealOf({})
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'A' ? 'B' : 'A'
      const forged = `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`
      expect(refusal({ pagination: { cursor: forged } })).toHaveLength(1)
    }
    for (const forged of [`${cursor}A`, cursor.slice(0, -1), `${cursor}=`, ` ${cursor}`]) {
      expect(refusal({ pagination: { cursor: forged } })).toHaveLength(1)
    }
  })
})
