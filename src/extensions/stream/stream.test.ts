import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { call, dataOf } from '../../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { collectEvents, openStream, STREAM } from '../../../test/support/stream.ts'
import { defineFunction } from '../../core/function.ts'

const count = defineFunction({
  name: 'numbers.count',
  version: '1.0.0',
  input: z.object({ to: z.int().min(0), failAt: z.int().optional() }),
  output: z.object({ sum: z.number() }),
  item: z.object({ n: z.number() }),
  errors: [{ code: 'NUMBERS_UNLUCKY', message: 'Unlucky', status: 422 }],
  async *handler({ input, fail, progress }) {
    let sum = 0
    for (let n = 1; n <= input.to; n += 1) {
      if (n === input.failAt) throw fail('NUMBERS_UNLUCKY', { details: { n } })
      sum += n
      yield { n }
      progress(n / input.to, `${n} of ${input.to}`)
    }
    return { sum }
  },
})
const list = defineFunction({
  name: 'numbers.list',
  version: '1.0.0',
  input: z.object({ to: z.int() }),
  item: z.number(),
  async *handler({ input }) {
    for (let n = 1; n <= input.to; n += 1) yield n
  },
})
const plain = defineFunction({ name: 'numbers.zero', version: '1.0.0', handler: () => 0 })
const service = serviceOf([count, list, plain])

