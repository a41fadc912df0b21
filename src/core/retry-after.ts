import { toMilliseconds } from './duration.ts'
import type { CallErrorShape } from './error.ts'
import { type Duration, isRecord } from './json.ts'

/** How long to wait when nobody says. */
export const DEFAULT_RETRY_AFTER: Duration = { value: 60, unit: 'second' }

/** Codes that never go out without a Retry-After header. */
const ALWAYS_SAY: readonly string[] = ['RATE_LIMITED', 'SERVER_MAINTENANCE', 'FUNCTION_MAINTENANCE']

/** Reads the first `retry_after` of some errors as the whole seconds of a Retry-After header. */
export function readRetryAfter(errors: readonly CallErrorShape[]): string | undefined {
  for (const { details } of errors) {
    const duration = details?.['retry_after']
    const milliseconds = isRecord(duration) ? toMilliseconds(duration) : undefined
    if (milliseconds !== undefined) return String(Math.ceil(milliseconds / 1000))
  }
  const waits = errors.some(({ code }) => ALWAYS_SAY.includes(code))
  return waits ? String(DEFAULT_RETRY_AFTER.value) : undefined
}
