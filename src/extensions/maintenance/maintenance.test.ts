import { afterEach, describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { createService } from '../../system/create-service.ts'
import { diagnosticsExtension } from '../../system/diagnostics-extension.ts'
import { type MaintenanceExtensionOptions, maintenanceExtension } from './maintenance.ts'
import { endMaintenance, startMaintenance } from './state.ts'

const URN = 'urn:forrst:ext:maintenance'
const START = Date.parse('2024-01-15T10:30:00Z')
const HOUR = 3_600_000
const ALWAYS = { refresh: { value: 0, unit: 'second' } } as const

function setUp(store: Store, options: Omit<MaintenanceExtensionOptions, 'store'> = ALWAYS) {
  const clock = createTestClock(START)
  const log = createTestLog()
  const work = (name: string) =>
    defineFunction({ name, version: '1.0.0', handler: () => ({ done: true }) })
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [work('orders.create'), work('orders.get')],
    extensions: [maintenanceExtension({ ...options, store }), diagnosticsExtension()],
    clock,
    log,
  })
  const ask = (name = 'orders.create') => call(service, { function: name })
  const health = (input = {}) =>
    call(service, { function: 'urn:cline:forrst:fn:health', arguments: input })
  return { service, clock, log, ask, health }
}

describe.each(TEST_STORES)('maintenance extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async () => {
    test = await open()
    return { ...setUp(test.store), ...test }
  }

  it('[F-219] refuses calls with SERVER_MAINTENANCE, 503 and Retry-After until it ends', async () => {
    const { store, ask } = await prepare()
    expect((await ask()).status).toBe(200)
    await startMaintenance(store, { reason: 'Database upgrade', until: START + 2 * HOUR }, START)
    const refused = await ask()
    expect(refused.status).toBe(503)
    const details = {
      reason: 'Database upgrade',
      started_at: '2024-01-15T10:30:00Z',
      until: '2024-01-15T12:30:00Z',
      retry_after: { value: 7_200, unit: 'second' },
    }
    expect(refused.body.errors?.[0]).toMatchObject({ code: 'SERVER_MAINTENANCE', details })
    expect(refused.headers['retry-after']).toBe('7200')
    expect(dataOf(refused, URN)).toEqual({ scope: 'server', ...details })
    expect(await endMaintenance(store)).toBe(true)
    expect((await ask()).status).toBe(200)
    expect(await endMaintenance(store)).toBe(false)
  })

  it('[F-220] keeps ping and health reachable, and health says why it is unhealthy', async () => {
    const { store, service, health } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, START)
    for (const space of ['fn', 'ext:diagnostics:fn']) {
      const ping = await call(service, { function: `urn:cline:forrst:${space}:ping` })
      expect(ping.status).toBe(200)
    }
    const response = await health()
    expect(response.status).toBe(503)
    expect(response.body.result).toMatchObject({
      status: 'unhealthy',
      maintenance: { active: true, reason: 'Upgrade' },
    })
    const diagnosed = await call(service, {
      function: 'urn:cline:forrst:ext:diagnostics:fn:health',
    })
    expect([diagnosed.status, diagnosed.body.result]).toMatchObject([503, { status: 'unhealthy' }])
    const live = await health({ component: 'self', include_details: false })
    expect(live.body.result).toMatchObject({ status: 'healthy' })
    const refused = await call(service, { function: 'urn:cline:forrst:fn:capabilities' })
    expect(refused.body.errors?.[0].code).toBe('SERVER_MAINTENANCE')
  })

  it('[F-221] refuses one function and serves the others', async () => {
    const { store, ask, health } = await prepare()
    const window = { function: 'orders.create', reason: 'Migration' }
    await startMaintenance(store, { ...window, retryAfter: { value: 5, unit: 'minute' } }, START)
    const refused = await ask()
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('300')
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'FUNCTION_MAINTENANCE',
      details: { function: 'orders.create', reason: 'Migration' },
    })
    expect(dataOf(refused, URN)).toMatchObject({ scope: 'function', function: 'orders.create' })
    expect((await ask('orders.get')).status).toBe(200)
    expect((await health()).body.result).toMatchObject({
      status: 'degraded',
      functions: { 'orders.create': { status: 'maintenance', message: 'Migration' } },
    })
    await endMaintenance(store, 'orders.create')
    expect((await ask()).status).toBe(200)
  })
})

describe('maintenance extension', () => {
  it('[F-219] starts a scheduled window at its time', async () => {
    const store = createMemoryStore()
    const { ask, clock } = setUp(store)
    await startMaintenance(store, { reason: 'Upgrade', startsAt: START + HOUR }, START)
    expect((await ask()).status).toBe(200)
    clock.advance(HOUR)
    expect((await ask()).body.errors?.[0].code).toBe('SERVER_MAINTENANCE')
  })

  it('asks the store now and then, not with every call', async () => {
    const { store, asked } = createFailingStore()
    const { ask, clock } = setUp(store, {})
    for (let at = 0; at < 5; at++) await ask()
    expect(asked).toEqual(['listByPrefix'])
    await startMaintenance(store, { reason: 'Upgrade' }, START)
    expect((await ask()).status).toBe(200)
    clock.advance(1_000)
    expect((await ask()).body.errors?.[0].code).toBe('SERVER_MAINTENANCE')
  })

  it('lets those through whom the operator lets', async () => {
    const store = createMemoryStore()
    const { ask } = setUp(store, { ...ALWAYS, bypass: (made) => made.function === 'orders.get' })
    await startMaintenance(store, { reason: 'Upgrade' }, START)
    expect([(await ask()).status, (await ask('orders.get')).status]).toEqual([503, 200])
  })

  it('goes by what it knew last while the store is away', async () => {
    const { store, fail } = createFailingStore()
    const { ask, log } = setUp(store)
    fail(true)
    expect((await ask()).status).toBe(200)
    fail(false)
    await startMaintenance(store, { reason: 'Upgrade' }, START)
    expect((await ask()).status).toBe(503)
    fail(true)
    expect((await ask()).body.errors?.[0].code).toBe('SERVER_MAINTENANCE')
    expect(log.lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/store is away/),
    )
  })

  it('refuses calls while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const { ask } = setUp(store, { ...ALWAYS, onStoreFailure: 'refuse' })
    fail(true)
    expect((await ask()).body.errors?.[0].code).toBe('UNAVAILABLE')
  })

  it('refuses a wrong window', async () => {
    const store = createMemoryStore()
    await expect(startMaintenance(store, { reason: '' })).rejects.toThrow(/reason/)
    const retryAfter = { value: -1, unit: 'second' } as const
    await expect(startMaintenance(store, { reason: 'x', retryAfter })).rejects.toThrow(/retryAfter/)
  })
})
