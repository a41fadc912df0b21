import { describe, expect, it } from 'vitest'
import type { QueryCapabilities } from '../../core/description.ts'
import {
  createQueryParser,
  type ResourceObject,
  runQuery,
  toDocument,
  toResource,
} from '../../entries/query.ts'
import type { JsonObject } from '../../values/json.ts'

const to = (type: string, ...ids: string[]) => ids.map((id) => ({ type, id }))

const ORDERS: readonly ResourceObject[] = [
  toResource(
    'order',
    { id: 1, type: 'ignored', status: 'paid', total: 10, rush: true, note: null },
    { customer: { data: { type: 'customer', id: '1' } }, items: { data: to('item', '1', '2') } },
  ),
  toResource(
    'order',
    { id: 2, status: 'open', total: 30, rush: false, note: '50% off' },
    { customer: { data: { type: 'customer', id: '2' } }, items: { data: [] } },
  ),
  toResource(
    'order',
    { id: 3, status: 'Paid', total: 20, rush: false },
    { customer: { data: { type: 'customer', id: '1' } }, items: { data: to('item', '3') } },
  ),
  toResource('order', { id: 4, status: 'open_now', total: null }, { customer: { data: null } }),
]

const RELATED: readonly ResourceObject[] = [
  toResource(
    'customer',
    { id: '1', name: 'Ann', country: 'FI', vip: true },
    { orders: { data: to('order', '1', '3') } },
  ),
  toResource('customer', { id: '2', name: 'Bob', country: 'SE', vip: true }),
  toResource(
    'item',
    { id: '1', size: 'S', colour: 'red' },
    { product: { data: to('product', '1')[0] ?? null } },
  ),
  toResource(
    'item',
    { id: '2', size: 'M', colour: 'blue' },
    { product: { data: to('product', '1')[0] ?? null } },
  ),
  toResource(
    'item',
    { id: '3', size: 'S', colour: 'blue' },
    { product: { data: to('product', '2')[0] ?? null } },
  ),
  toResource('product', { id: '1', title: 'Hat' }),
  toResource('product', { id: '2', title: 'Cap' }),
  toResource('product', { id: '9', title: 'Never referenced' }),
]

const QUERY: QueryCapabilities = {
  filters: {
    allowed: ['id', 'status', 'total', 'rush', 'note'],
    related: { customer: ['country'], items: ['size', 'colour'], 'items.product': ['title'] },
  },
  sorts: { allowed: ['total', 'status', 'rush'] },
  fields: {
    allowed: ['status', 'total', 'rush', 'note'],
    related: { customer: ['name', 'country'] },
  },
  relationships: { allowed: ['customer', 'items', 'items.product', 'customer.orders'] },
  pagination: { strategies: ['offset', 'cursor', 'keyset', 'page'] },
}
const parser = createQueryParser(QUERY, { name: 'orders.list@1.0.0' })

function run(options: unknown) {
  const document = runQuery(parser.parse(options as JsonObject), ORDERS, { related: RELATED })
  const data = document.data as readonly ResourceObject[]
  return { ...document, data, ids: data.map(({ id }) => id).join('') }
}

const matching = (attribute: string, operator: string, value?: unknown) =>
  run({ filters: { self: [{ attribute, operator, ...(value !== undefined && { value }) }] } }).ids

