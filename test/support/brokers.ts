import { randomUUID } from 'node:crypto'
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { connect as connectAmqp } from 'amqplib'
import { Redis } from 'ioredis'
import { findRedis } from '../faults/store-servers.ts'
import { startSqsServer } from './sqs-server.ts'

/** A queue of a test, on whichever broker. */
export interface TestQueue {
  readonly kind: 'rabbitmq' | 'redis' | 'sqs'
  /** What a trigger is given as `queue_url`. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** Sends messages; those with an id carry it. */
  readonly send: (messages: readonly TestMessage[]) => Promise<void>
  /** Messages that nobody has acknowledged. */
  readonly left: () => Promise<number>
  readonly close: () => Promise<void>
}

/** A message of a test. */
export interface TestMessage {
  readonly id?: string
  readonly body: string
}

/** How a queue of a test is read. */
export interface TestQueueOptions {
  readonly prefetch?: number
  /** Seconds after which another process takes over what a dead one had. */
  readonly takeOverAfter?: number
}

const AMQP_URL = process.env['AMQP_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672'

/** Opens a queue of its own on each broker there is; a missing one is left out, which CI refuses. */
export const OPEN_QUEUE: Readonly<
  Record<TestQueue['kind'], (options?: TestQueueOptions) => Promise<TestQueue | undefined>>
> = { rabbitmq: openRabbitmq, redis: openRedis, sqs: openSqs }

async function openRabbitmq({
  prefetch = 20,
}: TestQueueOptions = {}): Promise<TestQueue | undefined> {
  const name = `waymark-test-${randomUUID()}`
  const connection = await connectAmqp(AMQP_URL).catch(refuseSkip)
  if (connection === undefined) return undefined
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue(name, { durable: true })
  return {
    kind: 'rabbitmq',
    url: `amqp://127.0.0.1/${name}?prefetch=${prefetch}`,
    env: { QUEUE: AMQP_URL },
    async send(messages) {
      for (const { id, body } of messages) {
        const options = { persistent: true, ...(id !== undefined && { messageId: id }) }
        channel.sendToQueue(name, Buffer.from(body), options)
      }
      await channel.waitForConfirms()
    },
    left: async () => (await channel.checkQueue(name)).messageCount,
    async close() {
      await channel.deleteQueue(name)
      await connection.close()
    },
  }
}

async function openRedis({
  prefetch = 20,
  takeOverAfter = 60,
}: TestQueueOptions = {}): Promise<TestQueue | undefined> {
  const server = await findRedis()
  if (!server) return undefined
  const name = `waymark-test-${randomUUID()}`
  const client = new Redis(server.url)
  const idle = Math.round(takeOverAfter * 1000)
  return {
    kind: 'redis',
    url: `redis://127.0.0.1/${name}?prefetch=${prefetch}&idle=${idle}&group=g&delete=true`,
    env: { QUEUE: server.url },
    async send(messages) {
      const pipeline = client.pipeline()
      for (const { id, body } of messages) {
        pipeline.xadd(name, '*', 'payload', body, ...(id === undefined ? [] : ['message_id', id]))
      }
      await pipeline.exec()
    },
    left: () => client.xlen(name),
    async close() {
      await client.del(name)
      client.disconnect()
      await server.stop()
    },
  }
}

async function openSqs({
  prefetch = 20,
  takeOverAfter = 30,
}: TestQueueOptions = {}): Promise<TestQueue> {
  const server = await startSqsServer()
  const name = `waymark-test-${randomUUID()}`
  const env = {
    AWS_ENDPOINT_URL_SQS: server.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  }
  Object.assign(process.env, env)
  const client = new SQSClient({ endpoint: server.url, region: 'eu-central-1' })
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }))
  const visibility = Math.ceil(takeOverAfter)
  return {
    kind: 'sqs',
    url: `sqs://${name}?prefetch=${prefetch}&visibility=${visibility}&wait=1`,
    env,
    async send(messages) {
      for (let start = 0; start < messages.length; start += 10) {
        const Entries = messages.slice(start, start + 10).map(({ id, body }, index) => ({
          Id: String(index),
          MessageBody: body,
          ...(id !== undefined && {
            MessageAttributes: { 'x-message-id': { DataType: 'String', StringValue: id } },
          }),
        }))
        await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
      }
    },
    left: async () => server.left(name),
    async close() {
      client.destroy()
      await server.stop()
    },
  }
}

function refuseSkip(cause: unknown): undefined {
  if (process.env['CI'] !== 'true') return undefined
  throw new Error('CI=true refuses skips: start RabbitMQ', { cause })
}
