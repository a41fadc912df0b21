import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callSpec, failureOf, oneTool } from '../../../test/codegen/call-spec.ts'
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../test/codegen/recording-server.ts'
import type { FieldDef, ToolDef } from '../tool-spec/types.ts'

let api: RecordingServer

beforeAll(async () => {
  api = await startRecordingServer()
})
beforeEach(() => api.answer({ body: {} }))
afterAll(() => api.close())

function answer(
  body: unknown,
  tool: Partial<ToolDef> = {},
  args: Record<string, unknown> = {},
): Promise<unknown> {
  api.answer({ body })
  return callSpec(oneTool(api.url, tool), args)
}

describe('what a call answers', () => {
  it.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/problem+json; charset=utf-8', '[1]', [1]],
    ['', '{"a":1}', { a: 1 }],
    ['', 'plain', 'plain'],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['application/xml', '<a/>', '<a/>'],
    ['application/json', 'not json', 'not json'],
    ['text/plain; charset=latin1', Buffer.from('é', 'latin1'), 'é'],
  ])('[TS-172] reads %s: %s', async (type, body, expected) => {
    api.answer({ body, headers: type === '' ? {} : { 'content-type': type } })
    expect(await callSpec(oneTool(api.url, {}))).toEqual(expected)
  })

  it('[TS-172] answers null for 204 and for an empty body', async () => {
    api.answer({ status: 204 })
    expect(await callSpec(oneTool(api.url, {}))).toBeNull()
    api.answer({ status: 200, body: '' })
    expect(await callSpec(oneTool(api.url, {}))).toBeNull()
  })

  it('answers bytes as base64', async () => {
    api.answer({ body: new Uint8Array([0, 255]), headers: { 'content-type': 'image/png' } })
    expect(await callSpec(oneTool(api.url, {}))).toEqual({
      mime: 'image/png',
      bytes: 2,
      base64: 'AP8=',
    })
  })

  it('cuts an answer over the limit and says so', async () => {
    api.answer({ body: { text: 'x'.repeat(5000) } })
    expect(await callSpec(oneTool(api.url, {}), {}, { maxBytes: 100 })).toMatchObject({
      truncated: true,
      limit_bytes: 100,
    })
  })

  it('sends no header of the inbound call upstream', async () => {
    await callSpec(oneTool(api.url, {}))
    expect(Object.keys(api.requests[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'accept-language',
      'connection',
      'host',
      'sec-fetch-mode',
      'user-agent',
    ])
  })
})

describe('what a refusal becomes', () => {
  it.each([
    [400, 'VALIDATION_ERROR'],
    [401, 'DEPENDENCY_ERROR'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [410, 'GONE'],
    [418, 'DEPENDENCY_ERROR'],
    [422, 'VALIDATION_ERROR'],
    [429, 'RATE_LIMITED'],
    [500, 'DEPENDENCY_ERROR'],
    [503, 'UNAVAILABLE'],
  ])('[TS-172] maps status %i to %s with the status in details', async (status, code) => {
    api.answer({ status, body: { reason: 'because' } })
    const error = await failureOf(callSpec(oneTool(api.url, {}), {}, { retries: 0 }))
    expect(error.code).toBe(code)
    expect(error.errors[0].details).toMatchObject({
      tool: 'do_it',
      upstream_status: status,
      upstream_request: `GET /things`,
      upstream_body: '{"reason":"because"}',
    })
  })

  it('[TS-172] keeps at most 2 KB of the body', async () => {
    api.answer({ status: 400, body: 'x'.repeat(10_000) })
    const error = await failureOf(callSpec(oneTool(api.url, {})))
    expect(error.errors[0].details?.['upstream_body']).toHaveLength(2048)
  })
})

describe('trimming', () => {
  const people = {
    total: 3,
    people: [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
      { id: 3, name: 'c' },
    ],
  }

  it('[TS-197] keeps the picked paths and says so', async () => {
    expect(await answer(people, { response: { pick: ['people.id'] } })).toEqual({
      result: { people: [{ id: 1 }, { id: 2 }, { id: 3 }] },
      trimmed: { picked: ['people.id'] },
    })
  })

  it('[TS-197] cuts lists to max_items and says where and how much', async () => {
    expect(await answer(people, { response: { max_items: 2 } })).toEqual({
      result: { total: 3, people: people.people.slice(0, 2) },
      trimmed: { lists: [{ path: 'people', kept: 2, total: 3 }] },
    })
  })

  it('[TS-197] leaves an answer alone that needs no trimming', async () => {
    expect(await answer(people, { response: { max_items: 10, max_bytes: 1000 } })).toEqual(people)
  })

  it('[TS-197] shortens lists until max_bytes is met', async () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ index }))
    const result = (await answer(items, { response: { max_bytes: 200 } })) as {
      result: unknown[]
      trimmed: unknown
    }
    expect(JSON.stringify(result.result).length).toBeLessThanOrEqual(200)
    expect(result.trimmed).toEqual({
      lists: [{ path: '', kept: result.result.length, total: 100 }],
      max_bytes: 200,
    })
  })

  it('[TS-197] cuts text when there is no list to shorten', async () => {
    expect(await answer({ text: 'x'.repeat(100) }, { response: { max_bytes: 20 } })).toEqual({
      result: '{"text":"xxxxxxxxxxx',
      trimmed: { max_bytes: 20 },
    })
  })

  it('keeps a member called __proto__ a plain member', async () => {
    const result = await answer('{"__proto__":{"a":1},"b":2}', {
      response: { pick: ['__proto__.a'] },
    })
    expect(JSON.stringify(result)).toBe(
      '{"result":{"__proto__":{"a":1}},"trimmed":{"picked":["__proto__.a"]}}',
    )
  })
})

