import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { CODES } from '../../errors/codes.ts'
import { CallError } from '../../errors/error.ts'

const thrower = (thrown: () => unknown) =>
  defineFunction({
    name: 'orders.fail',
    version: '1.0.0',
    handler: () => {
      throw thrown()
    },
  })
const failWith = (thrown: () => unknown) =>
  call(serviceOf([thrower(thrown)]), { function: 'orders.fail' })

describe('errors on the wire', () => {
  it('[F-34][F-37][F-38] carry code, message and details, and nothing else', async () => {
    const { body } = await failWith(
      () => new CallError('ORDERS_SOLD_OUT', { message: 'Sold out', details: { left: 0 } }),
    )
    expect(body.errors).toEqual([
      { code: 'ORDERS_SOLD_OUT', message: 'Sold out', details: { left: 0 } },
    ])
  })

  it('[F-34] have a SCREAMING_SNAKE_CASE code and a message for every row of the table', () => {
    for (const [code, row] of Object.entries(CODES)) {
      expect(code).toMatch(/^[A-Z][A-Z0-9_]*$/)
      expect(row.message).not.toBe('')
    }
  })

  const statuses = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PROTOCOL_VERSION: 400,
    FUNCTION_NOT_FOUND: 404,
    VERSION_NOT_FOUND: 404,
    FUNCTION_DISABLED: 503,
    INVALID_ARGUMENTS: 400,
    SCHEMA_VALIDATION_FAILED: 422,
    EXTENSION_NOT_SUPPORTED: 400,
    EXTENSION_NOT_APPLICABLE: 400,
    UNAUTHORIZED: 401,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    CONFLICT: 409,
    GONE: 410,
    DEADLINE_EXCEEDED: 408,
    RATE_LIMITED: 429,
    QUOTA_EXCEEDED: 429,
    INTERNAL_ERROR: 500,
    UNAVAILABLE: 503,
    DEPENDENCY_ERROR: 502,
    VALIDATION_ERROR: 400,
    IDEMPOTENCY_CONFLICT: 409,
    IDEMPOTENCY_PROCESSING: 409,
    ASYNC_OPERATION_NOT_FOUND: 404,
    ASYNC_OPERATION_FAILED: 500,
    ASYNC_CANNOT_CANCEL: 400,
    ASYNC_VERSION_CONFLICT: 409,
    ASYNC_QUOTA_EXCEEDED: 429,
    SERVER_MAINTENANCE: 503,
    FUNCTION_MAINTENANCE: 503,
    REPLAY_NOT_FOUND: 404,
    REPLAY_EXPIRED: 410,
    REPLAY_ALREADY_COMPLETE: 409,
    REPLAY_CANCELLED: 410,
    CANCELLED: 499,
    CANCELLATION_TOKEN_UNKNOWN: 404,
    CANCELLATION_TOO_LATE: 409,
    LOCK_ACQUISITION_FAILED: 423,
    LOCK_TIMEOUT: 423,
    LOCK_NOT_FOUND: 404,
    LOCK_OWNERSHIP_MISMATCH: 403,
    LOCK_ALREADY_RELEASED: 409,
    SIMULATION_NOT_SUPPORTED: 400,
    SIMULATION_SCENARIO_NOT_FOUND: 404,
    REDACTION_REQUIRED: 403,
  } satisfies Record<keyof typeof CODES, number>

  it.each(Object.entries(statuses))(
    '[F-40][F-41][F-42][F-43][F-44][F-45][F-46] %s answers with HTTP %i',
    async (code, status) => {
      expect((await failWith(() => new CallError(code))).status).toBe(status)
    },
  )

  it('[F-35][F-36][F-39][F-42] point at each wrong argument; several errors are HTTP 400', async () => {
    const create = defineFunction({
      name: 'orders.create',
      version: '1.0.0',
      input: z.object({ id: z.string(), items: z.array(z.object({ 'a/b': z.int() })) }),
      handler: () => null,
    })
    const { status, body } = await call(serviceOf([create]), {
      function: 'orders.create',
      arguments: { items: [{ 'a/b': 1.5 }] },
    })
    expect(status).toBe(400)
    expect(body.errors?.map(({ code, source }) => [code, source])).toEqual([
      ['INVALID_ARGUMENTS', { pointer: '/call/arguments/id' }],
      ['INVALID_ARGUMENTS', { pointer: '/call/arguments/items/0/a~1b' }],
    ])
  })

  it('[F-42] are HTTP 400 when there are several, whatever the status of each', async () => {
    const { status, body } = await failWith(() =>
      CallError.all([
        { code: 'NOT_FOUND', message: 'No such order' },
        { code: 'CONFLICT', message: 'Shipped already' },
      ]),
    )
    expect(status).toBe(400)
    expect(body.errors?.map(({ code }) => code)).toEqual(['NOT_FOUND', 'CONFLICT'])
  })

  it('[F-47] never show what a handler threw by accident, but log it', async () => {
    const log = createTestLogger()
    const secret = new Error('password is hunter2')
    const service = serviceOf([thrower(() => secret)], { log })
    const { status, body } = await call(service, { function: 'orders.fail', context: {} })
    expect([status, body.errors]).toEqual([
      500,
      [{ code: 'INTERNAL_ERROR', message: 'Internal error' }],
    ])
    expect(log.lines[0]).toMatchObject({ level: 'error', facts: { error: secret } })
  })

  it.each([['a string'], [undefined], [null], [{ code: 'FORBIDDEN', message: 'x' }]])(
    '[F-47] turn the thrown %j into INTERNAL_ERROR',
    async (thrown) => {
      const { body } = await failWith(() => thrown)
      expect(body.errors?.[0]?.code).toBe('INTERNAL_ERROR')
    },
  )

  it('[F-47] hide the rejection of an asynchronous handler too', async () => {
    const slow = defineFunction({
      name: 'orders.fail',
      version: '1.0.0',
      handler: () => Promise.reject(new Error('secret')),
    })
    const { body } = await call(serviceOf([slow]), { function: 'orders.fail' })
    expect(body.errors).toEqual([{ code: 'INTERNAL_ERROR', message: 'Internal error' }])
  })

  it('[F-48] pass codes of the application through, as HTTP 400 unless it says otherwise', async () => {
    expect((await failWith(() => new CallError('ORDERS_SOLD_OUT'))).status).toBe(400)
    const declared = defineFunction({
      name: 'orders.fail',
      version: '1.0.0',
      errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Nothing left', status: 409 }],
      handler: ({ fail }) => {
        throw fail('ORDERS_SOLD_OUT', { details: { left: 0 } })
      },
    })
    const { status, body } = await call(serviceOf([declared]), { function: 'orders.fail' })
    expect([status, body.errors]).toEqual([
      409,
      [{ code: 'ORDERS_SOLD_OUT', message: 'Nothing left', details: { left: 0 } }],
    ])
  })

  it('[F-57] turn retry_after of RATE_LIMITED into a Retry-After header in whole seconds', async () => {
    const { headers } = await failWith(
      () =>
        new CallError('RATE_LIMITED', {
          details: { retry_after: { value: 1500, unit: 'millisecond' } },
        }),
    )
    expect(headers['retry-after']).toBe('2')
  })

  it.each(['RATE_LIMITED', 'SERVER_MAINTENANCE', 'FUNCTION_MAINTENANCE'] as const)(
    '[F-57] have a Retry-After header when a function throws %s without saying when',
    async (code) => {
      const { headers } = await failWith(() => new CallError(code))
      expect(headers['retry-after']).toBe('60')
    },
  )

  it('answer even when their details cannot be written as JSON', async () => {
    const details: Record<string, unknown> = {}
    details['self'] = details
    const { status, body } = await failWith(
      () => new CallError('CONFLICT', { details: details as never }),
    )
    expect([status, body.errors?.[0]?.code]).toEqual([500, 'INTERNAL_ERROR'])
  })

  it('refuse a result that breaks the declared output, without showing it', async () => {
    const wrong = defineFunction({
      name: 'orders.get',
      version: '1.0.0',
      output: { type: 'object', required: ['id'] },
      handler: () => ({ secret: 1 }),
    })
    const { status, body } = await call(serviceOf([wrong]), { function: 'orders.get' })
    expect([status, body.errors]).toEqual([
      500,
      [{ code: 'INTERNAL_ERROR', message: 'Internal error' }],
    ])
    const trusting = serviceOf([wrong], { validateResults: false })
    expect((await call(trusting, { function: 'orders.get' })).status).toBe(200)
  })
})

describe('authentication and authorisation', () => {
  const get = defineFunction({
    name: 'orders.get',
    version: '1.0.0',
    handler: ({ principal }) => principal?.id,
  })
  const service = serviceOf([get], {
    async authenticate({ header }) {
      const token = header('authorization')
      if (token === undefined) throw new CallError('UNAUTHORIZED')
      return { id: token.replace('Bearer ', '') }
    },
    authorize({ principal }) {
      if (principal?.id === 'eve') throw new CallError('FORBIDDEN')
    },
  })
  const as = (authorization?: string) =>
    call(
      service,
      { function: 'orders.get' },
      { headers: { ...(authorization && { authorization }) } },
    )

  it('lets the hooks refuse with UNAUTHORIZED and FORBIDDEN, and hands the principal to the handler', async () => {
    expect((await as()).status).toBe(401)
    expect((await as('Bearer eve')).status).toBe(403)
    expect((await as('Bearer ada')).body.result).toBe('ada')
  })
})
