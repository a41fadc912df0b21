import type { Answer, CallOptions } from './contract.ts'
import {
  type Outcome,
  ServiceError,
  type Target,
  toEntry,
  toOutcome,
  toWireOptions,
  withExtension,
} from './method.ts'

/** How far an operation is. */
export interface OperationStatus {
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled'
  /** From 0 to 1, where the service says so. */
  readonly progress?: number
  readonly message?: string
}

/** How to wait for an operation. */
export interface WaitOptions {
  readonly signal?: AbortSignal
  /** Milliseconds between two questions when the service says nothing; 1000 when absent. */
  readonly intervalMs?: number
  /** Told whenever the service was asked. */
  readonly onStatus?: (status: OperationStatus) => void
}

/** Work that goes on after its call was answered. */
export interface Operation<Result, Declared> {
  /** Undefined when the service answered at once. */
  readonly id: string | undefined
  /** Asks how far it is. */
  readonly status: (options?: CallOptions) => Promise<OperationStatus>
  /** Waits for the result; throws a ServiceError when it failed or was cancelled. */
  readonly wait: (options?: WaitOptions) => Promise<Result>
  /** Waits and throws nothing. */
  readonly settle: (options?: WaitOptions) => Promise<Outcome<Result, Declared>>
  /** Asks the service to stop. */
  readonly cancel: (options?: CallOptions) => Promise<void>
}

/** The member of a method that can run in the background. */
export interface Startable<Parameters extends readonly unknown[], Result, Declared> {
  /** Starts the work and gives a handle to it. */
  readonly start: (...parameters: Parameters) => Promise<Operation<Result, Declared>>
}

/** Makes the member of a method that can run in the background. */
export function createStartable(target: Target): Readonly<Record<string, unknown>> {
  return {
    start: async (callArguments?: unknown, options: CallOptions = {}) => {
      const entry = { urn: ASYNC, options: { preferred: true } }
      const wire = toWireOptions(target, withExtension(options, entry))
      const answer = await target.connection.call(target.function, callArguments, wire)
      if (!answer.ok) throw new ServiceError(answer.errors, answer.cause)
      return createOperation(target, answer)
    },
  }
}

const ASYNC = 'urn:forrst:ext:async'
const FUNCTIONS = 'urn:cline:forrst:ext:async:fn:'
const ENDED: readonly unknown[] = ['completed', 'failed', 'cancelled']

type Report = Readonly<Record<string, unknown>>

function createOperation(
  target: Target,
  answer: Answer & { readonly ok: true },
): Operation<unknown, ServiceError> {
  const started = answer.extensions.find(({ urn }) => urn.endsWith(':ext:async'))?.data ?? {}
  const id = typeof started['operation_id'] === 'string' ? started['operation_id'] : undefined
  const ask = async (name: string, options: CallOptions = {}): Promise<Report> => {
    if (id === undefined) return { status: 'completed', result: answer.result }
    const wire = { ...options, version: '1.0.0', readOnly: name === 'status' }
    const asked = await target.connection.call(`${FUNCTIONS}${name}`, { operation_id: id }, wire)
    if (asked.ok) return asReport(asked.result)
    const failed = asked.errors.some(({ code }) => code === 'ASYNC_OPERATION_FAILED')
    if (failed) return { status: 'failed', errors: asked.errors }
    throw new ServiceError(asked.errors, asked.cause)
  }
  const settle = async (options: WaitOptions = {}): Promise<Outcome<unknown, ServiceError>> => {
    for (let wait = started['retry_after']; ; ) {
      const report = await ask('status', { signal: options.signal })
      options.onStatus?.(toStatus(report))
      if (ENDED.includes(report['status'])) return toOutcome(target, toAnswer(report))
      wait = report['retry_after'] ?? wait
      await pause(toMilliseconds(wait) ?? options.intervalMs ?? 1000, options.signal)
    }
  }
  return {
    id,
    settle,
    status: async (options) => toStatus(await ask('status', options)),
    wait: async (options) => {
      const outcome = await settle(options)
      if (outcome.ok) return outcome.result
      throw outcome.error
    },
    cancel: async (options) => {
      await ask('cancel', options)
    },
  }
}

function asReport(value: unknown): Report {
  return typeof value === 'object' && value !== null ? (value as Report) : {}
}

function toStatus({ status, progress, message }: Report): OperationStatus {
  return {
    status: status as OperationStatus['status'],
    ...(typeof progress === 'number' && { progress }),
    ...(typeof message === 'string' && { message }),
  }
}

function toAnswer(report: Report): Answer {
  if (report['status'] === 'completed') {
    return { ok: true, result: report['result'] ?? report['output'], extensions: [] }
  }
  const [told, ...rest] = Array.isArray(report['errors']) ? report['errors'].map(toEntry) : []
  const ended = { code: 'CANCELLED', message: 'The operation was cancelled' }
  const failed = { code: 'ASYNC_OPERATION_FAILED', message: 'The operation failed' }
  const first = told ?? (report['status'] === 'cancelled' ? ended : failed)
  return { ok: false, errors: [first, ...rest], extensions: [] }
}

/** Reads a length of time as the protocol writes it. */
export function toMilliseconds(duration: unknown): number | undefined {
  if (typeof duration !== 'object' || duration === null) return undefined
  const { value, unit } = duration as { readonly value?: unknown; readonly unit?: unknown }
  const factor = MILLISECONDS.get(unit)
  return typeof value === 'number' && factor !== undefined ? value * factor : undefined
}

const MILLISECONDS: ReadonlyMap<unknown, number> = new Map([
  ['millisecond', 1],
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
])

/** Waits; throws the reason of the signal when that aborts first. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
