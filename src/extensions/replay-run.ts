import { type Call, createReply, type Outcome } from '../core/call.ts'
import { resolveCode } from '../core/codes.ts'
import { toMilliseconds } from '../core/duration.ts'
import { toFailure } from '../core/invoke.ts'
import { isRecord, ownMember } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import { toStoredOutcome } from './idempotency-record.ts'
import type { ReplayCall, ReplayOutcome } from './replay-record.ts'

/** What a run came to: over, not possible yet for the server or the function, or to be tried again. */
export type ReplayVerdict =
  | { readonly kind: 'over'; readonly end: ReplayOutcome; readonly ok: boolean }
  | { readonly kind: 'closed'; readonly scope: 'server' | 'function'; readonly retryMs: number }
  | { readonly kind: 'transient'; readonly end: ReplayOutcome; readonly retryMs: number }

/** Refusals from before the function ran: a replay that meets one has not been tried. */
const CLOSED: Readonly<Record<string, 'server' | 'function'>> = {
  SERVER_MAINTENANCE: 'server',
  FUNCTION_MAINTENANCE: 'function',
  FUNCTION_DISABLED: 'function',
  RATE_LIMITED: 'function',
}

/** Runs the call of a replay through all its extensions, as when it was made, and judges what came of it. */
export async function runReplay(
  service: Service,
  { call: kept }: ReplayCall,
  signal: AbortSignal,
): Promise<ReplayVerdict> {
  const call = toCall(kept, service, signal)
  const outcome = await dispatch(service, call)
  const entries = call.reply.extensions
  const end = { outcome: toStoredOutcome(outcome) as Outcome, ...(entries && { entries }) }
  if (outcome.ok) return { kind: 'over', end, ok: true }
  const [{ code, details }] = outcome.errors
  const retryMs = readRetryMs(details?.['retry_after'])
  const scope = ownMember(CLOSED, code)
  if (scope !== undefined) return { kind: 'closed', scope, retryMs }
  return resolveCode(code).retryable
    ? { kind: 'transient', end, retryMs }
    : { kind: 'over', end, ok: false }
}

async function dispatch(service: Service, call: Call): Promise<Outcome> {
  try {
    return await service.dispatch(call)
  } catch (thrown) {
    return toFailure(thrown, { call, log: service.log })
  }
}

function toCall(kept: ReplayCall['call'], service: Service, signal: AbortSignal): Call {
  return {
    ...kept,
    version: kept.version,
    context: kept.context,
    principal: kept.principal,
    signal: () => signal,
    facts: {},
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
}

function readRetryMs(value: unknown): number {
  return (isRecord(value) ? toMilliseconds(value) : undefined) ?? 0
}