describe('the stream extension', () => {
  it('[F-234] sends data, progress, done and complete as events, connected first', async () => {
    const response = await openStream(service, 'numbers.count', { input: { to: 2 } })
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringContaining('no-cache'),
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      'x-forrst-request-id': 'req_1',
    })
    const progress = (n: number) =>
      ['progress', { current: n * 50, total: 100, percent: n * 50, message: `${n} of 2` }] as const
    expect(await collectEvents(response)).toEqual([
      ['data', { status: 'connected' }],
      ['data', { n: 1 }],
      progress(1),
      ['data', { n: 2 }],
      progress(2),
      ['done', { sum: 3 }],
      [
        'complete',
        {
          protocol: { name: 'forrst', version: '0.1.0' },
          id: 'req_1',
          result: { streamed: true },
          extensions: [{ urn: STREAM.urn, data: { completed: true } }],
        },
      ],
    ])
  })

  it('ends with an error where an item is larger than an answer may be', async () => {
    const texts = defineFunction({
      name: 'texts.list',
      version: '1.0.0',
      item: z.string(),
      async *handler() {
        yield 'short'
        yield 'x'.repeat(2_000)
      },
    })
    const small = serviceOf([texts], { limits: { maxResponseBytes: 1_000 } })
    const events = await collectEvents(await openStream(small, 'texts.list'))
    expect(events.map(([name]) => name)).toEqual(['data', 'data', 'error', 'complete'])
    expect(events[2]?.[1]).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('larger than 1000 bytes'),
    })
  })

  it('[F-234] sends an error event and a complete event with the errors when the function fails', async () => {
    const response = await openStream(service, 'numbers.count', { input: { to: 3, failAt: 2 } })
    const events = await collectEvents(response)
    expect(events.slice(-2)).toEqual([
      ['error', { code: 'NUMBERS_UNLUCKY', message: 'Unlucky', details: { n: 2 } }],
      [
        'complete',
        expect.objectContaining({
          result: null,
          errors: [{ code: 'NUMBERS_UNLUCKY', message: 'Unlucky', details: { n: 2 } }],
          extensions: [{ urn: STREAM.urn, data: { completed: false } }],
        }),
      ],
    ])
  })

  it('[F-235] refuses a function that does not stream, as ordinary JSON', async () => {
    const answer = await call(service, { function: 'numbers.zero', extensions: [STREAM] })
    expect(answer.status).toBe(400)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.body.errors).toEqual([
      {
        code: 'EXTENSION_NOT_APPLICABLE',
        message: 'numbers.zero does not stream',
        source: { pointer: '/extensions/0' },
        details: { extension: STREAM.urn, function: 'numbers.zero' },
      },
    ])
  })

  it('answers what fails before the first item as ordinary JSON with its status', async () => {
    const early = {
      function: 'numbers.count',
      arguments: { to: 1, failAt: 1 },
      extensions: [STREAM],
    }
    expect(await call(service, early)).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'NUMBERS_UNLUCKY' }] },
    })
    const invalid = { function: 'numbers.count', arguments: { to: -1 }, extensions: [STREAM] }
    expect((await call(service, invalid)).status).toBe(400)
    const guarded = serviceOf([count], {
      authenticate: () => Promise.reject(new TypeError('no')),
    })
    expect((await call(guarded, { ...early })).status).toBe(500)
  })

  it('streams a function that yields nothing', async () => {
    const events = await collectEvents(
      await openStream(service, 'numbers.count', { input: { to: 0 } }),
    )
    expect(events.map(([name]) => name)).toEqual(['data', 'done', 'complete'])
  })

  it('says null at the end of a function that returns nothing: its items were the result', async () => {
    const events = await collectEvents(
      await openStream(service, 'numbers.list', { input: { to: 2 } }),
    )
    expect(events.at(-2)).toEqual(['done', null])
  })

  it('requires accept to be a boolean, and answers in one piece when it is false', async () => {
    const extension = (options: object) => [{ urn: STREAM.urn, options }]
    const wrong = await call(service, { function: 'numbers.list', extensions: extension({}) })
    expect(wrong.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: '/extensions/0/options/accept' },
    })
    const whole = await call(service, {
      function: 'numbers.count',
      arguments: { to: 3 },
      extensions: extension({ accept: false }),
    })
    expect(whole.body.result).toEqual({ sum: 6 })
    expect(dataOf(whole, STREAM.urn)).toEqual({ enabled: false })
  })

  it('opens a stream for a function that has nothing to say for a while, and keeps it alive', async () => {
    vi.useFakeTimers()
    try {
      const slow = defineFunction({
        name: 'slow.one',
        version: '1.0.0',
        item: z.number(),
        async *handler() {
          await new Promise((resolve) => setTimeout(resolve, 40_000))
          yield 1
        },
      })
      const opening = openStream(serviceOf([slow]), 'slow.one')
      await vi.advanceTimersByTimeAsync(1_100)
      const { body } = await opening
      const chunks: string[] = []
      const reading = (async () => {
        for await (const chunk of body as AsyncIterable<string>) chunks.push(chunk)
      })()
      await vi.advanceTimersByTimeAsync(32_000)
      expect(chunks).toEqual([expect.stringContaining('connected'), ':\n\n', ':\n\n'])
      await vi.advanceTimersByTimeAsync(10_000)
      await reading
      expect(chunks.join('')).toContain('event: complete')
    } finally {
      vi.useRealTimers()
    }
  })

  it('shows itself in capabilities, and in discovery which functions stream', async () => {
    const capabilities = await call(service, { function: 'urn:cline:forrst:fn:capabilities' })
    const { extensions } = capabilities.body.result as { extensions: { urn: string }[] }
    expect(extensions.find(({ urn }) => urn === STREAM.urn)).toMatchObject({
      content_type: 'text/event-stream',
      events: ['data', 'progress', 'error', 'done', 'complete'],
    })
    const described = await call(service, {
      function: 'urn:cline:forrst:ext:discovery:fn:describe',
      arguments: { function: 'numbers.list' },
    })
    expect(described.body).toMatchObject({
      extensions: [{ urn: STREAM.urn, item: { type: 'number' } }],
    })
  })

  it('is unknown to a service that leaves it out', async () => {
    const without = serviceOf([list], { defaults: { stream: false } })
    const answer = await call(without, { function: 'numbers.list', extensions: [STREAM] })
    expect(answer.body.errors?.[0]?.code).toBe('EXTENSION_NOT_SUPPORTED')
    const described = await call(without, {
      function: 'urn:cline:forrst:ext:discovery:fn:describe',
      arguments: { function: 'numbers.list' },
    })
    expect(described.body).not.toHaveProperty('extensions')
  })
})

