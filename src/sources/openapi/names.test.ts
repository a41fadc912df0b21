import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/property.ts'
import { planNames, toSnake, toSpecToolName } from './names.ts'

const name = (operationId: string | undefined, method = 'get', path = '/x'): string =>
  toSpecToolName({ operationId, method, path }).name

describe('names', () => {
  it('[TS-91] come from the operation id in snake_case', () => {
    expect(name('createTicket')).toBe('create_ticket')
    expect(name('repos/list-for-user')).toBe('repos_list_for_user')
    expect(name('drive.files.list')).toBe('drive_files_list')
    expect(name('Foo_List')).toBe('foo_list')
    expect(name('getHTTPServer')).toBe('get_http_server')
    expect(name('listV2Users')).toBe('list_v2_users')
    expect(name('Zürich Ä')).toBe('zurich_a')
    expect(name('2fa')).toBe('op_2fa')
  })

  it('[TS-92] come from method and path without an operation id', () => {
    expect(name(undefined, 'GET', '/plots/{plot_id}/trees')).toBe('get_plots_by_plot_id_trees')
    expect(name('   ', 'post', '/')).toBe('post')
    expect(name('日本', 'get', '/日本')).toBe('get')
  })

  it('[TS-144] are at most 64 characters of [a-z0-9_], whatever the document says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.webPath(), (operationId, path) => {
        const { name: made } = toSpecToolName({ operationId, method: 'get', path })
        expect(made).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
      }),
    )
    const long = 'getTheVeryLongNameOfAnOperationThatNobodyWouldEverWantToTypeByHandAtAll'
    expect(name(long)).toMatch(
      /^get_the_very_long_name_of_an_operation_that_nobody_would_[0-9a-f]{6}$/,
    )
  })

  it('[TS-146] never lose an operation to a clash, and stay inside the limit', () => {
    const clash = (operations: [string, string, string][], limit?: number): string[] =>
      planNames(
        operations.map(([operationId, method, path]) => ({ operationId, method, path })),
        limit,
      ).map((plan) => plan.name)
    expect(
      clash([
        ['getUser', 'GET', '/a'],
        ['get_user', 'POST', '/b'],
        ['other', 'GET', '/c'],
      ]),
    ).toEqual(['get_user_get', 'get_user_post', 'other'])
    const hashed = clash([
      ['getUser', 'GET', '/a'],
      ['get_user', 'GET', '/b'],
    ])
    expect(hashed[0]).toMatch(/^get_user_[0-9a-f]{4}$/)
    expect(new Set(hashed).size).toBe(2)
    const tight = clash([
      ['a'.repeat(64), 'GET', '/a'],
      ['A'.repeat(64), 'POST', '/b'],
      ['a'.repeat(64), 'GET', '/c'],
    ])
    expect(new Set(tight).size).toBe(3)
    for (const one of tight) expect(one.length).toBeLessThanOrEqual(64)
    expect(
      clash([
        ['getUser', 'GET', '/a'],
        ['get_user', 'POST', '/b'],
        ['get_user_get', 'GET', '/c'],
      ]),
    ).toContain('get_user_get')
  })

  it('[TS-147] do not depend on unrelated operations or their order', () => {
    const operations = [
      { operationId: 'getUser', method: 'GET', path: '/a' },
      { operationId: 'get_user', method: 'GET', path: '/b' },
      { operationId: 'list', method: 'GET', path: '/c' },
    ]
    const named = (list: typeof operations): Record<string, string> =>
      Object.fromEntries(planNames(list).map((plan, index) => [list[index]?.path ?? '', plan.name]))
    const before = named(operations)
    const after = named([
      { operationId: 'new', method: 'POST', path: '/d' },
      ...operations.toReversed(),
    ])
    expect(after).toMatchObject(before)
  })

  it('are unique over arbitrary sets of operations', () => {
    const operation = fc.record({
      operationId: fc.option(fc.stringMatching(/^[aA_b]{0,4}$/), { nil: undefined }),
      method: fc.constantFrom('GET', 'POST'),
      path: fc.stringMatching(/^\/[ab]{0,3}$/),
    })
    const set = fc.uniqueArray(operation, {
      selector: ({ method, path }) => `${method} ${path}`,
      maxLength: 20,
    })
    fc.assert(
      fc.property(set, fc.integer({ min: 12, max: 64 }), (operations, limit) => {
        const names = planNames(operations, limit).map((plan) => plan.name)
        expect(new Set(names).size).toBe(operations.length)
        for (const one of names) expect(one.length).toBeLessThanOrEqual(limit)
      }),
    )
  })

  it('toSnake is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(toSnake(toSnake(text))).toBe(toSnake(text))
      }),
    )
  })
})
