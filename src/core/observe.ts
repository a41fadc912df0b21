import { CallError } from '../errors/index.ts'
import { isPromise, type Maybe } from '../values/index.ts'
import type { Call, Outcome } from './call.ts'
import type { Service } from './service.ts'
import type { Target } from './target.ts'

/** A call that has ended, for logs and metrics. */
export interface EndedCall {
  readonly call: Call
  /** What it came over: `forrst`, `rest`, `mcp`, `explorer`, `trigger`, `operation`, `replay` or `code`. */
  readonly surface: string
  /** The version that was meant; undefined when the service has no such function. */
  readonly target: Target | undefined
  /** Code of the first error; undefined when the call succeeded. */
  readonly code: string | undefined
  /** From the arrival of the request to its outcome. */
  readonly durationMs: number
}

/** Told of every call of a service, at once: it must not wait. */
export interface CallObserver {
  readonly begin?: () => void
  readonly end: (ended: EndedCall) => void
}

/** Runs a call and tells the observers of its service; a plain call of a service without any never comes here. */
export function runObserved(
  service: Service,
  call: Call,
  surface: string,
  run: (service: Service, call: Call) => Maybe<Outcome>,
): Maybe<Outcome> {
  const observers = [...service.observers]
  for (const { begin } of observers) begin?.()
  const end = (code: string | undefined): void => {
    const entry = service.registry.find(call.function)
    const target = call.version === undefined ? entry?.latest : entry?.versions.get(call.version)
    const durationMs = service.clock.elapsed() - call.startedAt
    for (const observer of observers) {
      try {
        observer.end({ call, surface, target, code, durationMs })
      } catch (error) {
        service.log.error('an observer of calls failed', { error })
      }
    }
  }
  const settle = (outcome: Outcome): Outcome => {
    end(outcome.ok ? undefined : outcome.errors[0].code)
    return outcome
  }
  const fail = (thrown: unknown): never => {
    end(thrown instanceof CallError ? thrown.code : 'INTERNAL_ERROR')
    throw thrown
  }
  let outcome: Maybe<Outcome>
  try {
    outcome = run(service, call)
  } catch (thrown) {
    return fail(thrown)
  }
  return isPromise(outcome) ? outcome.then(settle, fail) : settle(outcome)
}
