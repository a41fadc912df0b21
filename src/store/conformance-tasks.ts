import type { ConformanceTask } from './conformance-types.ts'
import type { Store } from './store.ts'

/** Does one process's part of a task and answers the numbers it saw. */
export function runConformanceTask(
  store: Store,
  task: ConformanceTask,
): Promise<readonly number[]> {
  return TASKS[task.kind](store, task)
}

type Work = (store: Store, task: ConformanceTask) => Promise<readonly number[]>

const TASKS: Readonly<Record<ConformanceTask['kind'], Work>> = {
  increment: (store, { key, times }) =>
    repeat(times, async () => (await store.increment(key, { ttl: null })).value),
  next: (store, { key, times }) => repeat(times, () => store.next(key)),
  /** Answers the positions whose key this process got. */
  async putIfAbsent(store, { key, times }) {
    const won: number[] = []
    for (let at = 0; at < times; at++) {
      const { created } = await store.putIfAbsent(`${key}${at}`, process.pid, { ttl: null })
      if (created) won.push(at)
    }
    return won
  },
  /** Adds one to a shared number, by compare and set. */
  compareAndSet: (store, { key, times }) => repeat(times, () => addOne(store, key)),
}

async function addOne(store: Store, key: string): Promise<number> {
  for (;;) {
    const entry = await store.get(key)
    if (!entry) throw new Error('The number to add to is missing')
    const value = Number(entry.value) + 1
    const { swapped } = await store.compareAndSet(key, value, {
      revision: entry.revision,
      ttl: 'keep',
    })
    if (swapped) return value
  }
}

async function repeat(times: number, work: () => Promise<number>): Promise<readonly number[]> {
  const seen: number[] = []
  for (let count = 0; count < times; count++) seen.push(await work())
  return seen
}
