import { describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { call } from '../support/forrst.ts'
import { serviceOf } from '../support/service.ts'

const KILOBYTE = 'x'.repeat(1_000)
/** Until it is removed. */
const STAY = { ttl: null }
const FULL = { code: 'UNAVAILABLE', details: { store: 'memory', outcome: 'not_applied' } }

describe('beside it: a store in memory', () => {
  it('takes no more than its bytes, and takes more when something was removed', async () => {
    const store = createMemoryStore({ maxBytes: 10_000 })
    for (let count = 0; count < 8; count += 1) await store.put(`k${count}`, KILOBYTE, STAY)
    await expect(store.put('other', KILOBYTE.repeat(2), STAY)).rejects.toMatchObject(FULL)
    await expect(store.put('k0', KILOBYTE.repeat(3), STAY)).rejects.toMatchObject(FULL)
    expect(await store.get('other')).toBeUndefined()
    expect((await store.get('k0'))?.value).toBe(KILOBYTE)
    await store.put('k0', 'short', STAY)
    await store.delete('k1')
    await store.put('other', KILOBYTE, STAY)
    expect(store.bytes).toBeLessThanOrEqual(10_000)
    for (const key of ['k0', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'other']) await store.delete(key)
    expect(store.bytes).toBe(0)
    await store.close()
  })

  it('makes room of what has expired before it refuses', async () => {
    let elapsed = 0
    const store = createMemoryStore({ maxBytes: 10_000, clock: { elapsed: () => elapsed } })
    for (let count = 0; count < 7; count += 1) await store.put(`k${count}`, KILOBYTE, { ttl: 100 })
    elapsed = 1_000
    await store.put('other', KILOBYTE.repeat(7), STAY)
    expect((await store.get('other'))?.value).toHaveLength(7_000)
    await store.close()
  })

  it('cannot be filled with made-up idempotency keys', async () => {
    const store = createMemoryStore({ maxBytes: 200_000 })
    const charge = defineFunction({
      name: 'orders.get',
      version: '1.0.0',
      sideEffects: ['create'],
      handler: () => KILOBYTE.repeat(50),
    })
    const service = serviceOf([charge], { store })
    const statuses: number[] = []
    for (let count = 0; count < 20; count += 1) {
      const extensions = [{ urn: 'urn:forrst:ext:idempotency', options: { key: `k${count}` } }]
      statuses.push((await call(service, { function: 'orders.get', extensions })).status)
    }
    expect(store.bytes).toBeLessThanOrEqual(200_000)
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200])
    await service.close()
    await store.close()
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses %d bytes', (maxBytes) => {
    expect(() => createMemoryStore({ maxBytes })).toThrow('maxBytes')
  })
})
