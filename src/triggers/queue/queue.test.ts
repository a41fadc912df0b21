import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OPEN_QUEUE, type TestQueue } from '../../../test/support/brokers.ts'
import {
  createRecordedSource,
  patience,
  type RecordedSource,
  type RecordedSourceOptions,
  waitUntil,
} from '../../../test/support/trigger-source.ts'
import type { QueueTrigger } from '../../sources/tool-spec/types.ts'
import type { Settled, TriggerEvent, TriggerSource } from '../trigger.ts'
import { startQueue } from './queue.ts'

const done = ({ id }: TriggerEvent): Settled => ({ status: 'done', delivery: id, result: null })
const dead = ({ id }: TriggerEvent): Settled => ({ status: 'dead', delivery: id })
const retry = ({ id }: TriggerEvent, delayMs: number): Settled => ({
  status: 'retry',
  delivery: id,
  delayMs,
})

describe.each(['rabbitmq', 'redis', 'sqs'] as const)('queue trigger on %s', (kind) => {
  let queue: TestQueue | undefined
  let sources: TriggerSource[] = []

  beforeEach(async ({ skip }) => {
    queue = await OPEN_QUEUE[kind]({ prefetch: 4, takeOverAfter: kind === 'redis' ? 60 : 1 })
    if (!queue) skip(`${kind} is not there`)
  })
  afterEach(async () => {
    await Promise.all(sources.map((source) => source.stop(patience())))
    sources = []
    await queue?.close()
  })

  function requireQueue(): TestQueue {
    if (!queue) throw new Error('no queue')
    return queue
  }

  async function start(
    settle?: RecordedSourceOptions['settle'],
  ): Promise<RecordedSource<QueueTrigger> & { readonly source: TriggerSource }> {
    const { url, env } = requireQueue()
    const trigger: QueueTrigger = {
      type: 'queue',
      name: 'orders',
      description: 'Incoming orders.',
      queue_url: url,
      queue_env: 'QUEUE',
    }
    const recorded = createRecordedSource(trigger, { env, ...(settle && { settle }) })
    const source = await startQueue(recorded.context)
    sources.push(source)
    return { ...recorded, source }
  }

  const isEmpty = () =>
    requireQueue()
      .left()
      .then((count) => count === 0)

  it('[TS-71] hands JSON and text over with the id of the message', async () => {
    const { events, source } = await start()
    await requireQueue().send([
      { id: 'm1', body: '{"order":1}' },
      { id: 'm2', body: 'plain text' },
      { id: 'm3', body: '{"__proto__":{"admin":true}}' },
    ])
    await waitUntil(() => events.length === 3, 'three messages are settled')
    const found = Object.fromEntries(events.map(({ id, payload }) => [id, payload]))
    expect(found).toEqual({
      m1: { order: 1 },
      m2: 'plain text',
      m3: '{"__proto__":{"admin":true}}',
    })
    await waitUntil(isEmpty, 'the queue is empty')
    expect(source.trouble?.()).toBeUndefined()
  })

  it('takes messages without an id', async () => {
    const { events } = await start()
    await requireQueue().send([{ body: '1' }, { body: '1' }])
    await waitUntil(() => events.length === 2, 'both are settled')
    expect(events[0]?.id).not.toBe(events[1]?.id)
  })

  it('[TS-190] acknowledges after success only: what was not finished goes to another process', async () => {
    const { seen, source } = await start(() => new Promise(() => {}))
    await requireQueue().send([{ id: 'm1', body: '1' }])
    await waitUntil(() => seen.length === 1, 'it has begun')
    await source.stop(AbortSignal.abort())
    // RabbitMQ takes a moment to put back what a closed connection held.
    await waitUntil(async () => !(await isEmpty()), 'the broker has it back')
    const second = await start()
    await waitUntil(() => second.events.length === 1, 'the second process has finished it')
    expect(second.events[0]?.id).toBe('m1')
    await waitUntil(isEmpty, 'the queue is empty')
  })

  it('[TS-82] waits for what runs when it is stopped', async () => {
    let finish = () => {}
    const { events, seen, source } = await start(
      (event) =>
        new Promise((resolve) => {
          finish = () => resolve(done(event))
        }),
    )
    await requireQueue().send([{ id: 'm1', body: '1' }])
    await waitUntil(() => seen.length === 1, 'it has begun')
    const stopped = source.stop(patience())
    setTimeout(finish, 100)
    await stopped
    expect(events).toHaveLength(1)
    expect(await isEmpty()).toBe(true)
  })

  it('tries again what failed, after the delay it is told', async () => {
    let attempts = 0
    const { events } = await start((event) => {
      attempts += 1
      return attempts < 3 ? retry(event, 50) : done(event)
    })
    await requireQueue().send([{ id: 'm1', body: '1' }])
    await waitUntil(() => events.length === 1, 'the third attempt is done')
    expect(attempts).toBe(3)
    await waitUntil(isEmpty, 'the queue is empty')
  })

  it('[TS-190] poison messages do not hold up others, and leave the queue when they are dead', async () => {
    const tries = new Map<string, number>()
    const { events } = await start((event) => {
      if (!event.id.startsWith('bad')) return done(event)
      const count = (tries.get(event.id) ?? 0) + 1
      tries.set(event.id, count)
      return count < 3 ? retry(event, 1500) : dead(event)
    })
    const many = (name: string) =>
      Array.from({ length: 12 }, (_, index) => ({ id: `${name}-${index}`, body: '1' }))
    await requireQueue().send([...many('bad'), ...many('good')])
    await waitUntil(() => events.length >= 12, 'the good ones are done')
    expect(events.slice(0, 12).every(({ id }) => id.startsWith('good'))).toBe(true)
    await waitUntil(() => events.length === 24, 'the bad ones are dead')
    await waitUntil(isEmpty, 'the queue is empty')
  })

  it('acknowledges copies of a message that is done, or at work', async () => {
    const { events, seen } = await start()
    const copies = Array.from({ length: 10 }, () => ({ id: 'same', body: '1' }))
    await requireQueue().send(copies)
    await waitUntil(isEmpty, 'the queue is empty')
    await waitUntil(() => events.length === 1, 'one is done')
    expect(seen.length).toBeLessThanOrEqual(10)
  })

  it('keeps messages while the store is away', async () => {
    let isAway = true
    const { events, source } = await start((event) => {
      if (isAway) throw new Error('the store is away')
      return done(event)
    })
    await requireQueue().send([{ id: 'm1', body: '1' }])
    await waitUntil(() => source.trouble?.() !== undefined, 'the trouble shows')
    isAway = false
    await waitUntil(() => events.length === 1, 'it is done')
    await waitUntil(isEmpty, 'the queue is empty')
    expect(source.trouble?.()).toBeUndefined()
  })
})
