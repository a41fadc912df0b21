import { CallError } from '../../errors/index.ts'
import { isList, isPromise, type Maybe } from '../../values/index.ts'
import type { Call, Principal } from '../call.ts'
import type { Credentials, Service } from '../service.ts'
import { isDiscoverable, type Target } from '../target.ts'

/** What one set of scopes may call, and therefore see. */
export interface View {
  /** The same for all callers who see the same: what is prepared for one of them serves the others. */
  readonly key: string
  readonly permits: (target: Pick<Target, 'scopes'>) => boolean
}

/** Sees every function: descriptions for the operator, and services whose functions require nothing. */
export const EVERYTHING: View = { key: 'everything', permits: () => true }

/** Gives what a principal may call and see; only scopes that some function requires tell views apart. */
export function viewOf({ registry }: Pick<Service, 'registry'>, principal?: Principal): View {
  const required = registry.scopes()
  if (required.size === 0) return EVERYTHING
  const held = new Set(heldScopes(principal).filter((scope) => required.has(scope)))
  if (held.size === required.size) return EVERYTHING
  return {
    key: `scopes ${[...held].sort().join(' ')}`,
    permits: ({ scopes }) => scopes.every((scope) => held.has(scope)),
  }
}

/** Tells whether a view shows a version of a function: discovery may show it, and the view may call it. */
export function isVisible(target: Target, view: View): boolean {
  return isDiscoverable(target) && view.permits(target)
}

/** Tells whether a caller may know that a version exists: unless the service hides what they may not call, everybody. */
export function isAdmitted(
  service: Pick<Service, 'registry' | 'denied'>,
  principal: Principal | undefined,
  target: Pick<Target, 'scopes'>,
): boolean {
  if (service.denied === 'forbidden' || target.scopes.length === 0) return true
  return viewOf(service, principal).permits(target)
}

/** Refuses a call whose principal lacks a scope that the function requires; the rule of every list as well. */
export function assertPermitted(target: Target, { principal }: Pick<Call, 'principal'>): void {
  if (target.scopes.length === 0) return
  const held = heldScopes(principal)
  if (target.scopes.every((scope) => held.includes(scope))) return
  throw insufficientScope(target)
}

/** Makes the refusal of RFC 6750, section 3.1: the caller learns which scopes to ask for. */
export function insufficientScope({ name, scopes }: Pick<Target, 'name' | 'scopes'>): CallError {
  const scope = scopes.join(' ')
  return new CallError('FORBIDDEN', {
    message: `${name} requires ${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scope}`,
    details: { function: name, required_scopes: [...scopes] },
    challenge: `Bearer error="insufficient_scope", scope="${scope}"`,
  })
}

/** A text in place of a list would hold every scope that is a part of it. */
function heldScopes(principal: Principal | undefined): readonly string[] {
  const scopes = principal?.scopes
  return isList(scopes) ? scopes : []
}

/**
 * Finds out who wants to see what there is. Where discovery is public, whoever shows no credentials is nobody in
 * particular; wrong credentials are refused everywhere.
 */
export function identifyReader(
  { authenticate, discovery }: Pick<Service, 'authenticate' | 'discovery'>,
  credentials: Credentials,
): Maybe<Principal | undefined> {
  if (authenticate === undefined || discovery !== 'public') return authenticate?.(credentials)
  let shown = false
  const header = (name: string): string | undefined => {
    const value = credentials.header(name)
    if (value !== undefined) shown = true
    return value
  }
  const admit = (thrown: unknown): undefined => {
    const isUnknown = thrown instanceof CallError && thrown.code === 'UNAUTHORIZED'
    if (shown || !isUnknown) throw thrown
  }
  try {
    const principal = authenticate({ ...credentials, header, optional: true })
    return isPromise(principal) ? principal.catch(admit) : principal
  } catch (thrown) {
    return admit(thrown)
  }
}

/** The functions that say what there is: callers of public discovery may call them without credentials. */
const READERS: ReadonlySet<string> = new Set([
  'urn:cline:forrst:fn:capabilities',
  'urn:cline:forrst:fn:describe',
  'urn:cline:forrst:ext:discovery:fn:capabilities',
  'urn:cline:forrst:ext:discovery:fn:describe',
])

/** Finds out who calls a function. */
export function identifyFor(
  service: Pick<Service, 'authenticate' | 'discovery'>,
  credentials: Credentials,
  functionName: string,
): Maybe<Principal | undefined> {
  return service.discovery === 'public' && READERS.has(functionName)
    ? identifyReader(service, credentials)
    : service.authenticate?.(credentials)
}
