import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRecordedSource, patience, waitUntil } from '../../../test/support/trigger-source.ts'
import type { QueueTrigger } from '../../sources/tool-spec/types.ts'
import type { Settled } from '../trigger.ts'
import { createQueueRunner, type Ending } from './runner.ts'

const TRIGGER: QueueTrigger = {
  type: 'queue',
  name: 'orders',
  description: 'Incoming orders.',
  queue_url: 'amqp://127.0.0.1/orders',
}

function play(trigger: QueueTrigger) {
  const working = new Map<string, (settled: Settled) => void>()
  let most = 0
  const { context } = createRecordedSource(trigger, {
    settle: ({ id }) =>
      new Promise((resolve) => {
        working.set(id, resolve)
        most = Math.max(most, working.size)
      }),
  })
  const runner = createQueueRunner(context, { holdMs: 60_000 })
  const endings = new Map<string, Ending>()
  return {
    runner,
    endings,
    working,
    most: () => most,
    take: (id: string) =>
      runner.run({ id, payload: null }, (ending) => void endings.set(id, ending)),
    finish(id: string, settled: Settled = { status: 'done', delivery: id, result: null }) {
      const resolve = working.get(id)
      working.delete(id)
      resolve?.(settled)
    },
  }
}

it('runs no more messages at the same time than `concurrency` says, those tried again among them', async () => {
  const scene = play({ ...TRIGGER, concurrency: 2 })
  for (const id of ['a', 'b', 'c', 'd']) scene.take(id)
  await sleep(20)
  expect([...scene.working.keys()]).toEqual(['a', 'b'])
  expect(scene.runner.running()).toBe(4)
  scene.finish('a', { status: 'retry', delivery: 'a', delayMs: 1 })
  await waitUntil(() => scene.working.has('c'), 'the next one runs')
  await sleep(30)
  expect([...scene.working.keys()]).toEqual(['b', 'c'])
  for (const id of ['b', 'c', 'd', 'a']) {
    await waitUntil(() => scene.working.has(id), `${id} runs`)
    scene.finish(id)
  }
  await waitUntil(() => scene.endings.size === 4, 'all have ended')
  expect(scene.most()).toBe(2)
})

it('hands back what has not begun when it is stopped', async () => {
  const scene = play({ ...TRIGGER, concurrency: 1 })
  for (const id of ['a', 'b', 'c']) scene.take(id)
  const stopped = scene.runner.stop(patience())
  expect([...scene.endings]).toEqual([
    ['b', 'returned'],
    ['c', 'returned'],
  ])
  await waitUntil(() => scene.working.has('a'), 'the first runs')
  scene.finish('a')
  await stopped
  expect(scene.endings.get('a')).toBe('done')
})

it('leaves how many run to the prefetch when the trigger does not say', async () => {
  const scene = play(TRIGGER)
  for (let count = 0; count < 30; count += 1) scene.take(`m${count}`)
  await waitUntil(() => scene.working.size === 30, 'all run')
  for (const id of [...scene.working.keys()]) scene.finish(id)
})

it('hands back a message that would have to wait longer than it may be held', async () => {
  const scene = play(TRIGGER)
  for (const id of ['soon', 'late']) scene.take(id)
  await waitUntil(() => scene.working.size === 2, 'both run')
  scene.finish('soon', { status: 'retry', delivery: 'soon', delayMs: 50_000 })
  scene.finish('late', { status: 'retry', delivery: 'late', delayMs: 60_001 })
  await waitUntil(() => scene.endings.has('late'), 'the late one is handed back')
  expect([...scene.endings]).toEqual([['late', 'returned']])
  expect(scene.runner.held()).toBe(1)
  await scene.runner.stop(patience())
  expect(scene.endings.get('soon')).toBe('returned')
})
