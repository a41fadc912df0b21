import { toMilliseconds } from './duration.ts'
import type { CallErrorShape } from './error.ts'
import { isRecord } from './json.ts'

/** Reads the first `retry_after` of some errors as the whole seconds of a Retry-After header. */
export function readRetryAfter(errors: readonly CallErrorShape[]): string | undefined {
  for (const { details } of errors) {
    const duration = details?.['retry_after']
    const milliseconds = isRecord(duration) ? toMilliseconds(duration) : undefined
    if (milliseconds !== undefined) return String(Math.ceil(milliseconds / 1000))
  }
  return undefined
}
