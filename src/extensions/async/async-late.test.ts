import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { createInProcessQueue } from '../../work/in-process.ts'
import { asyncExtension } from './async.ts'

const URN = 'urn:forrst:ext:async'
const WAIT = { timeout: 8_000, interval: 20 }

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const never = () => new Promise(() => {})

function createProcess(store: Store, handler: () => unknown) {
  const jobs = createInProcessQueue(store, { pollMs: 50 })
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({ name: 'reports.build', version: '1.0.0', handler: handler as never }),
    ],
    extensions: [asyncExtension({ store, jobs, poll: { value: 50, unit: 'millisecond' } })],
    log: createTestLog(),
  })
  closing.push(async () => {
    await jobs.close(50)
    await service.close()
  })
  return service
}

/** The store of a process that is held up when it has claimed a job, and dies when it has begun the operation. */
function createLateStore(shared: Store) {
  let isClaimed = false
  let isDead = false
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const assertAlive = () => {
    if (isDead) throw new CallError('UNAVAILABLE')
  }
  const store = new Proxy(shared, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        assertAlive()
        const answer: unknown = await member.apply(target, args)
        const key = name === 'compareAndSet' ? String(args[0]) : ''
        if (/^job:.*:ready:/.test(key)) {
          isClaimed = true
          await held
        }
        isDead ||= key.startsWith('operation:')
        assertAlive()
        return answer
      }
    },
  })
  return { store, goOn, isClaimed: () => isClaimed, isDead: () => isDead }
}

describe('a process that was taken for dead', () => {
  it('does not keep an operation from its end that it began too late, and never ended', async () => {
    const shared = createMemoryStore()
    const late = createLateStore(shared)
    const accepted = await call(createProcess(late.store, never), {
      function: 'reports.build',
      extensions: [{ urn: URN, options: { preferred: true } }],
    })
    await vi.waitFor(() => expect(late.isClaimed()).toBe(true), WAIT)
    const { entries } = await shared.listByPrefix('job-process:')
    expect(entries).toHaveLength(1)
    for (const { key } of entries) await shared.delete(key)

    let runs = 0
    const second = createProcess(shared, () => {
      runs += 1
      return runs === 1 ? never() : { run: runs }
    })
    second.start()
    await vi.waitFor(() => expect(runs).toBe(1), WAIT)
    late.goOn()
    await vi.waitFor(() => expect(late.isDead()).toBe(true), WAIT)
    await vi.waitFor(async () => {
      const status = await call(second, {
        function: 'urn:cline:forrst:ext:async:fn:status',
        arguments: { operation_id: dataOf(accepted, URN)?.['operation_id'] },
      })
      expect(status.body.result).toMatchObject({ status: 'completed', result: { run: 2 } })
    }, WAIT)
  })
})
