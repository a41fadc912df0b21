import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestClock } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { createFailingStore } from '../../test/support/stores.ts'
import { toRequest } from '../../test/support/webhooks.ts'
import { defineFunction, type Invocation } from '../core/function.ts'
import type { Service } from '../core/service.ts'
import { createMemoryStore } from '../entries/store.ts'
import { createTriggers, type Triggers, type TriggersOptions } from '../entries/triggers.ts'
import { CallError } from '../errors/error.ts'
import { jsonSchema } from '../schema/schema.ts'
import type { EmitTrigger, TriggerDef } from '../sources/tool-spec/types.ts'
import type { SourceContext, TriggerEvent } from './trigger.ts'

const ORDER: EmitTrigger = {
  type: 'emit',
  name: 'order_paid',
  description: 'Ships what was paid',
  event: 'orders.paid',
  tool: 'orders.ship',
}

interface Scene {
  readonly triggers: Triggers
  readonly service: Service
  readonly seen: Invocation[]
  /** What the source of the trigger would call. */
  readonly source: SourceContext
}

const open: Triggers[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((triggers) => triggers.stop(100)))
})

/** A service with one function, driven by a source that only the test feeds. */
async function play(
  options: {
    readonly trigger?: Partial<TriggerDef>
    readonly handler?: (invocation: Invocation) => unknown
    readonly options?: Partial<TriggersOptions>
  } = {},
): Promise<Scene> {
  const seen: Invocation[] = []
  const service = serviceOf([
    defineFunction({
      name: 'orders.ship',
      version: '1.0.0',
      input: jsonSchema<{ id: string }>({
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
      }),
      handler(invocation) {
        seen.push(invocation)
        return options.handler?.(invocation) ?? { shipped: invocation.input.id }
      },
    }),
  ])
  let source: SourceContext | undefined
  const triggers = createTriggers({
    service,
    triggers: [{ ...ORDER, ...options.trigger } as TriggerDef],
    random: () => 0,
    start: {
      emit(context) {
        source = context
        return { stop: async () => {} }
      },
    },
    ...options.options,
  })
  open.push(triggers)
  await triggers.start()
  if (source === undefined) throw new TypeError('not started')
  return { triggers, service, seen, source }
}

const paid = (id: string, over: Partial<TriggerEvent> = {}): TriggerEvent => ({
  id: `evt-${id}`,
  payload: { id },
  ...over,
})

async function stateOf({ triggers }: Scene): Promise<string | undefined> {
  return (await triggers.deliveries()).deliveries[0]?.state
}

const until = (scene: Scene, state: string) =>
  vi.waitFor(async () => expect(await stateOf(scene)).toBe(state), { timeout: 8_000, interval: 20 })

