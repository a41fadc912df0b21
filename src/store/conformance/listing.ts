import assert from 'node:assert/strict'
import type { Store } from '../store.ts'
import type { ConformanceCase } from './types.ts'

// Two characters of a pair that JavaScript's own order would swap, wildcards of every backend, and syntax.
const STRANGE = [
  ' ',
  '!',
  '"',
  '%',
  '%a',
  '%25',
  "'",
  '(',
  '*',
  '+',
  '-',
  ':',
  '[',
  '\\',
  '\n',
  '_',
  'a',
  'A',
  'aa',
  'ab',
  '{0}',
  '{',
  '}',
  '$1',
  '?',
  ';DROP TABLE',
  'é',
  'e\u0301',
  'ß',
  '漢',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
  '\u{10ffff}x',
  '__proto__',
  'constructor',
]

/** Cases about listing. */
export const LISTING_CASES: readonly ConformanceCase[] = [
  {
    name: 'lists a prefix in the byte order of keys, page by page, without a gap or a repetition',
    async run(store, { prefix }) {
      const keys = Array.from(
        { length: 25 },
        (_, at) => `${prefix}l:${String(at).padStart(2, '0')}`,
      )
      for (const key of keys.toReversed()) await store.put(key, key, { ttl: 60_000, owner: 'me' })
      await store.put(`${prefix}k`, 1, { ttl: null })
      await store.put(`${prefix}m`, 1, { ttl: null })
      for (const limit of [1, 7, 24, 25, 26, 1000]) {
        assert.deepEqual(await listKeys(store, `${prefix}l:`, limit), keys)
      }
      const [first] = (await store.listByPrefix(`${prefix}l:`, { limit: 1 })).entries
      const { ttl, ...entry } = first ?? {}
      const { revision } = (await store.get(keys[0] ?? '')) ?? {}
      assert.deepEqual(entry, { key: keys[0], value: keys[0], revision, owner: 'me' })
      assert.ok(typeof ttl === 'number' && ttl <= 60_000)
    },
  },
  {
    name: 'answers an empty page without a cursor where there is nothing',
    async run(store, { prefix }) {
      assert.deepEqual(await store.listByPrefix(`${prefix}nothing`), { entries: [] })
    },
  },
  {
    name: 'stores strange keys apart and lists them in byte order',
    async run(store, { prefix }) {
      for (const name of STRANGE) await store.put(prefix + name, name, { ttl: null })
      for (const name of STRANGE) assert.equal((await store.get(prefix + name))?.value, name)
      const sorted = STRANGE.map((name) => prefix + name).sort((left, right) =>
        Buffer.compare(Buffer.from(left), Buffer.from(right)),
      )
      assert.deepEqual(await listKeys(store, prefix, 4), sorted)
    },
  },
  {
    name: 'takes wildcards in a prefix literally',
    async run(store, { prefix }) {
      for (const name of STRANGE) await store.put(`${prefix}${name}1`, 1, { ttl: null })
      for (const name of STRANGE) {
        const expected = STRANGE.filter((other) => `${other}1`.startsWith(name))
        const found = await listKeys(store, prefix + name, 3)
        assert.deepEqual(found.toSorted(), expected.map((other) => `${prefix}${other}1`).toSorted())
      }
    },
  },
  {
    name: 'lists what stays exactly once while entries come, go and change between pages',
    async run(store, { prefix }) {
      const name = (at: number): string => `${prefix}${String(at).padStart(3, '0')}`
      for (let at = 0; at < 100; at += 2) await store.put(name(at), at, { ttl: null })
      const seen: string[] = []
      for (let cursor: string | undefined, page = 0; page === 0 || cursor; page++) {
        const options = { limit: 7, ...(cursor !== undefined && { cursor }) }
        const answer = await store.listByPrefix(prefix, options)
        seen.push(...answer.entries.map((entry) => entry.key))
        cursor = answer.cursor
        await store.delete(name(page * 14 + 12))
        await store.put(name(page * 14 + 13), 'new', { ttl: null })
        await store.put(name(98 - page), 'changed', { ttl: null })
      }
      assert.equal(new Set(seen).size, seen.length)
      assert.deepEqual(seen.toSorted(), seen)
      const stayed = Array.from({ length: 50 }, (_, at) => at * 2).filter((at) => at % 14 !== 12)
      for (const at of stayed) assert.ok(seen.includes(name(at)), `${name(at)} is missing`)
    },
  },
  {
    name: 'continues after a cursor whose entry was deleted',
    async run(store, { prefix }) {
      for (const name of ['a', 'b', 'c']) await store.put(prefix + name, 1, { ttl: null })
      const { cursor = '' } = await store.listByPrefix(prefix, { limit: 2 })
      await store.delete(`${prefix}b`)
      const rest = await store.listByPrefix(prefix, { limit: 2, cursor })
      assert.deepEqual(
        rest.entries.map((entry) => entry.key),
        [`${prefix}c`],
      )
    },
  },
  {
    name: 'skips expired entries without shortening a page',
    async run(store, { prefix, passTime }) {
      for (let at = 0; at < 30; at++) {
        await store.put(`${prefix}${at + 10}`, at, { ttl: at % 10 === 0 ? null : 50 })
      }
      await passTime(60)
      const { entries, cursor } = await store.listByPrefix(prefix, { limit: 2 })
      assert.deepEqual(
        entries.map((entry) => entry.value),
        [0, 10],
      )
      const rest = await store.listByPrefix(prefix, { limit: 2, cursor: cursor ?? '' })
      assert.deepEqual(
        rest.entries.map((entry) => entry.value),
        [20],
      )
      assert.equal(rest.cursor, undefined)
    },
  },
  {
    name: 'refuses a cursor of another listing, and page sizes that cannot be',
    async run(store, { prefix }) {
      for (const name of ['a', 'b']) await store.put(`${prefix}x:${name}`, 1, { ttl: null })
      const { cursor = '' } = await store.listByPrefix(`${prefix}x:`, { limit: 1 })
      const code = { code: 'INVALID_ARGUMENTS' }
      for (const wrong of ['', 'no cursor!', `${cursor}=`, 'a'.repeat(5000)]) {
        await assert.rejects(store.listByPrefix(`${prefix}x:`, { cursor: wrong }), code)
      }
      await assert.rejects(store.listByPrefix(`${prefix}y:`, { cursor }), code)
      for (const limit of [0, -1, 1.5, 1001, Number.NaN]) {
        await assert.rejects(store.listByPrefix(prefix, { limit }), code)
      }
      await assert.rejects(store.listByPrefix(`${prefix}\0`), code)
    },
  },
]

async function listKeys(store: Store, prefix: string, limit: number): Promise<string[]> {
  const keys: string[] = []
  let page = await store.listByPrefix(prefix, { limit })
  for (;;) {
    keys.push(...page.entries.map((entry) => entry.key))
    if (page.cursor === undefined) return keys
    assert.equal(page.entries.length, limit)
    page = await store.listByPrefix(prefix, { limit, cursor: page.cursor })
  }
}
