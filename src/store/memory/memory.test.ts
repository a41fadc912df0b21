import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/property.ts'
import { createMemoryStore } from '../../entries/store.ts'
import { createSortedList } from '../table.ts'

describe('memory store', () => {
  it('stays small under writes that expire, without any timer getting a turn', async () => {
    let elapsed = 0
    const store = createMemoryStore({ clock: { elapsed: () => elapsed } })
    let most = 0
    for (let count = 0; count < 50_000; count++) {
      elapsed += 1
      await store.put(`k${count}`, count, { ttl: 100 })
      most = Math.max(most, store.size)
    }
    expect(most).toBeLessThanOrEqual(101)
    await store.close()
  })

  it('does not grow when the same entries are renewed over and over', async () => {
    const store = createMemoryStore()
    for (let count = 0; count < 10_000; count++) await store.put('k', count, { ttl: 3_600_000 })
    expect(store.size).toBe(1)
    await store.close()
  })

  it('forgets expired entries when the only thing left is the timer', async () => {
    let elapsed = 0
    const store = createMemoryStore({ clock: { elapsed: () => elapsed }, sweep: { interval: 1 } })
    for (let count = 0; count < 2000; count++) await store.put(`k${count}`, 1, { ttl: 10 })
    elapsed = 11
    await expect.poll(() => store.size).toBe(0)
    await store.close()
  })

  it('forgets an entry at its newest end, whether that came closer or went further away', async () => {
    let elapsed = 0
    const store = createMemoryStore({ clock: { elapsed: () => elapsed } })
    for (const ttl of [100, 300, 200]) await store.put('k', 1, { ttl })
    elapsed = 199
    await store.put('other', 1, { ttl: null })
    expect((await store.get('k'))?.ttl).toBe(1)
    elapsed = 200
    await store.put('other', 1, { ttl: null })
    expect(store.size).toBe(1)
    await store.close()
  })

  it('lists in byte order, also when the first key beyond the basic plane comes late', async () => {
    const store = createMemoryStore()
    for (const key of ['a\uffff', 'a', 'a\u{1f600}', 'a\ue000'])
      await store.put(key, 1, { ttl: null })
    const { entries } = await store.listByPrefix('a')
    expect(entries.map(({ key }) => key)).toEqual(['a', 'a\ue000', 'a\uffff', 'a\u{1f600}'])
    expect((await store.listByPrefix('a\u{1f600}')).entries).toHaveLength(1)
    await store.close()
  })
})

describe('sorted list', () => {
  it('holds what a sorted array would hold', () => {
    const change = fc.record({ item: fc.integer({ min: 0, max: 5000 }), remove: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 4000, size: 'max' }),
        fc.integer(),
        (changes, from) => {
          const list = createSortedList<number>((left, right) => left - right)
          const model = new Set<number>()
          for (const { item, remove } of changes) {
            if (remove) list.remove(item)
            else if (!model.has(item)) list.add(item)
            if (remove) model.delete(item)
            else model.add(item)
          }
          const sorted = [...model].sort((left, right) => left - right)
          expect([...list.from(Number.NEGATIVE_INFINITY)]).toEqual(sorted)
          expect([...list.from(from)]).toEqual(sorted.filter((item) => item >= from))
          expect(list.first()).toBe(sorted[0])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keeps order and size over many chunks', () => {
    const list = createSortedList<number>((left, right) => left - right)
    for (let at = 0; at < 10_000; at++) list.add((at * 7919) % 10_000)
    expect([...list.from(0)]).toEqual(Array.from({ length: 10_000 }, (_, at) => at))
    for (let at = 0; at < 10_000; at += 2) list.remove(at)
    expect([...list.from(4000)].slice(0, 3)).toEqual([4001, 4003, 4005])
    for (let at = 1; at < 10_000; at += 2) list.remove(at)
    expect(list.first()).toBeUndefined()
  })
})