describe('an accepted event', () => {
  it('calls the function with its payload and is recorded as done', async () => {
    const scene = await play()
    const receipt = await scene.source.accept(paid('o1'))
    expect(receipt).toEqual({ status: 'accepted', delivery: expect.stringMatching(/^dlv_/) })
    await until(scene, 'done')
    expect(scene.seen.map(({ input }) => input)).toEqual([{ id: 'o1' }])
    const [delivery] = (await scene.triggers.deliveries()).deliveries
    expect(delivery).toMatchObject({
      id: receipt.delivery,
      trigger: 'order_paid',
      type: 'emit',
      eventId: 'evt-o1',
      event: 'orders.paid',
      payload: { id: 'o1' },
      attempts: [{ outcome: 'done' }],
    })
  })

  it('tells the function who calls and what happened', async () => {
    const scene = await play()
    await scene.source.accept(paid('o1', { meta: { region: 'eu' } }))
    await until(scene, 'done')
    const { principal, context } = scene.seen[0] as Invocation
    expect(principal).toEqual({ id: 'trigger:order_paid' })
    expect(context['trigger']).toEqual({
      id: 'evt-o1',
      trigger: 'order_paid',
      type: 'emit',
      event: 'orders.paid',
      received_at: expect.stringMatching(/^\d{4}-.*Z$/),
      meta: { region: 'eu', delivery: expect.any(String), attempt: 1 },
    })
  })

  it('runs once however often it arrives', async () => {
    const scene = await play()
    const receipts = await Promise.all(
      Array.from({ length: 5 }, () => scene.source.accept(paid('o1'))),
    )
    await until(scene, 'done')
    const later = await scene.source.accept(paid('o1'))
    await scene.source.accept(paid('o2'))
    await vi.waitFor(() => expect(scene.seen).toHaveLength(2), { timeout: 5_000 })
    expect(scene.seen.map(({ input }) => input)).toEqual([{ id: 'o1' }, { id: 'o2' }])
    expect(receipts.filter(({ status }) => status === 'accepted')).toHaveLength(1)
    expect(later).toEqual({ status: 'duplicate', delivery: receipts[0]?.delivery })
  })

  it('is tried again after a failure that may pass, and its attempts are kept', async () => {
    let failures = 2
    const scene = await play({
      handler: () => {
        failures -= 1
        if (failures >= 0) throw new CallError('UNAVAILABLE', { message: 'no courier' })
      },
      trigger: { attempts: 3 },
    })
    await scene.source.accept(paid('o1'))
    await until(scene, 'retrying')
    await until(scene, 'done')
    const [delivery] = (await scene.triggers.deliveries()).deliveries
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'done'])
    expect(delivery?.attempts[0]?.errors).toEqual([{ code: 'UNAVAILABLE', message: 'no courier' }])
    const [first, second, third] = delivery?.attempts ?? []
    expect((second?.startedAt ?? 0) - (first?.endedAt ?? 0)).toBeGreaterThanOrEqual(990)
    expect((third?.startedAt ?? 0) - (second?.endedAt ?? 0)).toBeGreaterThanOrEqual(1_990)
  }, 15_000)

  it('is dead after its last attempt', async () => {
    const log = createTestLogger()
    const scene = await play({
      handler: () => {
        throw new CallError('DEPENDENCY_ERROR')
      },
      trigger: { attempts: 1 },
      options: { log },
    })
    await scene.source.accept(paid('o1'))
    await until(scene, 'dead')
    expect(scene.seen).toHaveLength(1)
    expect(log.lines.map(({ message }) => message)).toContain(
      'trigger order_paid gave up on a delivery',
    )
  })

  it('is dead at once when its arguments are invalid, and the function does not run', async () => {
    const scene = await play()
    await scene.source.accept(paid('o1', { payload: { id: 7 } }))
    await until(scene, 'dead')
    expect(scene.seen).toEqual([])
    const [delivery] = (await scene.triggers.deliveries({ state: 'dead' })).deliveries
    expect(delivery?.attempts).toHaveLength(1)
    expect(delivery?.attempts[0]?.errors).toMatchObject([
      { code: 'INVALID_ARGUMENTS', source: { pointer: '/call/arguments/id' } },
    ])
  })

  it('is dead at once when its payload cannot be arguments', async () => {
    const scene = await play()
    await scene.source.accept(paid('o1', { payload: ['o1'] }))
    await until(scene, 'dead')
    const [delivery] = (await scene.triggers.deliveries({ state: 'dead' })).deliveries
    expect(delivery?.attempts[0]?.errors?.[0]?.message).toContain('payload_map')
  })

  it('ends with its timeout', async () => {
    const scene = await play({
      handler: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      trigger: { attempts: 1, timeout: { value: 50, unit: 'millisecond' } },
    })
    await scene.source.accept(paid('o1'))
    await until(scene, 'dead')
    expect(scene.seen[0]?.signal.aborted).toBe(true)
    const [delivery] = (await scene.triggers.deliveries()).deliveries
    expect(delivery?.attempts[0]?.errors?.[0]?.code).toBe('DEADLINE_EXCEEDED')
  })

  it('is refused when it cannot be stored, so that its sender tries again', async () => {
    const { store, fail } = createFailingStore()
    const scene = await play({ options: { store } })
    fail(true)
    await expect(scene.source.accept(paid('o1'))).rejects.toThrow('unavailable')
    fail(false)
    await scene.source.accept(paid('o1'))
    await until(scene, 'done')
    expect(scene.seen).toHaveLength(1)
  })

  it('is refused when no store would hold its payload', async () => {
    const scene = await play()
    const payload = { id: 'x'.repeat(800_000) }
    await expect(scene.source.accept(paid('o1', { payload }))).rejects.toMatchObject({
      status: 413,
    })
    expect(await scene.source.settle(paid('o2', { payload }))).toMatchObject({ status: 'dead' })
    expect(await stateOf(scene)).toBe('dead')
  })
})

