import { CallError } from '../core/error.ts'
import { toText } from '../core/text.ts'

/** What an attempt came to: done, never to be repeated, or to be repeated, perhaps not too soon. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'final'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly notBeforeMs?: number }

const GONE = 410
const SLOW_DOWN: readonly number[] = [429, 503]
/** A receiver cannot put us off for longer than this. */
const MAX_WAIT_MS = 24 * 3_600_000

/** Judges a status: 2xx is delivered, 410 wants no more, 429 and 503 may say when to come back. */
export function judgeResponse(
  status: number,
  retryAfter: string | undefined,
  now: number,
): Verdict {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const reason = `status ${status}`
  if (status === GONE) return { kind: 'final', reason }
  const notBeforeMs = SLOW_DOWN.includes(status) ? readWait(retryAfter, now) : undefined
  return { kind: 'failed', reason, ...(notBeforeMs !== undefined && { notBeforeMs }) }
}

/** What another attempt cannot change: the address is not public, or not https. */
const FINAL = new Set(['address_refused', 'https_required', 'url_invalid'])

/** Judges why there was no answer. */
export function judgeFailure(thrown: unknown): Verdict {
  const details = thrown instanceof CallError ? thrown.errors[0].details : undefined
  const reason = toText(details?.['reason'] ?? 'unreachable')
  const status = details?.['status']
  // The body is not wanted; what counts is said before it.
  if (reason === 'body_too_large' && typeof status === 'number') {
    return judgeResponse(status, undefined, 0)
  }
  return { kind: FINAL.has(reason) ? 'final' : 'failed', reason }
}

function readWait(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const milliseconds = /^\d{1,10}$/.test(value.trim())
    ? Number(value) * 1000
    : Date.parse(value) - now
  return Number.isNaN(milliseconds) ? undefined : Math.min(MAX_WAIT_MS, Math.max(0, milliseconds))
}
