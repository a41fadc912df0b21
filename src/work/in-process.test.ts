import { describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../store/memory/memory.ts'
import { createInProcessQueue } from './in-process.ts'

describe('createInProcessQueue', () => {
  it('leaves nothing in the store when its jobs are done', async () => {
    const store = createMemoryStore()
    const queue = createInProcessQueue(store, { pollMs: 20 })
    const done: string[] = []
    for (const id of ['a', 'b', 'c']) await queue.add({ name: 'n', id, data: null })
    await queue.add({ name: 'n', id: 'later', data: null, delayMs: 30 })
    queue.work(
      'n',
      async ({ id, attempt }) => {
        if (id === 'b' && attempt === 1) throw new Error('once more')
        done.push(id)
      },
      { backoffMs: () => 10 },
    )
    await vi.waitFor(() => expect(done.toSorted()).toEqual(['a', 'b', 'c', 'later']))
    await queue.close()
    expect((await store.listByPrefix('')).entries).toEqual([])
  })
})
