import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { collectEvents, openStream, STREAM } from '../../../test/support/stream.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'
import { statefulExtensions } from '../../system/stateful-extensions.ts'
import { readEvents } from '../../wire/sse.ts'

const ext = (name: string, options: object) => ({ urn: `urn:forrst:ext:${name}`, options })

function createGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

function setUp() {
  const gate = createGate()
  let runs = 0
  let left = 0
  const people = defineFunction({
    name: 'people.export',
    version: '1.0.0',
    item: z.object({ id: z.number(), email: z.string() }),
    simulations: [{ name: 'default', input: {}, output: ['simulated'] }],
    async *handler() {
      runs += 1
      try {
        yield { id: 1, email: 'ann@example.com' }
        await gate.opened
        yield { id: 2, email: 'bob@example.com' }
      } finally {
        left += 1
      }
    },
  })
  const store = createMemoryStore()
  const service = serviceOf([people], {
    extensions: statefulExtensions({ store }),
  })
  return { gate, service, runs: () => runs, left: () => left }
}

describe('a stream and its neighbours', () => {
  it('holds a lock until the stream ends', async () => {
    const { gate, service } = setUp()
    const lock = ext('atomic-lock', { key: 'export', ttl: { value: 1, unit: 'minute' } })
    const stream = await openStream(service, 'people.export', { extensions: [lock] })
    const second = () => call(service, { function: 'people.export', extensions: [lock] })
    expect((await second()).body.errors?.[0]?.code).toBe('LOCK_ACQUISITION_FAILED')
    gate.open()
    await collectEvents(stream)
    expect((await second()).status).toBe(200)
  })

  it('ends with an error event when its deadline passes', async () => {
    const { service, left } = setUp()
    const deadline = ext('deadline', { value: 80, unit: 'millisecond' })
    const stream = await openStream(service, 'people.export', { extensions: [deadline] })
    const events = await collectEvents(stream)
    expect(events.map(([name]) => name)).toEqual(['data', 'data', 'error', 'complete'])
    expect(events[2]?.[1]).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    // A generator that waits for something else hears of it when it yields again.
    expect(left()).toBe(0)
  })

  it('ends with an error event when it is cancelled', async () => {
    const { gate, service, left } = setUp()
    const stream = await openStream(service, 'people.export', {
      extensions: [ext('cancellation', { token: 'tok_1' })],
    })
    const reading = collectEvents(stream)
    await call(service, {
      function: 'urn:cline:forrst:ext:cancellation:fn:cancel',
      arguments: { token: 'tok_1' },
    })
    expect((await reading)[2]).toEqual(['error', expect.objectContaining({ code: 'CANCELLED' })])
    gate.open()
    await expect.poll(left).toBe(1)
  })

  it('hides in its items what redact hides in results', async () => {
    const { gate, service } = setUp()
    gate.open()
    const stream = await openStream(service, 'people.export', {
      extensions: [ext('redact', { mode: 'full' })],
    })
    const events = await collectEvents(stream)
    expect(events.slice(1, 3)).toEqual([
      ['data', { id: 1, email: '***' }],
      ['data', { id: 2, email: '***' }],
    ])
    expect(JSON.stringify(events)).not.toContain('example.com')
  })

  it('runs once under an idempotency key; a repeated call gets the items in one answer', async () => {
    const { gate, service, runs } = setUp()
    const key = ext('idempotency', { key: 'k1' })
    const stream = await openStream(service, 'people.export', { extensions: [key] })
    const during = await call(service, { function: 'people.export', extensions: [STREAM, key] })
    expect(during.body.errors?.[0]?.code).toBe('IDEMPOTENCY_PROCESSING')
    gate.open()
    await collectEvents(stream)
    const after = await call(service, { function: 'people.export', extensions: [STREAM, key] })
    expect(after.body.result).toMatchObject([{ id: 1 }, { id: 2 }])
    expect(runs()).toBe(1)
  })

  it.each(['caching', 'query'])('refuses to stream what %s would answer', async (name) => {
    const { service } = setUp()
    const answer = await call(service, {
      function: 'people.export',
      extensions: [ext(name, {}), STREAM],
    })
    expect(answer.body.errors).toMatchObject([
      {
        code: 'EXTENSION_NOT_APPLICABLE',
        message: `Extensions stream and ${name} cannot be combined`,
        source: { pointer: '/extensions/1' },
      },
    ])
  })

  it('does not stream what another extension answers: a simulation, a dry run', async () => {
    const { service, runs } = setUp()
    const simulated = await call(service, {
      function: 'people.export',
      extensions: [STREAM, ext('simulation', { enabled: true })],
    })
    expect(simulated.body.result).toEqual(['simulated'])
    const dry = await call(service, {
      function: 'people.export',
      extensions: [STREAM, ext('dry-run', { enabled: true })],
    })
    expect(dry.body.result).toBeNull()
    expect(runs()).toBe(0)
  })

  it('is answered by tracing with the time of the whole stream', async () => {
    const { gate, service } = setUp()
    const stream = await openStream(service, 'people.export', {
      extensions: [ext('tracing', { trace_id: 'tr_1', span_id: 'sp_1' })],
    })
    setTimeout(gate.open, 60)
    const complete = (await collectEvents(stream)).at(-1)?.[1] as {
      extensions: { urn: string; data: { duration: { value: number } } }[]
    }
    const tracing = complete.extensions.find(({ urn }) => urn === 'urn:forrst:ext:tracing')
    expect(tracing?.data.duration.value).toBeGreaterThanOrEqual(50)
  })

  it('ends when its caller leaves: the signal aborts, and a lock is free again', async () => {
    const { gate, service, left } = setUp()
    const lock = ext('atomic-lock', { key: 'export', ttl: { value: 1, unit: 'minute' } })
    const { body } = await openStream(service, 'people.export', { extensions: [lock] })
    for await (const { data } of readEvents(body as AsyncIterable<string>)) {
      if (data.includes('ann')) break
    }
    gate.open()
    await expect.poll(left).toBe(1)
    const next = () => call(service, { function: 'people.export', extensions: [lock] })
    await expect.poll(async () => (await next()).status).toBe(200)
  })
})
