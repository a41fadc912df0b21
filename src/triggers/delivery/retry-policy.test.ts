import { describe, expect, it } from 'vitest'
import type { Failure } from '../../core/call.ts'
import { backoffMs } from './attempt.ts'

const failure = (retryAfter?: { value: number; unit: string }): Failure => ({
  ok: false,
  errors: [
    {
      code: 'UNAVAILABLE',
      message: 'Away',
      ...(retryAfter && { details: { retry_after: retryAfter } }),
    },
  ],
})

describe('the pause before another attempt', () => {
  it.each([
    [1, 0, 1_000],
    [2, 0, 2_000],
    [5, 0, 16_000],
    [50, 0, 300_000],
    [1, 1, 1_200],
    [50, 1, 360_000],
  ])('after attempt %i, by chance %d, is %i ms', (attempt, chance, expected) => {
    expect(backoffMs(attempt, failure(), () => chance)).toBe(expected)
  })

  it.each([
    [{ value: 30, unit: 'second' }, 30_000],
    [{ value: 10, unit: 'millisecond' }, 1_000],
    [{ value: 1, unit: 'day' }, 3_600_000],
  ])('is what a failure asks for, from the usual pause up to an hour: %j', (asked, expected) => {
    expect(backoffMs(1, failure(asked), () => 0)).toBe(expected)
  })
})
