import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { toPrepared } from '../../src/core/result.ts'
import { createMcpHandler } from '../../src/entries/mcp.ts'
import { runQuery, toResource } from '../../src/entries/query.ts'
import { asyncExtension } from '../../src/extensions/async/async.ts'
import { queryExtension } from '../../src/extensions/query/extension.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { discoveryExtension } from '../../src/system/discovery-extension.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'
import { createJobQueue } from '../../src/work/open.ts'
import { createWorkplace } from '../cli/run-main.ts'
import { startRecordingServer } from '../codegen/recording-server.ts'
import { toHttpRequest } from '../mcp/wire.ts'
import { call, dataOf, send } from '../support/forrst.ts'
import { front, start } from '../support/front.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'

const ID = '9007199254740993'
const ASYNC = 'urn:forrst:ext:async'

const ROWS = ['9007199254740992', ID].map((number, id) => ({ id, number }))
const users = defineFunction({
  name: 'users.list',
  version: '1.0.0',
  query: { filters: { allowed: ['number'] }, pagination: { strategies: ['cursor'] } },
  handler: () => ROWS,
  resources: ({ plan }) =>
    runQuery(
      plan,
      ROWS.map((row) => toResource('user', row)),
    ),
})
const filterBy = (value: string) =>
  `{"protocol":{"name":"forrst","version":"0.1.0"},"id":"r1","call":{"function":"users.list","version":"1.0.0"},"extensions":[{"urn":"urn:forrst:ext:query","options":{"filters":{"self":[{"attribute":"number","operator":"equals","value":${value}}]}}}]}`

describe('beside it: filters of a query', () => {
  it('refuses an integer that would become another one, with its place', async () => {
    const service = serviceOf([users], { extensions: [discoveryExtension(), queryExtension()] })
    for (const value of [ID, `[1,${ID}]`]) {
      const { body } = await send(service, filterBy(value))
      expect(body).toMatchObject({
        id: 'r1',
        errors: [
          {
            code: 'INVALID_REQUEST',
            source: {
              pointer: expect.stringMatching(/^\/extensions\/0\/options\/filters\/self\/0\/value/),
            },
          },
        ],
      })
    }
  })

  it('compares digits given as a string exactly, here and at a service behind this one', async () => {
    const service = serviceOf([users], { extensions: [discoveryExtension(), queryExtension()] })
    const here = await send(service, filterBy(`"${ID}"`))
    const found = { data: [{ id: '1', attributes: { number: ID } }] }
    expect(here.body.result).toMatchObject(found)
    const near = await front(await start(service))
    const options = JSON.parse(filterBy(`"${ID}"`)).extensions[0]
    const there = await near.client.call('users.list', {}, { extensions: [options] } as never)
    expect(there).toMatchObject({ ok: true, result: found })
    const lost = {
      filters: { self: [{ attribute: 'number', operator: 'equals', value: 2 ** 53 }] },
    }
    const refused = await near.client.call('users.list', {}, {
      extensions: [{ ...options, options: lost }],
    } as never)
    expect(refused).toMatchObject({
      ok: false,
      errors: [
        {
          code: 'CLIENT_INVALID_REQUEST',
          source: { pointer: '/extensions/0/options/filters/self/0/value' },
        },
      ],
    })
  })
})

describe('beside it: operations', () => {
  it.each([
    ['a text that was prepared', () => toPrepared(`{"id":${ID}}`)],
    ['digits of a remote answer', () => ({ id: ID })],
  ])('the result of an operation keeps the digits of %s', async (_name, handler) => {
    const store = createMemoryStore()
    const jobs = createJobQueue(store, { log: createTestLogger() })
    const build = defineFunction({
      name: 'reports.build',
      version: '1.0.0',
      handler: handler as () => never,
    })
    const service = serviceOf([build], {
      extensions: [...statefulExtensions({ store }), asyncExtension({ store, jobs })],
    })
    onTestFinished(async () => {
      await jobs.close(100)
      await service.close()
    })
    const entry = { urn: ASYNC, options: { preferred: true } }
    const started = await call(service, { function: 'reports.build', extensions: [entry] })
    const id = dataOf(started, ASYNC)?.['operation_id']
    await vi.waitFor(
      async () => {
        const { body } = await call(service, {
          function: 'urn:cline:forrst:ext:async:fn:status',
          arguments: { operation_id: id },
        })
        expect(body.result).toMatchObject({ status: 'completed', result: { id: ID } })
      },
      { timeout: 8_000, interval: 20 },
    )
  })
})

