import type { CallError, CallErrorShape } from '../errors/index.ts'
import { extensionUrn, isRecord, openScope, toMilliseconds } from '../values/index.ts'
import { abortError, clientError, toCallError } from './errors.ts'
import { type CallFailure, type CallOutcome, findExtension, type OutcomeError } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import type { CallSettings, RunCall } from './run-call.ts'

/** How a call is started that goes on in the background. */
export interface StartOptions<Version = string> extends CallOptions<Version> {
  /** Where the service posts the end of the operation. */
  readonly callbackUrl?: string | undefined
}

/** How long an operation is followed, and how often it is asked for. */
export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds between two questions; a quarter of a second, doubled up to what the service suggests, when absent. */
  readonly pollMs?: number | undefined
  /** Told how the operation stands, each time it was asked. */
  readonly onState?: (state: OperationState) => void
}

/** How an operation stands. */
export interface OperationState {
  readonly id: string
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled'
  readonly function?: string
  readonly version?: string
  /** Between 0 and 1. */
  readonly progress?: number
  readonly message?: string
}

/** A call that goes on in the background; one the service answered at once has no id and its result ready. */
export interface BackgroundOperation<Result = unknown, Failed = OutcomeError> {
  readonly id: string | undefined
  /** Asks how the operation stands; throws a CallError when nobody knows it, or the service cannot be asked. */
  readonly status: (options?: Pick<FollowOptions, 'signal'>) => Promise<OperationState>
  /** Waits for the end and gives what the call would have given; failures are values, and nothing is thrown. */
  readonly result: (options?: FollowOptions) => Promise<CallOutcome<Result, Failed>>
  /** Cancels the operation; false when it has ended already. Throws a CallError when the service cannot be asked. */
  readonly cancel: () => Promise<boolean>
}

const URN = extensionUrn('async')
const FUNCTION = 'urn:cline:forrst:ext:async:fn:'
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** What following an operation needs. */
interface Follower {
  readonly run: RunCall
  readonly sleep: CallSettings['sleep']
  readonly longestPauseMs: number
}

/** Starts a call in the background; throws a CallError when the service refuses it. */
export async function startOperation(
  { run, sleep }: Omit<Follower, 'longestPauseMs'>,
  call: { readonly function: string; readonly arguments: unknown },
  { callbackUrl, ...options }: StartOptions = {},
): Promise<BackgroundOperation> {
  const entry = { preferred: true, ...(callbackUrl !== undefined && { callback_url: callbackUrl }) }
  const outcome = await run(call.function, call.arguments, {
    ...options,
    extensions: [...(options.extensions ?? []), { urn: URN, options: entry }],
  })
  if (!outcome.ok) throw toCallError(outcome)
  const accepted = findExtension(outcome, URN)?.data
  const id = accepted?.['operation_id']
  if (typeof id !== 'string') return toReady(outcome, call.function)
  const suggested = toMilliseconds((accepted?.['retry_after'] ?? {}) as object)
  return followOperation({ run, sleep, longestPauseMs: suggested ?? LONGEST_PAUSE_MS }, id)
}

/** Takes up an operation by its id. */
export function resumeOperation(
  { run, sleep }: Omit<Follower, 'longestPauseMs'>,
  id: string,
): BackgroundOperation {
  return followOperation({ run, sleep, longestPauseMs: LONGEST_PAUSE_MS }, id)
}

