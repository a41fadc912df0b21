import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import type { QueueTrigger } from '../../src/sources/tool-spec/types.ts'
import { startQueue } from '../../src/triggers/queue/queue.ts'
import type { TriggerSource } from '../../src/triggers/trigger.ts'
import { OPEN_QUEUE } from '../support/brokers.ts'
import {
  createRecordedSource,
  patience,
  type RecordedSource,
  waitUntil,
} from '../support/trigger-source.ts'
import { canStartRedis, startRedis } from './store-servers.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function start(
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<RecordedSource<QueueTrigger> & { readonly source: TriggerSource }> {
  const recorded = createRecordedSource<QueueTrigger>(
    { type: 'queue', name: 'orders', description: 'Orders.', queue_url: url, queue_env: 'QUEUE' },
    { env },
  )
  const source = await startQueue(recorded.context)
  ends.push(() => source.stop(patience()))
  return { ...recorded, source }
}

interface Cutter {
  readonly port: number
  /** Cuts every connection and takes no new one until told otherwise. */
  readonly cut: (isCut: boolean) => void
}

/** Stands between a client and a server, as a network does. */
async function startCutter(target: {
  readonly host: string
  readonly port: number
}): Promise<Cutter> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((socket) => {
    if (isCut) return socket.destroy()
    const upstream = connect(target)
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => sockets.delete(one))
    }
    socket.pipe(upstream).pipe(socket)
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (wanted: boolean) => {
    isCut = wanted
    for (const socket of wanted ? sockets : []) socket.destroy()
  }
  ends.push(async () => {
    cut(true)
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, cut }
}

const message = (id: string) => ({ id, body: JSON.stringify({ id }) })

describe('queue trigger whose broker goes away', () => {
  it('RabbitMQ: connects again when the connection is cut, and takes what came meanwhile', async ({
    skip,
  }) => {
    const queue = await OPEN_QUEUE.rabbitmq()
    if (!queue) return skip('RabbitMQ is not there')
    ends.push(queue.close)
    const real = new URL(queue.env['QUEUE'] ?? '')
    const cutter = await startCutter({ host: real.hostname, port: Number(real.port) || 5672 })
    const between = new URL(real)
    between.host = `127.0.0.1:${cutter.port}`
    const { events, source } = await start(queue.url, { QUEUE: between.href })
    await queue.send([message('before')])
    await waitUntil(() => events.length === 1, 'the first is done')
    cutter.cut(true)
    await waitUntil(() => source.trouble?.() !== undefined, 'the trouble shows')
    expect(source.trouble?.()).toMatch(/RabbitMQ.*trying again/)
    await queue.send([message('meanwhile')])
    cutter.cut(false)
    await waitUntil(() => events.length === 2, 'the second is done')
    expect(source.trouble?.()).toBeUndefined()
  })

  it('RabbitMQ: comes back when its queue is deleted', async ({ skip }) => {
    const queue = await OPEN_QUEUE.rabbitmq()
    if (!queue) return skip('RabbitMQ is not there')
    const { events, warnings } = await start(queue.url, queue.env)
    await queue.send([message('before')])
    await waitUntil(() => events.length === 1, 'the first is done')
    await queue.close()
    await waitUntil(() => warnings.length > 0, 'the trouble shows')
    expect(warnings[0]).toContain('the queue was deleted')
    return undefined
  })

  it('Redis: goes on after a crash and restart of the server', async ({ skip }) => {
    if (!canStartRedis()) return skip('redis-server is not installed')
    const server = await startRedis()
    ends.push(server.stop)
    const url = 'redis://127.0.0.1/orders?idle=1000'
    const send = async (id: string) => {
      const client = new Redis(server.url)
      await client.xadd('orders', '*', 'payload', JSON.stringify({ id }), 'message_id', id)
      client.disconnect()
    }
    const { events, source } = await start(url, { QUEUE: server.url })
    await send('before')
    await waitUntil(() => events.length === 1, 'the first is done')
    await server.kill()
    await waitUntil(() => source.trouble?.() !== undefined, 'the trouble shows')
    expect(source.trouble?.()).toContain('Redis')
    await server.start()
    await send('after')
    await waitUntil(() => events.length === 2, 'the second is done')
    await waitUntil(() => source.trouble?.() === undefined, 'the trouble is over')
    return undefined
  })

  it('Redis: makes stream and group anew when they were lost with the server', async ({ skip }) => {
    if (!canStartRedis()) return skip('redis-server is not installed')
    const server = await startRedis()
    ends.push(server.stop)
    const { events } = await start('redis://127.0.0.1/orders', { QUEUE: server.url })
    const client = new Redis(server.url)
    ends.push(async () => client.disconnect())
    await waitUntil(async () => (await client.exists('orders')) === 1, 'the group is made')
    await client.flushall()
    await client.xadd('orders', '*', 'payload', '{"id":"1"}')
    await waitUntil(() => events.length === 1, 'it is done')
    return undefined
  })

  it('SQS: goes on when requests are answered again', async () => {
    const queue = await OPEN_QUEUE.sqs()
    if (!queue) throw new Error('SQS is always there')
    ends.push(queue.close)
    const cutter = await startCutter({
      host: '127.0.0.1',
      port: Number(new URL(queue.env['AWS_ENDPOINT_URL_SQS'] ?? '').port),
    })
    const endpoint = `http://127.0.0.1:${cutter.port}`
    const { events, source } = await start(queue.url, {
      ...queue.env,
      AWS_ENDPOINT_URL_SQS: endpoint,
    })
    await queue.send([message('before')])
    await waitUntil(() => events.length === 1, 'the first is done')
    cutter.cut(true)
    await waitUntil(() => source.trouble?.() !== undefined, 'the trouble shows')
    await queue.send([message('meanwhile')])
    cutter.cut(false)
    await waitUntil(() => events.length === 2, 'the second is done')
    await waitUntil(() => source.trouble?.() === undefined, 'the trouble is over')
  })
})
