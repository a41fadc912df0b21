import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { createService } from '../../system/create-service.ts'
import { createInProcessQueue } from '../../work/in-process.ts'
import type { JobQueue } from '../../work/queue.ts'
import { idempotencyExtension } from '../idempotency/idempotency.ts'
import { asyncExtension } from './async.ts'

const URN = 'urn:forrst:ext:async'

describe('an operation under an idempotency key', () => {
  it('is accepted once when the process that accepted it died before it could answer', async () => {
    const shared = createMemoryStore()
    let alive = true
    const runs: string[] = []
    const release: (() => void)[] = []

    function createProcess(store: Store, jobs: JobQueue) {
      return createService({
        info: { title: 'Ledger', version: '1.0.0' },
        functions: [
          defineFunction({
            name: 'ledger.write',
            version: '1.0.0',
            async handler({ call: { id } }) {
              runs.push(id)
              await new Promise<void>((resolve) => release.push(resolve))
              return { written: true }
            },
          }),
        ],
        extensions: [
          idempotencyExtension({ store, lease: { value: 200, unit: 'millisecond' } }),
          asyncExtension({ store, jobs }),
        ],
        log: createTestLog(),
      })
    }

    const queue = createInProcessQueue(shared, { pollMs: 20 })
    const dying: JobQueue = {
      ...queue,
      work: () => {},
      async add(job) {
        await queue.add(job)
        alive = false
        await new Promise(() => {})
      },
    }
    const request = {
      function: 'ledger.write',
      extensions: [
        { urn: 'urn:forrst:ext:idempotency', options: { key: 'once' } },
        { urn: URN, options: { preferred: true } },
      ],
    }
    void call(
      createProcess(
        dieWith(shared, () => alive),
        dying,
      ),
      request,
    )
    await vi.waitFor(() => expect(alive).toBe(false))

    const survivor = createProcess(shared, queue)
    survivor.start()
    await vi.waitFor(() => expect(runs).toHaveLength(1))
    await sleep(300)
    const again = await call(survivor, request)
    expect(again.body.errors).toBeUndefined()
    const id = dataOf(again, URN)?.['operation_id']
    await sleep(200)
    expect(runs).toHaveLength(1)
    release[0]?.()
    await vi.waitFor(async () => {
      const status = await call(survivor, {
        function: 'urn:cline:forrst:ext:async:fn:status',
        arguments: { operation_id: id },
      })
      expect(status.body.result).toMatchObject({ status: 'completed', result: { written: true } })
    })

    // A process that was held up before it could claim the key comes too late: the key's record let it through long ago.
    const { entries } = await shared.listByPrefix('idempotency:')
    for (const { key } of entries) await shared.delete(key)
    const late = await call(survivor, request)
    expect(dataOf(late, URN)?.['operation_id']).toBe(id)
    await sleep(100)
    expect(runs).toHaveLength(1)
    await queue.close(0)
    await survivor.close()
  })
})

/** A store that nothing reaches any more when its process has died. */
function dieWith(store: Store, isAlive: () => boolean): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) =>
        isAlive() ? member.apply(target, args) : new Promise(() => {})
    },
  })
}
