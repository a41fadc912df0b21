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
