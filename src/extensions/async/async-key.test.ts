import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { defineFunction } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
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

/** Processes of one service whose function counts its runs; what they share is the store. */
function openLedger() {
  const shared = createMemoryStore()
  const runs: string[] = []
  const open: (() => Promise<unknown>)[] = []
  const request = {
    function: 'ledger.write',
    extensions: [
      { urn: 'urn:forrst:ext:idempotency', options: { key: 'once' } },
      { urn: URN, options: { preferred: true } },
    ],
  }

  function createProcess(store: Store, write: () => unknown = () => ({ written: true })) {
    const jobs = createInProcessQueue(store, { pollMs: 20 })
    const service = createService({
      info: { title: 'Ledger', version: '1.0.0' },
      functions: [
        defineFunction({
          name: 'ledger.write',
          version: '1.0.0',
          async handler({ call: { id } }) {
            runs.push(id)
            return (await write()) as { written: boolean }
          },
        }),
      ],
      extensions: [
        idempotencyExtension({ store }),
        asyncExtension({ store, jobs, poll: { value: 50, unit: 'millisecond' } }),
      ],
      log: createTestLog(),
    })
    open.push(() => jobs.close(0).then(() => service.close()))
    return service
  }

  /** As if the lease of the process that has the key had run out. */
  async function forgetKeys(): Promise<void> {
    const { entries } = await shared.listByPrefix('idempotency:')
    for (const { key } of entries) await shared.delete(key)
  }

  const statusOf = async (service: Service, id: unknown) => {
    const { body } = await call(service, {
      function: 'urn:cline:forrst:ext:async:fn:status',
      arguments: { operation_id: id },
    })
    if (body.errors?.[0].code === 'ASYNC_OPERATION_FAILED') return 'failed'
    return (body.result as { status?: string } | null)?.status
  }
  const close = () => Promise.all(open.map((one) => one()))
  return { shared, runs, request, createProcess, forgetKeys, statusOf, close }
}

/** A store that holds one process up before it claims the key of an operation, or for ever. */
function holdAtKey(store: Store) {
  let isHeld = false
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const late = new Proxy(store, {
    get(target, name, receiver) {
      if (name !== 'putIfAbsent') return Reflect.get(target, name, receiver)
      return async (...args: Parameters<Store['putIfAbsent']>) => {
        if (args[0].startsWith('operation-key:')) {
          isHeld = true
          await held
        }
        return target.putIfAbsent(...args)
      }
    },
  })
  return { store: late, goOn, isHeld: () => isHeld }
}

describe('an operation that does not have its idempotency key yet', () => {
  it('is not run by the next start, but by the next call under the key, once', async () => {
    const ledger = openLedger()
    const late = holdAtKey(ledger.shared)
    void call(ledger.createProcess(late.store), ledger.request)
    await vi.waitFor(() => expect(late.isHeld()).toBe(true))
    expect((await ledger.shared.listByPrefix('operation:')).entries).toHaveLength(1)
    // What a start would run, and what any process would.
    for (const prefix of ['operation-call:', 'job:']) {
      expect((await ledger.shared.listByPrefix(prefix)).entries).toEqual([])
    }

    const survivor = ledger.createProcess(ledger.shared)
    survivor.start()
    await ledger.forgetKeys()
    const id = dataOf(await call(survivor, ledger.request), URN)?.['operation_id']
    await vi.waitFor(async () => expect(await ledger.statusOf(survivor, id)).toBe('completed'))
    expect(ledger.runs).toHaveLength(1)
    late.goOn()
    await ledger.close()
  })

  it('gives way to the one that has it: two under one key never both run', async () => {
    const ledger = openLedger()
    const late = holdAtKey(ledger.shared)
    const first = ledger.createProcess(late.store)
    const held = call(first, ledger.request)
    await vi.waitFor(() => expect(late.isHeld()).toBe(true))
    await ledger.forgetKeys()
    const second = ledger.createProcess(ledger.shared)
    const id = dataOf(await call(second, ledger.request), URN)?.['operation_id']
    expect(id).toEqual(expect.any(String))
    late.goOn()
    expect(dataOf(await held, URN)?.['operation_id']).toBe(id)
    await vi.waitFor(async () => expect(await ledger.statusOf(second, id)).toBe('completed'))
    await vi.waitFor(async () => {
      for (const prefix of ['operation-call:', 'job:']) {
        expect((await ledger.shared.listByPrefix(prefix)).entries).toEqual([])
      }
    })
    expect((await ledger.shared.listByPrefix('operation:')).entries).toHaveLength(1)
    expect(ledger.runs).toHaveLength(1)
    await ledger.close()
  })
})

/** A store that holds one process up when it has read what a key stands for. */
function holdAfterRead(store: Store) {
  let isHeld = false
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const late = new Proxy(store, {
    get(target, name, receiver) {
      if (name !== 'get') return Reflect.get(target, name, receiver)
      return async (key: string) => {
        const entry = await target.get(key)
        if (!key.startsWith('idempotency:')) return entry
        isHeld = true
        await held
        return entry
      }
    },
  })
  return { store: late, goOn, isHeld: () => isHeld }
}

describe('an idempotency key whose operation has ended', () => {
  it('stays with one that failed for good, also when its process died before the key knew', async () => {
    const ledger = openLedger()
    const service = ledger.createProcess(ledger.shared, () => {
      throw new CallError('CONFLICT')
    })
    const first = dataOf(await call(service, ledger.request), URN)?.['operation_id']
    await vi.waitFor(async () => expect(await ledger.statusOf(service, first)).toBe('failed'))
    await ledger.forgetKeys()
    const again = await call(service, ledger.request)
    expect(dataOf(again, URN)).toMatchObject({ operation_id: first, status: 'failed' })
    expect(ledger.runs).toHaveLength(1)
    await ledger.close()
  })

  it('is not taken from the next operation by a process that gives it back late', async () => {
    const ledger = openLedger()
    const late = holdAfterRead(ledger.shared)
    let isFirst = true
    const working = ledger.createProcess(ledger.shared, () => {
      if (!isFirst) return { written: true }
      isFirst = false
      return new Promise(() => {})
    })
    const first = dataOf(await call(working, ledger.request), URN)?.['operation_id']
    await vi.waitFor(() => expect(ledger.runs).toHaveLength(1))
    const cancelling = call(ledger.createProcess(late.store), {
      function: 'urn:cline:forrst:ext:async:fn:cancel',
      arguments: { operation_id: first },
    })
    await vi.waitFor(() => expect(late.isHeld()).toBe(true))

    // The process that ran it gives the key back as well, and the next call has it.
    const second = await vi.waitFor(async () => {
      const id = dataOf(await call(working, ledger.request), URN)?.['operation_id']
      expect([undefined, first]).not.toContain(id)
      return id
    }, 5_000)
    await vi.waitFor(async () => expect(await ledger.statusOf(working, second)).toBe('completed'))
    late.goOn()
    expect((await cancelling).body.result).toMatchObject({ status: 'cancelled' })
    const other = await call(working, { ...ledger.request, arguments: { other: true } })
    expect(other.body.errors?.[0].code).toBe('IDEMPOTENCY_CONFLICT')
    const same = await call(working, ledger.request)
    expect(dataOf(same, 'urn:forrst:ext:idempotency')).toMatchObject({ status: 'cached' })
    expect(same.body.result).toEqual({ written: true })
    await ledger.close()
  })
})
