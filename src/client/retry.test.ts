import { describe, expect, it } from 'vitest'
import { type CallOptions, CLIENT_CODES, createClient, type Transport } from '../entries/client.ts'
import { CallError } from '../errors/error.ts'
import type { JsonObject } from '../values/json.ts'

const protocol = { name: 'forrst', version: '0.1.0' }
const EPOCH = Date.parse('2026-01-01T00:00:00Z')

/** One scripted answer: members of the response document, headers, or an error of the transport. */
interface Step {
  readonly code?: string
  readonly details?: JsonObject
  readonly retry?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
  readonly thrown?: unknown
}

/** Creates a client whose service answers one step after the other, and then with success. */
function createScripted(steps: readonly Step[], random = 0) {
  const sent: { id: string; extensions?: { urn: string; options: JsonObject }[] }[] = []
  const waits: number[] = []
  let time = 0
  const transport: Transport = async ({ body }) => {
    const request = JSON.parse(body)
    sent.push(request)
    const step = steps[sent.length - 1]
    if (step?.thrown !== undefined) throw step.thrown
    return {
      status: 200,
      header: (name) => step?.headers?.[name],
      body: JSON.stringify({ protocol, id: request.id, ...toDocument(step) }),
    }
  }
  const client = createClient({
    transport,
    random: () => random,
    clock: { now: () => EPOCH + time, elapsed: () => time },
    sleep: async (milliseconds) => {
      waits.push(milliseconds)
      time += milliseconds
    },
  })
  const call = (options?: CallOptions) => client.call('orders.create', {}, options)
  return { client, call, sent, waits }
}

function toDocument(step: Step | undefined): object {
  if (step?.code === undefined) return { result: 'done' }
  const error = { code: step.code, message: step.code, details: step.details }
  const extensions = step.retry && [{ urn: 'urn:forrst:ext:retry', data: step.retry }]
  return { result: null, errors: [error], extensions }
}

const lost = new CallError('CLIENT_CONNECTION_LOST', {})
const second = { value: 1, unit: 'second' } as const

describe('a retry', () => {
  it('[F-253] is a new attempt with a new id', async () => {
    const { call, sent } = createScripted([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }])
    const outcome = await call()
    expect(outcome).toMatchObject({ ok: true, result: 'done', attempts: 3 })
    expect(new Set(sent.map(({ id }) => id)).size).toBe(3)
    expect(outcome.id).toBe(sent[2]?.id)
  })

  it('[F-256] keeps the idempotency key', async () => {
    const { call, sent } = createScripted([{ code: 'INTERNAL_ERROR' }, { thrown: lost }])
    expect(await call({ idempotencyKey: 'k1' })).toMatchObject({ ok: true, attempts: 3 })
    const entry = { urn: 'urn:forrst:ext:idempotency', options: { key: 'k1' } }
    expect(sent.map(({ extensions }) => extensions)).toEqual([[entry], [entry], [entry]])
  })

  it('waits twice as long each time, with jitter on top', async () => {
    const plain = createScripted([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }])
    await plain.call()
    expect(plain.waits).toEqual([250, 500])
    const jittered = createScripted([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }], 0.5)
    await jittered.call()
    expect(jittered.waits).toEqual([312.5, 625])
  })

  it('ends after three attempts, or as many as the policy says', async () => {
    const steps = Array.from({ length: 9 }, () => ({ code: 'UNAVAILABLE' }))
    expect(await createScripted(steps).call()).toMatchObject({ ok: false, attempts: 3 })
    expect(await createScripted(steps).call({ retry: { maxAttempts: 5 } })).toMatchObject({
      ok: false,
      attempts: 5,
      error: { code: 'UNAVAILABLE' },
    })
    expect(await createScripted(steps).call({ retry: false })).toMatchObject({ attempts: 1 })
  })

  it('ends as CANCELLED when the signal aborts during the wait', async () => {
    const controller = new AbortController()
    const client = createClient({
      transport: () => Promise.reject(new CallError('CLIENT_UNREACHABLE')),
      retry: { baseDelayMs: 10_000 },
    })
    const pending = client.call('orders.get', {}, { signal: controller.signal })
    setTimeout(() => controller.abort(), 10)
    expect(await pending).toMatchObject({ ok: false, attempts: 1, error: { code: 'CANCELLED' } })
  })

  it('does not begin when the deadline would pass during the wait', async () => {
    const { call, waits } = createScripted([{ code: 'UNAVAILABLE' }])
    const outcome = await call({ deadline: { value: 200, unit: 'millisecond' } })
    expect(outcome).toMatchObject({ ok: false, attempts: 1, error: { code: 'UNAVAILABLE' } })
    expect(waits).toEqual([])
  })

  it('tells the service what is left of the deadline', async () => {
    const { call, sent } = createScripted([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }])
    await call({ deadline: second })
    expect(sent.map(({ extensions }) => extensions?.[0])).toEqual([
      { urn: 'urn:forrst:ext:deadline', options: { value: 1000, unit: 'millisecond' } },
      { urn: 'urn:forrst:ext:deadline', options: { value: 750, unit: 'millisecond' } },
      { urn: 'urn:forrst:ext:deadline', options: { value: 250, unit: 'millisecond' } },
    ])
  })
})

