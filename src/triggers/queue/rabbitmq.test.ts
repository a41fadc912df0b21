import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createRecordedSource, patience, waitUntil } from '../../../test/support/trigger-source.ts'
import type { QueueTrigger } from '../../sources/tool-spec/types.ts'
import { startQueue } from './queue.ts'
import type { AmqpMessage } from './rabbitmq-client.ts'

const TRIGGER: QueueTrigger = {
  type: 'queue',
  name: 'orders',
  description: 'Incoming orders.',
  queue_url: 'amqp://127.0.0.1/orders',
}

/** A broker that hands out what it is given once somebody consumes, and remembers what came of it. */
function createBroker(messages: readonly AmqpMessage[] = []) {
  const log: string[] = []
  let admit = () => {}
  const admitted = new Promise<void>((resolve) => {
    admit = resolve
  })
  const channel = {
    prefetch: async () => {},
    checkQueue: async () => {},
    assertQueue: async () => {},
    async consume(_queue: string, onMessage: (message: AmqpMessage) => void) {
      setImmediate(() => {
        for (const message of messages) onMessage(message)
      })
      return { consumerTag: randomUUID() }
    },
    cancel: async () => {},
    ack: ({ fields }: AmqpMessage) => void log.push(`ack ${fields.deliveryTag}`),
    nack: ({ fields }: AmqpMessage) => void log.push(`nack ${fields.deliveryTag}`),
    close: async () => void log.push('channel closed'),
    on: () => {},
  }
  let onClose = () => {}
  const connection = {
    createChannel: async () => channel,
    async close() {
      log.push('connection closed')
      onClose()
    },
    on(event: string, listener: () => void) {
      if (event === 'close') onClose = listener
    },
  }
  const connect = async () => {
    log.push('connecting')
    await admitted
    return connection
  }
  return { log, admit, load: async () => ({ connect }) }
}

function toMessage(deliveryTag: number, messageId?: string): AmqpMessage {
  return {
    content: Buffer.from(`{"number":${deliveryTag}}`),
    fields: { deliveryTag, redelivered: false, exchange: '', routingKey: 'orders' },
    properties: messageId === undefined ? {} : { messageId },
  }
}

it('ends when it is stopped while it connects, and leaves no connection behind', async () => {
  const broker = createBroker()
  const source = await startQueue(createRecordedSource(TRIGGER).context, { load: broker.load })
  await waitUntil(() => broker.log.includes('connecting'), 'it connects')
  const stopped = source.stop(patience())
  broker.admit()
  await stopped
  expect(broker.log.filter((line) => line === 'connection closed')).not.toEqual([])
})

it('takes messages whose id is empty for messages without one', async () => {
  const broker = createBroker([toMessage(1, ''), toMessage(2, '')])
  broker.admit()
  const { context, events } = createRecordedSource(TRIGGER)
  const source = await startQueue(context, { load: broker.load })
  await waitUntil(() => events.length === 2, 'both are settled')
  expect(new Set(events.map(({ id }) => id)).size).toBe(2)
  await source.stop(patience())
})

it('hands a message that is too long over without its body, for the dead-letter list', async () => {
  const broker = createBroker([toMessage(1, 'm1')])
  broker.admit()
  const trigger = { ...TRIGGER, queue_url: 'amqp://127.0.0.1/orders?max_bytes=5' }
  const { context, seen } = createRecordedSource(trigger, {
    settle: ({ id }) => ({ status: 'dead', delivery: id }),
  })
  const source = await startQueue(context, { load: broker.load })
  await waitUntil(() => broker.log.includes('nack 1'), 'it is refused')
  expect(seen).toMatchObject([
    { id: 'm1', payload: null, refused: 'The message has 12 bytes; max_bytes allows 5' },
  ])
  await source.stop(patience())
})

it('keeps headers short: they travel with every attempt', async () => {
  const long = toMessage(1, 'm1')
  const headers = { a: 'x'.repeat(5_000), b: true, c: { deep: true } }
  const broker = createBroker([{ ...long, properties: { ...long.properties, headers } }])
  broker.admit()
  const { context, events } = createRecordedSource(TRIGGER)
  const source = await startQueue(context, { load: broker.load })
  await waitUntil(() => events.length === 1, 'it is settled')
  expect(events[0]?.meta?.['headers']).toEqual({ a: 'x'.repeat(500), b: true })
  await source.stop(patience())
})
