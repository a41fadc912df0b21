import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, createTestLog } from '../../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { createService } from '../../system/create-service.ts'
import { type CancellationExtensionOptions, cancellationExtension } from './cancellation.ts'

const URN = 'urn:forrst:ext:cancellation'
const CANCEL = 'urn:cline:forrst:ext:cancellation:fn:cancel'
const poll = { value: 5, unit: 'millisecond' } as const

/** A process: its service has handlers of its own and shares the store with others. */
function startProcess(store: Store, options: Omit<CancellationExtensionOptions, 'store'> = {}) {
  const reasons: unknown[] = []
  const finishers: (() => void)[] = []
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'reports.run',
        version: '1.0.0',
        handler: ({ signal }) =>
          new Promise((resolve, reject) => {
            finishers.push(() => resolve({ ready: true }))
            signal.addEventListener('abort', () => {
              reasons.push(signal.reason)
              reject(signal.reason)
            })
          }),
      }),
      defineFunction({
        name: 'reports.deaf',
        version: '1.0.0',
        handler: () => new Promise((resolve) => finishers.push(() => resolve({ late: true }))),
      }),
    ],
    extensions: [cancellationExtension({ poll, ...options, store })],
    authenticate: ({ header }) => {
      const id = header('x-user')
      return id === undefined ? undefined : { id }
    },
    log: createTestLog(),
  })
  const headers = (user: string) => (user === '' ? {} : { headers: { 'x-user': user } })
  const run = (token: unknown, { name = 'reports.run', user = '' } = {}) =>
    call(service, { function: name, extensions: [{ urn: URN, options: { token } }] }, headers(user))
  const cancel = (token: unknown, user = '') =>
    call(service, { function: CANCEL, version: '1.0.0', arguments: { token } }, headers(user))
  const running = (count: number) => vi.waitFor(() => expect(finishers).toHaveLength(count))
  return {
    service,
    run,
    cancel,
    reasons,
    running,
    finish: () => finishers.forEach((end) => void end()),
  }
}

describe.each(TEST_STORES)('cancellation extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())

  it('[F-201] ends a running call with CANCELLED and its token', async () => {
    test = await open()
    const { run, cancel, running, reasons } = startProcess(test.store)
    const pending = run('tok_1')
    await running(1)
    const answer = await cancel('tok_1')
    expect(answer.body.result).toEqual({ cancelled: true, token: 'tok_1' })
    const response = await pending
    expect(response.status).toBe(499)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'CANCELLED',
      details: { token: 'tok_1' },
    })
    expect(reasons).toMatchObject([{ code: 'CANCELLED' }])
  })

  it('[F-201] reaches a call that runs in another process', async () => {
    test = await open()
    const here = startProcess(test.store)
    const there = startProcess(test.store)
    const pending = there.run('tok_1')
    await there.running(1)
    expect((await here.cancel('tok_1')).body.result).toEqual({ cancelled: true, token: 'tok_1' })
    expect((await pending).body.errors?.[0].code).toBe('CANCELLED')
    await Promise.all([here.service.close(), there.service.close()])
  })

  it('[F-202] tells an unknown token from a call that is over', async () => {
    test = await open()
    const { run, cancel, running, finish } = startProcess(test.store)
    const unknown = await cancel('tok_1')
    expect(unknown.status).toBe(404)
    expect(unknown.body.errors?.[0]).toMatchObject({
      code: 'CANCELLATION_TOKEN_UNKNOWN',
      details: { token: 'tok_1' },
    })
    const pending = run('tok_1')
    await running(1)
    finish()
    expect((await pending).body.result).toEqual({ ready: true })
    const late = await cancel('tok_1')
    expect(late.status).toBe(409)
    expect(late.body.errors?.[0]).toMatchObject({
      code: 'CANCELLATION_TOO_LATE',
      details: { token: 'tok_1' },
    })
  })

  it('[F-203] frees the token after the call, and forgets it after a while', async () => {
    test = await open()
    const { run, cancel, running, finish } = startProcess(test.store, {
      remember: { value: 40, unit: 'millisecond' },
    })
    const first = run('tok_1')
    await running(1)
    finish()
    await first
    const second = run('tok_1')
    await running(2)
    finish()
    expect((await second).status).toBe(200)
    await test.passTime(80)
    expect((await cancel('tok_1')).body.errors?.[0].code).toBe('CANCELLATION_TOKEN_UNKNOWN')
    expect((await test.store.listByPrefix('cancel:')).entries).toEqual([])
  })
})