describe('a query over a list', () => {
  it.each<[string, string, unknown, string]>([
    ['equals', 'status', 'paid', '1'],
    ['eq', 'total', 30, '2'],
    ['equals', 'rush', false, '23'],
    ['equals', 'total', '30', ''],
    ['equals', 'id', '4', '4'],
    ['not_equals', 'status', 'paid', '234'],
    ['neq', 'total', 10, '23'],
    ['not_equals', 'total', '10', '123'],
    ['greater_than', 'total', 10, '23'],
    ['gt', 'status', 'open', '14'],
    ['greater_than_or_equal_to', 'total', 20, '23'],
    ['gte', 'total', '20', ''],
    ['less_than', 'total', 20, '1'],
    ['lt', 'status', 'a', '3'],
    ['less_than_or_equal_to', 'total', 20, '13'],
    ['lte', 'total', 10, '1'],
    ['like', 'status', 'pa%', '1'],
    ['like', 'status', '%pen%', '24'],
    ['like', 'status', 'open_now', '4'],
    ['like', 'status', 'open_', ''],
    ['like', 'status', '%', '1234'],
    ['like', 'status', 'paidpaid', ''],
    ['like', 'note', '50%%%off', '2'],
    ['like', 'total', '%', ''],
    ['not_like', 'status', 'pa%', '234'],
    ['not_like', 'note', 'x', '2'],
    ['in', 'status', ['paid', 'Paid'], '13'],
    ['in', 'status', [], ''],
    ['not_in', 'status', ['paid'], '234'],
    ['not_in', 'total', [10, 'x'], '23'],
    ['not_in', 'total', [], '123'],
    ['between', 'total', [10, 20], '13'],
    ['between', 'total', [20, 10], ''],
    ['between', 'status', ['o', 'p'], '24'],
    ['not_between', 'total', [10, 20], '2'],
    ['is_null', 'total', undefined, '4'],
    ['is_null', 'note', undefined, '134'],
    ['is_not_null', 'note', undefined, '2'],
  ])('[F-241] finds with %s %s %j the orders "%s"', (operator, attribute, value, ids) => {
    expect(matching(attribute, operator, value)).toBe(ids)
  })

  it('[F-242] joins conditions from left to right, without precedence', () => {
    const open = { attribute: 'status', operator: 'equals', value: 'open' }
    const paid = { attribute: 'status', operator: 'equals', value: 'paid', boolean: 'or' }
    const rush = { attribute: 'rush', operator: 'equals', value: true }
    expect(run({ filters: { self: [open, paid, rush] } }).ids).toBe('1')
    expect(run({ filters: { self: [rush, { ...open, boolean: 'or' }, paid] } }).ids).toBe('12')
    expect(run({ filters: { self: [{ ...open, boolean: 'or' }, rush] } }).ids).toBe('')
  })

  it('[F-243] keeps orders for which one related resource meets all conditions', () => {
    const small = { attribute: 'size', operator: 'equals', value: 'S' }
    const blue = { attribute: 'colour', operator: 'equals', value: 'blue' }
    expect(run({ filters: { items: [small, blue] } }).ids).toBe('3')
    expect(run({ filters: { items: [small] } }).ids).toBe('13')
    expect(run({ filters: { items: [{ ...small, operator: 'neq' }] } }).ids).toBe('1')
    const finnish = { attribute: 'country', operator: 'equals', value: 'FI' }
    expect(run({ filters: { customer: [finnish], items: [blue] } }).ids).toBe('13')
    const hat = { attribute: 'title', operator: 'equals', value: 'Hat' }
    expect(run({ filters: { 'items.product': [hat] } }).ids).toBe('1')
  })

  it('[F-239] filters, then sorts, then cuts the page; null is smallest and false before true', () => {
    const known = { attribute: 'total', operator: 'is_not_null' }
    const sorts = [{ attribute: 'total', direction: 'desc' }]
    const page = run({ filters: { self: [known] }, sorts, pagination: { limit: 2, offset: 1 } })
    expect(page.ids).toBe('31')
    expect(page.meta).toEqual({
      pagination: { limit: 2, offset: 1, total: 3, has_more: false },
    })
    expect(run({ sorts }).ids).toBe('2314')
    expect(run({ sorts: [{ attribute: 'total', direction: 'asc' }] }).ids).toBe('4132')
    expect(run({ sorts: [{ attribute: 'rush', direction: 'asc' }] }).ids).toBe('4231')
  })

  it('orders texts by code point, as databases do', () => {
    const emoji = [
      toResource('order', { id: 'a', status: '😀' }),
      toResource('order', { id: 'b', status: '\uffee' }),
    ]
    const sorts = [{ attribute: 'status', direction: 'asc' }]
    const { data } = runQuery(parser.parse({ sorts }), emoji)
    expect(data).toMatchObject([{ id: 'b' }, { id: 'a' }])
  })

  it('[F-244][F-245] shows only type and id for an empty fieldset', () => {
    const { data } = run({ fields: { self: [] } })
    expect(data[0]).toEqual({ type: 'order', id: '1' })
    expect(run({ fields: { self: ['id', 'type'] } }).data[0]).toEqual({ type: 'order', id: '1' })
  })

  it('[F-245][F-251] keeps type and id beside the chosen attributes', () => {
    const { data } = run({ fields: { self: ['total'] } })
    expect(data[0]).toMatchObject({ type: 'order', id: '1', attributes: { total: 10 } })
    expect(data[0]?.attributes).toEqual({ total: 10 })
    expect(run({}).data[0]?.attributes).toEqual({
      status: 'paid',
      total: 10,
      rush: true,
      note: null,
    })
  })

  it('[F-246] includes what the relationships lead to, each once and reduced to its fields', () => {
    const { included, data } = run({
      relationships: ['customer', 'items.product'],
      fields: { self: [], customer: ['name'] },
    })
    const names = included?.map(({ type, id }) => `${type} ${id}`)
    expect(names?.toSorted()).toEqual([
      'customer 1',
      'customer 2',
      'item 1',
      'item 2',
      'item 3',
      'product 1',
      'product 2',
    ])
    expect(included?.[0]?.attributes).toEqual({ name: 'Ann' })
    expect(data[0]).toEqual({
      type: 'order',
      id: '1',
      relationships: {
        customer: { data: { type: 'customer', id: '1' } },
        items: { data: to('item', '1', '2') },
      },
    })
  })

  it('[F-246] includes only what the page itself leads to, and nothing that is in it already', () => {
    const { included } = run({ relationships: ['customer.orders'], pagination: { limit: 1 } })
    expect(included?.map(({ type, id }) => `${type} ${id}`)).toEqual(['customer 1', 'order 3'])
  })

  it('[F-247][F-252] sends identifiers and no included when no relationship is asked for', () => {
    const document = run({})
    expect(document).not.toHaveProperty('included')
    expect(document.data.map(({ relationships }) => relationships?.['customer']?.data)).toEqual([
      { type: 'customer', id: '1' },
      { type: 'customer', id: '2' },
      { type: 'customer', id: '1' },
      null,
    ])
  })

  it('[F-249] chains pages by cursor until there is no more', () => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { ids, meta } = run({ pagination: { limit: 3, cursor } })
      const page = meta?.['pagination'] as Record<string, unknown>
      expect(page).toEqual({
        limit: 3,
        next_cursor: seen.length === 0 ? expect.any(String) : null,
        prev_cursor: seen.length === 0 ? null : expect.any(String),
        has_more: seen.length === 0,
      })
      seen.push(ids)
      cursor = page['next_cursor'] as string | null
    } while (cursor !== null)
    expect(seen).toEqual(['123', '4'])
  })

  it.each([
    [
      { limit: 2, cursor: null },
      { limit: 2, next_cursor: null, prev_cursor: null, has_more: false },
    ],
    [
      { limit: 2, offset: 7 },
      { limit: 2, offset: 7, total: 0, has_more: false },
    ],
    [
      { page: 3, per_page: 5 },
      { page: 3, per_page: 5, total: 0, has_more: false },
    ],
    [
      { until: '2000-01-01T00:00:00Z' },
      { limit: 25, newest_id: null, oldest_id: null, has_newer: false, has_older: false },
    ],
  ])('answers an empty page to %j', (pagination, meta) => {
    const nothing = { self: [{ attribute: 'id', operator: 'in', value: [] }] }
    const document = run({ filters: nothing, pagination })
    expect(document).toMatchObject({ data: [], meta: { pagination: meta } })
  })

  it.each([
    [{ limit: 2, since: '2000-01-01T00:00:00Z' }, '', { has_newer: false, has_older: false }],
    [{ limit: 2, before_id: '4' }, '32', { has_newer: true, has_older: true }],
    [{ limit: 2, before_id: '3' }, '21', { has_newer: true, has_older: false }],
    [{ limit: 2, after_id: '1' }, '32', { has_newer: true, has_older: true }],
    [{ limit: 2, after_id: '2' }, '43', { has_newer: false, has_older: true }],
    [{ limit: 5, after_id: '1', before_id: '4' }, '32', { has_newer: true, has_older: true }],
  ])('pages by key, newest first: %j', (pagination, ids, meta) => {
    const page = run({ pagination })
    expect(page.ids).toBe(ids)
    expect(page.meta?.['pagination']).toMatchObject(meta)
  })

  it('makes a document of one resource, or of none', () => {
    const plan = parser.parse({ fields: { self: ['total'] }, relationships: ['customer'] })
    const [order = null] = ORDERS
    expect(toDocument(plan, order, { related: RELATED })).toMatchObject({
      data: { id: '1', attributes: { total: 10 } },
      included: [{ type: 'customer', id: '1' }],
    })
    expect(toDocument(plan, null)).toEqual({ data: null, included: [] })
  })

  it('matches a hostile pattern against a long text in time that grows with the text', () => {
    const long = [toResource('order', { id: 'x', status: 'a'.repeat(200_000) })]
    const value = `${'%a'.repeat(500)}%b%`
    const plan = parser.parse({
      filters: { self: [{ attribute: 'status', operator: 'like', value }] },
    })
    expect(runQuery(plan, long).data).toEqual([])
  })
})