function followOperation(follower: Follower, id: string): BackgroundOperation {
  const ask = (name: string, options: CallOptions = {}) =>
    follower.run(FUNCTION + name, { operation_id: id }, options)
  const look = (signal?: AbortSignal) => ask('status', { readOnly: true, signal })

  return {
    id,
    async status({ signal } = {}) {
      const outcome = await look(signal)
      if (outcome.ok) return requireState(id, outcome.result)
      if (outcome.error.code !== 'ASYNC_OPERATION_FAILED') throw toCallError(outcome)
      return { id, status: 'failed' }
    },
    async result(options = {}) {
      let pause = options.pollMs ?? FIRST_PAUSE_MS
      for (;;) {
        const outcome = await look(options.signal)
        const state = toEndOrState(id, outcome)
        if ('ok' in state) return state
        options.onState?.(state)
        const { signal, close } = openScope([options.signal])
        await follower.sleep(pause, signal).finally(close)
        if (signal.aborted) return toFailedOutcome(outcome, abortError(signal).errors)
        pause = options.pollMs ?? Math.min(pause * 2, follower.longestPauseMs)
      }
    },
    async cancel() {
      const outcome = await ask('cancel')
      if (outcome.ok) return true
      if (outcome.error.code === 'ASYNC_CANNOT_CANCEL') return false
      throw toCallError(outcome)
    },
  }
}

/** The service may answer itself: the function was quick, or the result was there. */
function toReady(outcome: CallOutcome, name: string): BackgroundOperation {
  return {
    id: undefined,
    status: async () => ({ id: '', status: 'completed', function: name }),
    result: async () => outcome,
    cancel: async () => false,
  }
}

function toEndOrState(id: string, outcome: CallOutcome): CallOutcome | OperationState {
  if (!outcome.ok) return toOwnFailure(outcome)
  const state = toState(id, outcome.result)
  if (state === undefined) return toFailedOutcome(outcome, withoutStatus(id).errors)
  if (state.status === 'cancelled') {
    return toFailedOutcome(outcome, [{ code: 'CANCELLED', message: 'The operation was cancelled' }])
  }
  const answer = outcome.result as Record<string, unknown>
  if (state.status === 'failed') return toFailedOutcome(outcome, readErrors(answer))
  if (state.status !== 'completed') return state
  const { result, output } = answer
  return { ...outcome, result: result === undefined ? (output ?? null) : result }
}

/** What the function said, in place of the sentence that its operation failed. */
function toOwnFailure(outcome: CallFailure): CallOutcome {
  if (outcome.error.code !== 'ASYNC_OPERATION_FAILED') return outcome
  const own = readErrors(outcome.error.details ?? {})
  return own.length === 0 ? outcome : toFailedOutcome(outcome, own)
}

/** Implementations differ: `errors` as in a response, or one `error`; in the details of a failure, or in a result. */
function readErrors({ errors, error }: Readonly<Record<string, unknown>>): CallErrorShape[] {
  return (Array.isArray(errors) ? errors : [error]).filter(isErrorShape)
}

function isErrorShape(value: unknown): value is CallErrorShape {
  return (
    isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  )
}

function toFailedOutcome(frame: CallOutcome, errors: readonly CallErrorShape[]): CallOutcome {
  const { id, attempts, extensions, meta } = frame
  const [first = { code: 'ASYNC_OPERATION_FAILED', message: 'The operation failed' }, ...rest] =
    errors
  return { ok: false, error: first, errors: [first, ...rest], id, attempts, extensions, meta }
}

const STATUSES: readonly unknown[] = ['pending', 'processing', 'completed', 'failed', 'cancelled']

function requireState(id: string, result: unknown): OperationState {
  const state = toState(id, result)
  if (state === undefined) throw withoutStatus(id)
  return state
}

function withoutStatus(id: string): CallError {
  return clientError('CLIENT_INVALID_RESPONSE', { message: `Operation ${id} has no status` })
}

function toState(id: string, result: unknown): OperationState | undefined {
  const found = isRecord(result) ? result : {}
  const { status, progress, message, function: name, version } = found
  if (!STATUSES.includes(status)) return undefined
  return {
    id,
    status: status as OperationState['status'],
    ...(typeof name === 'string' && { function: name }),
    ...(typeof version === 'string' && { version }),
    ...(typeof progress === 'number' && { progress }),
    ...(typeof message === 'string' && { message }),
  }
}
