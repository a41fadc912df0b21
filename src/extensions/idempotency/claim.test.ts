import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createTestLog } from '../../../test/support/forrst.ts'
import { createFailingStore } from '../../../test/support/stores.ts'
import { holdClaim } from './claim.ts'
import { type IdempotencyRecord, toStored } from './record.ts'

describe('a claim on a key', () => {
  it.each(['settle', 'giveUp'] as const)('is renewed no more after %s', async (end) => {
    const { store, asked } = createFailingStore()
    const running: IdempotencyRecord = { state: 'running', hash: 'h', request: 'r', run: 'one' }
    const { revision } = await store.put('k', toStored(running), { ttl: 1_000, owner: 'one' })
    const claim = holdClaim({
      store,
      key: 'k',
      running,
      revision,
      leaseMs: 15,
      log: createTestLog(),
    })
    const renewals = () => asked.filter((name) => name === 'compareAndSet').length
    await vi.waitFor(() => expect(renewals()).toBeGreaterThan(1))
    if (end === 'settle') await claim.settle({ ...running, state: 'done' }, 1_000)
    else await claim.giveUp()
    const before = renewals()
    await sleep(50)
    expect(renewals()).toBe(before)
  })
})