describe('paging', () => {
  const page: FieldDef = { name: 'page', type: 'integer', description: 'Page.' }
  const size: FieldDef = { name: 'size', type: 'integer', description: 'Size.' }
  const params = [page, size]

  it('[TS-198] answers one page and the next cursor', async () => {
    const paginate = { style: 'cursor', cursor: 'page', items: 'data', next: 'meta.next' } as const
    const body = { data: [1, 2], meta: { next: 'abc' } }
    expect(await answer(body, { paginate, params })).toEqual({ items: [1, 2], next_cursor: 'abc' })
    expect(await answer({ data: [], meta: {} }, { paginate, params })).toEqual({
      items: [],
      next_cursor: null,
    })
  })

  it('[TS-198] finds a cursor in the last item', async () => {
    const paginate = { style: 'cursor', items: 'data', next: 'data.-1.id' } as const
    expect(await answer({ data: [{ id: 'a' }, { id: 'b' }] }, { paginate })).toMatchObject({
      next_cursor: 'b',
    })
  })

  it.each([
    ['page', { page: 3, size: 2 }, [1, 2], 4],
    ['page', { size: 2 }, [1, 2], 2],
    ['page', { page: 3, size: 2 }, [1], null],
    ['page', { page: 3 }, [], null],
    ['offset', { page: 10, size: 2 }, [1, 2], 12],
    ['offset', {}, [1, 2], 2],
  ] as const)('[TS-198] counts on by %s: %j', async (style, args, items, next) => {
    const paginate = { style, cursor: 'page', limit: 'size' } as const
    expect(await answer(items, { paginate, params }, args)).toEqual({ items, next_cursor: next })
  })

  it('[TS-198] reads the next cursor out of the Link header', async () => {
    const link = '<https://h/x?page=1>; rel="first", <https://h/x?page=b%20c&z=1>; rel="next"'
    api.answer({ body: [1], headers: { link } })
    const paginate = { style: 'link', cursor: 'page' } as const
    expect(await callSpec(oneTool(api.url, { paginate, params }))).toEqual({
      items: [1],
      next_cursor: 'b c',
    })
  })

  it('[TS-198] says what was cut of a page', async () => {
    const paginate = { style: 'page', cursor: 'page' } as const
    expect(await answer([1, 2, 3], { paginate, params, response: { max_items: 2 } })).toEqual({
      items: [1, 2],
      next_cursor: 2,
      trimmed: { lists: [{ path: '', kept: 2, total: 3 }] },
    })
  })
})
