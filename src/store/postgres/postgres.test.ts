import { Client, Pool } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { prepareBackends } from '../../../test/faults/store-backends.ts'
import { createPostgresStore, openStore } from '../../entries/store.ts'
import { buildPostgresQueries } from './schema.ts'

for (const backend of await prepareBackends(['postgres'])) {
  const title = 'PostgreSQL store'
  if ('missing' in backend) {
    describe.skip(`${title} (no server and no binary to start one)`, () => it.skip('is shared'))
    continue
  }
  describe(title, () => {
    const { url = '', namespace } = backend
    afterAll(() => backend.cleanUp())

    it('sorts keys as bytes, whatever the collation of the database', async () => {
      await (await backend.open()).close()
      const client = new Client(url)
      await client.connect()
      const { rows } = await client.query(
        `SELECT collname FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation
          WHERE a.attrelid = '${namespace}.entries'::regclass AND a.attname = 'key'`,
      )
      expect(rows).toEqual([{ collname: 'C' }])
      await client.end()
    })

    it('leaves a pool that was handed in open', async () => {
      const pool = new Pool({ connectionString: url })
      const store = await createPostgresStore(pool, { schema: namespace })
      await store.put('a', 1, { ttl: 60_000 })
      await store.close()
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
      expect(pool.listenerCount('error')).toBe(0)
      await pool.end()
    })

    it('gives up when a pool that was handed in has no connection to spare', async () => {
      const pool = new Pool({ connectionString: url, max: 1 })
      const store = await createPostgresStore(pool, { schema: namespace, timeout: 200 })
      const taken = await pool.connect()
      await expect(store.get('a')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        errors: [{ details: { outcome: 'not_applied' } }],
      })
      taken.release()
      await expect(store.check()).resolves.toBeUndefined()
      await store.close()
      await pool.end()
    })

    it('lets one of many win where the database is set to serializable transactions', async () => {
      const strict = new URL(url)
      strict.searchParams.set('options', '-c default_transaction_isolation=serializable')
      const store = await openStore(strict.href, { namespace })
      const callers = Array.from({ length: 20 }, (_, caller) => caller)
      const puts = callers.map((caller) => store.putIfAbsent('strict', caller, { ttl: null }))
      expect((await Promise.all(puts)).filter((put) => put.created)).toHaveLength(1)
      const counts = callers.map(() => store.increment('strict-count', { ttl: null }))
      expect(Math.max(...(await Promise.all(counts)).map((count) => count.value))).toBe(20)
      await store.close()
    })

    it('reads a page of many entries through the index, without sorting them', async () => {
      await (await backend.open()).close()
      const client = new Client(url)
      await client.connect()
      await client.query(
        `INSERT INTO ${namespace}.entries (key, value, revision, expires_at)
          SELECT 'page:' || n, '1', n, now() + interval '1 hour' FROM generate_series(1, 5000) n`,
      )
      await client.query(`ANALYZE ${namespace}.entries`)
      const { range, rangeToEnd } = buildPostgresQueries(namespace)
      for (const [text, values] of [
        [range, ['page:2', 'page:2', 51, 'page;']],
        [rangeToEnd, ['page:2', 'page:2', 51]],
      ] as const) {
        const { rows } = await client.query(`EXPLAIN ${text}`, [...values])
        const plan = rows.map((row) => row['QUERY PLAN']).join(' ')
        expect(plan).toContain('Index Scan using entries_pkey')
        expect(plan).not.toContain('Sort')
      }
      await client.end()
    })
  })
}
