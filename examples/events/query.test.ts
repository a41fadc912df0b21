import { describe, expect, it } from 'vitest'
import { call, dataOf } from '../../test/support/forrst.ts'
import { createEventsService } from './main.ts'

const URN = 'urn:forrst:ext:query'

interface Document {
  readonly data: { readonly id: string; readonly attributes: Record<string, unknown> }[]
  readonly meta: { readonly pagination: Record<string, unknown> }
}

describe('events.list with the query extension', () => {
  const service = createEventsService({ database: ':memory:' })
  const ask = (options: object, input: object = {}) =>
    call(service, {
      function: 'events.list',
      arguments: input,
      extensions: [{ urn: URN, options }],
    })
  const list = async (options: object, input?: object) =>
    (await ask(options, input)).body.result as unknown as Document
  const names = ({ data }: Document) => data.map(({ attributes }) => attributes['name'])

  it('[F-238][F-250][F-251][F-252] answers resources, in the order of the function', async () => {
    const response = await ask({})
    expect(response.status).toBe(200)
    expect(response.body.result).toEqual({
      data: [
        expect.objectContaining({ relationships: { venue: { data: null } } }),
        {
          type: 'event',
          id: 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
          attributes: {
            name: 'Tech Conference 2024',
            description: 'Two tracks on building services that explain themselves.',
            status: 'published',
            starts_at: '2024-09-15T09:00:00Z',
            ends_at: '2024-09-15T18:00:00Z',
            created_at: '2024-01-15T10:30:00Z',
            updated_at: '2024-01-15T10:30:00Z',
          },
          relationships: {
            venue: { data: { type: 'venue', id: 'ven_01A2B3C4D5E6F7G8H9I0J1K2L3' } },
          },
        },
        expect.objectContaining({ type: 'event' }),
      ],
      meta: { pagination: { limit: 25, offset: 0, total: 3, has_more: false } },
    })
    expect(dataOf(response, URN)).toEqual({ capabilities: ['filtering', 'sorting', 'pagination'] })
  })

  it('filters, sorts and pages in the database, together with its own argument', async () => {
    const later = { attribute: 'starts_at', operator: 'gt', value: '2024-08-01T00:00:00Z' }
    const byName = { attribute: 'name', direction: 'asc' }
    const filters = { self: [later] }
    expect(names(await list({ filters, sorts: [byName] }))).toEqual([
      'Planning Meeting',
      'Tech Conference 2024',
    ])
    expect(names(await list({ filters }, { status: 'draft' }))).toEqual(['Planning Meeting'])
    const second = await list({ sorts: [byName], pagination: { limit: 1, offset: 1 } })
    expect(names(second)).toEqual(['Summer Fair'])
    expect(second.meta.pagination).toEqual({ limit: 1, offset: 1, total: 3, has_more: true })
  })

  it('[F-249] leads through all events by cursors', async () => {
    const seen: unknown[] = []
    let cursor: unknown = null
    do {
      const page = await list({ pagination: { limit: 1, cursor } })
      seen.push(...names(page))
      cursor = page.meta.pagination['next_cursor']
      expect(page.meta.pagination['has_more']).toBe(cursor !== null)
    } while (cursor !== null)
    expect(seen).toEqual(['Summer Fair', 'Tech Conference 2024', 'Planning Meeting'])
  })

  it('refuses what the function does not allow', async () => {
    const response = await ask({
      filters: { self: [{ attribute: 'description', operator: 'like', value: '%' }] },
      relationships: ['venue'],
    })
    expect(response.status).toBe(400)
    expect(response.body.errors?.map(({ source }) => source)).toEqual([
      { pointer: '/extensions/0/options/filters/self/0/attribute' },
      { pointer: '/extensions/0/options/filters/self/0/operator' },
      { pointer: '/extensions/0/options/relationships/0' },
    ])
  })

  it('takes hostile values for nothing but values', async () => {
    const value = "' or 1=1; drop table events; --"
    const filters = { self: [{ attribute: 'status', operator: 'eq', value }] }
    expect(names(await list({ filters }))).toEqual([])
    expect(names(await list({}))).toHaveLength(3)
  })

  it('stays a plain list without the extension', async () => {
    const { body } = await call(service, { function: 'events.list' })
    expect(body.result).toHaveLength(3)
  })
})
