import assert from 'node:assert/strict'
import { JobPutBack } from '../../../src/work/run-job.ts'
import { createGate, type JobCase, quiet, until } from './types.ts'

/** Cases about jobs that fail, are taken out or handed back. */
export const FAILURE_CASES: readonly JobCase[] = [
  {
    name: 'runs a job that throws again after its backoff, and counts the attempts',
    async run(queue, { name }) {
      const runs: [number, number][] = []
      const asked: number[] = []
      const backoffMs = (attempt: number) => {
        asked.push(attempt)
        return attempt * 200
      }
      queue.work(
        name,
        async ({ attempt }) => {
          runs.push([attempt, performance.now()])
          if (attempt < 3) throw new Error('not yet')
        },
        { backoffMs },
      )
      await queue.add({ name, id: 'stubborn', data: null })
      await until('3 runs', () => runs.length === 3)
      await quiet()
      assert.deepEqual(
        runs.map(([attempt]) => attempt),
        [1, 2, 3],
      )
      assert.deepEqual(asked, [1, 2])
      const [first = 0, second = 0, third = 0] = runs.map(([, at]) => at)
      assert.ok(second - first >= 195, 'the second run came too soon')
      assert.ok(third - second >= 395, 'the third run came too soon')
    },
  },
  {
    name: 'keeps a job that its run puts back, without counting an attempt',
    async run(queue, { name }) {
      const seen: number[] = []
      queue.work(
        name,
        async ({ attempt }) => {
          seen.push(attempt)
          if (seen.length < 4) throw new JobPutBack(20, 'not here')
        },
        { attempts: 2 },
      )
      await queue.add({ name, id: 'foreign', data: null })
      await until('4 runs', () => seen.length === 4)
      await quiet()
      assert.deepEqual(seen, [1, 1, 1, 1])
    },
  },
  {
    name: 'gives a job up after its last attempt and says why; its id is free then',
    async run(queue, { name }) {
      const told: [string, number, string][] = []
      let runs = 0
      queue.work(
        name,
        async () => {
          runs++
          throw new Error(`failure ${runs}`)
        },
        {
          attempts: 2,
          backoffMs: () => 0,
          onGivenUp: async ({ id, attempt }, reason) => {
            told.push([id, attempt, (reason as Error).message])
          },
        },
      )
      await queue.add({ name, id: 'hopeless', data: null })
      await until('to be told', () => told.length === 1)
      await quiet()
      assert.deepEqual([runs, told], [2, [['hopeless', 2, 'failure 2']]])
      await queue.add({ name, id: 'hopeless', data: null })
      await until('to be told again', () => told.length === 2)
      assert.equal(runs, 4)
    },
  },
  {
    name: 'tells again of a job given up when nobody could be told',
    async run(queue, { name }) {
      let runs = 0
      let told = 0
      queue.work(
        name,
        async () => {
          runs++
          throw new Error('always')
        },
        {
          attempts: 2,
          backoffMs: () => 10,
          onGivenUp: async () => {
            told++
            if (told === 1) throw new Error('the store is away')
          },
        },
      )
      await queue.add({ name, id: 'hopeless', data: null })
      await until('to be told twice', () => told === 2)
      await quiet()
      assert.deepEqual([runs, told], [2, 2])
    },
  },
  {
    name: 'takes out a job that waits, delayed or not, and no other',
    async run(queue, { name }) {
      const seen: string[] = []
      await queue.add({ name, id: 'waits', data: null })
      await queue.add({ name, id: 'later', data: null, delayMs: 200 })
      await queue.add({ name, id: 'stays', data: null })
      assert.equal(await queue.remove(name, 'waits'), true)
      assert.equal(await queue.remove(name, 'waits'), false)
      assert.equal(await queue.remove(name, 'later'), true)
      assert.equal(await queue.remove(name, 'unknown'), false)
      queue.work(name, async ({ id }) => void seen.push(id))
      await until('a run', () => seen.length > 0)
      await quiet()
      assert.deepEqual(seen, ['stays'])
      assert.equal(await queue.remove(name, 'stays'), false)
      await queue.add({ name, id: 'waits', data: null })
      await until('the run of an id taken out before', () => seen.length === 2)
    },
  },
  {
    name: 'does not take a job for removed that has just run',
    async run(queue, { name }) {
      let onRun = () => {}
      queue.work(name, async () => onRun())
      for (let count = 0; count < 100; count += 1) {
        const id = `job-${count}`
        const ran = new Promise<void>((resolve) => {
          onRun = resolve
        })
        await queue.add({ name, id, data: null })
        await ran
        assert.equal(await queue.remove(name, id), false)
      }
    },
  },
  {
    name: 'leaves a job alone that runs',
    async run(queue, { name }) {
      const gate = createGate()
      let begun = 0
      let ended = 0
      queue.work(name, async ({ signal }) => {
        begun++
        await gate.opened
        if (!signal.aborted) ended++
      })
      await queue.add({ name, id: 'runs', data: null })
      await until('the run', () => begun === 1)
      assert.equal(await queue.remove(name, 'runs'), false)
      gate.open()
      await until('its end', () => ended === 1)
      await quiet()
      assert.equal(begun, 1)
    },
  },
  {
    name: 'lets running jobs end while it closes, and refuses new ones',
    async run(queue, { name, open }) {
      const runs: string[] = []
      let ended = false
      queue.work(name, async ({ id }) => {
        runs.push(id)
        await new Promise((resolve) => setTimeout(resolve, 300))
        ended = true
      })
      await queue.add({ name, id: 'short', data: null })
      await until('the run', () => runs.length === 1)
      await queue.close(10_000)
      assert.equal(ended, true)
      const refused = { code: 'UNAVAILABLE' }
      await assert.rejects(queue.add({ name, id: 'late', data: null }), refused)
      const other = await open()
      other.work(name, async ({ id }) => void runs.push(id))
      await quiet()
      assert.deepEqual(runs, ['short'])
    },
  },
  {
    name: 'hands jobs back that do not end while it closes, and does not count their attempt',
    async run(queue, { name, open }) {
      const begun: string[] = []
      const reasons: string[] = []
      queue.work(name, async ({ id, signal }) => {
        begun.push(id)
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(String(signal.reason))
            // One notices that it must end, the other never does.
            if (id === 'obedient') reject(signal.reason)
          })
          setTimeout(resolve, 3_600_000).unref()
        })
      })
      await queue.add({ name, id: 'obedient', data: null })
      await queue.add({ name, id: 'deaf', data: null })
      await until('both runs', () => begun.length === 2)
      await queue.close(50)
      assert.equal(reasons.length, 2)
      const seen: [string, number][] = []
      const other = await open()
      other.work(name, async ({ id, attempt }) => void seen.push([id, attempt]))
      await until('both to run elsewhere', () => seen.length === 2)
      assert.deepEqual(
        seen.toSorted(([left], [right]) => left.localeCompare(right)),
        [
          ['deaf', 1],
          ['obedient', 1],
        ],
      )
    },
  },
]
