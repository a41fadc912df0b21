import { CallError, DEFAULT_RETRY_AFTER } from '../errors/index.ts'
import { andThen, formatNear, isPromise, type Maybe, nearest, toShort } from '../values/index.ts'
import {
  assertPermitted,
  EVERYTHING,
  isAdmitted,
  isVisible,
  type View,
  viewOf,
} from './access/access.ts'
import type { Call, Outcome } from './call.ts'
import {
  type ChosenExtension,
  type Extension,
  runThrough,
  selectExtensions,
  withGate,
} from './extension.ts'
import { runObserved } from './observed.ts'
import type { FunctionEntry, Registry } from './registry.ts'
import type { Service } from './service.ts'
import type { Target } from './target.ts'
import { isVersion } from './version.ts'

/** Takes a call to its outcome: find the function, pass its gates, run through extensions, invoke. */
export function dispatch(service: Service, call: Call, surface = 'code'): Maybe<Outcome> {
  return service.observers.length === 0
    ? route(service, call)
    : runObserved(service, call, surface, route)
}

function route(service: Service, call: Call): Maybe<Outcome> {
  const target = requireFunction(service, call)
  const chosen = select(service, call, target)
  if (chosen.length > 0) {
    return runThrough(service, withGate(chosen, GATE), { call, target }, target.run)
  }
  assertAvailable(target)
  assertPermitted(target, call)
  const permitted = service.authorize?.(call, target)
  return isPromise(permitted) ? permitted.then(() => target.run(call)) : target.run(call)
}

/**
 * Takes a call that was accepted earlier to its outcome: through the extensions inside the given one. Those outside,
 * and what `authorize` decides, were settled when it was accepted; scopes are asked again, for the function may require more by now.
 */
export function dispatchInside(service: Service, call: Call, urn: string): Maybe<Outcome> {
  const run = () => routeInside(service, call, urn)
  return service.observers.length === 0 ? run() : runObserved(service, call, 'operation', run)
}

function routeInside(service: Service, call: Call, urn: string): Maybe<Outcome> {
  const target = requireFunction(service, call)
  assertAvailable(target)
  assertPermitted(target, call)
  const outside = service.extensions.findIndex((extension) => extension.urn === urn)
  const inside = service.extensions.slice(outside + 1)
  const chosen = selectExtensions(service, call, target).filter(
    ({ extension }) => inside.includes(extension) || extension.shapesResult,
  )
  return runThrough(service, chosen, { call, target }, target.run)
}

/** That a function is switched off, or not for this caller, matters more than how its call was decorated. */
function select(service: Service, call: Call, target: Target): readonly ChosenExtension[] {
  try {
    return selectExtensions(service, call, target)
  } catch (thrown) {
    assertAvailable(target)
    assertPermitted(target, call)
    throw thrown
  }
}

/** What may refuse a call, as a layer: the extensions around it see, word and record the refusal. */
const GATE: Extension = {
  urn: 'gate',
  version: '1.0.0',
  around({ call, target, service }, next) {
    assertAvailable(target)
    assertPermitted(target, call)
    return andThen(service.authorize?.(call, target), () => next(call))
  },
}

/** Finds the version of a function that a call means. */
export function requireFunction(
  service: Pick<Service, 'registry' | 'denied'>,
  call: Pick<Call, 'function' | 'version' | 'principal'>,
): Target {
  const entry = service.registry.find(call.function)
  if (entry === undefined) throw notFound(service, call)
  const target = call.version === undefined ? entry.latest : entry.versions.get(call.version)
  if (target !== undefined && target.stability !== 'removed') {
    if (isAdmitted(service, call.principal, target)) return target
  }
  throw explainVersion(service, call, entry)
}

/** What a caller may not see is not among the versions; a function without any is as good as absent. */
function explainVersion(
  service: Pick<Service, 'registry'>,
  call: Pick<Call, 'function' | 'version' | 'principal'>,
  { ordered, versions }: FunctionEntry,
): CallError {
  const { function: name, version } = call
  const seen = ordered.filter(viewOf(service, call.principal).permits)
  if (seen.length === 0) return notFound(service, call)
  if (version !== undefined && !isVersion(version)) {
    return new CallError('INVALID_REQUEST', {
      message: 'call.version must be a semantic version such as "1.0.0"',
      source: { pointer: '/call/version' },
    })
  }
  const known = seen.filter(({ stability }) => stability !== 'removed').map((one) => one.version)
  const listed = known.length === 0 ? 'all versions were removed' : known.join(', ')
  const target = version === undefined ? undefined : versions.get(version)
  const wasRemoved = target !== undefined && seen.includes(target)
  return new CallError('VERSION_NOT_FOUND', {
    message:
      version === undefined
        ? `${name} has no stable version; name one of ${listed}`
        : `${name} has no version ${toShort(version)}${wasRemoved ? ' any more' : ''}; known: ${listed}`,
    source: { pointer: '/call/version' },
    details: {
      function: name,
      requested_version: version === undefined ? null : toShort(version),
      available_versions: known,
    },
  })
}

function notFound(
  service: Pick<Service, 'registry'>,
  { function: name, principal }: Pick<Call, 'function' | 'principal'>,
): CallError {
  return functionNotFound(service.registry, name, '/call/function', viewOf(service, principal))
}

/** Makes the error for a name nobody has, with the names it may have meant. */
export function functionNotFound(
  registry: Registry,
  name: string,
  pointer: string,
  view?: View,
): CallError {
  const near = findNear(registry, name, view)
  const short = toShort(name)
  return new CallError('FUNCTION_NOT_FOUND', {
    message: `Function not found: ${short}${formatNear(near)}`,
    source: { pointer },
    details: { function: short, ...(near.length > 0 && { did_you_mean: near }) },
  })
}

/** Finds functions whose names are near to an unknown one; what discovery or the view hides is not among them. */
export function findNear(registry: Registry, name: string, view: View = EVERYTHING): string[] {
  return nearest(name, listVisible(registry, view), { count: 3 })
}

function* listVisible(registry: Registry, view: View): Iterable<string> {
  for (const { name, ordered } of registry.entries()) {
    if (ordered.some((target) => target.system || isVisible(target, view))) yield name
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
