import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { endMaintenance, startMaintenance } from '../../src/extensions/maintenance/state.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { createService } from '../../src/system/create-service.ts'
import { call, dataOf, type TestResponse, toRequest } from '../support/forrst.ts'
import { setUpReplay } from '../support/replay.ts'
import { createTestLogger } from '../support/service.ts'
import { listAllStores, TEST_STORES } from '../support/stores.ts'

const EXT = 'urn:forrst:ext:'
const ASYNC = 'urn:cline:forrst:ext:async:fn:'
const CANCEL = 'urn:cline:forrst:ext:cancellation:fn:cancel'

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** Everybody but ada: another principal, and a caller whom nobody knows. */
const OTHERS = ['bob', undefined] as const

async function setUp(openStore: (typeof TEST_STORES)[number][1]) {
  const { store, close } = await openStore()
  const runs: string[] = []
  const waiting: (() => void)[] = []
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'reports.mine',
        version: '1.0.0',
        readOnly: true,
        extensions: [{ urn: `${EXT}caching`, ttl: 300 }],
        handler({ principal }) {
          runs.push(principal?.id ?? '')
          return { for: principal?.id ?? null, scopes: principal?.scopes ?? null }
        },
      }),
      defineFunction({
        name: 'reports.build',
        version: '1.0.0',
        sideEffects: ['create'],
        extensions: [{ urn: `${EXT}async` }],
        handler({ principal }) {
          runs.push(principal?.id ?? '')
          return { for: principal?.id ?? null }
        },
      }),
      defineFunction({
        name: 'reports.wait',
        version: '1.0.0',
        handler: ({ signal }) =>
          new Promise((resolve, reject) => {
            waiting.push(() => resolve({ done: true }))
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      }),
    ],
    store,
    stateful: {
      rateLimit: {
        policies: [
          {
            scope: 'user',
            limit: 1,
            window: { value: 1, unit: 'hour' },
            function: 'reports.wait',
          },
        ],
      },
    },
    authenticate: ({ header }) => {
      const id = header('authorization')
      const scopes = header('x-scopes')
      if (id === undefined) return undefined
      return { id, ...(scopes !== undefined && { scopes: scopes.split(' ') }) }
    },
    log: createTestLogger(),
  })
  service.start()
  open.push(close, () => service.close())
  let count = 0
  const ask = (
    who: string | undefined,
    name: string,
    more: { input?: object; extensions?: readonly object[]; scopes?: string } = {},
  ): Promise<TestResponse> => {
    count += 1
    return call(
      service,
      {
        function: name,
        version: '1.0.0',
        id: `req_${count}`,
        ...(more.input && { arguments: more.input }),
        ...(more.extensions && { extensions: more.extensions }),
      },
      {
        headers: {
          ...(who !== undefined && { authorization: who }),
          ...(more.scopes !== undefined && { 'x-scopes': more.scopes }),
        },
      },
    )
  }
  return { service, store, runs, waiting, ask }
}

const codeOf = ({ body }: TestResponse) => body.errors?.[0].code ?? 'ok'

