import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createRecordedSource } from '../../../test/support/trigger-source.ts'
import type { QueueTrigger } from '../../sources/tool-spec/types.ts'
import { readQueueAddress } from './address.ts'
import { startQueue } from './queue.ts'

const trigger = (part: Partial<QueueTrigger>): QueueTrigger => ({
  type: 'queue',
  name: 'orders',
  description: 'Incoming orders.',
  queue_url: 'amqp://localhost/orders',
  ...part,
})

function read(part: Partial<QueueTrigger>, env: Record<string, string> = {}) {
  const { kind, server, queue } = readQueueAddress(trigger(part), env)
  return { kind, server: server.href, queue }
}

describe('address of a queue', () => {
  it.each([
    ['amqp://localhost/orders', 'rabbitmq', 'amqp://localhost', 'orders'],
    ['amqps://u:p@mq:5671/shop/orders', 'rabbitmq', 'amqps://u:p@mq:5671/shop', 'orders'],
    ['redis://localhost:6379/orders', 'redis', 'redis://localhost:6379', 'orders'],
    ['rediss://localhost/2/shop%3Aorders', 'redis', 'rediss://localhost/2', 'shop:orders'],
    ['sqs://orders', 'sqs', 'sqs://orders', 'orders'],
    [
      'https://sqs.eu-central-1.amazonaws.com/1234/orders',
      'sqs',
      'https://sqs.eu-central-1.amazonaws.com/1234/orders',
      'orders',
    ],
  ])('[TS-71] %s is understood', (queue_url, kind, server, queue) => {
    expect(read({ queue_url })).toEqual({ kind, server, queue })
  })

  it('[TS-70] is on the server that queue_env names, under the name of queue_url', () => {
    const part = { queue_url: 'amqp://localhost/orders', queue_env: 'MQ' }
    const server = 'amqp://user:secret@mq.internal/shop'
    expect(read(part, { MQ: server })).toEqual({ kind: 'rabbitmq', server, queue: 'orders' })
    expect(read(part)).toEqual({ kind: 'rabbitmq', server: 'amqp://localhost', queue: 'orders' })
  })

  it('takes variables, and names one that is not set', () => {
    const queue_url = ['$', '{MQ:-amqp://localhost}/orders'].join('')
    expect(read({ queue_url }).server).toBe('amqp://localhost')
    expect(() => read({ queue_url: ['$', '{MQ}/orders'].join('') })).toThrow(
      'queue orders: queue_url: set the environment variable MQ',
    )
  })

  it.each([
    ['ftp://localhost/orders', 'must start with amqp:'],
    ['amqp://localhost', 'must end in the name of the queue'],
    ['orders', 'must be a URL'],
    ['amqp://localhost/%zz', 'must end in the name of the queue'],
    ['amqp://localhost/a%00b', 'must end in the name of the queue'],
  ])('%s is refused in words', (queue_url, message) => {
    expect(() => read({ queue_url })).toThrow(message)
  })

  it('keeps passwords out of what it says', () => {
    const wrong = () => read({ queue_env: 'MQ' }, { MQ: 'ftp://user:hunter2@host' })
    expect(wrong).toThrow('environment variable MQ')
    expect(wrong).not.toThrow(/hunter2/)
  })

  it.each([
    ['amqp://localhost/orders?prefech=5', 'prefech is not a setting; did you mean prefetch?'],
    ['amqp://localhost/orders?visibility=5', 'visibility is not a setting'],
    ['redis://localhost/orders?durable=true', 'durable is not a setting'],
    ['sqs://orders?idle=5', 'idle is not a setting'],
  ])('%s names a setting that its broker does not have', async (queue_url, message) => {
    const { context } = createRecordedSource(trigger({ queue_url }))
    await expect(startQueue(context)).rejects.toThrow(`queue orders: queue_url: ${message}`)
  })

  it('names a setting that is not usable', async () => {
    const queue_url = 'amqp://localhost/orders?prefetch=many'
    const { context } = createRecordedSource(trigger({ queue_url }))
    await expect(startQueue(context)).rejects.toThrow('prefetch must be a whole number from 1 to')
  })
})

describe('client of a broker', () => {
  it.each([
    ['amqp://localhost/orders', 'amqplib'],
    ['redis://localhost/orders', 'ioredis'],
    ['sqs://orders', '@aws-sdk/client-sqs'],
  ])('of %s is named with its installation when it is missing', async (queue_url, name) => {
    const { context } = createRecordedSource(trigger({ queue_url }))
    const missing = Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' })
    const started = startQueue(context, { load: () => Promise.reject(missing) })
    await expect(started).rejects.toThrow(`needs the package "${name}": run npm install ${name}`)
  })

  it('[TS-191] is not loaded before a queue needs it', async () => {
    const script = `
      import { createRequire } from 'node:module'
      const { createTriggers } = await import('./src/triggers/index.ts')
      const { startQueue } = await import('./src/triggers/queue/queue.ts')
      const loaded = () => Object.keys(createRequire(import.meta.url).cache)
        .flatMap((file) => /node_modules.(amqplib|ioredis|@aws-sdk.client-sqs)./.exec(file)?.[1] ?? [])
      const before = loaded()
      await import('amqplib')
      console.log(JSON.stringify([typeof createTriggers, typeof startQueue, before, [...new Set(loaded())]]))`
    const args = ['--conditions=waymark-source', '--import', 'tsx', '--input-type=module', '-e']
    const { stdout } = await promisify(execFile)(process.execPath, [...args, script])
    expect(JSON.parse(stdout)).toEqual(['function', 'function', [], ['amqplib']])
  })
})
