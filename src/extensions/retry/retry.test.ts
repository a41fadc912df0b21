import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { defineFunction } from '../../core/function.ts'
import { CODES } from '../../errors/codes.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import type { JsonObject } from '../../values/json.ts'
import { type RetryExtensionOptions, retryExtension } from './retry.ts'

const URN = 'urn:forrst:ext:retry'
const DECLARED = [{ urn: URN }]

function setUp(options: RetryExtensionOptions = {}) {
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [
      defineFunction({
        name: 'orders.fail',
        version: '1.0.0',
        handler({ call: { arguments: input } }) {
          if (input['code'] === undefined) return {}
          const codes = [input['code']].flat() as string[]
          const errors = codes.map((code) => ({
            code,
            message: 'no',
            ...(input['details'] !== undefined && { details: input['details'] as JsonObject }),
          }))
          throw CallError.all(errors as never)
        },
      }),
    ],
    extensions: [retryExtension(options)],
    log: createTestLog(),
  })
  return (input: Record<string, unknown>, extensions: readonly unknown[] = DECLARED) =>
    call(service, { function: 'orders.fail', arguments: input, extensions })
}

const seconds = (value: number) => ({ value, unit: 'second' as const })

describe('retry extension', () => {
  it('[F-229] says nothing about a call that succeeded', async () => {
    const response = await setUp()({})
    expect(response.status).toBe(200)
    expect(response.body.extensions).toBeUndefined()
  })

  it.each([
    ['RATE_LIMITED', 'fixed', seconds(60), 3],
    ['UNAVAILABLE', 'exponential', seconds(1), 5],
    ['DEADLINE_EXCEEDED', 'immediate', undefined, 1],
    ['INTERNAL_ERROR', 'exponential', seconds(1), 3],
    ['DEPENDENCY_ERROR', 'exponential', seconds(2), 3],
    ['IDEMPOTENCY_PROCESSING', 'fixed', seconds(1), 3],
    ['SERVER_MAINTENANCE', 'fixed', seconds(60), 1],
    ['FUNCTION_MAINTENANCE', 'fixed', seconds(60), 1],
    ['FUNCTION_DISABLED', 'fixed', seconds(30), 2],
    ['LOCK_TIMEOUT', 'fixed', seconds(1), 3],
  ])('[F-230] advises on %s as the specification does', async (code, strategy, after, attempts) => {
    expect(dataOf(await setUp()({ code }), URN)).toEqual({
      allowed: true,
      strategy,
      ...(after && { after }),
      max_attempts: attempts,
    })
  })

  it('[F-229] allows another attempt exactly for the codes that are retryable', async () => {
    const ask = setUp()
    for (const [code, { retryable }] of Object.entries(CODES)) {
      expect(dataOf(await ask({ code }), URN)?.['allowed'], code).toBe(retryable)
    }
  })

  it('answers allowed: false to a caller who declared it, and nothing else', async () => {
    expect(dataOf(await setUp()({ code: 'NOT_FOUND' }), URN)).toEqual({ allowed: false })
  })

  it('takes the waiting time from the error when it names one', async () => {
    const response = await setUp()({
      code: 'RATE_LIMITED',
      details: { retry_after: { value: 45, unit: 'second', note: 'x' } },
    })
    expect(dataOf(response, URN)).toMatchObject({ strategy: 'fixed', after: seconds(45) })
    expect(response.headers['retry-after']).toBe('45')
  })

  it('allows another attempt for an application code only when the error says when', async () => {
    const ask = setUp()
    expect(dataOf(await ask({ code: 'ORDERS_CLOSED' }), URN)).toEqual({ allowed: false })
    const details = { retry_after: { value: 2, unit: 'minute' } }
    expect(dataOf(await ask({ code: 'ORDERS_CLOSED', details }), URN)).toMatchObject({
      allowed: true,
      after: { value: 2, unit: 'minute' },
    })
    expect(dataOf(await ask({ code: 'NOT_FOUND', details }), URN)).toEqual({ allowed: false })
  })

  it('allows another attempt at several findings only when each allows it', async () => {
    const ask = setUp()
    expect(dataOf(await ask({ code: ['UNAVAILABLE', 'NOT_FOUND'] }), URN)).toEqual({
      allowed: false,
    })
    expect(dataOf(await ask({ code: ['UNAVAILABLE', 'RATE_LIMITED'] }), URN)).toMatchObject({
      allowed: true,
      strategy: 'exponential',
    })
  })

  it('uses the strategies of the service before those of the protocol', async () => {
    const ask = setUp({
      strategies: {
        UNAVAILABLE: false,
        ORDERS_CLOSED: { strategy: 'exponential', after: seconds(5), maxAttempts: 10 },
      },
    })
    expect(dataOf(await ask({ code: 'UNAVAILABLE' }), URN)).toEqual({ allowed: false })
    expect(dataOf(await ask({ code: 'ORDERS_CLOSED' }), URN)).toEqual({
      allowed: true,
      strategy: 'exponential',
      after: seconds(5),
      max_attempts: 10,
    })
  })

  it('hints unasked only when told to, and then only at what may be tried again', async () => {
    const quiet = setUp()
    expect((await quiet({ code: 'UNAVAILABLE' }, [])).body.extensions).toBeUndefined()
    const eager = setUp({ always: true })
    expect(dataOf(await eager({ code: 'UNAVAILABLE' }, []), URN)).toMatchObject({ allowed: true })
    expect((await eager({ code: 'NOT_FOUND' }, [])).body.extensions).toBeUndefined()
    expect((await eager({}, [])).body.extensions).toBeUndefined()
  })

  it('advises on what another extension refused', async () => {
    const service = createService({
      info: { title: 'Orders', version: '1.0.0' },
      unknownArguments: 'ignore',
      functions: [defineFunction({ name: 'orders.get', version: '1.0.0', handler: () => ({}) })],
      extensions: [
        retryExtension(),
        {
          urn: 'urn:forrst:ext:rate-limit',
          version: '1.0.0',
          around: () => Promise.reject(new CallError('RATE_LIMITED')),
        },
      ],
      log: createTestLog(),
    })
    const response = await call(service, {
      function: 'orders.get',
      extensions: [{ urn: 'urn:forrst:ext:rate-limit' }, { urn: URN }],
    })
    expect(dataOf(response, URN)).toMatchObject({ allowed: true, after: seconds(60) })
  })

  it('refuses a strategy without a readable duration at start', () => {
    const after = { value: 1, unit: 'moment' } as never
    expect(() => retryExtension({ strategies: { X: { strategy: 'fixed', after } } })).toThrow(
      /strategies\.X\.after/,
    )
  })
})
