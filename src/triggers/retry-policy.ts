import type { Failure } from '../core/call.ts'
import { resolveCode } from '../core/codes.ts'
import { readRetryAfter } from '../core/retry-after.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 5 * 60_000

/** Tells whether another attempt could end differently, by the table of codes. */
export function isRetryable({ errors }: Failure): boolean {
  return errors.every(({ code }) => resolveCode(code).retryable)
}

/** Answers how long to wait after an attempt: 1 s, doubled up to five minutes, up to a fifth more by chance. */
export function backoffMs(attempt: number, failure: Failure, random: () => number): number {
  const asked = Number(readRetryAfter(failure.errors) ?? 0) * 1_000
  const own = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  // Many deliveries that failed together must not all come back together.
  return Math.round(Math.max(own * (1 + random() / 5), Math.min(asked, MAX_ASKED_MS)))
}

const MAX_ASKED_MS = 3_600_000
