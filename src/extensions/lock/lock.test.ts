import { afterEach, describe, expect, it, vi } from 'vitest'
import { dataOf } from '../../../test/support/forrst.ts'
import { holdOn, seconds, setUp, URN } from '../../../test/support/locks.ts'
import { TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { CallError } from '../../errors/error.ts'
import { holdsLock, toFullKey } from './lease.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe.each(TEST_STORES)('atomic lock extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (...rest: [Parameters<typeof setUp>[1]?, Parameters<typeof setUp>[2]?]) => {
    test = await open()
    return { ...setUp(test.store, ...rest), ...test }
  }

  it('[F-187] returns key, owner, scope and expiry; the owner is a UUID when absent', async () => {
    const { lock } = await prepare()
    const made = await lock({ key: 'user:123', ttl: seconds(30) })
    expect(made.body.result).toEqual({ done: true })
    expect(dataOf(made, URN)).toEqual({
      key: 'user:123',
      acquired: true,
      owner: expect.stringMatching(UUID),
      scope: 'function',
      expires_at: '2024-01-15T10:30:30Z',
    })
    const given = await lock({ key: 'user:123', ttl: seconds(30), owner: 'worker-7' })
    expect(dataOf(given, URN)).toMatchObject({ owner: 'worker-7' })
  })

  it('[F-180][F-182] shows a held lock under its full key', async () => {
    const { handler, running, finish } = holdOn()
    const { lock, manage } = await prepare(handler)
    const first = lock({ key: 'user:123', ttl: seconds(30), owner: 'o' })
    await vi.waitFor(() => expect(running()).toBe(1))
    const key = 'forrst_lock:payments.charge:user:123'
    const status = await manage('status', { key })
    expect(status.body.result).toEqual({
      key,
      locked: true,
      owner: 'o',
      acquired_at: '2024-01-15T10:30:00Z',
      expires_at: expect.stringMatching(/^2024-01-15T10:30:[0-3]\dZ$/),
      ttl_remaining: expect.any(Number),
    })
    const left = (status.body.result as { ttl_remaining: number }).ttl_remaining
    expect(Number.isInteger(left) && left > 0 && left <= 30).toBe(true)
    finish()
    await first
    expect((await manage('status', { key })).body.result).toEqual({ key, locked: false })
  })

  it('[F-181] answers that a free lock is free, whatever its key looks like', async () => {
    const { manage } = await prepare()
    for (const key of ['forrst_lock:none', 'anything', 'x'.repeat(5_000), 'forrst_lock:\u0000']) {
      const status = await manage('status', { key })
      expect(status.status).toBe(200)
      expect(status.body.result).toEqual({ key, locked: false })
    }
  })

  it('[F-183] answers LOCK_ACQUISITION_FAILED at once when the lock is held', async () => {
    const { handler, running, finish } = holdOn()
    const { lock } = await prepare(handler)
    const first = lock({ key: 'k', ttl: seconds(30) })
    await vi.waitFor(() => expect(running()).toBe(1))
    const refused = await lock({ key: 'k', ttl: seconds(30) })
    expect(refused.status).toBe(423)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'LOCK_ACQUISITION_FAILED',
      details: { key: 'k', scope: 'function', full_key: 'forrst_lock:payments.charge:k' },
    })
    expect(dataOf(refused, URN)).toEqual({ key: 'k', acquired: false })
    expect(running()).toBe(1)
    finish()
    await first
  })

  it('[F-184] answers LOCK_TIMEOUT when the lock is held for longer than the wait', async () => {
    const { handler, running, finish } = holdOn()
    const { lock } = await prepare(handler)
    const first = lock({ key: 'k', ttl: seconds(30) })
    await vi.waitFor(() => expect(running()).toBe(1))
    const block = { value: 30, unit: 'millisecond' }
    const refused = await lock({ key: 'k', ttl: seconds(30), block })
    expect(refused.status).toBe(423)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'LOCK_TIMEOUT',
      details: {
        key: 'k',
        scope: 'function',
        full_key: 'forrst_lock:payments.charge:k',
        waited: { value: expect.any(Number), unit: 'millisecond' },
      },
    })
    finish()
    await first
  })

  it('waits for the lock and gets it when its holder is done', async () => {
    const { handler, running, finish } = holdOn()
    const { lock } = await prepare(handler)
    const first = lock({ key: 'k', ttl: seconds(30) })
    await vi.waitFor(() => expect(running()).toBe(1))
    const second = lock({ key: 'k', ttl: seconds(30), block: seconds(10) })
    finish()
    await first
    await vi.waitFor(() => expect(running()).toBe(2))
    finish()
    expect((await second).status).toBe(200)
  })

  it('[F-185] releases the lock after errors and after exceptions', async () => {
    for (const thrown of [new CallError('NOT_FOUND'), new Error('boom')]) {
      const { lock, manage } = await prepare(() => {
        throw thrown
      })
      await lock({ key: 'k', ttl: seconds(30) })
      const status = await manage('status', { key: 'forrst_lock:payments.charge:k' })
      expect(status.body.result).toMatchObject({ locked: false })
      await test?.close()
    }
    test = undefined
  })

  it('[F-175][F-176][F-177][F-186] keeps the lock without auto release until its owner releases it', async () => {
    const { lock, manage } = await prepare()
    const ask = { key: 'k', ttl: seconds(30), owner: 'me', auto_release: false }
    await lock(ask)
    expect((await lock(ask)).body.errors?.[0].code).toBe('LOCK_ACQUISITION_FAILED')
    const key = 'forrst_lock:payments.charge:k'

    const wrong = await manage('release', { key, owner: 'you' })
    expect(wrong.status).toBe(403)
    expect(wrong.body.errors?.[0]).toMatchObject({
      code: 'LOCK_OWNERSHIP_MISMATCH',
      details: { key },
    })
    expect((await manage('status', { key })).body.result).toMatchObject({ locked: true })

    const released = await manage('release', { key, owner: 'me' })
    expect(released.body.result).toEqual({ released: true, key })
    const again = await manage('release', { key, owner: 'me' })
    expect(again.status).toBe(404)
    expect(again.body.errors?.[0]).toMatchObject({ code: 'LOCK_NOT_FOUND', details: { key } })
    expect((await lock(ask)).status).toBe(200)
  })

  it('[F-176][F-181] frees a lock when its time is up', async () => {
    const { lock, manage, passTime } = await prepare()
    const ttl = { value: 60, unit: 'millisecond' }
    await lock({ key: 'k', ttl, owner: 'me', auto_release: false })
    await passTime(100)
    const key = 'forrst_lock:payments.charge:k'
    expect((await manage('status', { key })).body.result).toEqual({ key, locked: false })
    expect((await manage('release', { key, owner: 'me' })).body.errors?.[0].code).toBe(
      'LOCK_NOT_FOUND',
    )
  })

  it('[F-178][F-179] takes a lock away from its holder for those whom the hook lets', async () => {
    const asked: string[] = []
    const { lock, manage } = await prepare(undefined, {
      authorizeForceRelease(_call, key) {
        asked.push(key)
        return true
      },
    })
    const key = 'forrst_lock:payments.charge:k'
    await lock({ key: 'k', ttl: seconds(30), owner: 'me', auto_release: false })
    const released = await manage('force-release', { key })
    expect(released.body.result).toEqual({ released: true, key, forced: true })
    const again = await manage('force-release', { key })
    expect(again.status).toBe(404)
    expect(again.body.errors?.[0]).toMatchObject({ code: 'LOCK_NOT_FOUND', details: { key } })
    expect(asked).toEqual([key, key])
  })

  it('refuses force-release without a hook, and keeps the lock', async () => {
    const { lock, manage } = await prepare()
    const key = 'forrst_lock:payments.charge:k'
    await lock({ key: 'k', ttl: seconds(30), auto_release: false })
    const refused = await manage('force-release', { key })
    expect(refused.status).toBe(403)
    expect(refused.body.errors?.[0].code).toBe('FORBIDDEN')
    expect((await manage('status', { key })).body.result).toMatchObject({ locked: true })
  })

  it('[F-188] keeps functions apart, unless the scope is global', async () => {
    const { lock, manage } = await prepare()
    const ask = { key: 'k', ttl: seconds(30), auto_release: false }
    expect((await lock(ask)).status).toBe(200)
    expect((await lock(ask, 'payments.refund')).status).toBe(200)
    const global = { ...ask, scope: 'global' }
    expect((await lock(global)).status).toBe(200)
    const refused = await lock(global, 'payments.refund')
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'LOCK_ACQUISITION_FAILED',
      details: { scope: 'global', full_key: 'forrst_lock:k' },
    })
    expect((await manage('status', { key: 'forrst_lock:k' })).body.result).toMatchObject({
      locked: true,
    })
  })

  it('gives every holder a higher token, which can be checked against the store', async () => {
    const tokens: number[] = []
    const current: boolean[] = []
    const key = toFullKey({ function: 'payments.charge', key: 'k' })
    const { lock, store } = await prepare(async ({ call: { facts } }) => {
      tokens.push(facts.fencingToken ?? 0)
      current.push(await holdsLock(test!.store, key, facts.fencingToken ?? 0))
    })
    for (let at = 0; at < 5; at++) await lock({ key: 'k', ttl: seconds(30) })
    expect(tokens).toEqual([...tokens].sort((left, right) => left - right))
    expect(new Set(tokens).size).toBe(5)
    expect(current).toEqual([true, true, true, true, true])
    expect(await holdsLock(store, key, tokens[4]!)).toBe(false)
  })

  it('lets one holder in at a time, however many wait', async () => {
    let inside = 0
    let most = 0
    const { lock } = await prepare(async () => {
      inside++
      most = Math.max(most, inside)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside--
    })
    const ask = { key: 'k', ttl: seconds(30), block: seconds(15) }
    const answers = await Promise.all(Array.from({ length: 12 }, () => lock(ask)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(most).toBe(1)
  })
})
