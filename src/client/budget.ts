import type { Clock } from '../core/clock.ts'
import { toDuration, toMilliseconds } from '../core/duration.ts'
import { CallError } from '../core/error.ts'
import type { CallOptions } from './call-options.ts'
import { clientError } from './errors.ts'

/** How long a call may still take. */
export interface Budget {
  /** Milliseconds left, or undefined when there is no deadline. */
  readonly remaining: () => number | undefined
}

/** Starts the clock of a call: its own deadline, or that of the call it is part of, whichever ends first. */
export function startBudget(
  { deadline, within }: Pick<CallOptions, 'deadline' | 'within'>,
  clock: Clock,
): Budget {
  const startedAt = clock.elapsed()
  const own = deadline && toMilliseconds(deadline)
  if (deadline !== undefined && own === undefined) {
    throw clientError('CLIENT_INVALID_REQUEST', {
      message: 'deadline must be a duration such as { value: 5, unit: "second" }',
    })
  }
  const upstream = within?.facts.deadline
  if (own === undefined && upstream === undefined) return { remaining: () => undefined }
  return {
    remaining: () =>
      Math.min(
        own === undefined ? Number.POSITIVE_INFINITY : own - (clock.elapsed() - startedAt),
        upstream === undefined ? Number.POSITIVE_INFINITY : upstream - clock.now(),
      ),
  }
}

/** Throws when nothing is left to spend; a service could only answer that it is too late. */
export function assertTimeLeft(remainingMs: number | undefined): void {
  if (remainingMs === undefined || remainingMs >= 1) return
  throw new CallError('DEADLINE_EXCEEDED', {
    message: 'The deadline passed before the request was sent',
    details: { remaining: toDuration(0) },
  })
}
