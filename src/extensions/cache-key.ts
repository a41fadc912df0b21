import type { Call } from '../core/call.ts'
import type { ExtensionCall } from '../core/extension.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { storeKey } from '../store/keys.ts'
import { toCanonicalJson, toSha256 } from './canonical.ts'

/** Extensions that do not change what a function answers; every other one is part of what a result depends on. */
const NEUTRAL: ReadonlySet<string> = new Set(
  [
    'tracing',
    'locale',
    'retry',
    'deprecation',
    'redact',
    'maintenance',
    'replay',
    'deadline',
    'cancellation',
    'rate-limit',
    'quota',
    'caching',
    'idempotency',
    'priority',
    'atomic-lock',
  ].map((name) => `urn:forrst:ext:${name}`),
)

/** Gives what sets answers with one result apart: those that differ by masks or language must not share an ETag. */
export function toShape({ extensions, facts }: Call): string {
  const redact = extensions.find(({ urn }) => canonicalUrn(urn) === 'urn:forrst:ext:redact')
  if (redact === undefined && facts.locale === undefined) return ''
  return toCanonicalJson([redact?.options, facts.locale])
}

/** Gives the key of the result of a call: everything the result depends on. */
export function toCacheKey(
  { call, target }: ExtensionCall,
  { shared, vary }: { readonly shared: boolean; readonly vary: Json },
): string {
  const others = call.extensions
    .map(({ urn, options }) => [canonicalUrn(urn), options] as const)
    .filter(([urn]) => !NEUTRAL.has(urn))
  const text = toCanonicalJson([
    target.name,
    target.version,
    call.arguments,
    shared ? null : toHolder(call.principal),
    call.facts.locale,
    vary,
    others,
  ])
  return storeKey('cache', toSha256(text))
}

/** One principal may call with less than all it is allowed: what it then gets must not come from when it had more. */
function toHolder(principal: Call['principal']): Json {
  if (principal === undefined) return null
  const { id, scopes } = principal
  return scopes === undefined ? id : [id, [...scopes].sort()]
}

/** Gives the context but for request ids: whoever calls on behalf of a tenant must not see another one's results. */
export function byContext({ context }: Call): Json {
  if (context === undefined) return null
  const { request_id: _request, correlation_id: _correlation, ...rest } = context
  return rest satisfies JsonObject
}
