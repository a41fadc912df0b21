import { afterAll, describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/entries/store.ts'
import { createJobQueue } from '../../src/work/open.ts'
import { type BackendName, prepareBackends } from '../faults/store-backends.ts'
import { playSchedule, type Stage } from './player.ts'
import { follow, type ItemState, passKeyOn } from './specification.ts'

// Other seeds: WAYMARK_SEED=1000 npx vitest run test/work; thousands of them: npm run test:work.
const FIRST = Number(process.env['WAYMARK_SEED'] ?? 1)
const FACTOR = Number(process.env['WAYMARK_SCHEDULES'] ?? 1)
const AT_ONCE = 20

/** Plays seeds one after the other, some at a time; every schedule waits most of its time. */
async function playAll(open: () => Promise<Stage>, count: number): Promise<void> {
  const total = count * FACTOR
  let next = 0
  const failures: unknown[] = []
  const play = async () => {
    const stage = await open()
    while (next < total) {
      const seed = FIRST + next
      next += 1
      await playSchedule(stage, seed).catch((thrown: unknown) => failures.push(thrown))
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, total) }, play))
  expect(failures).toEqual([])
}

const LIMIT = 60_000 + FACTOR * 60_000

describe('random schedules of three workers keep the promises', () => {
  it('on memory', { timeout: LIMIT }, () =>
    playAll(async () => ({ store: createMemoryStore() }), 120),
  )
})

const COUNTS: readonly (readonly [BackendName, number])[] = [
  ['sqlite', 40],
  ['redis', 40],
  ['postgres', 20],
]

for (const [name, count] of COUNTS) {
  const [backend] = await prepareBackends([name])
  if (backend === undefined || 'missing' in backend) {
    it.skip(`on ${name} (no server and no binary to start one)`, () => {})
    continue
  }
  describe(`random schedules on ${name}`, () => {
    afterAll(() => backend.cleanUp())

    it('keep the promises with jobs in the store', { timeout: LIMIT }, async () => {
      const store = await backend.open()
      await playAll(async () => ({ store }), count)
      await store.close()
    })
    it.skipIf(name === 'sqlite')('keep them with BullMQ', { timeout: LIMIT }, async () => {
      const store = await backend.open()
      // One queue for all: the schedules of one run share its jobs as services on one server do.
      const openJobs = () => createJobQueue(store, { leaseMs: 3_000 })
      await playSchedule({ store, openJobs }, FIRST)
      await playSchedule({ store, openJobs }, FIRST + 1)
      await store.close()
    })
  })
}

describe('the specification', () => {
  const facts = { knows: (worker: string) => worker !== 'old', mayHaveLost: () => false }
  const running: ItemState = { kind: 'running', run: 'r1', worker: 'w1' }
  it.each([
    ['a second end', { kind: 'over', end: 'completed', run: 'r1' }, { kind: 'cancelled' }],
    ['an end by another run', running, { kind: 'ended', run: 'r2', end: 'completed' }],
    ['a second run beside the first', running, { kind: 'begun', run: 'r2', worker: 'w2' }],
    [
      'a worker that does not know it',
      { kind: 'waiting' },
      { kind: 'begun', run: 'r', worker: 'old' },
    ],
    ['an item that is added twice', { kind: 'waiting' }, { kind: 'added' }],
  ] as const)('refuses %s', (_, state, event) => {
    expect(() => follow(state, event, facts)).toThrow()
  })

  it('lets a key pass on from an item that came to nothing, and from no other', () => {
    expect(() => passKeyOn({ kind: 'over', end: 'cancelled', run: undefined })).not.toThrow()
    expect(() => passKeyOn({ kind: 'over', end: 'completed', run: 'r1' })).toThrow()
    expect(() => passKeyOn(running)).toThrow()
  })
})
