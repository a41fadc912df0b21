import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../test/support/forrst.ts'
import { createFailingStore } from '../../test/support/stores.ts'
import { defineFunction } from '../core/function.ts'
import { createMemoryStore } from '../entries/store.ts'
import { startMaintenance } from '../extensions/maintenance/state.ts'
import { createService } from './create-service.ts'
import { statefulExtensions } from './stateful-extensions.ts'

const urn = (name: string) => `urn:forrst:ext:${name}`
const second = { value: 1, unit: 'second' }

function setUp(store = createMemoryStore()) {
  const runs: string[] = []
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'orders.create',
        version: '1.0.0',
        sideEffects: ['create'],
        simulations: [{ name: 'default', input: {}, output: { simulated: true } }],
        handler({ call: { id, facts } }) {
          runs.push(id)
          return { token: facts.fencingToken ?? null, key: facts.idempotencyKey ?? null }
        },
      }),
    ],
    store,
    health: { store: { cacheMs: 0 } },
    log: createTestLog(),
  })
  const ask = (entries: Readonly<Record<string, object>>, id = 'req_1') =>
    call(service, {
      function: 'orders.create',
      id,
      extensions: Object.entries(entries).map(([name, options]) => ({ urn: urn(name), options })),
    })
  return { service, ask, runs, store }
}

describe('a service with a store', () => {
  it('has the extensions that remember things, in order, and their functions', () => {
    const { service } = setUp()
    const names = service.extensions.map((extension) => extension.urn.replace(urn(''), ''))
    const inOrder = names.filter((name) =>
      ['maintenance', 'cancellation', 'caching', 'idempotency', 'priority', 'atomic-lock'].includes(
        name,
      ),
    )
    expect(inOrder).toEqual([
      'maintenance',
      'cancellation',
      'caching',
      'idempotency',
      'priority',
      'atomic-lock',
    ])
    expect(names).not.toContain('rate-limit')
    expect(service.registry.find('urn:cline:forrst:ext:atomic-lock:fn:release')).toBeDefined()
    expect(service.registry.find('urn:cline:forrst:ext:cancellation:fn:cancel')).toBeDefined()
  })

  it('has none of them without a store', () => {
    const service = createService({ info: { title: 'Orders', version: '1.0.0' }, functions: [] })
    expect(service.supports(urn('idempotency'))).toBe(false)
    expect(service.registry.find('urn:cline:forrst:ext:atomic-lock:fn:release')).toBeUndefined()
  })

  it('leaves the store open when it closes', async () => {
    const { service, store } = setUp()
    await service.close()
    await expect(store.check()).resolves.toBeUndefined()
  })

  it('shows the store among its components, degraded when it is away', async () => {
    const { store, fail } = createFailingStore()
    const { service } = setUp(store as ReturnType<typeof createMemoryStore>)
    const health = () => call(service, { function: 'urn:cline:forrst:fn:health' })
    expect((await health()).body.result).toMatchObject({
      status: 'healthy',
      components: { store: { status: 'healthy' } },
    })
    fail(true)
    const away = await health()
    expect(away.status).toBe(200)
    expect(away.body.result).toMatchObject({ components: { store: { status: 'degraded' } } })
  })

  it('takes no lock for the repetition of an idempotent call', async () => {
    const { ask, runs } = setUp()
    const entries = { idempotency: { key: 'k' }, 'atomic-lock': { key: 'l', ttl: second } }
    const first = await ask(entries, 'req_1')
    expect(first.body.result).toEqual({ token: expect.any(Number), key: 'k' })
    const repeated = await ask(entries, 'req_2')
    expect(repeated.body.result).toEqual(first.body.result)
    expect(dataOf(repeated, urn('atomic-lock'))).toBeUndefined()
    expect(runs).toEqual(['req_1'])
  })

  it('gives an idempotency key back when the lock could not be taken', async () => {
    const { ask, runs } = setUp()
    const lock = { key: 'l', ttl: { value: 1, unit: 'minute' } }
    await ask({ 'atomic-lock': { ...lock, auto_release: false, owner: 'me' } })
    const refused = await ask({ idempotency: { key: 'k' }, 'atomic-lock': lock }, 'req_2')
    expect(refused.body.errors?.[0].code).toBe('LOCK_ACQUISITION_FAILED')
    const wrong = await ask({ idempotency: { key: 'k' }, 'atomic-lock': { key: 'l' } }, 'req_3')
    expect(wrong.body.errors?.[0].code).toBe('INVALID_ARGUMENTS')
    const other = { ...lock, key: 'other' }
    expect((await ask({ idempotency: { key: 'k' }, 'atomic-lock': other }, 'req_4')).status).toBe(
      200,
    )
    expect(runs).toEqual(['req_1', 'req_4'])
  })

  it('burns no key and takes no lock for a simulation', async () => {
    const { ask, runs, store } = setUp()
    const simulated = await ask({
      simulation: { enabled: true },
      idempotency: { key: 'k' },
      'atomic-lock': { key: 'l', ttl: second },
    })
    expect(simulated.body.result).toEqual({ simulated: true })
    expect(runs).toEqual([])
    expect((await store.listByPrefix('')).entries).toEqual([])
  })

  it('counts and stores nothing of a call that maintenance refuses', async () => {
    const { ask, store, runs } = setUp()
    await startMaintenance(store, { reason: 'Upgrade' })
    const refused = await ask({ idempotency: { key: 'k' } })
    expect(refused.body.errors?.[0].code).toBe('SERVER_MAINTENANCE')
    expect(runs).toEqual([])
    expect((await store.listByPrefix('idempotency:')).entries).toEqual([])
  })
})

describe('settings of a service with a store', () => {
  const info = { title: 'Orders', version: '1.0.0' }
  const window = { value: 1, unit: 'minute' } as const
  const rateLimit = { policies: [{ scope: 'global', limit: 1, window }] } as const

  it('change one extension and leave the others, and what runs in the background, as they are', async () => {
    const store = createMemoryStore()
    const plain = createService({ info, functions: [], store })
    const set = createService({
      info,
      functions: [],
      store,
      stateful: { rateLimit, caching: false },
    })
    const before = plain.extensions.map((extension) => extension.urn)
    const now = set.extensions.map((extension) => extension.urn)
    expect(before).toContain(urn('async'))
    expect(now.filter((name) => !before.includes(name))).toEqual([urn('rate-limit')])
    expect(before.filter((name) => !now.includes(name))).toEqual([urn('caching')])
    await Promise.all([plain.close(), set.close()])
  })

  it('are refused where nothing would read them', () => {
    expect(() => createService({ info, functions: [], stateful: { rateLimit } })).toThrow(
      'stateful needs a store; give createService one, such as await openStore("sqlite:state.db")',
    )
  })
})

describe('statefulExtensions', () => {
  it('leaves out what is switched off and adds what has policies', () => {
    const store = createMemoryStore()
    const window = { value: 1, unit: 'minute' } as const
    const names = statefulExtensions({
      store,
      caching: false,
      priority: false,
      rateLimit: { policies: [{ scope: 'global', limit: 1, window }] },
      quota: { quotas: [{ type: 'requests', name: 'calls', limit: 1, period: 'day' }] },
    }).map((extension) => extension.urn.replace(urn(''), ''))
    expect(names.sort()).toEqual([
      'atomic-lock',
      'cancellation',
      'idempotency',
      'maintenance',
      'quota',
      'rate-limit',
    ])
  })
})