describe('cancellation extension', () => {
  it('[F-201] answers at once although the handler does not listen', async () => {
    const { run, cancel, running } = startProcess(createMemoryStore())
    const pending = run('tok_1', { name: 'reports.deaf' })
    await running(1)
    await cancel('tok_1')
    expect((await pending).body.errors?.[0].code).toBe('CANCELLED')
    expect((await cancel('tok_1')).body.errors?.[0].code).toBe('CANCELLATION_TOO_LATE')
  })

  it('refuses a token that a running call has, wherever that runs', async () => {
    const store = createMemoryStore()
    const there = startProcess(store)
    const pending = there.run('tok_1')
    await there.running(1)
    const response = await startProcess(store).run('tok_1')
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: '/extensions/0/options/token' },
    })
    there.finish()
    expect((await pending).status).toBe(200)
  })

  it('keeps the tokens of principals apart', async () => {
    const { run, cancel, running, finish } = startProcess(createMemoryStore())
    const pending = run('tok_1', { user: 'alice' })
    await running(1)
    expect((await cancel('tok_1', 'mallory')).body.errors?.[0].code).toBe(
      'CANCELLATION_TOKEN_UNKNOWN',
    )
    finish()
    expect((await pending).status).toBe(200)
  })

  it('keeps the token of a long call known', async () => {
    let now = 0
    const { store, asked } = createFailingStore(
      createMemoryStore({ clock: { elapsed: () => now } }),
    )
    const there = startProcess(store, { ttl: { value: 30, unit: 'millisecond' } })
    const pending = there.run('tok_1')
    await there.running(1)
    const renewals = () => asked.filter((name) => name === 'compareAndSet').length
    for (let round = 0; round < 4; round++) {
      const before = renewals()
      await vi.waitFor(() => expect(renewals()).toBeGreaterThan(before + 1), { interval: 1 })
      now += 25
    }
    expect((await startProcess(store).cancel('tok_1')).status).toBe(200)
    expect((await pending).body.errors?.[0].code).toBe('CANCELLED')
  })

  it('cancels calls of its own process while the store is away', async () => {
    const { store, fail } = createFailingStore()
    const { run, cancel, running } = startProcess(store)
    fail(true)
    const pending = run('tok_1')
    await running(1)
    expect((await cancel('tok_2')).body.errors?.[0].code).toBe('UNAVAILABLE')
    expect((await cancel('tok_1')).body.result).toEqual({ cancelled: true, token: 'tok_1' })
    expect((await pending).body.errors?.[0].code).toBe('CANCELLED')
  })

  it('refuses calls while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const { run } = startProcess(store, { onStoreFailure: 'refuse' })
    fail(true)
    expect((await run('tok_1')).body.errors?.[0].code).toBe('UNAVAILABLE')
  })

  it.each([[undefined], [''], [7], ['x'.repeat(10_240)]])(
    'answers INVALID_ARGUMENTS to the token %j',
    async (token) => {
      const { run, cancel } = startProcess(createMemoryStore())
      expect((await run(token)).body.errors?.[0]).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        source: { pointer: '/extensions/0/options/token' },
      })
      expect((await cancel(token)).body.errors?.[0].code).toBe('INVALID_ARGUMENTS')
    },
  )
})
