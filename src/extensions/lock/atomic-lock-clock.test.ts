import { expect, it } from 'vitest'
import { call } from '../../../test/support/forrst.ts'
import { seconds, URN } from '../../../test/support/locks.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore } from '../../entries/store.ts'
import { createService } from '../../system/create-service.ts'
import type { Clock } from '../../values/time.ts'
import { atomicLockExtension } from './lock.ts'

class ShiftedClock implements Clock {
  readonly #shift: number

  constructor(shift: number) {
    this.#shift = shift
  }

  now(): number {
    return Date.now() + this.#shift
  }

  elapsed(): number {
    return performance.now() + this.#shift
  }
}

it('holds a lock on a clock that is an object of a class', async () => {
  const service = createService({
    info: { title: 'Payments', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'payments.charge',
        version: '1.0.0',
        handler: () => ({ done: true }),
      }),
    ],
    extensions: [atomicLockExtension({ store: createMemoryStore() })],
    clock: new ShiftedClock(1000),
  })
  const response = await call(service, {
    function: 'payments.charge',
    extensions: [{ urn: URN, options: { key: 'k', ttl: seconds(30) } }],
  })
  expect(response.body.result).toEqual({ done: true })
})
