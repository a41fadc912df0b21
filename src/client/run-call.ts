import { CallError } from '../errors/index.ts'
import { type Clock, openScope, toDuration, toMilliseconds, untilAborted } from '../values/index.ts'
import { decodeResponse } from './decode.ts'
import { encodeRequest, isRepeatable, type OutgoingCall } from './encode.ts'
import { abortError, clientError, toClientError } from './errors.ts'
import { hasFiles } from './has-files.ts'
import { type Answer, type CallOutcome, toCallOutcome, toFailedAnswer } from './outcome.ts'
import { type CallOptions, type RetryPolicy, resolvePolicy, selectDelay } from './retry.ts'
import type { Transport } from './transport.ts'

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

/** What every call of a client shares. */
export interface CallSettings {
  readonly transport: Transport
  readonly name: string | undefined
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  readonly clock: Clock
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly createId: () => string
  readonly createSpanId: () => string
}

/** Makes a call whose types nobody knows. */
export type RunCall = (
  name: string,
  callArguments: unknown,
  options?: CallOptions,
) => Promise<CallOutcome>

/** Makes a call, attempt by attempt, and never throws. */
export async function runCall(settings: CallSettings, call: OutgoingCall): Promise<CallOutcome> {
  const { answer, ...attempted } = await runAttempts(settings, call, (start) =>
    runAttempt(settings, call, start),
  )
  return toCallOutcome(answer, attempted)
}

/** What one attempt starts with. */
export interface AttemptStart {
  readonly id: string
  readonly budget: Budget
  /** What ends the attempt from outside. */
  readonly sources: readonly (AbortSignal | undefined)[]
}

/** The answer to the last attempt, and which one that was. */
export interface Attempted<Given extends Answer> {
  readonly answer: Given | Answer
  readonly id: string
  readonly attempts: number
}

/** Attempts a call until its answer is final, and never throws. */
export async function runAttempts<Given extends Answer>(
  settings: CallSettings,
  { options }: OutgoingCall,
  attempt: (start: AttemptStart) => Promise<Given>,
): Promise<Attempted<Given>> {
  let attempts = 0
  let id = ''
  try {
    const policy = resolvePolicy(options.retry, settings.retry)
    const budget = startBudget(options, settings.clock)
    const sources = [options.signal, options.within?.signal()]
    for (;;) {
      attempts += 1
      id = settings.createId()
      const answer = await attempt({ id, budget, sources })
      const delay = selectDelay({
        answer,
        attempts,
        repeatable: isRepeatable(options),
        policy,
        random: settings.random,
      })
      const left = budget.remaining()
      if (delay === undefined || (left !== undefined && delay >= left)) {
        return { answer, id, attempts }
      }
      await pause(settings, delay, sources)
    }
  } catch (thrown) {
    const error = toClientError(thrown, 'CLIENT_INVALID_REQUEST')
    return { answer: toFailedAnswer(error), id, attempts }
  }
}

async function pause(
  settings: CallSettings,
  delay: number,
  sources: AttemptStart['sources'],
): Promise<void> {
  const { signal, close } = openScope(sources)
  try {
    await settings.sleep(delay, signal)
    if (signal.aborted) throw abortError(signal)
  } finally {
    close()
  }
}

/** The service must get the chance to say DEADLINE_EXCEEDED itself. */
export const READ_GRACE_MS = 1000

async function runAttempt(
  settings: CallSettings,
  call: OutgoingCall,
  { id, budget, sources }: AttemptStart,
): Promise<Answer> {
  const { clock, createSpanId, name: caller } = settings
  const remainingMs = budget.remaining()
  const timeoutMs =
    remainingMs === undefined
      ? (call.options.timeoutMs ?? settings.timeoutMs)
      : remainingMs + READ_GRACE_MS
  const { signal, close } = openScope(sources, {
    afterMs: timeoutMs,
    reason: () => timeoutError(timeoutMs),
  })
  try {
    if (signal.aborted) throw abortError(signal)
    assertTimeLeft(remainingMs)
    const request = encodeRequest(await withInlineFiles(call), {
      id,
      remainingMs,
      createSpanId,
      caller,
    })
    const response = await untilAborted(settings.transport({ ...request, signal }), signal)
    return await withRevivedFiles(
      decodeResponse(response, { id, bare: isBare(call.function), now: clock.now() }),
    )
  } catch (thrown) {
    return toFailedAnswer(
      signal.aborted ? abortError(signal) : toClientError(thrown, 'CLIENT_CONNECTION_LOST'),
    )
  } finally {
    close()
  }
}

/** Gives a call whose files are text. */
export async function withInlineFiles(call: OutgoingCall): Promise<OutgoingCall> {
  if (!hasFiles(call.arguments)) return call
  const { inlineFiles } = await import('./files.ts')
  return { ...call, arguments: await inlineFiles(call.arguments) }
}

/** Gives an answer with files in place of the texts that the service says are some. */
export async function withRevivedFiles(answer: Answer): Promise<Answer> {
  const { outcome, meta } = answer
  const { files } = meta
  if (!outcome.ok || !Array.isArray(files)) return answer
  const { reviveFiles } = await import('./files.ts')
  return { ...answer, outcome: { ok: true, result: reviveFiles(outcome.result, files) } }
}

function isBare(name: string): boolean {
  return name.endsWith(':ext:discovery:fn:describe')
}

/** Makes the error of a wait that was too long. */
export function timeoutError(timeoutMs: number): CallError {
  return clientError('CLIENT_TIMEOUT', {
    message: `No complete answer arrived within ${Math.round(timeoutMs)} ms`,
    details: { timeout: toDuration(timeoutMs) },
  })
}
