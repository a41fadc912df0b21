import { CallError } from '../errors/index.ts'
import { andThen, isPromise, type Maybe } from '../values/index.ts'
import type { Call, Outcome } from './call.ts'
import type { CallObserver, Credentials, Service } from './service.ts'

/** Runs a call and tells the observers of its service; a plain call of a service without any never comes here. */
export function runObserved(
  service: Service,
  call: Call,
  surface: string,
  run: (service: Service, call: Call) => Maybe<Outcome>,
): Maybe<Outcome> {
  const observers = [...service.observers]
  for (const { begin } of observers) begin?.(surface)
  const end = (code: string | undefined): Maybe<void> => {
    const entry = service.registry.find(call.function)
    const target = call.version === undefined ? entry?.latest : entry?.versions.get(call.version)
    const durationMs = service.clock.elapsed() - call.startedAt
    return tell(service, observers, (observer) =>
      observer.end({ call, surface, target, code, durationMs }),
    )
  }
  return settle(
    () => run(service, call),
    (outcome) =>
      andThen(end(outcome.ok ? undefined : outcome.errors[0].code), (): Outcome => outcome),
    (thrown) => andThen(end(toCode(thrown)), () => raise(thrown)),
  )
}

type Authenticate = NonNullable<Service['authenticate']>

/** Tells observers of callers whom the hook does not accept, on every surface. */
export function observeRefusals(
  authenticate: Authenticate,
  toService: () => Service,
): Authenticate {
  return (credentials) => {
    const service = toService()
    const observers = service.observers.filter(({ refused }) => refused)
    if (observers.length === 0) return authenticate(credentials)
    let shown = false
    const watched: Credentials = {
      ...credentials,
      header(name) {
        const value = credentials.header(name)
        if (value !== undefined) shown = true
        return value
      },
    }
    const refuse = (thrown: unknown): Maybe<never> => {
      if (credentials.optional && !shown) throw thrown
      const told = tell(service, observers, (observer) =>
        observer.refused?.({
          surface: credentials.surface,
          code: toCode(thrown),
          reason: thrown instanceof CallError ? thrown.message : undefined,
          address: credentials.peerAddress?.(),
        }),
      )
      return andThen(told, () => raise(thrown))
    }
    return settle(
      () => authenticate(watched),
      (principal) => principal,
      refuse,
    )
  }
}

function settle<Value>(
  run: () => Maybe<Value>,
  then: (value: Value) => Maybe<Value>,
  fail: (thrown: unknown) => Maybe<never>,
): Maybe<Value> {
  let value: Maybe<Value>
  try {
    value = run()
  } catch (thrown) {
    return fail(thrown)
  }
  return isPromise(value) ? value.then(then, fail) : then(value)
}

/** An observer that fails is the operator's business: the call goes on. */
function tell(
  { log }: Service,
  observers: readonly CallObserver[],
  say: (observer: CallObserver) => Maybe<void>,
): Maybe<void> {
  const report = (error: unknown): void => log.error('an observer of calls failed', { error })
  const awaited: Promise<void>[] = []
  for (const observer of observers) {
    try {
      const told = say(observer)
      const done = isPromise(told) ? told.catch(report) : undefined
      if (done && observer.waits) awaited.push(done)
    } catch (error) {
      report(error)
    }
  }
  return awaited.length === 0 ? undefined : Promise.all(awaited).then(() => undefined)
}

const toCode = (thrown: unknown): string =>
  thrown instanceof CallError ? thrown.code : 'INTERNAL_ERROR'

function raise(thrown: unknown): never {
  throw thrown
}