describe('beside it: a batch of MCP', () => {
  it('with an integer that would become another one is refused, and nothing of it runs', async () => {
    const seen: unknown[] = []
    const any = defineFunction({
      name: 'shop.any',
      version: '1.0.0',
      input: { type: 'object', additionalProperties: true },
      handler: ({ input }) => {
        seen.push(input)
        return {}
      },
    })
    const handler = createMcpHandler(serviceOf([any]), {})
    onTestFinished(() => handler.close())
    const introduction = {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'x' },
    }
    const opened = await handler(
      toHttpRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params: introduction }),
    )
    const session = String(opened.headers['mcp-session-id'])
    const entry = (id: number, args: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"shop__any","arguments":${args}}}`
    const text = `[${entry(1, '{"a":1}')},${entry(2, `{"id":${ID}}`)}]`
    const request = toHttpRequest({}, { 'mcp-session-id': session })
    const answer = await handler({ ...request, body: Buffer.from(text) })
    expect(String(answer.body)).toContain('"code":-32602')
    expect(String(answer.body)).toContain(`1.params.arguments.id: a JSON number cannot hold ${ID}`)
    expect(seen).toEqual([])
  })
})

const HINT = 'is beyond ±9007199254740991; a JSON number loses digits there'

const SPEC = `domain: x
base_url: \${X_URL}
tools:
  - name: send
    description: Sends it.
    method: POST
    path: /x
    body:
      - { name: id, type: integer, format: int64, description: The id. }
      - { name: plain, type: integer, description: A number. }
      - { name: text, type: string, description: A text. }
      - { name: ratio, type: number, description: A ratio. }
      - { name: obj, type: object, description: Anything. }
      - name: known
        type: object
        description: Known.
        properties:
          - { name: ids, type: array, items: { type: integer, format: int64 }, description: Ids. }
      - name: free
        type: string
        description: Free.
        any_of: [{ type: string }, { type: number }, { type: object }]
`

/** Calls the tool of the spec with words and tells what arrived. */
async function createTool() {
  const api = await startRecordingServer()
  onTestFinished(api.close)
  const place = createWorkplace()
  place.write('x.yaml', SPEC)
  return async (...words: string[]) => {
    api.answer({ body: {} })
    const env = { X_URL: api.url }
    const { err } = await place.runWith({ env }, 'forge', 'call', 'x.yaml', 'send', ...words)
    return { err, bodies: api.requests.map(({ body }) => body) }
  }
}

describe('as reported', () => {
  it.each([
    ['an object without a schema', `obj={"a":${ID}}`, 'obj.a'],
    ['a value without a type', 'free=1e400', 'free'],
    ['a plain integer', `plain=${ID}`, 'plain'],
    ['a list in an object', `obj={"a":[1,-${ID}]}`, 'obj.a.1'],
    ['a member by its path', `obj.a=${ID}`, 'obj.a'],
    ['an integer with a point', `obj={"a":${ID}.0}`, 'obj.a'],
    ['a number too large for any', 'ratio=-1e999', 'ratio'],
  ])('forge call refuses a number that would change in %s', async (_name, word, place) => {
    const call = await createTool()
    const { err, bodies } = await call(word)
    expect(err).toContain(`${place}: `)
    expect(err).toContain(HINT)
    expect(bodies).toEqual([])
  })

  it('waymark call refuses it by what the service says about its function', async () => {
    const seen: unknown[] = []
    const any = defineFunction({
      name: 'own.any',
      version: '1.0.0',
      input: {
        type: 'object',
        properties: {
          x: {},
          plain: { type: 'integer' },
          text: { type: 'string' },
          id: { type: ['integer', 'string'], format: 'int64' },
        },
        additionalProperties: true,
      },
      handler: ({ input }) => {
        seen.push(input)
        return {}
      },
    })
    const server = await start(serviceOf([any]))
    const place = createWorkplace()
    const call = (...words: string[]) => place.run('call', server.url, 'own.any', ...words)
    for (const word of [`x=${ID}`, `plain=${ID}`, `other={"a":${ID}}`, 'x=1e400']) {
      expect(await call(word)).toMatchObject({ code: 2, err: expect.stringContaining(HINT) })
    }
    expect((await call(`x=${ID}`)).err).toContain(`write it in quotes: "${ID}"`)
    expect(seen).toEqual([])
    await call(`text=${ID}`, `id=${ID}`, `x="${ID}"`, 'other=7')
    expect(seen).toEqual([{ text: ID, id: ID, x: ID, other: 7 }])
  })
})

describe('beside it', () => {
  it.each([
    ['a 64-bit integer', `id=${ID}`, `{"id":${ID}}`],
    ['an even one, which a number could hold', 'id=9007199254740994', '{"id":9007199254740994}'],
    ['a text', `text=${ID}`, `{"text":"${ID}"}`],
    ['a text that looks like a number', 'text=1e400', '{"text":"1e400"}'],
    ['64-bit integers further down', `known={"ids":[${ID},1]}`, `{"known":{"ids":[${ID},1]}}`],
    ['a text in quotes', `free="${ID}"`, `{"free":"${ID}"}`],
    ['a large number that stays the same', 'ratio=6.02e23', '{"ratio":6.02e+23}'],
    ['digits inside a text', `obj={"a":"${ID}"}`, `{"obj":{"a":"${ID}"}}`],
  ])('forge call sends %s', async (_name, word, body) => {
    const call = await createTool()
    expect(await call(word)).toEqual({ err: '', bodies: [body] })
  })
})