describe('an event whose source waits', () => {
  it('answers the result, and duplicate for a copy', async () => {
    const scene = await play()
    expect(await scene.source.settle(paid('o1'))).toMatchObject({
      status: 'done',
      result: { shipped: 'o1' },
    })
    expect(await scene.source.settle(paid('o1'))).toMatchObject({ status: 'duplicate' })
    expect(scene.seen).toHaveLength(1)
  })

  it('answers retry until the last attempt, then dead', async () => {
    const scene = await play({
      handler: () => {
        throw new CallError('UNAVAILABLE')
      },
      trigger: { attempts: 2 },
      options: { clock: createTestClock() },
    })
    const first = await scene.source.settle(paid('o1'))
    expect(first).toMatchObject({ status: 'retry', delayMs: 1_000 })
    expect(await scene.source.settle(paid('o1'))).toMatchObject({ status: 'dead' })
    expect(await scene.source.settle(paid('o1'))).toMatchObject({ status: 'dead' })
    expect(scene.seen).toHaveLength(2)
  })

  it('waits as long as a failure asks for', async () => {
    const scene = await play({
      handler: () => {
        throw new CallError('RATE_LIMITED', {
          details: { retry_after: { value: 30, unit: 'second' } },
        })
      },
      options: { clock: createTestClock() },
    })
    const settled = await scene.source.settle(paid('o1'))
    expect(settled).toMatchObject({ status: 'retry', delayMs: 30_000 })
  })

  it('answers retry while a copy runs here', async () => {
    let finish = () => {}
    const scene = await play({
      handler: () => new Promise<void>((resolve) => (finish = resolve)),
    })
    const first = scene.source.settle(paid('o1'))
    await vi.waitFor(() => expect(scene.seen).toHaveLength(1))
    expect(await scene.source.settle(paid('o1'))).toMatchObject({ status: 'retry' })
    finish()
    expect(await first).toMatchObject({ status: 'done' })
  })

  it('is not sent again while it runs', async () => {
    let finish = () => {}
    const scene = await play({
      handler: () => new Promise<void>((resolve) => (finish = resolve)),
    })
    const settled = scene.source.settle(paid('o1'))
    await vi.waitFor(() => expect(scene.seen).toHaveLength(1))
    const [delivery] = (await scene.triggers.deliveries()).deliveries
    await expect(scene.triggers.redeliver(delivery?.id ?? '')).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    finish()
    expect(await settled).toMatchObject({ status: 'done' })
  })

  it('answers retry when the store is away', async () => {
    const { store, fail } = createFailingStore()
    const scene = await play({ options: { store } })
    fail(true)
    expect(await scene.source.settle(paid('o1'))).toMatchObject({ status: 'retry' })
    fail(false)
  })
})

describe('several processes on one store', () => {
  it('take over what a process that died was running', async () => {
    const store = createMemoryStore()
    const dying = await play({ options: { store }, handler: () => new Promise(() => {}) })
    void dying.source.settle(paid('o1'))
    await vi.waitFor(() => expect(dying.seen).toHaveLength(1))
    const alive = await play({ options: { store } })
    expect(await alive.source.settle(paid('o1'))).toMatchObject({ status: 'retry' })
    // What the death of a process comes to: its sign of life is gone.
    const { entries } = await store.listByPrefix('trigger:orders-api:process:')
    await Promise.all(entries.map(({ key }) => store.delete(key)))
    expect(await alive.source.settle(paid('o1'))).toMatchObject({ status: 'done' })
    const [delivery] = (await alive.triggers.deliveries()).deliveries
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'done'])
  })
})

describe('a webhook with a challenge', () => {
  it('answers 503 until the triggers are started, then the question', async () => {
    const take = defineFunction({ name: 'pages.take', version: '1.0.0', handler: () => null })
    const triggers = createTriggers({
      service: serviceOf([take]),
      env: { APP_SECRET: 'c2VjcmV0', VERIFY_TOKEN: 'token' },
      triggers: [
        {
          type: 'webhook',
          name: 'page_changed',
          description: 'Meta tells of a change',
          path: '/hook',
          secret_env: 'APP_SECRET',
          challenge: 'meta',
          verify_env: 'VERIFY_TOKEN',
          tool: 'pages.take',
        },
      ],
    })
    open.push(triggers)
    const query = 'hub.mode=subscribe&hub.verify_token=token&hub.challenge=1158'
    const ask = () => triggers.mounts[0]?.handler({ ...toRequest('', {}, 'GET'), query })
    expect(await ask()).toMatchObject({ status: 503 })
    await triggers.start()
    expect(await ask()).toMatchObject({ status: 200, body: '1158' })
  })
})

describe('stop', () => {
  it('lets what runs finish', async () => {
    let finish = () => {}
    const scene = await play({
      handler: () => new Promise<void>((resolve) => (finish = resolve)),
    })
    const settled = scene.source.settle(paid('o1'))
    await vi.waitFor(() => expect(scene.seen).toHaveLength(1))
    const stopped = scene.triggers.stop(5_000)
    finish()
    await stopped
    expect(await settled).toMatchObject({ status: 'done' })
    open.length = 0
  })

  it('takes the sign of life of this process away', async () => {
    const store = createMemoryStore()
    const { triggers } = await play({ options: { store } })
    const signs = async () => (await store.listByPrefix('trigger:orders-api:process:')).entries
    expect(await signs()).toHaveLength(1)
    await triggers.stop(100)
    expect(await signs()).toEqual([])
  })

  it('hands back what does not finish within the grace; the next process runs it', async () => {
    const store = createMemoryStore()
    const first = await play({
      options: { store },
      handler: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    })
    await first.source.accept(paid('o1'))
    await vi.waitFor(() => expect(first.seen).toHaveLength(1), { timeout: 5_000 })
    await first.triggers.stop(50)
    open.length = 0
    expect(first.seen[0]?.signal.aborted).toBe(true)
    const second = await play({ options: { store } })
    await until(second, 'done')
    expect(second.seen.map(({ input }) => input)).toEqual([{ id: 'o1' }])
  }, 15_000)
})
