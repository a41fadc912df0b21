import {
  createUlid,
  type Extension,
  type ExtensionCall,
  type Failure,
  invalidOption,
  type OptionSource,
  type Outcome,
  readBoolean,
  readChoice,
  readDuration,
  requireMilliseconds,
  type Service,
} from '../../core/index.ts'
import { type Store, toOwner } from '../../store/index.ts'
import {
  canonicalUrn,
  type Duration,
  extensionUrn,
  formatTimestamp,
  isRecord,
  type JsonObject,
} from '../../values/index.ts'
import type { JobQueue } from '../../work/index.ts'
import { findHeaderProblem, type Outgoing } from '../outgoing/index.ts'
import { refusedOption } from '../webhook/index.ts'
import { replayFunctions } from './functions.ts'
import {
  REPLAY_URN,
  type ReplayCallback,
  type ReplayPriority,
  type ReplayRecord,
  toReplayCall,
} from './record.ts'
import { createReplayStore } from './store.ts'
import { createReplayWorker } from './worker.ts'

/** What a caller wants done with a call that cannot run now. */
export interface ReplayWish {
  readonly enabled: boolean
  readonly ttlMs: number
  readonly priority: ReplayPriority
  readonly callback: ReplayCallback | undefined
}

/** Reads the options of the replay extension, or throws what is wrong with them and where. */
export function readReplayWish(
  source: OptionSource,
  limits: { readonly ttlMs: number; readonly maxTtlMs: number },
  outgoing: Outgoing | undefined,
): ReplayWish {
  const ttlMs = readDuration(source, 'ttl', { above: 0 }) ?? limits.ttlMs
  return {
    enabled: readBoolean(source, 'enabled') ?? true,
    ttlMs: Math.min(ttlMs, limits.maxTtlMs),
    priority: readChoice(source, 'priority', ['high', 'normal', 'low']) ?? 'normal',
    callback: readCallback(source, outgoing),
  }
}

function readCallback(
  source: OptionSource,
  outgoing: Outgoing | undefined,
): ReplayCallback | undefined {
  const callback: unknown = source.options['callback']
  if (callback === undefined) return undefined
  if (outgoing === undefined) {
    throw invalidOption(source, 'callback', 'left out: this service sends no callbacks')
  }
  if (!isRecord(callback)) throw invalidOption(source, 'callback', 'an object with a url')
  const { url, headers } = callback
  if (typeof url !== 'string') throw invalidOption(source, 'callback/url', 'an https URL')
  const problem = outgoing.refuse(url)
  if (problem !== undefined) throw refusedOption(source, 'callback/url', problem)
  if (headers === undefined) return { url }
  if (!isRecord(headers)) throw invalidOption(source, 'callback/headers', 'an object of texts')
  const refused = findHeaderProblem(headers)
  if (refused !== undefined) throw refusedOption(source, 'callback/headers', refused.message)
  return { url, headers: headers as Readonly<Record<string, string>> }
}

/** How calls that cannot run now are kept and run later. */
export interface ReplayExtensionOptions {
  readonly store: Store
  readonly jobs: JobQueue
  /** Sends the callbacks that callers ask for; callers cannot ask for any when absent. */
  readonly outgoing?: Outgoing | undefined
  /** How long a call waits at most when its caller does not say; 24 hours when absent. */
  readonly ttl?: Duration
  /** Longer wishes are cut to this; 7 days when absent. */
  readonly maxTtl?: Duration
  /** How long what came of a replay can be asked for; 24 hours when absent. */
  readonly retention?: Duration
  /** How often a queue whose head cannot run yet is looked at; 5 seconds when absent. */
  readonly poll?: Duration
  /** Calls of one caller that may wait; 1,000 when absent. */
  readonly maxQueued?: number
  /** Runs that may fail for a reason that passes; 3 when absent. */
  readonly maxAttempts?: number
  /** Pause after the first failed run, doubled after each further one; 5 seconds when absent. */
  readonly backoff?: Duration
  /** Which failures are queued; those that say "not now" from before the function ran when absent. */
  readonly queues?: (failure: Failure, exchange: ExtensionCall) => boolean
}

const DAY: Duration = { value: 1, unit: 'day' }

