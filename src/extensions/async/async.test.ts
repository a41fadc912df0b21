import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, createTestLog, dataOf, type TestDocument } from '../../../test/support/forrst.ts'
import { TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction, type Invocation } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { jsonSchema } from '../../schema/schema.ts'
import { createService } from '../../system/create-service.ts'
import { statefulExtensions } from '../../system/stateful-extensions.ts'
import { createJobQueue } from '../../work/open.ts'
import { asyncExtension } from './async.ts'

const URN = 'urn:forrst:ext:async'
const FN = 'urn:cline:forrst:ext:async:fn:'
const WAIT = { timeout: 8_000, interval: 20 }

type Handler = (invocation: Invocation<{ readonly rows: number }>) => unknown

function setUp(
  store: Store,
  handler: Handler = ({ input }) => ({ rows: input.rows }),
  options: Partial<Parameters<typeof asyncExtension>[0]> = {},
) {
  const log = createTestLog()
  const jobs = createJobQueue(store, { log })
  const input = jsonSchema<{ rows: number }>({
    type: 'object',
    properties: { rows: { type: 'integer', minimum: 1 } },
    required: ['rows'],
  })
  const report = (name: string, more: object = {}) =>
    defineFunction({ name, version: '1.0.0', input, handler: handler as never, ...more })
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      report('reports.build', {
        errors: [{ code: 'REPORTS_EMPTY', message: 'Nothing to report' }],
      }),
      report('reports.peek', { extensions: [{ urn: URN, mode: 'never' }] }),
      report('reports.year', { extensions: [{ urn: URN, mode: 'always' }] }),
    ],
    extensions: [
      ...statefulExtensions({ store }),
      asyncExtension({
        store,
        jobs,
        poll: { value: 50, unit: 'millisecond' },
        ...options,
      }),
    ],
    authenticate: ({ header }) => {
      const id = header('x-user')
      return id === undefined ? undefined : { id, scopes: ['all'] }
    },
    log,
  })
  const send = (document: TestDocument, user = '') =>
    call(service, document, user === '' ? {} : { headers: { 'x-user': user } })
  const start = (
    more: Partial<TestDocument> & { user?: string; options?: object; others?: object[] } = {},
  ) => {
    const { user = '', options: entry = { preferred: true }, others = [], ...rest } = more
    const document = { function: 'reports.build', arguments: { rows: 3 }, ...rest }
    return send({ ...document, extensions: [{ urn: URN, options: entry }, ...others] }, user)
  }
  const idOf = (answer: Awaited<ReturnType<typeof start>>) =>
    String(dataOf(answer, URN)?.['operation_id'])
  const ask = (name: string, input: object, user = '') =>
    send({ function: FN + name, arguments: input }, user)
  const status = (id: string, user = '') => ask('status', { operation_id: id }, user)
  const until = (id: string, wanted: string) =>
    vi.waitFor(async () => {
      const answer = await status(id)
      expect(answer.body.result).toMatchObject({ status: wanted })
      return answer.body.result as Record<string, unknown>
    }, WAIT)
  const close = async () => {
    await jobs.close(100)
    await service.close()
  }
  return { service, jobs, log, send, start, idOf, ask, status, until, close }
}