describe('a hint of the service', () => {
  it.each<[string, Step, number[]]>([
    [
      'retry data',
      { code: 'UNAVAILABLE', retry: { allowed: true, strategy: 'fixed', after: second } },
      [1000],
    ],
    ['retry_after of the error', { code: 'UNAVAILABLE', details: { retry_after: second } }, [1000]],
    ['the header in seconds', { code: 'UNAVAILABLE', headers: { 'retry-after': '2' } }, [2000]],
    [
      'the header as a date',
      { code: 'UNAVAILABLE', headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' } },
      [3000],
    ],
    [
      'the longer of retry data and retry_after',
      {
        code: 'UNAVAILABLE',
        retry: { allowed: true, after: { value: 1, unit: 'millisecond' } },
        details: { retry_after: second },
      },
      [1000],
    ],
    [
      'an immediate strategy',
      { code: 'UNAVAILABLE', retry: { allowed: true, strategy: 'immediate' } },
      [0],
    ],
  ])('[F-256] decides how long to wait: %s', async (_, step, expected) => {
    const { call, waits } = createScripted([step])
    expect(await call()).toMatchObject({ ok: true, attempts: 2 })
    expect(waits).toEqual(expected)
  })

  it('[F-256] with an exponential strategy doubles from its own figure', async () => {
    const retry = { allowed: true, strategy: 'exponential', after: second, max_attempts: 5 }
    const { call, waits } = createScripted(
      Array.from({ length: 3 }, () => ({ code: 'UNAVAILABLE', retry })),
    )
    await call({ retry: { maxAttempts: 9 } })
    expect(waits).toEqual([1000, 2000, 4000])
  })

  it('[F-256] may forbid what the code would allow, and allow what it would not', async () => {
    const forbidden = createScripted([{ code: 'UNAVAILABLE', retry: { allowed: false } }])
    expect(await forbidden.call()).toMatchObject({ ok: false, attempts: 1 })
    const allowed = createScripted([{ code: 'ORDERS_BUSY', retry: { allowed: true } }])
    expect(await allowed.call({ readOnly: true })).toMatchObject({ ok: true, attempts: 2 })
  })

  it('[F-256] limits the number of retries', async () => {
    const retry = { allowed: true, max_attempts: 1 }
    const { call } = createScripted(
      Array.from({ length: 3 }, () => ({ code: 'UNAVAILABLE', retry })),
    )
    expect(await call()).toMatchObject({ ok: false, attempts: 2 })
  })

  it('that asks for more patience than the policy has ends the call instead of being cut short', async () => {
    const { call, waits } = createScripted([
      { code: 'SERVER_MAINTENANCE', details: { retry_after: { value: 1, unit: 'hour' } } },
    ])
    expect(await call()).toMatchObject({
      ok: false,
      attempts: 1,
      error: { code: 'SERVER_MAINTENANCE' },
    })
    expect(waits).toEqual([])
  })

  it.each<[string, JsonObject]>([
    ['a string for after', { allowed: true, after: 'soon' }],
    ['a negative duration', { allowed: true, after: { value: -1, unit: 'second' } }],
    ['no boolean for allowed', { allowed: 'yes', max_attempts: '1' }],
  ])('that is malformed is ignored: %s', async (_, retry) => {
    const { call, waits } = createScripted([{ code: 'UNAVAILABLE', retry }])
    expect(await call()).toMatchObject({ ok: true, attempts: 2 })
    expect(waits).toEqual([250])
  })
})

describe('RATE_LIMITED', () => {
  it.each<[string, Step, number]>([
    ['no hint', {}, 1000],
    ['retry_after', { details: { retry_after: { value: 50, unit: 'millisecond' } } }, 50],
    ['an immediate strategy', { retry: { allowed: true, strategy: 'immediate' } }, 1000],
    ['a wait of zero', { details: { retry_after: { value: 0, unit: 'second' } } }, 1000],
    ['Retry-After: 0', { headers: { 'retry-after': '0' } }, 1000],
  ])('[F-255] is never repeated without waiting: %s', async (_, step, wait) => {
    const { call, waits } = createScripted([{ code: 'RATE_LIMITED', ...step }])
    expect(await call({ retry: { baseDelayMs: 0 } })).toMatchObject({ ok: true, attempts: 2 })
    expect(waits).toEqual([wait])
  })

  it('[F-255] is not repeated at all when the wait is longer than the policy allows', async () => {
    const retry_after = { value: 60, unit: 'second' }
    const { call, sent } = createScripted([{ code: 'RATE_LIMITED', details: { retry_after } }])
    expect(await call()).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } })
    expect(sent).toHaveLength(1)
  })
})

