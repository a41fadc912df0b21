import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { OPEN_QUEUE } from '../../../test/support/brokers.ts'
import { createRecordedSource, patience, waitUntil } from '../../../test/support/trigger-source.ts'
import { startQueue } from './queue.ts'

it('an entry whose consumer died between deletion and acknowledgement is dropped, and does not run again', async ({
  skip,
}) => {
  const queue = await OPEN_QUEUE.redis({ takeOverAfter: 0.1 })
  if (!queue) return skip('redis is not there')
  const stream = new URL(queue.url).pathname.slice(1)
  const client = new Redis(String(queue.env['QUEUE']))
  try {
    await client.xgroup('CREATE', stream, 'g', '0', 'MKSTREAM')
    await queue.send([
      { id: 'm1', body: '{"order":1}' },
      { id: 'm2', body: '{"order":2}' },
    ])
    // Another process has taken both, finished the first and died before it could acknowledge it.
    await client.xreadgroup('GROUP', 'g', 'dead', 'COUNT', 2, 'STREAMS', stream, '>')
    const [[first = ''] = []] = await client.xrange(stream, '-', '+')
    await client.xdel(stream, first)
    const { context, seen } = createRecordedSource(
      { type: 'queue', name: 'orders', description: 'x', queue_url: queue.url, queue_env: 'QUEUE' },
      { env: queue.env },
    )
    const source = await startQueue(context)
    const pending = async () => (await client.xpending(stream, 'g'))[0]
    await waitUntil(async () => (await pending()) === 0, 'nothing is pending')
    await source.stop(patience())
    expect(seen.map(({ id }) => id)).toEqual(['m2'])
    expect(await queue.left()).toBe(0)
  } finally {
    client.disconnect()
    await queue.close()
  }
})
