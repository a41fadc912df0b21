import { describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { fc, hostileJson } from '../../../test/support/property.ts'
import { createReply } from '../../core/call.ts'
import { dispatch } from '../../core/dispatch.ts'
import { defineFunction, type Invocation } from '../../core/function.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { type DeadlineExtensionOptions, deadlineExtension } from './deadline.ts'

const URN = 'urn:forrst:ext:deadline'

function setUp(
  handler: (invocation: Invocation) => unknown,
  options: DeadlineExtensionOptions = {},
) {
  const clock = createTestClock()
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'reports.generate',
        version: '1.0.0',
        handler: handler as (invocation: Invocation) => Record<string, unknown>,
      }),
    ],
    extensions: [deadlineExtension(options)],
    clock,
    log: createTestLog(),
  })
  const ask = (deadline?: Record<string, unknown>) =>
    call(service, {
      function: 'reports.generate',
      ...(deadline && { extensions: [{ urn: URN, options: deadline }] }),
    })
  return { clock, service, ask }
}

describe('deadline extension', () => {
  it('never lets a call outlive the one it is made for', async () => {
    const { clock, service } = setUp(() => {
      clock.advance(2_000)
      return { ready: true }
    })
    const made = (deadline: number) =>
      dispatch(service, {
        id: 'req_1',
        function: 'reports.generate',
        version: undefined,
        arguments: {},
        context: {},
        extensions: [{ urn: URN, options: { value: 1, unit: 'minute' }, pointer: '' }],
        principal: undefined,
        signal: () => new AbortController().signal,
        facts: { deadline },
        startedAt: clock.elapsed(),
        reply: createReply(),
      })
    expect(await made(clock.now() + 3_000)).toMatchObject({ ok: true })
    expect(await made(clock.now() + 1_000)).toMatchObject({
      ok: false,
      errors: [{ code: 'DEADLINE_EXCEEDED' }],
    })
  })

  it('[F-205] tells how much of the deadline a call used', async () => {
    const { clock, ask } = setUp(() => {
      clock.advance(127)
      return { ready: true }
    })
    const response = await ask({ value: 30, unit: 'second' })
    expect(response.status).toBe(200)
    expect(response.body.result).toEqual({ ready: true })
    expect(dataOf(response, URN)).toEqual({
      specified: { value: 30, unit: 'second' },
      elapsed: { value: 127, unit: 'millisecond' },
      remaining: { value: 29_873, unit: 'millisecond' },
      utilization: 0.004,
    })
  })

  it('[F-205] tells it on failures too', async () => {
    const { clock, ask } = setUp(() => {
      clock.advance(500)
      throw new CallError('NOT_FOUND')
    })
    const response = await ask({ value: 1, unit: 'second' })
    expect(response.body.errors?.[0].code).toBe('NOT_FOUND')
    expect(dataOf(response, URN)).toMatchObject({ utilization: 0.5 })
  })

  it('[F-204] aborts the signal and answers DEADLINE_EXCEEDED when the time is up', async () => {
    let reason: unknown
    const { ask } = setUp(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(signal.reason)
          })
        }),
    )
    const response = await ask({ value: 5, unit: 'millisecond' })
    expect(response.status).toBe(408)
    expect(response.body.result).toBeNull()
    expect(response.body.errors).toEqual([
      {
        code: 'DEADLINE_EXCEEDED',
        message: 'Deadline exceeded',
        details: {
          deadline: { value: 5, unit: 'millisecond' },
          elapsed: { value: expect.any(Number), unit: 'millisecond' },
        },
      },
    ])
    expect(reason).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    expect(dataOf(response, URN)).toMatchObject({ remaining: { value: expect.any(Number) } })
  })

  it('[F-204] shows an aborted signal to a handler that looks only afterwards', async () => {
    let look: (() => AbortSignal) | undefined
    const { ask } = setUp((invocation) => {
      look = () => invocation.signal
      return new Promise(() => {})
    })
    await ask({ value: 5, unit: 'millisecond' })
    expect(look?.().reason).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it('[F-204] aborts when the caller leaves before the deadline', async () => {
    const caller = new AbortController()
    const { service } = setUp(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
          caller.abort()
        }),
    )
    const response = await call(
      service,
      {
        function: 'reports.generate',
        extensions: [{ urn: URN, options: { value: 1, unit: 'hour' } }],
      },
      { signal: caller.signal },
    )
    expect(response.body.errors?.[0].code).toBe('CANCELLED')
  })

  it('[F-204] does not wait for a handler that ignores its signal', async () => {
    const { ask } = setUp(() => new Promise(() => {}))
    const response = await ask({ value: 5, unit: 'millisecond' })
    expect(response.body.errors?.[0].code).toBe('DEADLINE_EXCEEDED')
  })

  it('[F-204] never delivers a result that came after the deadline', async () => {
    const { clock, ask } = setUp(() => {
      clock.advance(1001)
      return { late: true }
    })
    const response = await ask({ value: 1, unit: 'second' })
    expect(response.body.result).toBeNull()
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: {
        deadline: { value: 1, unit: 'second' },
        elapsed: { value: 1001, unit: 'millisecond' },
      },
    })
    expect(dataOf(response, URN)).toMatchObject({
      remaining: { value: 0, unit: 'millisecond' },
      utilization: 1,
    })
  })

  it('leaves no timer behind when the handler was in time', async () => {
    const { ask } = setUp(async () => ({ ready: true }))
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    const response = await ask({ value: 1, unit: 'hour' })
    expect(response.status).toBe(200)
    expect(timers()).toBe(before)
  })

  it('[F-206] takes a moment in time with the unit iso8601', async () => {
    const { clock, ask } = setUp(() => {
      clock.advance(15_000)
      return {}
    })
    const response = await ask({ value: '2024-01-15T11:31:00+01:00', unit: 'iso8601' })
    expect(dataOf(response, URN)).toEqual({
      specified: { value: '2024-01-15T11:31:00+01:00', unit: 'iso8601' },
      elapsed: { value: 15_000, unit: 'millisecond' },
      remaining: { value: 45_000, unit: 'millisecond' },
      utilization: 0.25,
    })
  })

  it('[F-206] does not run the function when the moment has passed', async () => {
    let ran = false
    const { ask } = setUp(() => {
      ran = true
      return {}
    })
    const response = await ask({ value: '2024-01-15T10:29:59Z', unit: 'iso8601' })
    expect(response.body.errors?.[0].code).toBe('DEADLINE_EXCEEDED')
    expect(ran).toBe(false)
  })

  it.each([
    [{ deadline: '2024-01-15T10:30:10Z' }, { value: '2024-01-15T10:30:10Z', unit: 'iso8601' }],
    [{ timeout: { value: 10, unit: 'second' } }, { value: 10, unit: 'second' }],
  ])('understands the older spelling %j', async (options, specified) => {
    const { ask } = setUp(() => ({}))
    expect(dataOf(await ask(options), URN)).toMatchObject({
      specified,
      remaining: { value: 10_000, unit: 'millisecond' },
    })
  })

  it('[F-207] gives handlers the moment from which calls they make derive their shorter deadline', async () => {
    const seen: (number | undefined)[] = []
    const { clock, ask } = setUp(({ call: { facts } }) => {
      seen.push(facts.deadline)
      return {}
    })
    await ask({ value: 5, unit: 'second' })
    await ask()
    expect(seen).toEqual([clock.now() + 5000, undefined])
  })

  it('cuts deadlines to one hour, or to the configured maximum', async () => {
    const long = setUp(() => ({}))
    expect(dataOf(await long.ask({ value: 5, unit: 'hour' }), URN)).toMatchObject({
      specified: { value: 5, unit: 'hour' },
      remaining: { value: 3_600_000, unit: 'millisecond' },
    })
    const short = setUp(() => ({}), { max: { value: 2, unit: 'second' } })
    expect(dataOf(await short.ask({ value: 5, unit: 'hour' }), URN)).toMatchObject({
      remaining: { value: 2000, unit: 'millisecond' },
    })
  })

  it('keeps a default deadline for calls that bring none, without an answer nobody asked for', async () => {
    const { clock, ask } = setUp(
      () => {
        clock.advance(3000)
        return {}
      },
      { default: { value: 2, unit: 'second' } },
    )
    const response = await ask()
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { deadline: { value: 2, unit: 'second' } },
    })
    expect(response.body.extensions).toBeUndefined()
    expect((await ask({ value: 4, unit: 'second' })).status).toBe(200)
  })

  it('takes the default deadline from the limits of the service', async () => {
    const clock = createTestClock()
    const service = createService({
      info: { title: 'Reports', version: '1.0.0' },
      functions: [
        defineFunction({
          name: 'reports.generate',
          version: '1.0.0',
          handler() {
            clock.advance(3000)
            return {}
          },
        }),
      ],
      limits: { defaultDeadline: { value: 2, unit: 'second' } },
      clock,
      log: createTestLog(),
    })
    const response = await call(service, { function: 'reports.generate' })
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { deadline: { value: 2, unit: 'second' } },
    })
    const ping = await call(service, { function: 'urn:cline:forrst:fn:ping' })
    expect(ping.status).toBe(200)
  })

  it.each([
    [{}, '/extensions/0/options/value'],
    [{ unit: 'second' }, '/extensions/0/options/value'],
    [{ value: '5', unit: 'second' }, '/extensions/0/options/value'],
    [{ value: -1, unit: 'second' }, '/extensions/0/options/value'],
    [{ value: 5 }, '/extensions/0/options/unit'],
    [{ value: 5, unit: 'fortnight' }, '/extensions/0/options/unit'],
    [{ value: 5, unit: 'constructor' }, '/extensions/0/options/unit'],
    [{ value: 5, unit: 'iso8601' }, '/extensions/0/options/value'],
    [{ value: 'tomorrow', unit: 'iso8601' }, '/extensions/0/options/value'],
    [{ value: '2024-13-45T99:00:00Z', unit: 'iso8601' }, '/extensions/0/options/value'],
    [{ deadline: 12 }, '/extensions/0/options/deadline'],
    [{ timeout: { value: 1 } }, '/extensions/0/options/timeout/unit'],
  ])('refuses the options %j', async (options, pointer) => {
    const { ask } = setUp(() => ({}))
    const response = await ask(options)
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer },
      message: expect.stringContaining('must be'),
    })
  })

  it('answers every value and unit with a result or an error of the protocol', async () => {
    const { ask } = setUp(() => ({ ready: true }))
    await fc.assert(
      fc.asyncProperty(hostileJson(), hostileJson(), async (value, unit) => {
        const { status } = await ask({ value, unit } as Record<string, unknown>)
        expect([200, 400, 408]).toContain(status)
      }),
    )
  })

  it('refuses limits that no timer can keep', () => {
    expect(() => deadlineExtension({ max: { value: 60, unit: 'day' } })).toThrow(/deadline: max/)
    expect(() => deadlineExtension({ default: { value: 0, unit: 'day' } })).toThrow(/default/)
  })
})