describe('a call that may have run', () => {
  const doubtful: Step[] = [
    { code: 'INTERNAL_ERROR' },
    { code: 'DEPENDENCY_ERROR' },
    { code: 'DEADLINE_EXCEEDED' },
    { code: 'INTERNAL_ERROR', retry: { allowed: true, strategy: 'exponential', after: second } },
    { thrown: lost },
    { thrown: new CallError('CLIENT_TIMEOUT') },
    { thrown: new CallError('CLIENT_GATEWAY_ERROR') },
    { thrown: new TypeError('a transport of somebody else') },
  ]

  it.each(doubtful)('is not repeated when that could do it twice: $code $thrown', async (step) => {
    expect(await createScripted([step]).call()).toMatchObject({ ok: false, attempts: 1 })
  })

  it.each(doubtful)('is repeated when it changes nothing: $code $thrown', async (step) => {
    const outcome = await createScripted([step]).call({ readOnly: true })
    expect(outcome).toMatchObject({ ok: true, attempts: 2 })
  })

  it('is repeated when an extension entry of the caller holds the idempotency key', async () => {
    const urn = 'urn:cline:forrst:ext:idempotency'
    const extensions = [{ urn, options: { key: 'k2' } }]
    const { call, sent } = createScripted([{ thrown: lost }])
    expect(await call({ extensions, idempotencyKey: 'ignored' })).toMatchObject({ ok: true })
    expect(sent.map((request) => request.extensions)).toEqual([extensions, extensions])
  })
})

describe('a call that cannot have run', () => {
  it.each([
    'UNAVAILABLE',
    'FUNCTION_DISABLED',
    'FUNCTION_MAINTENANCE',
    'SERVER_MAINTENANCE',
    'IDEMPOTENCY_PROCESSING',
    'LOCK_ACQUISITION_FAILED',
    'LOCK_TIMEOUT',
  ])('is repeated after %s', async (code) => {
    expect(await createScripted([{ code }]).call()).toMatchObject({ ok: true, attempts: 2 })
  })

  it('is repeated when no connection could be made', async () => {
    const thrown = new CallError('CLIENT_UNREACHABLE')
    expect(await createScripted([{ thrown }]).call()).toMatchObject({ ok: true, attempts: 2 })
  })
})

describe('a call that would fail again', () => {
  it.each([
    'INVALID_ARGUMENTS',
    'NOT_FOUND',
    'UNAUTHORIZED',
    'CONFLICT',
    'IDEMPOTENCY_CONFLICT',
    'ORDERS_SOLD_OUT',
  ])('is not repeated after %s', async (code) => {
    const outcome = await createScripted([{ code }]).call({ readOnly: true })
    expect(outcome).toMatchObject({ ok: false, attempts: 1, error: { code } })
  })

  it('is not repeated when one of several findings is final', async () => {
    let sent = 0
    const transport: Transport = async ({ body }) => {
      sent += 1
      const { id } = JSON.parse(body)
      const errors = ['UNAVAILABLE', 'FORBIDDEN'].map((code) => ({ code, message: code }))
      return {
        status: 400,
        header: () => undefined,
        body: JSON.stringify({ protocol, id, errors }),
      }
    }
    await createClient({ transport }).call('orders.get', {}, { readOnly: true })
    expect(sent).toBe(1)
  })

  it.each(Object.entries(CLIENT_CODES).filter(([, { retryable }]) => !retryable))(
    'is not repeated after %s',
    async (code) => {
      const outcome = await createScripted([{ thrown: new CallError(code) }]).call({
        readOnly: true,
      })
      expect(outcome).toMatchObject({ ok: false, attempts: 1, error: { code } })
    },
  )
})
