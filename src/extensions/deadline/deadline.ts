import {
  type Extension,
  type ExtensionCall,
  invalidOption,
  type Next,
  type Outcome,
  withFacts,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import {
  createAbortable,
  type Duration,
  extensionUrn,
  isPromise,
  isRecord,
  type JsonObject,
  type Maybe,
  toDuration,
  toMilliseconds,
} from '../../values/index.ts'

/** How deadlines are kept. */
export interface DeadlineExtensionOptions {
  /** Deadline of calls that bring none; `limits.defaultDeadline` of the service when absent. */
  readonly default?: Duration
  /** Longer deadlines are cut to this; one hour when absent. */
  readonly max?: Duration
}

/** A deadline as the caller wrote it, and how long after the arrival of the request it falls. */
interface Deadline {
  readonly specified: JsonObject
  readonly afterMs: number
}

const ONE_HOUR: Duration = { value: 1, unit: 'hour' }
// A longer setTimeout fires at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1
const UNITS = ['millisecond', 'second', 'minute', 'hour']
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Creates the extension that ends a call when nobody waits for its answer any more. */
export function deadlineExtension(options: DeadlineExtensionOptions = {}): Extension {
  const maxMs = requireDuration(options.max ?? ONE_HOUR, 'max')
  if (options.default) requireDuration(options.default, 'default')

  return {
    urn: extensionUrn('deadline'),
    version: '1.0.0',
    phase: 'admit',
    order: -20,
    joins: (target, service) =>
      !target.system && (options.default ?? service.limits.defaultDeadline) !== undefined,
    around(exchange, next) {
      const deadline = exchange.declared
        ? readDeadline(exchange)
        : fromDuration(options.default ?? exchange.service.limits.defaultDeadline)
      if (deadline === undefined) return next(exchange.call)
      const afterMs = Math.min(deadline.afterMs, maxMs, leftFromAbove(exchange))
      return keep(exchange, { ...deadline, afterMs }, next)
    },
  }
}

function keep(exchange: ExtensionCall, deadline: Deadline, next: Next): Maybe<Outcome> {
  const { call, service, answer, declared } = exchange
  const elapsed = () => service.clock.elapsed() - call.startedAt
  const finish = (outcome: Outcome | 'late'): Outcome => {
    const spent = elapsed()
    if (declared) answer(encodeUse(deadline, spent))
    const late = outcome === 'late' || spent >= deadline.afterMs
    return late ? { ok: false, errors: toExceeded(deadline, spent).errors } : outcome
  }
  const remaining = deadline.afterMs - elapsed()
  if (remaining <= 0) return finish('late')
  const abortable = createAbortable(call.signal)
  const outcome = next({
    ...withFacts(call, { deadline: service.clock.now() + remaining }),
    signal: abortable.signal,
  })
  if (!isPromise(outcome)) {
    abortable.detach()
    return finish(outcome)
  }
  return new Promise((resolve) => {
    let late = false
    const expire = () => {
      late = true
      resolve(finish('late'))
      abortable.abort(toExceeded(deadline, elapsed()))
    }
    const timer = setTimeout(expire, deadline.afterMs - elapsed())
    void outcome.then((settled) => {
      clearTimeout(timer)
      abortable.detach()
      if (!late) resolve(finish(settled))
    })
  })
}

function readDeadline(exchange: ExtensionCall): Deadline {
  const { options } = exchange
  const { deadline, timeout } = options
  if (options['value'] === undefined && options['unit'] === undefined) {
    if (deadline !== undefined) return fromTimestamp(exchange, deadline, 'deadline')
    if (isRecord(timeout)) return fromValue(exchange, timeout, 'timeout/')
  }
  return options['unit'] === 'iso8601'
    ? fromTimestamp(exchange, options['value'], 'value')
    : fromValue(exchange, options, '')
}

function fromTimestamp(exchange: ExtensionCall, value: unknown, path: string): Deadline {
  const moment = typeof value === 'string' && TIMESTAMP.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(moment)) {
    throw invalidOption(exchange, path, 'an RFC 3339 timestamp such as "2030-01-15T10:30:00Z"')
  }
  const { clock } = exchange.service
  const arrival = clock.now() - (clock.elapsed() - exchange.call.startedAt)
  return {
    specified: { value: value as string, unit: 'iso8601' },
    afterMs: Math.max(0, moment - arrival),
  }
}

function fromValue(
  exchange: ExtensionCall,
  { value, unit }: { readonly value?: unknown; readonly unit?: unknown },
  path: string,
): Deadline {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw invalidOption(exchange, `${path}value`, 'a number that is not negative')
  }
  const afterMs = toMilliseconds({ value, unit })
  if (afterMs === undefined || !UNITS.includes(unit as string)) {
    throw invalidOption(exchange, `${path}unit`, `one of ${UNITS.join(', ')} or iso8601`)
  }
  return { specified: { value, unit: unit as string }, afterMs }
}

function fromDuration(duration: Duration | undefined): Deadline | undefined {
  const afterMs = duration && toMilliseconds(duration)
  return duration === undefined || afterMs === undefined
    ? undefined
    : { specified: { ...duration }, afterMs }
}

/** A call made on behalf of another one never outlives it. */
function leftFromAbove({ call, service: { clock } }: ExtensionCall): number {
  if (call.facts.deadline === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, call.facts.deadline - clock.now() + clock.elapsed() - call.startedAt)
}

function encodeUse({ specified, afterMs }: Deadline, spent: number): JsonObject {
  const share = afterMs === 0 ? 1 : Math.min(1, spent / afterMs)
  return {
    specified,
    elapsed: toDuration(spent),
    remaining: toDuration(afterMs - spent),
    utilization: Math.round(share * 1000) / 1000,
  }
}

function toExceeded({ specified }: Deadline, spent: number): CallError {
  return new CallError('DEADLINE_EXCEEDED', {
    details: { deadline: specified, elapsed: toDuration(spent) },
  })
}

function requireDuration(duration: Duration, name: string): number {
  const milliseconds = toMilliseconds(duration)
  if (milliseconds && milliseconds <= LONGEST_TIMER_MS) return milliseconds
  throw new TypeError(
    `deadline: ${name} must be a duration of up to 24 days, such as { value: 30, unit: 'second' }`,
  )
}
