import { Redis } from 'ioredis'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { prepareBackends } from '../../../test/faults/store-backends.ts'
import { createRedisStore } from '../../entries/store.ts'

for (const backend of await prepareBackends(['redis'])) {
  const title = 'Redis store'
  if ('missing' in backend) {
    describe.skip(`${title} (no server and no binary to start one)`, () => it.skip('is shared'))
    continue
  }
  describe(title, () => {
    const { url = '', namespace } = backend
    afterAll(() => backend.cleanUp())

    it('leaves a client that was handed in open, whether it was connected yet or not', async () => {
      for (const lazyConnect of [true, false]) {
        const client = new Redis(url, { lazyConnect })
        const store = await createRedisStore(client, { prefix: namespace })
        await store.put('a', 1, { ttl: 1000 })
        await store.close()
        expect(await client.ping()).toBe('PONG')
        expect(client.listenerCount('error')).toBe(0)
        client.disconnect()
      }
    })

    it('goes on after the server has forgotten its scripts', async () => {
      const client = new Redis(url)
      const store = await backend.open()
      await store.put('a', 1, { ttl: 60_000 })
      await client.script('FLUSH')
      const gets = await Promise.all([store.get('a'), store.get('a'), store.get('a')])
      for (const entry of gets) expect(entry).toMatchObject({ value: 1 })
      client.disconnect()
      await store.close()
    })

    it('lets the server begin while callers are still asking, with few scripts for many of them', async () => {
      const client = new Redis(url)
      const store = await createRedisStore(client, { prefix: namespace })
      await store.get('a')
      const sent = vi.spyOn(client, 'evalsha')
      const puts = Array.from({ length: 100 }, (_, at) => store.put(`many${at}`, at, { ttl: 1000 }))
      const early = sent.mock.calls.length
      await Promise.all(puts)
      expect([early > 0, sent.mock.calls.length < 20]).toEqual([true, true])
      expect(await store.get('many99')).toMatchObject({ value: 99 })
      await store.close()
      client.disconnect()
    })

    it('refuses to share data with a process that spreads keys another way', async () => {
      const client = new Redis(url)
      await (await backend.open()).close()
      const other = createRedisStore(client, { prefix: namespace, shards: 2 })
      await expect(other).rejects.toThrow(/has layout 1:1 .* is configured for 1:2/)
      client.disconnect()
    })

    it('refuses a prefix with braces and a number of shards that cannot be', async () => {
      const client = new Redis(url, { lazyConnect: true })
      await expect(createRedisStore(client, { prefix: '{x}' })).rejects.toThrow('no braces')
      for (const shards of [0, 1.5, 2000]) {
        await expect(createRedisStore(client, { shards })).rejects.toThrow('1 to 1024')
      }
    })
  })
}
