import {
  type Call,
  type Extension,
  type ExtensionCall,
  invalidOption,
  type Outcome,
  readTexts,
  type Service,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import {
  createStoreGuard,
  type OnStoreFailure,
  type Store,
  storeKey,
  toSha256,
} from '../../store/index.ts'
import { extensionUrn, formatTimestamp, type JsonObject, toText } from '../../values/index.ts'
import { type Identify, identifyCaller } from '../rate-limit/index.ts'
import {
  findPeriod,
  prepareQuotas,
  QUOTA_TYPES,
  type QuotaPolicy,
  type ReadyQuota,
} from './policy.ts'

/** How much callers may use in the long run. */
export interface QuotaExtensionOptions {
  readonly store: Store
  readonly quotas: readonly QuotaPolicy[]
  /** Tells callers apart; by principal and by `context.caller` when absent. */
  readonly identify?: Identify
  /** `proceed` when absent: without the store nothing is counted. */
  readonly onStoreFailure?: OnStoreFailure
}

/** What a caller has used of one quota. */
interface Account {
  readonly quota: ReadyQuota
  readonly key: string
  readonly ttlMs: number
  readonly resetsAt: number
  used: number
}

/** Creates the extension that refuses calls of those who have used up what they may use in a period. */
export function quotaExtension(options: QuotaExtensionOptions): Extension {
  const quotas = prepareQuotas(options.quotas)
  const { store, identify = identifyCaller } = options
  const guard = createStoreGuard('quota', options.onStoreFailure ?? 'proceed')

  const advance = (service: Service, account: Account, by: number) =>
    guard.ask(
      service,
      async () => (await store.increment(account.key, { ttl: account.ttlMs, by })).value,
      account.used,
    )

  /** Counts what is known before the call, and looks up the rest; a call that is refused has used nothing. */
  async function open(accounts: readonly Account[], { service }: ExtensionCall): Promise<void> {
    for (const [index, account] of accounts.entries()) {
      const { before, limit } = account.quota
      account.used = await advance(service, account, before)
      if (before === 0 ? account.used < limit : account.used <= limit) continue
      const counted = accounts.slice(0, index + 1)
      for (const other of counted) other.used -= other.quota.before
      for (const other of counted) await advance(service, other, -other.quota.before)
      throw toRefusal(account)
    }
  }

  /**
   * Counts what only the outcome tells; what is used by then is used, also beyond the limit. What the function did stands:
   * a caller who was refused now would have it done twice.
   */
  async function close(
    account: Account,
    exchange: ExtensionCall,
    done: { readonly outcome: Outcome; readonly elapsedMs: number },
  ): Promise<void> {
    const { call, service } = exchange
    const by = account.quota.after({ call, ...done })
    if (by <= 0) return
    try {
      account.used = await advance(service, account, by)
    } catch (thrown) {
      service.log.warn('what a call used could not be counted', { error: thrown })
    }
  }

  return {
    urn: extensionUrn('quota'),
    version: '1.0.0',
    phase: 'limit',
    order: -10,
    joins: (target) => quotas.some((quota) => quota.appliesTo(target)),
    async around(exchange, next) {
      const { call, target, service } = exchange
      const include = readInclude(exchange)
      const applying = quotas.filter((quota) => quota.appliesTo(target))
      const accounts = applying.flatMap(
        (quota) => toAccount(quota, call, { service, identify }) ?? [],
      )
      // One object, filled as counts come in: a refusal or a deadline finds it up to date.
      const told: { quotas: readonly JsonObject[] } = { quotas: [] }
      const tell = () => {
        told.quotas = accounts.filter(({ quota }) => include.includes(quota.type)).map(encode)
      }
      if (exchange.declared) exchange.answer(told)
      try {
        await open(accounts, exchange)
      } finally {
        tell()
      }
      const start = service.clock.elapsed()
      const outcome = await next(call)
      const elapsedMs = service.clock.elapsed() - start
      await Promise.all(accounts.map((account) => close(account, exchange, { outcome, elapsedMs })))
      tell()
      return outcome
    },
  }
}

function toAccount(
  quota: ReadyQuota,
  call: Call,
  { service, identify }: { readonly service: Service; readonly identify: Identify },
): Account | undefined {
  const now = service.clock.now()
  const { start, end } = findPeriod(quota.period, now, quota.startDay)
  const subject = identify(call, quota.scope)
  if (subject === undefined) return undefined
  return {
    quota,
    key: storeKey('quota', quota.name, toSha256(subject), String(start)),
    // A little longer than the period, so that clocks that differ do not lose a count.
    ttlMs: end - now + 60_000,
    resetsAt: end,
    used: 0,
  }
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(QUOTA_TYPES)

function readInclude(exchange: ExtensionCall): readonly string[] {
  const include = readTexts(exchange, 'include') ?? QUOTA_TYPES
  const at = include.findIndex((type) => !KNOWN_TYPES.has(type))
  if (at === -1) return include
  throw invalidOption(exchange, `include/${at}`, `one of ${QUOTA_TYPES.join(', ')}`)
}

function encode({ quota, used, resetsAt }: Account): JsonObject {
  const { type, name, limit, period, unit } = quota
  return {
    type,
    name,
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resets_at: formatTimestamp(resetsAt),
    period,
    unit,
  }
}

function toRefusal(account: Account): CallError {
  const { type, name, limit, used, period, resets_at } = encode(account)
  return new CallError('QUOTA_EXCEEDED', {
    message: `Quota used up: ${toText(name)}`,
    details: { type, name, limit, used, period, resets_at },
  })
}
