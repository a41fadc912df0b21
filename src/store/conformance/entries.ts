import assert from 'node:assert/strict'
import type { Json } from '../../values/index.ts'
import { MAX_KEY_BYTES, MAX_TTL, MAX_VALUE_BYTES } from '../backend.ts'
import type { Store } from '../store.ts'
import type { ConformanceCase } from './types.ts'

const VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1.5,
  9007199254740991,
  '',
  'text with " and \\ and \n and \u0000 and 𝄞 and \ud800',
  [],
  [1, [2, { three: null }]],
  {},
  { __proto: 1, 'a b': { c: [] }, ключ: 'значение' },
]

/** Cases about single entries. */
export const ENTRY_CASES: readonly ConformanceCase[] = [
  {
    name: 'answers nothing for a key that was never written',
    async run(store, { prefix }) {
      assert.equal(await store.get(`${prefix}never`), undefined)
      assert.equal(await store.delete(`${prefix}never`), false)
      assert.equal(await store.deleteIfOwner(`${prefix}never`, 'me'), 'absent')
    },
  },
  {
    name: 'gives back every kind of JSON value as it was put',
    async run(store, { prefix }) {
      for (const [index, value] of VALUES.entries()) {
        const key = `${prefix}${index}`
        const { revision } = await store.put(key, value, { ttl: null })
        assert.deepEqual(await store.get(key), { key, value, revision, owner: null, ttl: null })
      }
    },
  },
  {
    name: 'does not share objects with its callers',
    async run(store, { prefix }) {
      const value = { list: [1] }
      await store.put(`${prefix}a`, value, { ttl: null })
      value.list.push(2)
      assert.deepEqual((await store.get(`${prefix}a`))?.value, { list: [1] })
    },
  },
  {
    name: 'overwrites value, owner and time to live with put, under a new revision',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const first = await store.put(key, 1, { ttl: 60_000, owner: 'me' })
      const second = await store.put(key, 2, { ttl: null })
      assert.notEqual(second.revision, first.revision)
      const entry = { key, value: 2, revision: second.revision, owner: null, ttl: null }
      assert.deepEqual(await store.get(key), entry)
    },
  },
  {
    name: 'creates with putIfAbsent once and then answers the entry in the way',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const first = await store.putIfAbsent(key, 'first', { ttl: null, owner: 'me' })
      assert.ok(first.created)
      const second = await store.putIfAbsent(key, 'second', { ttl: 1000, owner: 'you' })
      const { revision } = first
      const entry = { key, value: 'first', revision, owner: 'me', ttl: null }
      assert.deepEqual(second, { created: false, entry })
    },
  },
  {
    name: 'swaps with compareAndSet only from the current revision',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const { revision } = await store.put(key, 1, { ttl: null })
      const won = await store.compareAndSet(key, 2, { revision, ttl: null })
      assert.ok(won.swapped)
      const lost = await store.compareAndSet(key, 3, { revision, ttl: null })
      const entry = { key, value: 2, revision: won.revision, owner: null, ttl: null }
      assert.deepEqual(lost, { swapped: false, entry })
      const absent = await store.compareAndSet(`${prefix}b`, 1, { revision, ttl: null })
      assert.deepEqual(absent, { swapped: false })
    },
  },
  {
    name: 'refuses the revision of an entry that was deleted and made again',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const { revision } = await store.put(key, 1, { ttl: null })
      await store.delete(key)
      await store.put(key, 1, { ttl: null })
      const late = await store.compareAndSet(key, 2, { revision, ttl: null })
      assert.equal(late.swapped, false)
    },
  },
  {
    name: 'keeps or replaces owner and time to live with compareAndSet',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const put = await store.put(key, 1, { ttl: 60_000, owner: 'me' })
      const kept = await store.compareAndSet(key, 2, { revision: put.revision, ttl: 'keep' })
      assert.ok(kept.swapped)
      const entry = await store.get(key)
      assert.equal(entry?.owner, 'me')
      assert.ok(entry.ttl !== null && entry.ttl > 0 && entry.ttl <= 60_000)
      const { revision } = kept
      const set = await store.compareAndSet(key, 3, { revision, ttl: null, owner: null })
      assert.ok(set.swapped)
      assert.deepEqual(await store.get(key), {
        key,
        value: 3,
        revision: set.revision,
        owner: null,
        ttl: null,
      })
    },
  },
  {
    name: 'deletes for its owner only with deleteIfOwner',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      await store.put(key, 1, { ttl: null, owner: 'me' })
      assert.equal(await store.deleteIfOwner(key, 'you'), 'foreign')
      assert.equal(await store.deleteIfOwner(key, 'me'), 'deleted')
      assert.equal(await store.deleteIfOwner(key, 'me'), 'absent')
      await store.put(key, 1, { ttl: null })
      assert.equal(await store.deleteIfOwner(key, 'me'), 'foreign')
      assert.equal(await store.delete(key), true)
      assert.equal(await store.delete(key), false)
    },
  },
  {
    name: 'counts with increment, up and down, and keeps the time to live of the first one',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const first = await store.increment(key, { ttl: 60_000 })
      assert.equal(first.value, 1)
      assert.ok(first.ttl !== null && first.ttl > 0 && first.ttl <= 60_000)
      const second = await store.increment(key, { ttl: 3_600_000, by: 10 })
      assert.equal(second.value, 11)
      assert.ok(second.ttl !== null && second.ttl <= 60_000)
      assert.notEqual(second.revision, first.revision)
      assert.equal((await store.increment(key, { ttl: null, by: -12 })).value, -1)
      const entry = await store.get(key)
      assert.equal(entry?.value, -1)
      assert.equal((await store.increment(`${prefix}b`, { ttl: null })).ttl, null)
    },
  },
  {
    name: 'treats a counter as an entry: compareAndSet sees every increment',
    async run(store, { prefix }) {
      const key = `${prefix}a`
      const { revision } = await store.increment(key, { ttl: null })
      const current = await store.increment(key, { ttl: null })
      assert.equal((await store.compareAndSet(key, 0, { revision, ttl: null })).swapped, false)
      const options = { revision: current.revision, ttl: null }
      assert.equal((await store.compareAndSet(key, 100, options)).swapped, true)
      assert.equal((await store.increment(key, { ttl: null })).value, 101)
    },
  },
  {
    name: 'answers CONFLICT when asked to increment what is not a whole number, and leaves it alone',
    async run(store, { prefix }) {
      for (const value of ['5', 1.5, null, { n: 1 }, [1], true, 1e30]) {
        const key = `${prefix}${JSON.stringify(value)}`
        await store.put(key, value, { ttl: null, owner: 'me' })
        await rejects(store.increment(key, { ttl: null }), 'CONFLICT')
        assert.deepEqual((await store.get(key))?.value, value)
      }
      const key = `${prefix}full`
      await store.put(key, Number.MAX_SAFE_INTEGER, { ttl: null })
      await rejects(store.increment(key, { ttl: null }), 'CONFLICT')
      assert.equal((await store.get(key))?.value, Number.MAX_SAFE_INTEGER)
      assert.equal((await store.increment(key, { ttl: null, by: -1 })).value, 9007199254740990)
    },
  },
  {
    name: 'gives ever higher numbers for a name with next',
    async run(store, { prefix }) {
      let before = 0
      for (let count = 0; count < 20; count++) {
        const number = await store.next(`${prefix}fence`)
        assert.ok(number > before, `${number} follows ${before}`)
        before = number
        await store.next(`${prefix}other`)
      }
    },
  },
  {
    name: 'holds a value of almost a mebibyte and refuses a bigger one with INVALID_ARGUMENTS',
    async run(store, { prefix }) {
      const key = `${prefix}big`
      const value = 'é'.repeat(MAX_VALUE_BYTES / 2 - 1)
      await store.put(key, value, { ttl: null })
      assert.equal((await store.get(key))?.value, value)
      assert.equal((await store.listByPrefix(key)).entries[0]?.value, value)
      await rejects(store.put(key, `${value}é`, { ttl: null }), 'INVALID_ARGUMENTS', 'value')
    },
  },
  {
    name: 'refuses keys, times, owners and amounts that cannot be, naming the argument',
    async run(store, { prefix }) {
      const long = prefix + 'k'.repeat(MAX_KEY_BYTES - prefix.length)
      await store.put(long, 1, { ttl: null })
      assert.equal((await store.get(long))?.value, 1)
      await refusesArguments(store, prefix, `${long}k`)
    },
  },
]

