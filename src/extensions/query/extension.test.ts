import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import type { QueryCapabilities } from '../../core/description.ts'
import { defineFunction } from '../../core/function.ts'
import { runQuery, toResource } from '../../entries/query.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'
import { createService } from '../../system/create-service.ts'
import { queryExtension } from './extension.ts'

const URN = 'urn:forrst:ext:query'

const USERS = [
  { id: 1, name: 'Ann', created_at: '2024-01-01T00:00:00Z' },
  { id: 2, name: 'Bob', created_at: '2024-01-02T00:00:00Z' },
  { id: 3, name: 'Cid', created_at: '2024-01-03T00:00:00Z' },
]

const QUERY: QueryCapabilities = {
  filters: { allowed: ['name'] },
  sorts: { allowed: ['name'] },
  fields: { allowed: ['name', 'created_at'] },
  relationships: { allowed: [] },
  pagination: { strategies: ['cursor', 'keyset'], maxSize: 50 },
}

interface SetUpOptions {
  readonly query?: QueryCapabilities
  readonly answer?: unknown
  readonly cursorSecret?: string
}

function setUp({ query = QUERY, answer, cursorSecret }: SetUpOptions = {}) {
  const log = createTestLog()
  const service = createService({
    info: { title: 'Users', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'users.list',
        version: '1.0.0',
        query,
        output: { type: 'array', items: { type: 'object', required: ['id', 'name'] } },
        handler: () => USERS,
        resources: ({ plan }) =>
          answer === undefined
            ? runQuery(
                plan,
                USERS.map((user) => toResource('user', user)),
              )
            : (answer as never),
      }),
      defineFunction({ name: 'users.count', version: '1.0.0', handler: () => 3 }),
    ],
    extensions: [queryExtension(cursorSecret === undefined ? {} : { cursorSecret })],
    log,
  })
  const ask = (options?: unknown, name = 'users.list') =>
    call(service, {
      function: name,
      context: {},
      extensions: [{ urn: URN, ...(options !== undefined && { options }) }],
    })
  return { service, ask, log }
}

