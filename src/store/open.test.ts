import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openStore } from '../entries/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-open-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('openStore', () => {
  it('opens memory and SQLite, and makes the folders of a new file', async () => {
    const path = join(folder, 'a', 'b', 'state.db')
    for (const url of ['memory:', `sqlite:${path}`, `sqlite://${path}`, 'sqlite::memory:']) {
      const store = await openStore(url)
      await store.put('k', 1, { ttl: null })
      expect(await store.get('k')).toMatchObject({ value: 1 })
      await store.close()
    }
  })

  it('knows no origin of a store that is in this process', async () => {
    const store = await openStore('memory:')
    expect(store.origin).toBeUndefined()
    await store.close()
  })

  it('keeps a new SQLite file from other users of the machine', async () => {
    const path = join(folder, 'private.db')
    const store = await openStore(`sqlite:${path}`)
    expect(statSync(path).mode & 0o077).toBe(0)
    await store.close()
  })

  it('bounds a store in memory by its address', async () => {
    const store = await openStore('memory:?maxBytes=2000')
    await store.put('a', 'x'.repeat(1_000), { ttl: null })
    await expect(store.put('b', 'x'.repeat(1_000), { ttl: null })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    await store.close()
    for (const url of [
      'memory:?maxbytes=1',
      'memory:?maxBytes=1e6',
      'memory:?maxBytes=',
      'memory:x',
    ]) {
      await expect(openStore(url), url).rejects.toThrow('memory:?maxBytes=1000000')
    }
    await expect(openStore('memory:?maxBytes=0')).rejects.toThrow('maxBytes')
  })

  it('names the known schemes for an unknown one and does not repeat the address', async () => {
    const known =
      /memory:, sqlite:PATH, redis:\/\/HOST:PORT or postgres:\/\/HOST\/DATABASE, not mysql:$/
    const error = await openStore('mysql://root:secret@db/x').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(known)
    expect(error.message).not.toContain('secret')
    await expect(openStore('constructor:x')).rejects.toThrow(/not constructor:$/)
    await expect(openStore('state.db')).rejects.toThrow(/it has none$/)
  })

  it('says how a SQLite address is written', async () => {
    for (const url of ['sqlite:', 'sqlite://state.db']) {
      await expect(openStore(url)).rejects.toThrow('sqlite:PATH')
    }
  })

  it.each([
    ['redis://127.0.0.1:1', 'A redis: store needs the package "ioredis": run npm install ioredis'],
    ['postgres://127.0.0.1:1/x', 'A postgres: store needs the package "pg": run npm install pg'],
  ])('names the missing package for %s in one line', async (url, message) => {
    const load = () =>
      Promise.reject(Object.assign(new Error('no such'), { code: 'ERR_MODULE_NOT_FOUND' }))
    await expect(openStore(url, { load })).rejects.toThrow(new TypeError(message))
  })

  it('does not hide another failure of a package behind the advice to install it', async () => {
    const load = () => Promise.reject(new Error('broken package'))
    await expect(openStore('redis://127.0.0.1:1', { load })).rejects.toThrow('broken package')
  })

  it.each(['redis', 'postgres'])('answers UNAVAILABLE when no %s listens', async (kind) => {
    const opening = openStore(`${kind}://127.0.0.1:1/0`, { timeout: 200 })
    await expect(opening).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `The ${kind} store is unavailable: there is no connection`,
    })
  })

  it('answers UNAVAILABLE when a SQLite file cannot be made', async () => {
    const opening = openStore(`sqlite:${folder}`)
    await expect(opening).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