describe.each(TEST_STORES)('async extension on %s', (_, open) => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  const prepare = async (...rest: [Handler?, Parameters<typeof setUp>[2]?]) => {
    const test: TestStore = await open()
    const made = setUp(test.store, ...rest)
    closing.push(test.close, made.close)
    return { ...made, store: test.store }
  }

  it('[F-189][F-190][F-191] accepts at once and tells where to look', async () => {
    const { start, idOf, until } = await prepare()
    const accepted = await start({ id: 'req_7' })
    expect([accepted.status, accepted.body.result, accepted.body.errors]).toEqual([
      200,
      null,
      undefined,
    ])
    const id = idOf(accepted)
    expect(id).toMatch(/^op_[0-9A-Z]{26}$/)
    expect(dataOf(accepted, URN)).toEqual({
      operation_id: id,
      status: 'pending',
      poll: { function: `${FN}status`, version: '1.0.0', arguments: { operation_id: id } },
      retry_after: { value: 5, unit: 'second' },
      started_at: expect.stringMatching(/Z$/),
    })
    const done = await until(id, 'completed')
    expect(done).toEqual({
      operation_id: id,
      function: 'reports.build',
      version: '1.0.0',
      status: 'completed',
      progress: 1,
      result: { rows: 3 },
      output: { rows: 3 },
      started_at: expect.any(String),
      completed_at: expect.any(String),
    })
  })

  it('[F-197] answers itself when the caller does not prefer otherwise, or the function is quick', async () => {
    const { start, send } = await prepare()
    expect((await send({ function: 'reports.build', arguments: { rows: 1 } })).body.result).toEqual(
      {
        rows: 1,
      },
    )
    expect((await start({ options: { preferred: false } })).body.result).toEqual({ rows: 3 })
    expect((await start({ options: {} })).body.result).toEqual({ rows: 3 })
    expect((await start({ function: 'reports.peek' })).body.result).toEqual({ rows: 3 })
    expect((await start({ function: 'reports.year', options: {} })).body.result).toBeNull()
    const wrong = await start({ options: { preferred: 'yes' } })
    expect(wrong.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: '/extensions/0/options/preferred' },
    })
  })

  it('refuses invalid arguments before it accepts', async () => {
    const { start, ask } = await prepare()
    const refused = await start({ arguments: { rows: 0 } })
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: '/call/arguments/rows' },
    })
    expect((await ask('list', {})).body.result).toEqual({ operations: [], next_cursor: null })
  })

  it('[F-192] knows only the operations of the caller', async () => {
    const { start, idOf, ask, status } = await prepare()
    const id = idOf(await start({ user: 'ada' }))
    expect((await status(id, 'ada')).status).toBe(200)
    for (const [other, user] of [
      [id, 'bob'],
      [id, ''],
      ['op_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ada'],
      ['a:b', 'ada'],
    ] as const) {
      const answer = await status(other, user)
      expect([answer.status, answer.body.errors?.[0]]).toMatchObject([
        404,
        { code: 'ASYNC_OPERATION_NOT_FOUND', details: { operation_id: other } },
      ])
    }
    expect((await ask('cancel', { operation_id: id }, 'bob')).status).toBe(404)
    expect((await ask('list', {}, 'bob')).body.result).toMatchObject({ operations: [] })
  })

  it('hands the handler what it would have seen: principal, context, trace, locale, key', async () => {
    let seen: unknown
    const { start, idOf, status } = await prepare(({ call: found, principal, context }) => {
      const { facts, id, extensions } = found
      seen = { principal, context, key: facts.idempotencyKey, id, count: extensions.length }
      return {}
    })
    const others = [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'k1' } }]
    const accepted = await start({ user: 'ada', id: 'req_9', context: { tenant: 't' }, others })
    const id = idOf(accepted)
    await vi.waitFor(
      async () =>
        expect((await status(id, 'ada')).body.result).toMatchObject({ status: 'completed' }),
      WAIT,
    )
    expect(seen).toEqual({
      principal: { id: 'ada', scopes: ['all'] },
      context: { tenant: 't' },
      key: 'k1',
      id: 'req_9',
      count: 2,
    })
  })

  it('answers a failed operation as ASYNC_OPERATION_FAILED with the errors of the function', async () => {
    const { start, idOf, status, ask } = await prepare(() => {
      throw new CallError('REPORTS_EMPTY', { message: 'Nothing to report', details: { year: 1 } })
    })
    const id = idOf(await start())
    const failed = await vi.waitFor(async () => {
      const answer = await status(id)
      expect(answer.body.errors).toBeDefined()
      return answer
    }, WAIT)
    expect(failed.body.errors).toEqual([
      {
        code: 'ASYNC_OPERATION_FAILED',
        message: 'The operation failed: Nothing to report',
        details: {
          operation_id: id,
          failed_at: expect.stringMatching(/Z$/),
          reason: 'Nothing to report',
          errors: [{ code: 'REPORTS_EMPTY', message: 'Nothing to report', details: { year: 1 } }],
        },
      },
    ])
    expect((await ask('list', { status: 'failed' })).body.result).toMatchObject({
      operations: [{ id, status: 'failed' }],
    })
  })

  it('[F-193][F-194] cancels what has not ended, and nothing that has', async () => {
    let aborted: unknown
    let begun = false
    const { start, idOf, ask, status } = await prepare(({ signal }) => {
      begun = true
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = signal.reason
          resolve({ late: true })
        })
      })
    })
    const id = idOf(await start())
    await vi.waitFor(() => expect(begun).toBe(true), WAIT)
    const cancelled = await ask('cancel', { operation_id: id })
    expect(cancelled.body.result).toEqual({
      operation_id: id,
      status: 'cancelled',
      cancelled_at: expect.stringMatching(/Z$/),
    })
    await vi.waitFor(() => expect(aborted).toMatchObject({ code: 'CANCELLED' }), WAIT)
    await sleep(50)
    expect((await status(id)).body.result).toMatchObject({ status: 'cancelled' })
    const again = await ask('cancel', { operation_id: id })
    expect([again.status, again.body.errors?.[0]]).toMatchObject([
      400,
      { code: 'ASYNC_CANNOT_CANCEL', details: { operation_id: id, status: 'cancelled' } },
    ])
  })

  it('shows progress while the function runs', async () => {
    let finish: (value: unknown) => void = () => {}
    const { start, idOf, until, status } = await prepare(({ progress }) => {
      progress(0.25, 'a quarter')
      progress(7, 'more than all')
      progress(0.5, 'half')
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    const id = idOf(await start())
    await vi.waitFor(
      async () =>
        expect((await status(id)).body.result).toMatchObject({
          status: 'processing',
          progress: 0.5,
          message: 'half',
        }),
      WAIT,
    )
    finish({})
    await until(id, 'completed')
  })

  it('fails an operation whose result is too large to be kept', async () => {
    const { start, idOf, status } = await prepare(() => 'x'.repeat(2_000), {
      maxResultBytes: 1_000,
    })
    const id = idOf(await start())
    await vi.waitFor(
      async () =>
        expect((await status(id)).body.errors?.[0]).toMatchObject({
          code: 'ASYNC_OPERATION_FAILED',
          details: {
            errors: [
              { code: 'CONFLICT', details: { result_bytes: 2002, max_result_bytes: 1_000 } },
            ],
          },
        }),
      WAIT,
    )
  })

  it('[F-195] lists the newest first, a page at a time, filtered by status and function', async () => {
    const { start, idOf, ask, until } = await prepare()
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      ids.unshift(idOf(await start(count % 2 ? { function: 'reports.year' } : {})))
      await sleep(3)
    }
    for (const id of ids) await until(id, 'completed')
    const list = async (input: object) =>
      (await ask('list', input)).body.result as {
        operations: { id: string }[]
        next_cursor: string | null
      }
    const whole = await list({})
    expect(whole.operations.map(({ id }) => id)).toEqual(ids)
    expect(whole.next_cursor).toBeNull()
    expect(whole.operations[0]).toMatchObject({ function: 'reports.build', status: 'completed' })
    const first = await list({ limit: 2 })
    const second = await list({ limit: 2, cursor: first.next_cursor })
    const third = await list({ limit: 2, cursor: second.next_cursor })
    expect([first, second, third].flatMap((page) => page.operations.map(({ id }) => id))).toEqual(
      ids,
    )
    expect(third.next_cursor).toBeNull()
    const years = await list({ function: 'reports.year', limit: 1 })
    expect(years.operations.map(({ id }) => id)).toEqual([ids[1]])
    const rest = await list({ function: 'reports.year', limit: 1, cursor: years.next_cursor })
    expect(rest.operations.map(({ id }) => id)).toEqual([ids[3]])
    expect((await list({ status: 'pending' })).operations).toEqual([])
    const wrong = await ask('list', { cursor: 'x' })
    expect(wrong.body.errors?.[0]).toMatchObject({ source: { pointer: '/call/arguments/cursor' } })
    expect((await ask('list', { limit: 101 })).status).toBe(400)
  })

  it('[F-195] answers 50 operations when nobody says how many', async () => {
    const { start, ask } = await prepare(() => ({}))
    await Promise.all(Array.from({ length: 52 }, () => start()))
    const page = (await ask('list', {})).body.result as { operations: []; next_cursor: string }
    expect(page.operations).toHaveLength(50)
    const rest = await ask('list', { cursor: page.next_cursor })
    expect(rest.body.result).toMatchObject({ operations: [{}, {}], next_cursor: null })
  })

  it('[F-198] gives the same operation for the same key, and later its result', async () => {
    let finish: (value: unknown) => void = () => {}
    let runs = 0
    const { start, idOf, until } = await prepare(() => {
      runs++
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    const others = [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'order:1' } }]
    const first = await start({ others })
    const second = await start({ others, id: 'req_2' })
    expect([idOf(second), second.status]).toEqual([idOf(first), 200])
    await vi.waitFor(() => expect(runs).toBe(1), WAIT)
    finish({ report: 1 })
    await until(idOf(first), 'completed')
    await vi.waitFor(async () => {
      const third = await start({ others, id: 'req_3' })
      expect(third.body.result).toEqual({ report: 1 })
    }, WAIT)
    expect(runs).toBe(1)
  })

  it('gives the key back when the operation failed in a way that may pass', async () => {
    let runs = 0
    const { start, idOf } = await prepare(() => {
      runs++
      throw new CallError('UNAVAILABLE')
    })
    const others = [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'k' } }]
    const first = idOf(await start({ others }))
    await vi.waitFor(async () => expect(idOf(await start({ others }))).not.toBe(first), WAIT)
    expect(runs).toBeGreaterThan(0)
  })
})

describe('async extension', () => {
  it('refuses a mode that does not exist when the service is made', () => {
    const store = createMemoryStore()
    const make = () =>
      createService({
        info: { title: 'Reports', version: '1.0.0' },
        functions: [
          defineFunction({
            name: 'reports.build',
            version: '1.0.0',
            extensions: [{ urn: URN, mode: 'sometimes' }],
            handler: () => null,
          }),
        ],
        store,
      })
    expect(make).toThrow(/reports.build: extensions of urn:forrst:ext:async: mode must be/)
  })
})