describe('a function that streams, called without a stream', () => {
  it('answers what it returns, or else the list of its items', async () => {
    const counted = await call(service, { function: 'numbers.count', arguments: { to: 4 } })
    expect(counted.body.result).toEqual({ sum: 10 })
    const listed = await call(service, { function: 'numbers.list', arguments: { to: 3 } })
    expect(listed.body.result).toEqual([1, 2, 3])
  })

  it('refuses to gather more than 10,000 items, unless they lead to a result', async () => {
    const listed = await call(service, { function: 'numbers.list', arguments: { to: 10_001 } })
    expect(listed.body.errors?.[0]?.message).toContain('more than 10000 items')
    const counted = await call(service, { function: 'numbers.count', arguments: { to: 10_001 } })
    expect(counted.body.result).toEqual({ sum: 50_015_001 })
  })

  it('leaves nothing behind at the signal of the caller', async () => {
    const two = defineFunction({
      name: 'numbers.two',
      version: '1.0.0',
      item: z.number(),
      async *handler() {
        yield 1
        yield 2
      },
    })
    const { signal } = new AbortController()
    const service = serviceOf([two], { defaults: false })
    const answer = await call(service, { function: 'numbers.two' }, { signal })
    expect(answer.body.result).toEqual([1, 2])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('does not keep the process from its other work while it never waits', async () => {
    let left = false
    const endless = defineFunction({
      name: 'numbers.all',
      version: '1.0.0',
      output: z.null(),
      item: z.number(),
      async *handler() {
        try {
          for (let n = 0; ; n += 1) yield n
        } finally {
          left = true
        }
      },
    })
    const answer = await call(serviceOf([endless]), {
      function: 'numbers.all',
      extensions: [{ urn: 'urn:forrst:ext:deadline', options: { value: 50, unit: 'millisecond' } }],
    })
    expect(answer.body.errors?.[0]?.code).toBe('DEADLINE_EXCEEDED')
    await expect.poll(() => left).toBe(true)
  })
})

describe('items', () => {
  it('are checked against their schema when results are', async () => {
    const log = createTestLogger()
    const wrong = defineFunction({
      name: 'numbers.wrong',
      version: '1.0.0',
      item: z.number(),
      async *handler() {
        yield 1
        yield 'two' as unknown as number
      },
    })
    const events = await collectEvents(
      await openStream(serviceOf([wrong], { log }), 'numbers.wrong'),
    )
    expect(events.slice(1, 3)).toEqual([
      ['data', 1],
      ['error', expect.objectContaining({ code: 'INTERNAL_ERROR' })],
    ])
    expect(String((log.lines.at(-1)?.facts as { error: unknown }).error)).toContain(
      'yielded an item that its item schema refuses',
    )
  })

  it('that JSON cannot hold fail the call, and run the generator to its finally', async () => {
    let left = false
    const odd = defineFunction({
      name: 'numbers.odd',
      version: '1.0.0',
      item: z.unknown(),
      async *handler() {
        try {
          yield 1
          yield 1n
          yield 2
        } finally {
          left = true
        }
      },
    })
    const events = await collectEvents(await openStream(serviceOf([odd]), 'numbers.odd'))
    expect(events.map(([name]) => name)).toEqual(['data', 'data', 'error', 'complete'])
    expect(left).toBe(true)
  })

  it('must be described when a handler is a generator', () => {
    const silent = {
      name: 'numbers.silent',
      version: '1.0.0',
      async *handler() {
        yield 1
      },
    }
    expect(() => serviceOf([silent])).toThrow(
      'function numbers.silent: item must say what the generator in handler yields',
    )
  })
})
