import { CallError, DEFAULT_RETRY_AFTER } from '../errors/index.ts'
import { andThen, formatNear, isPromise, type Maybe, nearest, toShort } from '../values/index.ts'
import type { Call, Outcome } from './call.ts'
import {
  type ChosenExtension,
  type Extension,
  runThrough,
  selectExtensions,
  withGate,
} from './extension.ts'
import type { Registry } from './registry.ts'
import type { Service } from './service.ts'
import { isDiscoverable, type Target } from './target.ts'
import { isVersion } from './version.ts'

/** Takes a call to its outcome: find the function, pass its gates, run through extensions, invoke. */
export function dispatch(service: Service, call: Call, surface = 'code'): Maybe<Outcome> {
  return service.observers.length === 0
    ? route(service, call)
    : runObserved(service, call, surface, route)
}

function route(service: Service, call: Call): Maybe<Outcome> {
  const target = requireFunction(service.registry, call)
  const chosen = select(service, call, target)
  if (chosen.length > 0) {
    return runThrough(service, withGate(chosen, GATE), { call, target }, target.run)
  }
  assertAvailable(target)
  const permitted = service.authorize?.(call, target)
  return isPromise(permitted) ? permitted.then(() => target.run(call)) : target.run(call)
}

/**
 * Takes a call that was accepted earlier to its outcome: through the extensions inside the given one. Those outside,
 * and who may call, were settled when it was accepted.
 */
export function dispatchInside(service: Service, call: Call, urn: string): Maybe<Outcome> {
  const run = () => routeInside(service, call, urn)
  return service.observers.length === 0 ? run() : runObserved(service, call, 'operation', run)
}

function routeInside(service: Service, call: Call, urn: string): Maybe<Outcome> {
  const target = requireFunction(service.registry, call)
  assertAvailable(target)
  const outside = service.extensions.findIndex((extension) => extension.urn === urn)
  const inside = service.extensions.slice(outside + 1)
  const chosen = selectExtensions(service, call, target).filter(
    ({ extension }) => inside.includes(extension) || extension.shapesResult,
  )
  return runThrough(service, chosen, { call, target }, target.run)
}

/** Runs a call and tells the observers of its service; a plain call of a service without any never comes here. */
function runObserved(
  service: Service,
  call: Call,
  surface: string,
  run: (service: Service, call: Call) => Maybe<Outcome>,
): Maybe<Outcome> {
  const observers = [...service.observers]
  for (const { begin } of observers) begin?.(surface)
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

/** That a function is switched off matters more than how its call was decorated. */
function select(service: Service, call: Call, target: Target): readonly ChosenExtension[] {
  try {
    return selectExtensions(service, call, target)
  } catch (thrown) {
    assertAvailable(target)
    throw thrown
  }
}

/** What may refuse a call, as a layer: the extensions around it see, word and record the refusal. */
const GATE: Extension = {
  urn: 'gate',
  version: '1.0.0',
  around({ call, target, service }, next) {
    assertAvailable(target)
    return andThen(service.authorize?.(call, target), () => next(call))
  },
}

/** Finds the version of a function that a call means. */
export function requireFunction(
  registry: Registry,
  call: Pick<Call, 'function' | 'version'>,
): Target {
  const entry = registry.find(call.function)
  if (entry === undefined) {
    throw functionNotFound(registry, call.function, '/call/function')
  }
  const target = call.version === undefined ? entry.latest : entry.versions.get(call.version)
  if (target !== undefined && target.stability !== 'removed') return target
  if (call.version !== undefined && !isVersion(call.version)) {
    throw new CallError('INVALID_REQUEST', {
      message: 'call.version must be a semantic version such as "1.0.0"',
      source: { pointer: '/call/version' },
    })
  }
  const known = entry.ordered
    .filter(({ stability }) => stability !== 'removed')
    .map(({ version }) => version)
  const listed = known.length === 0 ? 'all versions were removed' : known.join(', ')
  const { function: name, version } = call
  throw new CallError('VERSION_NOT_FOUND', {
    message:
      version === undefined
        ? `${name} has no stable version; name one of ${listed}`
        : `${name} has no version ${toShort(version)}${target === undefined ? '' : ' any more'}; known: ${listed}`,
    source: { pointer: '/call/version' },
    details: {
      function: call.function,
      requested_version: call.version === undefined ? null : toShort(call.version),
      available_versions: known,
    },
  })
}

/** Makes the error for a name nobody has, with the names it may have meant. */
export function functionNotFound(registry: Registry, name: string, pointer: string): CallError {
  const near = findNear(registry, name)
  const short = toShort(name)
  return new CallError('FUNCTION_NOT_FOUND', {
    message: `Function not found: ${short}${formatNear(near)}`,
    source: { pointer },
    details: { function: short, ...(near.length > 0 && { did_you_mean: near }) },
  })
}

/** Finds functions whose names are near to an unknown one; what discovery hides is not among them. */
export function findNear(registry: Registry, name: string): string[] {
  return nearest(name, listVisible(registry), { count: 3 })
}

function* listVisible(registry: Registry): Iterable<string> {
  for (const { name, ordered } of registry.entries()) {
    if (ordered.some((target) => target.system || isDiscoverable(target))) yield name
  }
}

function assertAvailable(target: Target): void {
  const { status, message, until, retryAfter } = target.health()
  if (status === 'disabled') {
    throw new CallError('FUNCTION_DISABLED', {
      details: {
        function: target.name,
        reason: message ?? 'Disabled by the operator',
        ...(until !== undefined && { until }),
        ...(retryAfter && { retry_after: { ...retryAfter } }),
      },
    })
  }
  if (status === 'maintenance') {
    throw new CallError('FUNCTION_MAINTENANCE', {
      details: {
        function: target.name,
        reason: message ?? 'Scheduled maintenance',
        ...(until !== undefined && { until }),
        retry_after: { ...(retryAfter ?? DEFAULT_RETRY_AFTER) },
      },
    })
  }
}
