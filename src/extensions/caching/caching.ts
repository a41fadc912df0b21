import {
  type Call,
  captureReply,
  type Extension,
  type ExtensionCall,
  isPrepared,
  type Next,
  notApplicable,
  type Outcome,
  requireMilliseconds,
  restoreReply,
  type Service,
  standIn,
  type Target,
  toResultText,
} from '../../core/index.ts'
import {
  createStoreGuard,
  isUnavailable,
  type OnStoreFailure,
  type Store,
  type StoreGuard,
  toSha256,
} from '../../store/index.ts'
import { type Duration, fromJson, type Json } from '../../values/index.ts'
import { CACHING_URN, type CacheDeclaration, readCacheDeclaration } from './declaration.ts'
import {
  byContext,
  type CachedResult,
  type CacheLookup,
  type Condition,
  invalidateTags,
  keepResult,
  LONGEST_MAX_AGE_MS,
  lookUp,
  readCondition,
  toCacheKey,
  toShape,
} from './entry.ts'

/** How results are kept and recognised. */
export interface CachingExtensionOptions {
  readonly store: Store
  /** Longer declarations are cut to this; one hour when absent, twelve hours at most. */
  readonly maxAge?: Duration
  /** What else a result depends on; the context but for its request ids when absent. */
  readonly vary?: (call: Call) => Json
  /** `proceed` when absent: a function can always run. With `refuse`, a write is refused when it could not be told. */
  readonly onStoreFailure?: OnStoreFailure
}

/** What the extension holds for every call. */
interface Cache {
  readonly store: Store
  readonly guard: StoreGuard
  readonly vary: (call: Call) => Json
  readonly refuses: boolean
  readonly declaration: (target: Target) => CacheDeclaration
}

/** Creates the extension that spares callers what they know already, and functions what they have just answered. */
export function cachingExtension(options: CachingExtensionOptions): Extension {
  const { store, vary = byContext, onStoreFailure = 'proceed' } = options
  const maxAgeMs = requireMilliseconds(
    'caching: maxAge',
    options.maxAge ?? { value: 1, unit: 'hour' },
  )
  const declarations = new WeakMap<Target['definition'], CacheDeclaration>()
  const cache: Cache = {
    store,
    vary,
    guard: createStoreGuard('caching', onStoreFailure),
    refuses: onStoreFailure === 'refuse',
    declaration(target) {
      const known = declarations.get(target.definition)
      const declaration =
        known ?? readCacheDeclaration(target, Math.min(maxAgeMs, LONGEST_MAX_AGE_MS))
      if (known === undefined) declarations.set(target.definition, declaration)
      return declaration
    },
  }
  return {
    urn: CACHING_URN,
    version: '1.0.0',
    phase: 'remember',
    order: -20,
    excludedBy: 'writes',
    watches: (target) => cache.declaration(target) && isWrite(target) && hasTags(target),
    refusal: (target) => (isWrite(target) ? WRITES_REFUSED : undefined),
    around(exchange, next) {
      if (!isWrite(exchange.target)) return read(exchange, cache, next)
      if (exchange.declared)
        throw notApplicable({ ...exchange, urn: CACHING_URN }, exchange.target, WRITES_REFUSED)
      return write(exchange, cache, next)
    },
  }
}

const WRITES_REFUSED = 'Caching extension not applicable to write operations'

function isWrite(target: Target): boolean {
  return target.stateChanges.length > 0
}

function hasTags({ definition }: Target): boolean {
  return (
    definition.extensions?.some(({ urn, tags }) => urn === CACHING_URN && tags !== undefined) ??
    false
  )
}

async function write(exchange: ExtensionCall, cache: Cache, next: Next): Promise<Outcome> {
  const { call, service, target } = exchange
  const { store } = cache
  const tags = cache.declaration(target).tags(call.arguments)
  // Where stale answers are worse than none, a store that is away is noticed before anything is written.
  if (cache.refuses) await invalidateTags(store, tags)
  const outcome = await next(call)
  try {
    await invalidateTags(store, tags)
  } catch (thrown) {
    const facts = { function: target.name, tags, error: thrown }
    service.log.error(
      'cached results could not be invalidated; they are served until they age',
      facts,
    )
  }
  return outcome
}