describe('query extension', () => {
  it('[F-238] answers resources, and says what the function supports', async () => {
    const response = await setUp().ask({ pagination: { limit: 1 }, fields: { self: ['name'] } })
    expect(response.status).toBe(200)
    expect(response.body.result).toEqual({
      data: [{ type: 'user', id: '1', attributes: { name: 'Ann' } }],
      meta: {
        pagination: {
          limit: 1,
          next_cursor: expect.any(String),
          prev_cursor: null,
          has_more: true,
        },
      },
    })
    expect(dataOf(response, URN)).toEqual({
      capabilities: ['filtering', 'sorting', 'pagination', 'relationships', 'sparse_fieldsets'],
    })
  })

  it('leaves the function as it was for callers who do not declare it', async () => {
    const { service } = setUp()
    const { body } = await call(service, { function: 'users.list' })
    expect(body.result).toEqual(USERS)
  })

  it('[F-240] answers INVALID_ARGUMENTS with a pointer into the entry, before the function runs', async () => {
    const { ask } = setUp({ answer: 'never' })
    const filters = { self: [{ attribute: 'password', operator: 'like', value: 'a%' }] }
    const response = await ask({ filters })
    expect(response.status).toBe(400)
    expect(response.body.errors).toEqual([
      {
        code: 'INVALID_ARGUMENTS',
        message: 'options.filters.self.0.attribute must be one of name',
        source: { pointer: '/extensions/0/options/filters/self/0/attribute' },
        details: { attribute: 'password', allowed: ['name'] },
      },
    ])
  })

  it('is refused by functions that declare no query', async () => {
    const { ask } = setUp()
    expect((await ask({}, 'users.count')).body.errors).toMatchObject([
      { code: 'EXTENSION_NOT_APPLICABLE', source: { pointer: '/extensions/0' } },
    ])
    expect((await ask({}, 'urn:cline:forrst:fn:ping')).status).toBe(400)
  })

  it.each([
    ['a plain list', USERS, 'must be { data, included?, meta? }'],
    ['[F-250] an id that is a number', { data: [{ type: 'user', id: 1 }] }, 'id of a user'],
    ['a resource without type', { data: { id: '1' } }, 'type of a resource'],
    [
      '[F-251] an id among the attributes',
      { data: [{ type: 'user', id: '1', attributes: { id: 1 } }] },
      'without id and type',
    ],
    [
      'attributes beside the attributes',
      { data: [{ type: 'user', id: '1', name: 'Ann' }] },
      '"name"',
    ],
    [
      '[F-252] a relationship that is a text',
      { data: [{ type: 'user', id: '1', relationships: { team: { data: '7' } } }] },
      'user.team',
    ],
    [
      '[F-252] a relationship without data',
      { data: [{ type: 'user', id: '1', relationships: { team: {} } }] },
      'user.team',
    ],
    [
      '[F-252] an identifier with more than type and id',
      {
        data: [],
        included: [
          {
            type: 'user',
            id: '1',
            relationships: { team: { data: [{ type: 'team', id: '7', name: 'x' }] } },
          },
        ],
      },
      'user.team',
    ],
    ['included that is not a list', { data: [], included: {} }, 'included'],
    ['meta that is not an object', { data: [], meta: [] }, 'meta'],
    ['one resource where there are pages', { data: { type: 'user', id: '1' } }, 'must be a list'],
    ['nothing where there are pages', { data: null }, 'must be a list'],
  ])('does not pass on %s', async (_title, answer, reason) => {
    const { ask, log } = setUp({ answer })
    const response = await ask({})
    expect([response.status, response.body.errors?.[0]?.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(String(log.lines[0]?.facts['error'])).toContain(reason)
  })

  it.each([
    [{ data: null }],
    [{ data: { type: 'user', id: '1', relationships: { team: { data: null } } } }],
    [{ data: [{ type: 'user', id: '1', relationships: { teams: { data: [] } } }] }],
  ])('[F-252] passes on %j where there are no pages', async (answer) => {
    const { pagination, ...query } = QUERY
    const response = await setUp({ answer, query }).ask({})
    expect(response.body.result).toEqual(answer)
  })

  it('reads cursors of another process that has the same secret, and of no other', async () => {
    const first = await setUp({ cursorSecret: 'one' }).ask({ pagination: { limit: 2 } })
    const { meta } = first.body.result as { meta: { pagination: { next_cursor: string } } }
    const pagination = { limit: 2, cursor: meta.pagination.next_cursor }
    const second = await setUp({ cursorSecret: 'one' }).ask({ pagination })
    expect(second.body.result).toMatchObject({ data: [{ id: '3' }] })
    expect((await setUp({ cursorSecret: 'two' }).ask({ pagination })).body.errors).toMatchObject([
      { source: { pointer: '/extensions/0/options/pagination/cursor' } },
    ])
  })

  it('compares since and until with the attribute that the function declares', async () => {
    const service = createService({
      info: { title: 'Log', version: '1.0.0' },
      functions: [
        defineFunction({
          name: 'log.list',
          version: '1.0.0',
          query: { pagination: { strategies: ['keyset'] } },
          extensions: [{ urn: URN, time_attribute: 'at' }],
          handler: () => [],
          resources: ({ plan }) =>
            runQuery(plan, [
              toResource('line', { id: 'a', at: '2024-01-01T00:00:00Z' }),
              toResource('line', { id: 'b', at: '2024-01-02T00:00:00Z' }),
            ]),
        }),
      ],
      extensions: [queryExtension()],
      log: createTestLog(),
    })
    const response = await call(service, {
      function: 'log.list',
      extensions: [{ urn: URN, options: { pagination: { since: '2024-01-01T00:00:00Z' } } }],
    })
    expect(response.body.result).toMatchObject({ data: [{ id: 'b' }] })
  })

  it('shows a mistake in a definition at start', () => {
    expect(() => setUp({ query: { filters: { operators: ['contains'] } } })).toThrow(/users\.list/)
  })

  it('keeps cached answers of different queries apart', async () => {
    const service = createService({
      info: { title: 'Users', version: '1.0.0' },
      functions: [
        defineFunction({
          name: 'users.list',
          version: '1.0.0',
          query: QUERY,
          extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }],
          handler: () => USERS,
          resources: ({ plan }) =>
            runQuery(
              plan,
              USERS.map((user) => toResource('user', user)),
            ),
        }),
      ],
      store: createMemoryStore(),
      log: createTestLog(),
    })
    const names = async (value: string) => {
      const filters = { self: [{ attribute: 'name', operator: 'equals', value }] }
      const { body } = await call(service, {
        function: 'users.list',
        extensions: [{ urn: 'urn:forrst:ext:caching' }, { urn: URN, options: { filters } }],
      })
      return (body.result as { data: { id: string }[] }).data.map(({ id }) => id)
    }
    expect([await names('Ann'), await names('Bob'), await names('Ann')]).toEqual([
      ['1'],
      ['2'],
      ['1'],
    ])
    await service.close()
  })
})
