import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Client } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { prepareBackends } from '../../test/faults/store-backends.ts'
import { startProcesses } from '../../test/faults/store-processes.ts'
import { openStore } from '../entries/store.ts'

const NEWER = /has schema version 99, but this version of waymark knows only \d+: upgrade waymark/

/** What version 1 of the schema looked like, with one entry. */
const FIRST_VERSION = `
  CREATE TABLE waymark_schema (version INTEGER NOT NULL);
  INSERT INTO waymark_schema VALUES (1);
  CREATE TABLE waymark_entries (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    value TEXT NOT NULL,
    owner TEXT,
    expires_at INTEGER
  );
  CREATE INDEX waymark_entries_expiry ON waymark_entries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE waymark_sequence (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL);
  INSERT INTO waymark_sequence VALUES (1, 0);
  CREATE TABLE waymark_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    boot TEXT NOT NULL,
    uptime INTEGER NOT NULL,
    at INTEGER NOT NULL,
    wall INTEGER NOT NULL
  );
  INSERT INTO waymark_entries (key, value, owner) VALUES ('a', '1', 'me');`

describe('schema of a SQLite store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-migration-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is made once when several processes start together on a new file', async () => {
    const url = `sqlite:${join(folder, 'together.db')}`
    const processes = await startProcesses(url, '', 4)
    const counts = await processes.run({ kind: 'increment', key: 'a', times: 5 })
    expect(Math.max(...counts.flat())).toBe(20)
    await processes.stop()
  })

  it('lives beside the tables of an application in the same file', async () => {
    const path = join(folder, 'shared.db')
    const database = new Database(path)
    database.exec('CREATE TABLE entries (mine TEXT); INSERT INTO entries VALUES (1)')
    const store = await openStore(`sqlite:${path}`)
    await store.put('a', 1, { ttl: null })
    expect(database.prepare('SELECT count(*) FROM entries').raw().get()).toEqual([1])
    database.close()
    await store.close()
  })

  it('takes the entries of its first version along, and leaves nothing to a process that still runs that', async () => {
    const path = join(folder, 'first.db')
    const database = new Database(path)
    database.exec(FIRST_VERSION)
    const before = database.prepare('UPDATE waymark_entries SET value = 2 WHERE key = ?')
    const store = await openStore(`sqlite:${path}`)
    const entry = await store.get('a')
    expect(entry).toMatchObject({ value: 1, owner: 'me', ttl: null })
    const revision = entry?.revision ?? 0
    expect(await store.compareAndSet('a', 3, { revision, ttl: null })).toMatchObject({
      swapped: true,
    })
    expect((await store.put('b', 1, { ttl: null })).revision).toBeGreaterThan(revision + 1)
    expect(() => before.run('a')).toThrow(/no such table/)
    database.close()
    await store.close()
  })

  it('is refused when a newer version wrote it, and stays as it is', async () => {
    const path = join(folder, 'newer.db')
    await (await openStore(`sqlite:${path}`)).close()
    const database = new Database(path)
    database.exec('UPDATE waymark_schema SET version = 99')
    await expect(openStore(`sqlite:${path}`)).rejects.toThrow(NEWER)
    expect(database.prepare('SELECT version FROM waymark_schema').raw().all()).toEqual([[99]])
    database.close()
  })
})

for (const backend of await prepareBackends(['postgres'])) {
  const title = 'schema of a PostgreSQL store'
  if ('missing' in backend) {
    describe.skip(`${title} (no server and no binary to start one)`, () => it.skip('is versioned'))
    continue
  }
  describe(title, () => {
    const { url = '', namespace } = backend
    afterAll(() => backend.cleanUp())

    it('is made once when ten connections start together', async () => {
      const stores = await Promise.all(
        Array.from({ length: 10 }, () => openStore(url, { namespace })),
      )
      const counts = await Promise.all(stores.map((store) => store.increment('a', { ttl: null })))
      expect(counts.map((count) => count.value).toSorted((a, b) => a - b)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ])
      await Promise.all(stores.map((store) => store.close()))
    })

    it('is refused when a newer version wrote it', async () => {
      const client = new Client(url)
      await client.connect()
      await client.query(`UPDATE ${namespace}.schema_version SET version = 99`)
      await expect(openStore(url, { namespace })).rejects.toThrow(NEWER)
      await client.end()
    })

    it('has a name that cannot be mistaken for SQL', async () => {
      for (const wrong of ['', 'a"; DROP TABLE x; --', 'Über', 'a'.repeat(41)]) {
        await expect(openStore(url, { namespace: wrong })).rejects.toThrow(/must be 1 to 40/)
      }
    })
  })
}