async function read(exchange: ExtensionCall, cache: Cache, next: Next): Promise<Outcome> {
  const { call, service, target } = exchange
  const condition = readCondition(exchange)
  const { maxAgeMs, shared, tags } = cache.declaration(target)
  const shape = toShape(call)
  if (maxAgeMs === 0) return respond(exchange, { condition, shape }, await fresh(exchange, next))

  const key = toCacheKey(exchange, { shared, vary: cache.vary(call) })
  const found = await cache.guard.ask(
    service,
    () => lookUp(cache.store, key, tags(call.arguments)),
    undefined,
  )
  if (found?.cached) {
    const { cached, freshMs } = found
    restoreReply(call.reply, cached.entries)
    return respond(exchange, { condition, shape, maxAgeMs: freshMs }, cached)
  }
  const computed = await fresh(exchange, next)
  if (found && !('ok' in computed)) {
    await keep(service, cache, { key, computed, found, maxAgeMs })
  }
  const bypass = found === undefined
  return respond(exchange, { condition, shape, maxAgeMs, bypass }, computed)
}

/** Runs the function; what is not a plain result is nothing to keep. */
async function fresh(exchange: ExtensionCall, next: Next): Promise<Fresh | Outcome> {
  const { call, service } = exchange
  const inner = captureReply(service, call.reply)
  const start = service.clock.elapsed()
  const outcome = await next(call)
  if (!outcome.ok || call.reply.disposition !== undefined) return outcome
  const text = toResultText(outcome.result, service.limits.maxResponseBytes)
  return {
    result: outcome.result,
    etag: toSha256(text).slice(0, 32),
    modified: service.clock.now(),
    entries: inner(),
    tookMs: service.clock.elapsed() - start,
  }
}

interface Fresh extends Omit<CachedResult, 'tags'> {
  readonly tookMs: number
}

async function keep(
  service: Service,
  { store, guard }: Cache,
  entry: {
    readonly key: string
    readonly computed: Fresh
    readonly found: CacheLookup
    readonly maxAgeMs: number
  },
): Promise<void> {
  const { key, computed, found, maxAgeMs } = entry
  const { tookMs, result, ...rest } = computed
  // A function that took this long may have begun before a generation that is forgotten by now.
  if (tookMs > LONGEST_MAX_AGE_MS) return
  const kept = { ...rest, result: isPrepared(result) ? fromJson(result.json) : result }
  try {
    const put = () => keepResult(store, key, { ...kept, tags: found.tags }, maxAgeMs)
    await guard.ask(service, put, undefined)
  } catch (thrown) {
    // The caller has the result: a failure to cache it does not fail the call, and an oversized one is not worth a warning.
    if (isUnavailable(thrown)) service.log.warn('a result could not be kept', { error: thrown })
  }
}

/** How the caller is to be answered. */
interface Manner {
  readonly condition: Condition
  /** What the answer looks like beside the result: its language, its masks. */
  readonly shape: string
  readonly maxAgeMs?: number
  readonly bypass?: boolean
}

function respond(
  exchange: ExtensionCall,
  { condition, shape, maxAgeMs = 0, bypass = false }: Manner,
  found: Omit<CachedResult, 'tags'> | Outcome,
): Outcome {
  if ('ok' in found) {
    exchange.answer({ cache_status: 'bypass' })
    return found
  }
  const etag = shape === '' ? found.etag : toSha256(shape + found.etag).slice(0, 32)
  const known =
    condition.etags === undefined
      ? found.modified <= condition.since
      : condition.etags.includes(etag) || condition.etags.includes('*')
  exchange.answer({
    etag: `"${etag}"`,
    max_age: { value: Math.floor(maxAgeMs / 1000), unit: 'second' },
    ...(maxAgeMs > 0 && { last_modified: new Date(found.modified).toISOString() }),
    cache_status: known ? 'hit' : bypass ? 'bypass' : 'miss',
  })
  return known ? standIn(exchange) : { ok: true, result: found.result ?? null }
}
