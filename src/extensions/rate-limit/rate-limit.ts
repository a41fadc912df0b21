import {
  addReplyHeader,
  type Call,
  type Extension,
  type ExtensionCall,
  invalidOption,
  readChoice,
  type Target,
  toSeconds,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createStoreGuard, type OnStoreFailure, type Store } from '../../store/index.ts'
import { extensionUrn, type JsonObject } from '../../values/index.ts'
import {
  appliesTo,
  type Identify,
  identifyCaller,
  LIMIT_SCOPES,
  preparePolicies,
  type RateLimitPolicy,
  type ReadyPolicy,
} from './policy.ts'

/** How calls are limited. */
export interface RateLimitExtensionOptions {
  readonly store: Store
  /** Every one that applies to a call has to let it through. */
  readonly policies: readonly RateLimitPolicy[]
  /** Tells callers apart; by principal and by `context.caller` when absent. */
  readonly identify?: Identify
  /** `proceed` when absent: without the store calls are not counted. */
  readonly onStoreFailure?: OnStoreFailure
}

/** A policy after it has counted a call. */
interface Use {
  readonly policy: ReadyPolicy
  /** Absent when the store could not be asked. */
  readonly used?: number
  readonly resetsInMs: number
}

/** Below this share of the limit callers are warned. */
const WARNING_SHARE = 0.1

/** Creates the extension that refuses calls beyond so many in so much time, counted across all processes of a store. */
export function rateLimitExtension(options: RateLimitExtensionOptions): Extension {
  const { store, identify = identifyCaller } = options
  const policies = preparePolicies(options.policies)
  const guard = createStoreGuard('rate-limit', options.onStoreFailure ?? 'proceed')
  const applying = (target: Target) => policies.filter((policy) => appliesTo(policy, target))

  async function count(
    policy: ReadyPolicy,
    { call, target, service }: ExtensionCall,
  ): Promise<Use> {
    const subject = identify(call, policy.scope)
    const unknown = { policy, resetsInMs: policy.windowMs }
    if (subject === undefined) return unknown
    const key = policy.toKey(subject, target)
    const advance = () => store.increment(key, { ttl: policy.windowMs })
    const counted = await guard.ask(service, advance, undefined)
    if (counted === undefined) return unknown
    return { policy, used: counted.value, resetsInMs: counted.ttl ?? policy.windowMs }
  }

  return {
    urn: extensionUrn('rate-limit'),
    version: '1.0.0',
    phase: 'limit',
    order: -20,
    details: { rate_limits: policies.map(encodePolicy) },
    joins: (target) => applying(target).length > 0,
    async around(exchange, next) {
      const { call, target, declared } = exchange
      const shown = selectShown(exchange, applying(target))
      const uses: Use[] = []
      let refused: Use | undefined
      for (const policy of applying(target)) {
        const use = await count(policy, exchange)
        uses.push(use)
        if (use.used !== undefined && use.used > policy.limit) {
          refused = use
          break
        }
      }
      if (declared) exchange.answer(encodeUses(uses.filter(({ policy }) => shown.includes(policy))))
      addHeaders(call, uses)
      if (refused !== undefined) throw toRefusal(refused, target)
      return next(call)
    },
  }
}

function selectShown(
  exchange: ExtensionCall,
  policies: readonly ReadyPolicy[],
): readonly ReadyPolicy[] {
  const scope = readChoice(exchange, 'scope', LIMIT_SCOPES)
  if (scope === undefined) return policies
  const shown = policies.filter((policy) => policy.scope === scope)
  if (shown.length > 0) return shown
  const known = policies.map((policy) => policy.scope).join(', ')
  throw invalidOption(exchange, 'scope', `a scope that is limited here: ${known}`)
}

function remaining({ policy, used }: Use): number {
  return Math.max(0, policy.limit - (used ?? 0))
}

function toRefusal(use: Use, target: Target): CallError {
  const { policy, resetsInMs } = use
  return new CallError('RATE_LIMITED', {
    details: {
      limit: policy.limit,
      used: Math.min(use.used ?? 0, policy.limit),
      window: { ...policy.window },
      retry_after: toSeconds(resetsInMs),
      scope: policy.scope,
      ...((policy.function ?? policy.scope === 'function') && { function: target.name }),
    },
  })
}

function encodeUses(uses: readonly Use[]): JsonObject {
  const [first, ...others] = uses
  if (first === undefined) return {}
  if (others.length === 0) return { ...encodeUse(first), scope: first.policy.scope }
  const scopes: Record<string, JsonObject> = {}
  // Of two policies in one scope the tighter one is what the caller needs to know.
  for (const use of [...uses].sort((left, right) => remaining(right) - remaining(left))) {
    scopes[use.policy.scope] = encodeUse(use)
  }
  return { scopes }
}

function encodeUse(use: Use): JsonObject {
  const { policy, used, resetsInMs } = use
  const { limit } = policy
  const window = { ...policy.window }
  if (used === undefined) return { limit, window, warning: 'This call could not be counted' }
  const low = remaining(use) < limit * WARNING_SHARE
  return {
    limit,
    used: Math.min(used, limit),
    remaining: remaining(use),
    window,
    resets_in: toSeconds(resetsInMs),
    ...(low && { warning: `${remaining(use)} of ${limit} calls are left` }),
  }
}

/** The three headers of the protocol speak of the tightest policy, the two of the IETF draft of all. */
function addHeaders({ reply }: Call, uses: readonly Use[]): void {
  const counted = uses.filter(({ used }) => used !== undefined)
  const [tightest] = [...counted].sort((left, right) => remaining(left) - remaining(right))
  if (tightest === undefined) return
  const seconds = (use: Use) => toSeconds(use.resetsInMs).value
  const policyItem = ({ policy }: Use) =>
    `"${policy.name}";q=${policy.limit};w=${toSeconds(policy.windowMs).value}`
  const limitItem = (use: Use) => `"${use.policy.name}";r=${remaining(use)};t=${seconds(use)}`
  addReplyHeader(reply, 'ratelimit-limit', String(tightest.policy.limit))
  addReplyHeader(reply, 'ratelimit-remaining', String(remaining(tightest)))
  addReplyHeader(reply, 'ratelimit-reset', String(seconds(tightest)))
  addReplyHeader(reply, 'ratelimit-policy', counted.map(policyItem).join(', '))
  addReplyHeader(reply, 'ratelimit', counted.map(limitItem).join(', '))
}

function encodePolicy({ scope, limit, window, function: only }: ReadyPolicy): JsonObject {
  return { scope, limit, window: { ...window }, ...(only !== undefined && { function: only }) }
}