describe.each(await listAllStores())(
  'beside it: what belongs to one principal, on %s',
  (_name, openStore) => {
    it('an operation is not shown to others, listed for them or cancelled by them', async () => {
      const { ask } = await setUp(openStore)
      const extensions = [{ urn: `${EXT}async`, options: { preferred: true } }]
      const accepted = await ask('ada', 'reports.build', { extensions })
      const id = dataOf(accepted, `${EXT}async`)?.['operation_id']
      expect(id).toEqual(expect.any(String))
      const input = { operation_id: id }
      for (const who of OTHERS) {
        for (const name of ['status', 'cancel']) {
          const answer = await ask(who, `${ASYNC}${name}`, { input })
          expect(codeOf(answer)).toBe('ASYNC_OPERATION_NOT_FOUND')
        }
        expect((await ask(who, `${ASYNC}list`)).body.result).toMatchObject({ operations: [] })
      }
      await vi.waitFor(async () => {
        const { body } = await ask('ada', `${ASYNC}status`, { input })
        expect(body.result).toMatchObject({ status: 'completed', result: { for: 'ada' } })
      }, 10_000)
    })

    it('an idempotency key gives nobody the outcome of another', async () => {
      const { ask, runs } = await setUp(openStore)
      const extensions = [{ urn: `${EXT}idempotency`, options: { key: 'order-1' } }]
      for (const who of ['ada', ...OTHERS]) {
        const { body } = await ask(who, 'reports.build', { extensions })
        expect(body.result).toEqual({ for: who ?? null })
      }
      expect(runs).toEqual(['ada', 'bob', ''])
      expect((await ask('ada', 'reports.build', { extensions })).body.result).toEqual({
        for: 'ada',
      })
      expect(runs).toHaveLength(3)
    })

    it('the idempotency key of an operation gives nobody the operation of another', async () => {
      const { ask } = await setUp(openStore)
      const extensions = [
        { urn: `${EXT}async`, options: { preferred: true } },
        { urn: `${EXT}idempotency`, options: { key: 'order-1' } },
      ]
      const ids = new Set<unknown>()
      for (const who of ['ada', ...OTHERS]) {
        const answer = await ask(who, 'reports.build', { extensions })
        ids.add(dataOf(answer, `${EXT}async`)?.['operation_id'])
      }
      expect(ids.size).toBe(3)
    })

    it('a cancellation token ends nobody else’s call', async () => {
      const { ask, waiting } = await setUp(openStore)
      const extensions = [{ urn: `${EXT}cancellation`, options: { token: 'shared' } }]
      const running = ask('ada', 'reports.wait', { extensions })
      await vi.waitFor(() => expect(waiting).toHaveLength(1), 10_000)
      for (const who of OTHERS) {
        const answer = await ask(who, CANCEL, { input: { token: 'shared' } })
        expect(codeOf(answer)).toBe('CANCELLATION_TOKEN_UNKNOWN')
      }
      waiting[0]?.()
      expect((await running).body.result).toEqual({ done: true })
    })

    it('a cached answer is given to nobody else', async () => {
      const { ask, runs } = await setUp(openStore)
      const extensions = [{ urn: `${EXT}caching`, options: {} }]
      for (const who of ['ada', ...OTHERS, 'ada']) {
        const { body } = await ask(who, 'reports.mine', { extensions })
        expect(body.result).toMatchObject({ for: who ?? null })
      }
      expect(runs).toEqual(['ada', 'bob', ''])
    })

    it('an answer that was cached with more scopes is not given to the same principal with fewer', async () => {
      const { ask, runs } = await setUp(openStore)
      const extensions = [{ urn: `${EXT}caching`, options: {} }]
      for (const scopes of ['admin read', 'read', 'read admin', undefined]) {
        const { body } = await ask('ada', 'reports.mine', {
          extensions,
          ...(scopes !== undefined && { scopes }),
        })
        const expected = scopes === 'read admin' ? 'admin read' : scopes
        expect(body.result).toEqual({ for: 'ada', scopes: expected?.split(' ') ?? null })
      }
      expect(runs).toHaveLength(3)
    })

    it('the limit of one principal is used up by nobody else', async () => {
      const { ask, waiting } = await setUp(openStore)
      const calls = ['bob', undefined, 'ada'].map((who) => ask(who, 'reports.wait'))
      await vi.waitFor(() => expect(waiting).toHaveLength(3), 10_000)
      for (const end of waiting) end()
      expect((await Promise.all(calls)).map(codeOf)).toEqual(['ok', 'ok', 'ok'])
      expect(codeOf(await ask('ada', 'reports.wait'))).toBe('RATE_LIMITED')
    })

    it('a replay is not shown to others, listed for them, cancelled or run by them', async () => {
      const { store, close } = await openStore()
      const replay = setUpReplay(store)
      open.push(close, () => replay.service.close())
      await startMaintenance(store, { reason: 'Upgrade' }, replay.clock.now())
      const id = replay.idOf(await replay.ask(1, {}, { user: 'ada' }))
      await endMaintenance(store)
      for (const who of OTHERS) {
        for (const name of ['status', 'cancel', 'trigger']) {
          expect(codeOf(await replay.manage(name, { replay_id: id }, who))).toBe('REPLAY_NOT_FOUND')
        }
        expect((await replay.manage('list', {}, who)).body.result).toMatchObject({ total: 0 })
      }
      expect((await replay.manage('list', {}, 'ada')).body.result).toMatchObject({ total: 1 })
    })
  },
)

describe('beside it: a session of MCP', () => {
  it('is nobody else’s', async () => {
    const { service } = await setUp(TEST_STORES[0]?.[1] as never)
    const app = createApp(service, { surfaces: allSurfaces() })
    open.push(() => app.close?.())
    const send = (who: string | undefined, method: string, body: unknown, more: object = {}) =>
      app.handle(
        toRequest(body, {
          method,
          path: '/mcp',
          headers: {
            host: 'localhost',
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(who !== undefined && { authorization: who }),
            ...more,
          },
        }),
      )
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const begun = await send('ada', 'POST', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) }
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    for (const who of OTHERS) {
      expect((await send(who, 'POST', list, session)).status).toBe(404)
      expect((await send(who, 'GET', '', session)).status).toBe(404)
      expect((await send(who, 'DELETE', '', session)).status).toBe(404)
    }
    expect((await send('ada', 'POST', list, session)).status).toBe(200)
  })
})