/** Creates the extension that keeps calls which cannot run now, and runs them when they can. */
export function replayExtension(options: ReplayExtensionOptions): Extension {
  const { store, jobs, outgoing, maxQueued = 1_000, maxAttempts = 3, queues = isNotNow } = options
  const limits = {
    ttlMs: requireMilliseconds('replay: ttl', options.ttl ?? DAY),
    maxTtlMs: requireMilliseconds('replay: maxTtl', options.maxTtl ?? { value: 7, unit: 'day' }),
  }
  const pollMs = requireMilliseconds('replay: poll', options.poll ?? SECONDS_5)
  const backoff = requireMilliseconds('replay: backoff', options.backoff ?? SECONDS_5)
  const retentionMs = requireMilliseconds('replay: retention', options.retention ?? DAY)
  const replays = createReplayStore(store, retentionMs)
  const worker = createReplayWorker({
    store,
    replays,
    jobs,
    outgoing,
    maxAttempts,
    pollMs,
    backoffMs: (attempt) => backoff * 2 ** (attempt - 1),
  })

  /** Keeps the call; undefined when it cannot be kept, and then nothing of it is. */
  async function enqueue(
    exchange: ExtensionCall,
    wish: ReplayWish,
    failure: Failure,
  ): Promise<ReplayRecord | undefined> {
    const { call, service } = exchange
    const { callback } = wish
    const draft = toDraft(exchange, wish, failure)
    let record: ReplayRecord | undefined
    try {
      if ((await replays.count(draft.owner, 1)) > maxQueued) {
        await replays.count(draft.owner, -1)
        return undefined
      }
      const kept = { call: toReplayCall(call), ...(callback && { callback }) }
      record = await replays.create(draft, kept)
      await worker.wake(service)
      return record
    } catch (error) {
      service.log.warn('a call could not be queued for replay', { request: call.id, error })
      if (record) await replays.remove(record).catch(() => {})
      return undefined
    }
  }

  async function queue(
    exchange: ExtensionCall,
    wish: ReplayWish,
    failure: Failure,
  ): Promise<Outcome> {
    const record = await enqueue(exchange, wish, failure)
    if (record === undefined) return failure
    const position = await replays.position(record).catch(() => undefined)
    const { reply } = exchange.call
    reply.disposition = 'accepted'
    reply.meta = { ...reply.meta, accepted: true }
    exchange.answer(toQueuedData(record, position, failure))
    return { ok: true, result: null }
  }

  return {
    urn: REPLAY_URN,
    version: '1.0.0',
    phase: 'keep',
    order: -10,
    functions: (service: Service) => replayFunctions(service, { replays, worker }),
    async around(exchange, next) {
      const { call, target, answer, service } = exchange
      const wish = readReplayWish(exchange, limits, outgoing)
      const outcome = await next(call)
      const waits = wish.enabled && !target.system && !outcome.ok && queues(outcome, exchange)
      if (waits && (await hasGoodArguments(exchange))) return queue(exchange, wish, outcome)
      answer({ status: 'processed', replay_id: `rpl_${createUlid(service.clock.now())}` })
      return outcome
    },
    start: (service) => worker.start(service),
  }
}

const SECONDS_5: Duration = { value: 5, unit: 'second' }

/** Said before the function ran. */
const CLOSED = new Set(['SERVER_MAINTENANCE', 'FUNCTION_MAINTENANCE', 'FUNCTION_DISABLED'])
/** May be said in the middle of it. */
const BROKEN = new Set(['UNAVAILABLE', 'DEPENDENCY_ERROR'])

/**
 * What a function may have begun is queued only where running it again is harmless: it changes nothing, or the caller
 * gave an idempotency key.
 */
function isNotNow({ errors }: Failure, { call, target }: ExtensionCall): boolean {
  const [{ code }] = errors
  if (CLOSED.has(code)) return true
  const readOnly = target.sideEffects?.length === 0
  const keyed = call.extensions.some(({ urn }) => canonicalUrn(urn) === extensionUrn('idempotency'))
  return BROKEN.has(code) && (readOnly || keyed)
}

/** A call that its function would refuse anyway is told so now, not tomorrow. */
async function hasGoodArguments({ call, target }: ExtensionCall): Promise<boolean> {
  return (await target.checkInput(call.arguments)).ok
}

function toDraft(
  { call, target, service }: ExtensionCall,
  wish: ReplayWish,
  failure: Failure,
): Omit<ReplayRecord, 'order'> {
  const queuedAt = service.clock.now()
  return {
    id: `rpl_${createUlid(queuedAt)}`,
    owner: toOwner(call.principal),
    function: target.name,
    version: target.version,
    service: service.name,
    request: call.id,
    status: 'queued',
    reason: failure.errors[0].code,
    priority: wish.priority,
    queuedAt,
    expiresAt: queuedAt + wish.ttlMs,
    attempts: 0,
  }
}

function toQueuedData(
  { id, reason, queuedAt, expiresAt }: ReplayRecord,
  position: number | undefined,
  { errors }: Failure,
): JsonObject {
  const estimate = errors[0].details?.['retry_after']
  return {
    status: 'queued',
    replay_id: id,
    reason,
    queued_at: formatTimestamp(queuedAt),
    expires_at: formatTimestamp(expiresAt),
    ...(position !== undefined && { position }),
    ...(isRecord(estimate) && { estimated_replay: estimate }),
  }
}
