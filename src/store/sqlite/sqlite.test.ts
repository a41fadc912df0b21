import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../entries/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-locked-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('SQLite store', () => {
  it('waits for another writer without stopping the event loop, then goes on', async () => {
    const path = join(folder, 'busy.db')
    const store = await createSqliteStore(path)
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    let turns = 0
    const ticking = setInterval(() => {
      turns++
      if (turns === 5) other.exec('COMMIT')
    }, 1)
    await store.put('a', 1, { ttl: null })
    clearInterval(ticking)
    expect(turns).toBeGreaterThanOrEqual(5)
    other.close()
    await store.close()
  })

  it('reads while another process writes', async () => {
    const path = join(folder, 'reading.db')
    const store = await createSqliteStore(path)
    await store.put('a', 1, { ttl: null })
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    expect(await store.get('a')).toMatchObject({ value: 1 })
    expect((await store.listByPrefix('')).entries).toHaveLength(1)
    other.exec('ROLLBACK')
    other.close()
    await store.close()
  })

  it('answers UNAVAILABLE when the write lock is held too long, and works again afterwards', async () => {
    const path = join(folder, 'locked.db')
    const store = await createSqliteStore(path, { timeout: 100 })
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(store.put('a', 1, { ttl: null })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The sqlite store is unavailable: another process holds its write lock',
      errors: [{ details: { store: 'sqlite', outcome: 'not_applied' } }],
    })
    other.exec('COMMIT')
    await store.put('a', 2, { ttl: null })
    expect(await store.get('a')).toMatchObject({ value: 2 })
    other.close()
    await store.close()
  })

  it('closes at once while a write waits for the lock, and rejects that write', async () => {
    const path = join(folder, 'closing.db')
    const store = await createSqliteStore(path, { timeout: 60_000 })
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    const [write] = await Promise.allSettled([store.put('a', 1, { ttl: null }), store.close()])
    expect(write).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })
    other.exec('COMMIT')
    other.close()
  })

  it('does not let one refused step spoil the others of its transaction', async () => {
    const store = await createSqliteStore(':memory:')
    await store.put('text', 'x', { ttl: null })
    const outcomes = await Promise.allSettled([
      store.put('a', 1, { ttl: null }),
      store.increment('text', { ttl: null }),
      store.increment('b', { ttl: null }),
    ])
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await store.get('a')).toBeDefined()
    await store.close()
  })

  it('gives a new revision each of many times that an entry is replaced', async () => {
    const store = await createSqliteStore(':memory:')
    const other = await store.put('other', 0, { ttl: null })
    let { revision } = await store.put('often', 0, { ttl: null, owner: 'me' })
    const seen = new Set([other.revision, revision])
    for (let time = 1; time <= 1100; time += 1) {
      const result = await store.compareAndSet('often', time, { revision, ttl: 60_000 })
      if (!result.swapped) throw new Error(`refused the ${time}th time`)
      revision = result.revision
      seen.add(revision)
    }
    expect(seen.size).toBe(1102)
    expect(await store.get('often')).toMatchObject({ value: 1100, revision, owner: 'me' })
    expect(await store.get('other')).toMatchObject({ revision: other.revision })
    await store.close()
  })

  it('keeps lazy entries of a process that was killed', async () => {
    const path = join(folder, 'killed.db')
    const code = `
      const { createSqliteStore } = await import(${JSON.stringify(import.meta.resolve('../../entries/store.ts'))})
      const store = await createSqliteStore(${JSON.stringify(path)})
      await store.putIfAbsent('a', 1, { ttl: null, lazy: true })
      process.kill(process.pid, 'SIGKILL')`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code])
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    const store = await createSqliteStore(path)
    expect(await store.get('a')).toMatchObject({ value: 1 })
    await store.close()
  })

  it('reports in its check that the file cannot grow, although small writes still fit', async () => {
    let database: InstanceType<typeof Database> | undefined
    class Limited extends Database {
      constructor(path: string, options?: ConstructorParameters<typeof Database>[1]) {
        super(path, options)
        database = this
      }
    }
    const store = await createSqliteStore(join(folder, 'full.db'), {
      load: async () => ({ default: Limited }),
    })
    await expect(store.check()).resolves.toBeUndefined()
    // What the check wrote and removed is free again; one page is left of it.
    database?.exec('VACUUM')
    database?.exec('PRAGMA max_page_count = 1')
    await store.put('small', 1, { ttl: null })
    await expect(store.check()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('cannot grow'),
    })
    database?.exec('PRAGMA max_page_count = 100000')
    await expect(store.check()).resolves.toBeUndefined()
    expect(await store.freeBytes?.()).toBeGreaterThan(0)
    await store.close()
  })

  it('reports in its check that the file is gone', async () => {
    const path = join(folder, 'gone.db')
    const store = await createSqliteStore(path)
    await expect(store.check()).resolves.toBeUndefined()
    rmSync(path)
    await expect(store.check()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('removed or replaced'),
    })
    await store.close()
  })

  it('does not open a file that is not a database', async () => {
    const path = join(folder, 'text.db')
    writeFileSync(path, 'this is not a database, it is only text that is long enough to be read')
    await expect(createSqliteStore(path)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
