import { describe, expect, it, vi } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { defineFunction } from '../../core/function.ts'
import { createService } from '../../system/create-service.ts'
import {
  createPriorityQueue,
  type PriorityExtensionOptions,
  priorityExtension,
} from './priority.ts'

const URN = 'urn:forrst:ext:priority'

function setUp(options: PriorityExtensionOptions = {}) {
  const clock = createTestClock()
  const started: string[] = []
  const finishers: (() => void)[] = []
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'reports.run',
        version: '1.0.0',
        handler: ({ call: { id } }) =>
          new Promise((resolve) => {
            started.push(id)
            finishers.push(() => resolve({ id }))
          }),
      }),
    ],
    extensions: [priorityExtension(options)],
    clock,
    log: createTestLog(),
  })
  const ask = (id: string, level?: unknown, signal?: AbortSignal) =>
    call(
      service,
      {
        function: 'reports.run',
        id,
        ...(level !== undefined && { extensions: [{ urn: URN, options: { level } }] }),
      },
      signal ? { signal } : {},
    )
  const finishNext = async () => {
    const before = started.length
    finishers.shift()?.()
    await new Promise((resolve) => setTimeout(resolve, 0))
    return started.slice(before)
  }
  return { service, clock, ask, started, finishNext }
}

describe('priority extension', () => {
  it('[F-222] honours every wish where nothing limits how many run', async () => {
    const { ask, finishNext, started } = setUp()
    const pending = ask('a', 'bulk')
    await vi.waitFor(() => expect(started).toEqual(['a']))
    await finishNext()
    expect(dataOf(await pending, URN)).toEqual({ honored: true, effective_level: 'bulk' })
  })

  it('[F-222] runs waiting calls by urgency, and tells place and waiting time', async () => {
    const { ask, clock, finishNext, started } = setUp({ concurrency: 1 })
    const first = ask('first', 'low')
    const rest = [
      ask('bulk', 'bulk'),
      ask('plain'),
      ask('high', 'high'),
      ask('critical', 'critical'),
      ask('low', 'low'),
    ]
    expect(started).toEqual(['first'])
    clock.advance(250)
    for (const expected of ['critical', 'high', 'plain', 'low', 'bulk']) {
      expect(await finishNext()).toEqual([expected])
    }
    await finishNext()
    expect(dataOf(await first, URN)).toEqual({ honored: true, effective_level: 'low' })
    const [bulk, plain, high] = await Promise.all(rest)
    expect(dataOf(bulk!, URN)).toEqual({
      honored: true,
      effective_level: 'bulk',
      queue_position: 1,
      wait_time: { value: 250, unit: 'millisecond' },
    })
    expect(plain?.body.extensions).toBeUndefined()
    expect(dataOf(high!, URN)).toMatchObject({ queue_position: 1 })
  })

  it('[F-222] tells when a wish was not granted', async () => {
    const { ask, finishNext, started } = setUp({ grant: () => 'normal' })
    const pending = ask('a', 'critical')
    await vi.waitFor(() => expect(started).toEqual(['a']))
    await finishNext()
    expect(dataOf(await pending, URN)).toEqual({ honored: false, effective_level: 'normal' })
  })

  it('lets a caller who leaves out of the queue', async () => {
    const { ask, finishNext } = setUp({ concurrency: 1 })
    const first = ask('first')
    const caller = new AbortController()
    const leaving = ask('leaving', 'critical', caller.signal)
    const staying = ask('staying', 'bulk')
    caller.abort()
    expect((await leaving).body.errors?.[0].code).toBe('CANCELLED')
    expect(await finishNext()).toEqual(['staying'])
    await finishNext()
    expect([(await first).status, (await staying).status]).toEqual([200, 200])
  })

  it('refuses calls beyond those that may wait', async () => {
    const { ask, finishNext } = setUp({ concurrency: 1, maxWaiting: 1 })
    const running = [ask('a'), ask('b')]
    const refused = await ask('c')
    expect(refused.status).toBe(503)
    expect(refused.body.errors?.[0].code).toBe('UNAVAILABLE')
    expect(refused.headers['retry-after']).toBe('1')
    await finishNext()
    await finishNext()
    await Promise.all(running)
  })

  it('leaves the functions of the protocol out of the queue', async () => {
    const { ask, service, finishNext } = setUp({ concurrency: 1 })
    const running = ask('a')
    const ping = await call(service, { function: 'urn:cline:forrst:fn:ping' })
    expect(ping.status).toBe(200)
    await finishNext()
    await running
  })

  it('does not queue a call whose caller has left already', async () => {
    const queue = createPriorityQueue(1, 1_000)
    const slot = await queue.enter('normal', () => new AbortController().signal)
    const left = AbortSignal.abort(new Error('gone'))
    await expect(queue.enter('normal', () => left)).rejects.toThrow('gone')
    slot?.release()
    expect(await queue.enter('normal', () => left)).toMatchObject({ position: 0 })
  })

  it('lets the least urgent call run in the end, however many urgent ones come', async () => {
    const queue = createPriorityQueue(1, 1_000)
    const never = new AbortController()
    const enter = (level: 'critical' | 'bulk') =>
      Promise.resolve(queue.enter(level, () => never.signal))
    let slot = await enter('critical')
    let bulkRan = false
    void enter('bulk').then((granted) => {
      bulkRan = true
      granted?.release()
    })
    for (let at = 0; at < 30 && !bulkRan; at++) {
      const following = enter('critical')
      slot?.release()
      slot = await following
    }
    expect(bulkRan).toBe(true)
  })

  it.each([[undefined], ['urgent'], [7]])(
    'answers INVALID_ARGUMENTS to the level %j',
    async (level) => {
      const { service } = setUp()
      const response = await call(service, {
        function: 'reports.run',
        extensions: [{ urn: URN, options: { level } }],
      })
      expect(response.body.errors?.[0]).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        source: { pointer: '/extensions/0/options/level' },
      })
    },
  )

  it('refuses a wrong configuration at start', () => {
    expect(() => priorityExtension({ concurrency: 0 })).toThrow(/priority: concurrency/)
    expect(() => priorityExtension({ maxWaiting: -1 })).toThrow(/priority: maxWaiting/)
  })
})
