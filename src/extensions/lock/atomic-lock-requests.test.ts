import { describe, expect, it } from 'vitest'
import { dataOf } from '../../../test/support/forrst.ts'
import { seconds, setUp, URN } from '../../../test/support/locks.ts'
import { createFailingStore } from '../../../test/support/stores.ts'
import { createMemoryStore } from '../../entries/store.ts'

describe('atomic lock extension', () => {
  it.each([
    [{ ttl: seconds(1) }, '/key'],
    [{ key: '', ttl: seconds(1) }, '/key'],
    [{ key: 'x'.repeat(10_240), ttl: seconds(1) }, '/key'],
    [{ key: 'a b', ttl: seconds(1) }, '/key'],
    [{ key: 'a:meta:b', ttl: seconds(1) }, '/key'],
    [{ key: 'k' }, '/ttl'],
    [{ key: 'k', ttl: 'long' }, '/ttl'],
    [{ key: 'k', ttl: seconds(-1) }, '/ttl/value'],
    [{ key: 'k', ttl: seconds(0) }, '/ttl/value'],
    [{ key: 'k', ttl: { value: 25, unit: 'hour' } }, '/ttl/value'],
    [{ key: 'k', ttl: { value: 1, unit: 'moon' } }, '/ttl/unit'],
    [{ key: 'k', ttl: seconds(1), block: seconds(-5) }, '/block/value'],
    [{ key: 'k', ttl: seconds(1), scope: 'world' }, '/scope'],
    [{ key: 'k', ttl: seconds(1), owner: '' }, '/owner'],
    [{ key: 'k', ttl: seconds(1), auto_release: 'yes' }, '/auto_release'],
  ])('answers INVALID_ARGUMENTS to %j', async (options, path) => {
    let ran = false
    const { lock } = setUp(createMemoryStore(), () => {
      ran = true
    })
    const response = await lock(options)
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options${path}` },
    })
    expect(ran).toBe(false)
  })

  it.each(['release', 'force-release', 'status'])(
    '[F-175] answers INVALID_ARGUMENTS to %s without a key',
    async (name) => {
      const { manage } = setUp(createMemoryStore())
      const response = await manage(name, { owner: 'me' })
      expect(response.body.errors?.[0]).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        source: { pointer: '/call/arguments/key' },
      })
    },
  )

  it('understands the spelling atomicLock and echoes it', async () => {
    const { lock } = setUp(createMemoryStore())
    const urn = 'urn:forrst:ext:atomicLock'
    const response = await lock({ key: 'k', ttl: seconds(1) }, 'payments.charge', { urn })
    expect(dataOf(response, urn)).toMatchObject({ acquired: true })
  })

  it('refuses calls while the store is away, and runs nothing', async () => {
    let runs = 0
    const { store, fail } = createFailingStore()
    const { lock } = setUp(store, () => {
      runs++
    })
    for (const operation of ['putIfAbsent', 'next', 'compareAndSet']) {
      fail([operation])
      const response = await lock({ key: 'k', ttl: seconds(30) })
      expect(response.body.errors?.[0].code).toBe('UNAVAILABLE')
    }
    expect(runs).toBe(0)
    fail(false)
    expect((await lock({ key: 'k', ttl: seconds(30) })).status).toBe(200)
  })

  it('runs without a lock while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const { lock } = setUp(store, undefined, { onStoreFailure: 'proceed' })
    fail(true)
    const response = await lock({ key: 'k', ttl: seconds(30) })
    expect(response.status).toBe(200)
    expect(dataOf(response, URN)).toEqual({ key: 'k', acquired: false })
  })

  it('answers what the function gave when only the release fails', async () => {
    const { store, fail } = createFailingStore()
    const { lock, log } = setUp(store)
    fail(['deleteIfOwner'])
    expect((await lock({ key: 'k', ttl: seconds(30) })).body.result).toEqual({ done: true })
    expect(log.lines.map(({ message }) => message)).toContain('a lock could not be released')
  })
})
