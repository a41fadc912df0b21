import assert from 'node:assert/strict'
import { type Json, toText } from '../../../src/values/index.ts'
import { createGate, type JobCase, quiet, until } from './types.ts'

const HOSTILE_IDS = [
  '7',
  '0:1',
  'a:b/c\\d%3A',
  '__proto__',
  'constructor',
  ' ',
  '\u0000',
  'приве́т 👩‍👩‍👧 \u202e',
  '\ud800',
  '\ud801',
  'x'.repeat(10_240),
  `${'x'.repeat(10_239)}y`,
  "'; DROP SCHEMA waymark CASCADE; --",
]

/** Cases about jobs that run and end. */
export const RUN_CASES: readonly JobCase[] = [
  {
    name: 'runs each job once, with its data, whether it was added before the worker came or after',
    async run(queue, { name }) {
      const seen: [string, Json, number][] = []
      const jobs = Array.from({ length: 40 }, (_, index) => [`job-${index}`, { index }] as const)
      for (const [id, data] of jobs.slice(0, 20)) await queue.add({ name, id, data })
      queue.work(name, async ({ id, data, attempt }) => void seen.push([id, data, attempt]))
      for (const [id, data] of jobs.slice(20)) await queue.add({ name, id, data })
      await until('40 runs', () => seen.length >= 40)
      await quiet()
      const expected = jobs.map(([id, data]) => [id, data, 1])
      assert.deepEqual(new Set(seen.map(String)).size, 40)
      assert.deepEqual(seen.toSorted(byId), expected.toSorted(byId))
    },
  },
  {
    name: 'tells how long the oldest job that may run has waited, and which workers are stuck',
    async run(queue, { name }) {
      const gate = createGate()
      let begun = 0
      queue.work(
        name,
        async () => {
          begun += 1
          await gate.opened
        },
        { concurrency: 1 },
      )
      await queue.add({ name, id: 'running', data: null })
      await until('the first job runs', () => begun === 1)
      await queue.add({ name, id: 'later', data: null, delayMs: 60_000 })
      assert.deepEqual(await queue.look?.(), { lagMs: 0, stuck: [] })
      const before = Date.now()
      await queue.add({ name, id: 'waiting', data: null })
      await quiet()
      const { lagMs = 0 } = (await queue.look?.()) ?? {}
      assert.ok(lagMs > 0 && lagMs <= Date.now() - before + 1_000, `lag of ${lagMs} ms`)
      gate.open()
      await until('the second job runs', () => begun === 2)
    },
  },
  {
    name: 'runs by priority and then by age',
    async run(queue, { name }) {
      const added = [
        ['a', 5],
        ['b', 10],
        ['c', 1],
        ['d', undefined],
        ['e', 1],
        ['f', 9],
      ] as const
      for (const [id, priority] of added) {
        await queue.add({ name, id, data: null, ...(priority && { priority }) })
      }
      const order: string[] = []
      queue.work(name, async ({ id }) => void order.push(id), { concurrency: 1 })
      await until('6 runs', () => order.length === 6)
      assert.deepEqual(order, ['c', 'e', 'a', 'd', 'f', 'b'])
    },
  },
  {
    name: 'runs a delayed job when its time has come and not before',
    async run(queue, { name }) {
      const order: [string, number][] = []
      queue.work(name, async ({ id }) => void order.push([id, performance.now()]))
      const start = performance.now()
      await queue.add({ name, id: 'later', data: null, delayMs: 900 })
      await queue.add({ name, id: 'sooner', data: null, delayMs: 300 })
      await queue.add({ name, id: 'now', data: null })
      await until('3 runs', () => order.length === 3)
      assert.deepEqual(
        order.map(([id]) => id),
        ['now', 'sooner', 'later'],
      )
      // Servers count in whole milliseconds of their own.
      assert.ok((order[1]?.[1] ?? 0) - start >= 295, 'sooner ran too soon')
      assert.ok((order[2]?.[1] ?? 0) - start >= 895, 'later ran too soon')
    },
  },
  {
    name: 'holds a job back whose delay is longer than a timer can count',
    async run(queue, { name }) {
      let runs = 0
      queue.work(name, async () => void runs++)
      await queue.add({ name, id: 'far', data: null, delayMs: 2 ** 31 + 1000 })
      await quiet()
      assert.equal(runs, 0)
      assert.equal(await queue.remove(name, 'far'), true)
    },
  },
  {
    name: 'ignores a job that waits already, and keeps the first one',
    async run(queue, { name, open }) {
      await queue.add({ name, id: 'same', data: 'first' })
      await queue.add({ name, id: 'same', data: 'second', priority: 1, delayMs: 50 })
      const other = await open()
      await other.add({ name, id: 'same', data: 'third' })
      const seen: Json[] = []
      queue.work(name, async ({ data }) => void seen.push(data))
      await until('a run', () => seen.length > 0)
      await quiet()
      assert.deepEqual(seen, ['first'])
    },
  },
  {
    name: 'ignores a job that runs already, and takes it again when it is over',
    async run(queue, { name }) {
      const seen: Json[] = []
      const gate = createGate()
      queue.work(name, async ({ data }) => {
        seen.push(data)
        if (data === 'first') await gate.opened
      })
      await queue.add({ name, id: 'same', data: 'first' })
      await until('the run', () => seen.length === 1)
      await queue.add({ name, id: 'same', data: 'while it runs' })
      gate.open()
      await quiet()
      assert.deepEqual(seen, ['first'])
      await queue.add({ name, id: 'same', data: 'afterwards' })
      await until('the second run', () => seen.length === 2)
      assert.deepEqual(seen, ['first', 'afterwards'])
    },
  },
  {
    name: 'never runs more jobs at a time than it was told',
    async run(queue, { name }) {
      const gate = createGate()
      let inside = 0
      let most = 0
      let done = 0
      queue.work(
        name,
        async () => {
          most = Math.max(most, ++inside)
          await gate.opened
          inside--
          done++
        },
        { concurrency: 3 },
      )
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => queue.add({ name, id: `${index}`, data: null })),
      )
      await until('3 runs', () => inside === 3)
      await quiet()
      gate.open()
      await until('30 runs', () => done === 30)
      assert.equal(most, 3)
    },
  },
  {
    name: 'takes any text as an id and tells the texts apart',
    async run(queue, { name }) {
      const seen: string[] = []
      for (const id of HOSTILE_IDS) await queue.add({ name, id, data: id })
      queue.work(name, async ({ id, data }) => {
        assert.equal(data, id)
        seen.push(id)
      })
      await until('every id', () => seen.length >= HOSTILE_IDS.length)
      assert.deepEqual(seen.toSorted(), HOSTILE_IDS.toSorted())
    },
  },
  {
    name: 'carries big and odd data unchanged, and refuses what is too big',
    async run(queue, { name }) {
      const values: Json[] = [
        '€'.repeat(250_000),
        'a \u0000 b \ud800',
        { __proto: [null, 1e300] },
        [],
      ]
      const seen: Json[] = []
      for (const data of values) await queue.add({ name, id: `${values.indexOf(data)}`, data })
      queue.work(name, async ({ id, data }) => {
        seen[Number(id)] = data
      })
      await until('every value', () => Object.keys(seen).length === values.length)
      assert.deepEqual(seen, values)
      await refuses(queue.add({ name, id: 'big', data: 'x'.repeat(800_000) }), 'data')
    },
  },
  {
    name: 'refuses a job that is not well formed and names the field',
    async run(queue, { name }) {
      await refuses(queue.add({ name: 'a:b', id: 'x', data: null }), 'name')
      await refuses(queue.add({ name, id: '', data: null }), 'id')
      await refuses(queue.add({ name, id: 'x', data: null, priority: 0 }), 'priority')
      await refuses(queue.add({ name, id: 'x', data: null, priority: 1.5 }), 'priority')
      await refuses(queue.add({ name, id: 'x', data: null, delayMs: -1 }), 'delayMs')
      await refuses(queue.add({ name, id: 'x', data: null, delayMs: Number.NaN }), 'delayMs')
      assert.equal(await queue.remove(name, 'x'), false)
    },
  },
]

async function refuses(adding: Promise<void>, field: string): Promise<void> {
  await assert.rejects(adding, (error: Error & { code?: string }) => {
    assert.equal(error.code, 'INVALID_ARGUMENTS')
    assert.ok(error.message.includes(`"${field}"`), error.message)
    return true
  })
}

function byId(left: readonly unknown[], right: readonly unknown[]): number {
  return toText(left[0]).localeCompare(toText(right[0]))
}
