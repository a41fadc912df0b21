import { afterEach, describe, expect, it } from 'vitest'
import { dataOf } from '../../../test/support/forrst.ts'
import { setUpReplay as setUp, URN, type Wish } from '../../../test/support/replay.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { createMemoryStore } from '../../entries/store.ts'
import { endMaintenance, startMaintenance } from '../maintenance/state.ts'
import { REPLAY_KEYS } from './record.ts'
import type { ReplayExtensionOptions } from './replay.ts'

const MINUTE = 60_000

describe.each(TEST_STORES)('replay extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (options: Omit<ReplayExtensionOptions, 'store' | 'jobs'> = {}) => {
    test = await open()
    return setUp(test.store, options)
  }

  it('[F-228] answers queued with 202, meta.accepted and no errors while the server is in maintenance', async () => {
    const { store, ask, runs, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade', until: clock.now() + MINUTE }, clock.now())
    const queued = await ask(1)
    expect(queued.status).toBe(202)
    expect(queued.body).toMatchObject({ result: null, meta: { accepted: true } })
    expect(queued.body.errors).toBeUndefined()
    expect(dataOf(queued, URN)).toEqual({
      status: 'queued',
      replay_id: expect.stringMatching(/^rpl_[0-9A-Z]{26}$/),
      reason: 'SERVER_MAINTENANCE',
      queued_at: '2024-01-15T10:30:00Z',
      expires_at: '2024-01-16T10:30:00Z',
      position: 1,
      estimated_replay: { value: 60, unit: 'second' },
    })
    expect(dataOf(await ask(2), URN)).toMatchObject({ position: 2 })
    expect(runs).toEqual([])
  })

  it('runs what was queued after recovery: by priority, then by age, as the caller who asked', async () => {
    const { store, ask, jobs, runs, manage, idOf, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const first = await ask(1, { priority: 'low' }, { user: 'alice' })
    clock.advance(1)
    await ask(2, {}, { user: 'bob' })
    clock.advance(1)
    await ask(3, {}, { user: 'alice' })
    clock.advance(1)
    await ask(4, { priority: 'high' }, { user: 'alice' })
    await jobs.runFor(10 * MINUTE)
    expect(runs).toEqual([])
    await endMaintenance(store)
    await jobs.runFor(MINUTE)
    expect(runs).toEqual([
      'orders.create {"n":4} alice',
      'orders.create {"n":2} bob',
      'orders.create {"n":3} alice',
      'orders.create {"n":1} alice',
    ])
    expect(jobs.waiting()).toEqual([])
    const status = await manage('status', { replay_id: idOf(first) }, 'alice')
    expect(status.body.result).toMatchObject({
      status: 'completed',
      original_request_id: 'req_1',
      function: 'orders.create',
      version: '1.0.0',
      attempts: 1,
      result: { done: { n: 1 } },
      replayed_at: expect.any(String),
    })
  })

  it('honours idempotency keys: a call that was queued twice runs once', async () => {
    const { store, ask, jobs, runs, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    await ask(1, {}, { key: 'k1' })
    await ask(1, {}, { key: 'k1' })
    await endMaintenance(store)
    await jobs.runFor(MINUTE)
    expect(runs).toHaveLength(1)
  })

  it('queues one function in maintenance without holding up the others', async () => {
    const { store, ask, jobs, runs, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    await ask(1)
    clock.advance(1)
    await ask(2, {}, { name: 'orders.get' })
    await endMaintenance(store)
    await startMaintenance(store, { function: 'orders.create', reason: 'Move' }, clock.now())
    await jobs.runFor(MINUTE)
    expect(runs).toEqual(['orders.get {"n":2}'])
    await endMaintenance(store, 'orders.create')
    await jobs.runFor(MINUTE)
    expect(runs).toHaveLength(2)
  })

  it('gives up after three runs that failed for a reason that passes, with longer and longer pauses', async () => {
    const { store, ask, jobs, failures, manage, idOf, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const id = idOf(await ask(1))
    await endMaintenance(store)
    failures.push('UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE')
    await jobs.runFor(2_000)
    const early = await manage('status', { replay_id: id })
    expect(early.body.result).toMatchObject({ status: 'queued', attempts: 1 })
    await jobs.runFor(7_000)
    expect((await manage('status', { replay_id: id })).body.result).toMatchObject({ attempts: 2 })
    await jobs.runFor(20_000)
    expect((await manage('status', { replay_id: id })).body.result).toMatchObject({
      status: 'failed',
      attempts: 3,
      errors: [{ code: 'UNAVAILABLE' }],
    })
    expect([failures, jobs.waiting()]).toEqual([['UNAVAILABLE'], []])
  })

  it('is over at once when the function refuses for good', async () => {
    const { store, ask, jobs, failures, manage, idOf, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const id = idOf(await ask(1))
    await endMaintenance(store)
    failures.push('CONFLICT')
    await jobs.runFor(5_000)
    expect((await manage('status', { replay_id: id })).body.result).toMatchObject({
      status: 'failed',
      attempts: 1,
      errors: [{ code: 'CONFLICT' }],
    })
  })

  it('lets a call expire that could not run within its time', async () => {
    const { store, ask, jobs, runs, manage, idOf, clock } = await prepare()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const id = idOf(await ask(1, { ttl: { value: 1, unit: 'minute' } }))
    clock.advance(2 * MINUTE)
    await endMaintenance(store)
    for (const name of ['status', 'trigger', 'cancel']) {
      const refused = await manage(name, { replay_id: id })
      expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([410, 'REPLAY_EXPIRED'])
    }
    await jobs.runFor(MINUTE)
    expect(runs).toEqual([])
    expect((await manage('list', { status: 'expired' })).body.result).toMatchObject({ total: 1 })
  })

  it('loses nothing when the process ends: another on the same store takes the queue up', async () => {
    const before = await prepare()
    await startMaintenance(before.store, { reason: 'Upgrade' }, before.clock.now())
    const id = before.idOf(await before.ask(1, {}, { user: 'alice' }))
    await endMaintenance(before.store)
    const after = setUp(before.store)
    await after.jobs.runFor(MINUTE)
    expect(after.runs).toEqual(['orders.create {"n":1} alice'])
    const status = await after.manage('status', { replay_id: id }, 'alice')
    expect(status.body.result).toMatchObject({ status: 'completed' })
  })
})

describe('a replay whose function has finished while the store stalls', () => {
  it('is recorded later, and not run again', async () => {
    const { store, fail } = createFailingStore()
    const { ask, idOf, jobs, runs, clock, manage } = setUp(store)
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const id = idOf(await ask(1))
    await endMaintenance(store)
    runs.push = (run) => {
      fail(true)
      setTimeout(() => fail(false), 700)
      return Array.prototype.push.call(runs, run)
    }
    await jobs.runFor(MINUTE)
    expect(runs).toHaveLength(1)
    const status = await manage('status', { replay_id: id })
    expect(status.body.result).toMatchObject({ status: 'completed', attempts: 1 })
  })
})

describe('a replay that several processes see', () => {
  const queueAt = async (version: string, title?: string) => {
    const store = createMemoryStore()
    const from = setUp(store, {}, { version, ...(title && { title }) })
    await startMaintenance(store, { reason: 'Upgrade' }, from.clock.now())
    for (const n of [1, 2, 3]) await from.ask(n)
    await endMaintenance(store)
    return { store, from }
  }

  it('is left by a process of an older version for one that knows the function', async () => {
    const { store } = await queueAt('2.0.0')
    const old = setUp(store, {}, { version: '1.0.0' })
    await old.jobs.runFor(MINUTE)
    expect((await old.manage('list', {})).body.result).toMatchObject({
      replays: [{ status: 'queued' }, { status: 'queued' }, { status: 'queued' }],
    })
    const knowing = setUp(store, {}, { version: '2.0.0' })
    await knowing.jobs.runFor(MINUTE)
    expect([old.runs.length, knowing.runs.length]).toEqual([0, 3])
  })

  it('is left alone by another service on the same store', async () => {
    const { store, from } = await queueAt('1.0.0', 'Orders')
    const other = setUp(store, {}, { title: 'Invoices' })
    await other.jobs.runFor(MINUTE)
    expect([other.runs, other.jobs.waiting()]).toEqual([[], []])
    await from.jobs.runFor(MINUTE)
    expect(from.runs).toHaveLength(3)
  })
})

describe('a replay whose process died in the middle', () => {
  it('is left alone while somebody may run it, and taken up when its lease is over', async () => {
    let elapsed = 0
    const store = createMemoryStore({ clock: { elapsed: () => elapsed } })
    const { ask, idOf, jobs, runs, clock, manage } = setUp(store)
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const id = idOf(await ask(1))
    await endMaintenance(store)
    await store.putIfAbsent(REPLAY_KEYS.claim(id), null, { ttl: 30_000, owner: 'the dead' })
    await jobs.runFor(10_000)
    expect(runs).toEqual([])
    elapsed += 31_000
    await jobs.runFor(10_000)
    expect(runs).toHaveLength(1)
    const status = await manage('status', { replay_id: id })
    expect(status.body.result).toMatchObject({ status: 'completed' })
  })
})

describe('what is queued', () => {
  it('answers processed, and stores nothing, when the call runs', async () => {
    const failing = createFailingStore()
    const { ask, runs } = setUp(failing.store)
    const done = await ask(1)
    expect(done.status).toBe(200)
    expect(dataOf(done, URN)).toEqual({
      status: 'processed',
      replay_id: expect.stringMatching(/^rpl_/),
    })
    expect(runs).toHaveLength(1)
    expect(failing.asked.filter((name) => name.startsWith('put'))).toEqual([])
  })

  it('queues a function that was switched off', async () => {
    const { service, ask } = setUp()
    service.registry.setHealth('orders.create', { status: 'disabled' })
    const queued = await ask(1)
    expect([queued.status, dataOf(queued, URN)?.['reason']]).toEqual([202, 'FUNCTION_DISABLED'])
  })

  it('queues UNAVAILABLE only where a second run is harmless: reads, and calls with a key', async () => {
    const { ask, failures } = setUp()
    failures.push('UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE')
    expect((await ask(1)).status).toBe(503)
    expect((await ask(1, {}, { key: 'k' })).status).toBe(202)
    expect((await ask(1, {}, { name: 'orders.get' })).status).toBe(202)
  })

  it('refuses as before when replay is not enabled, arguments are wrong, or too many wait', async () => {
    const { store, ask, clock, manage } = setUp(createMemoryStore(), { maxQueued: 1 })
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    expect((await ask(1, { enabled: false })).status).toBe(503)
    expect((await ask('x' as unknown as number)).status).toBe(503)
    expect((await ask(1)).status).toBe(202)
    const refused = await ask(1)
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([503, 'SERVER_MAINTENANCE'])
    expect((await ask(1, {}, { user: 'bob' })).status).toBe(202)
    await endMaintenance(store)
    expect((await manage('list', {})).body.result).toMatchObject({ total: 1 })
  })

  it.each([
    [{ enabled: 1 }, 'enabled'],
    [{ ttl: 5 }, 'ttl'],
    [{ ttl: { value: 0, unit: 'second' } }, 'ttl/value'],
    [{ priority: 'urgent' }, 'priority'],
    [{ callback: { url: 'https://example.com/' } }, 'callback'],
  ])('refuses the options %j at %s', async (options, path) => {
    const refused = await setUp().ask(1, options as Wish)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options/${path}` },
    })
  })
})