async function refusesArguments(store: Store, prefix: string, tooLong: string): Promise<void> {
  for (const key of [
    '',
    tooLong,
    'é'.repeat(MAX_KEY_BYTES / 2 + 1),
    `${prefix}\0`,
    `${prefix}\ud800`,
  ]) {
    await rejects(store.get(key), 'INVALID_ARGUMENTS', 'key')
    await rejects(store.put(key, 1, { ttl: null }), 'INVALID_ARGUMENTS', 'key')
    await rejects(store.increment(key, { ttl: null }), 'INVALID_ARGUMENTS', 'key')
  }
  const key = `${prefix}a`
  for (const ttl of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, MAX_TTL + 1]) {
    await rejects(store.put(key, 1, { ttl }), 'INVALID_ARGUMENTS', 'ttl')
    await rejects(store.putIfAbsent(key, 1, { ttl }), 'INVALID_ARGUMENTS', 'ttl')
    await rejects(store.compareAndSet(key, 1, { ttl, revision: 1 }), 'INVALID_ARGUMENTS', 'ttl')
    await rejects(store.increment(key, { ttl }), 'INVALID_ARGUMENTS', 'ttl')
  }
  await store.put(key, 1, { ttl: MAX_TTL })
  await rejects(store.put(key, 1, { ttl: null, owner: '' }), 'INVALID_ARGUMENTS', 'owner')
  await rejects(store.deleteIfOwner(key, tooLong), 'INVALID_ARGUMENTS', 'owner')
  await rejects(store.increment(key, { ttl: null, by: 0.5 }), 'INVALID_ARGUMENTS', 'by')
  await rejects(store.next(''), 'INVALID_ARGUMENTS', 'name')
  const endless: Json[] = []
  endless.push(endless)
  await rejects(store.put(key, endless, { ttl: null }), 'INVALID_ARGUMENTS', 'value')
  const wrong = { revision: Number.NaN, ttl: null }
  await rejects(store.compareAndSet(key, 1, wrong), 'INVALID_ARGUMENTS', 'revision')
}

/** Demands that an operation fails with this code, about this argument. */
async function rejects(operation: Promise<unknown>, code: string, field?: string): Promise<void> {
  await assert.rejects(operation, (thrown: Error & { code?: string }) => {
    assert.equal(thrown.code, code, thrown.message)
    if (field) assert.match(thrown.message, new RegExp(`"${field}"`))
    return true
  })
}
