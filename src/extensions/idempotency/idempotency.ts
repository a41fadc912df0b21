import { randomUUID } from 'node:crypto'
import {
  type Call,
  captureReply,
  type Extension,
  type ExtensionCall,
  type Failure,
  type Outcome,
  readDuration,
  requireKey,
  requireMilliseconds,
  restoreReply,
  type Service,
  toSeconds,
  withFacts,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import {
  createStoreGuard,
  isUnavailable,
  type OnStoreFailure,
  type Store,
} from '../../store/index.ts'
import { type Duration, extensionUrn, formatTimestamp, isPromise } from '../../values/index.ts'
import { type Ledger, type LedgerEntry, repeatWrite } from '../../work/index.ts'
import {
  fromRecord,
  type IdempotencyRecord,
  isFinalFailure,
  openKeys,
  toArgumentsHash,
  toKeyId,
  toStoredOutcome,
} from './record.ts'

/** How repeated calls are recognised. */
export interface IdempotencyExtensionOptions {
  readonly store: Store
  /** How long an outcome is kept when the caller does not say; 24 hours when absent. */
  readonly ttl?: Duration
  /** Longer wishes are cut to this; 30 days when absent. */
  readonly maxTtl?: Duration
  /**
   * How long the key of a process that died stays taken before another attempt runs the function again; one minute when
   * absent. `false` never runs it again while the key lives.
   */
  readonly lease?: Duration | false
  /** Which failures are kept and given again; those that another attempt cannot change when absent. */
  readonly keeps?: (failure: Failure) => boolean
  /** `refuse` when absent: without the store nobody can promise that the function runs once. */
  readonly onStoreFailure?: OnStoreFailure
}

const DAY: Duration = { value: 24, unit: 'hour' }
const MAX_KEY_LENGTH = 255
const RETRY_AFTER_MS = 1_000
/** How long an outcome that the store does not take is tried again. */
const LATE_MS = 120_000

/** Creates the extension that runs a function once per key, however often the call is repeated. */
export function idempotencyExtension(options: IdempotencyExtensionOptions): Extension {
  const { store, keeps = isFinalFailure, lease = { value: 1, unit: 'minute' } } = options
  const ttl = requireMilliseconds('idempotency: ttl', options.ttl ?? DAY)
  const maxTtl = requireMilliseconds(
    'idempotency: maxTtl',
    options.maxTtl ?? { value: 30, unit: 'day' },
  )
  const leaseMs = lease !== false && requireMilliseconds('idempotency: lease', lease)
  const guard = createStoreGuard('idempotency', options.onStoreFailure ?? 'refuse')
  const keys = openKeys(store, ttl)

  return {
    urn: extensionUrn('idempotency'),
    version: '1.0.0',
    phase: 'remember',
    order: -10,
    excludedBy: 'readOnly',
    async around(exchange, next) {
      const { call, target, service } = exchange
      const key = requireKey(exchange, 'key', MAX_KEY_LENGTH)
      const ttlMs = Math.min(readDuration(exchange, 'ttl', { above: 0 }) ?? ttl, maxTtl)
      const { name: of, version } = target
      const name = { id: toKeyId({ key, function: of, version, principal: call.principal?.id }) }
      const running = toRunning(call)
      const { run } = running
      const claim = () => keys.add(name, running, { ttl: leaseMs || ttlMs, run })
      const put = await guard.ask(service, claim, undefined)
      const marked = withFacts(call, { idempotencyKey: key })
      if (put === undefined) {
        exchange.answer({ key, status: 'processed', original_request_id: call.id })
        return next(marked)
      }
      if (!put.created) return answerFromRecord(exchange, { key, hash: running.hash, put })
      const inner = captureReply(service, call.reply)
      const pending = next(marked)
      // What has its outcome already need not be held.
      const isHeld = leaseMs !== false && isPromise(pending)
      const held = isHeld ? keys.hold(name, put, { run, leaseMs }) : undefined
      const outcome = await pending
      await held?.stop()
      const now = service.clock.now()
      if (outcome.ok || keeps(outcome)) {
        const item = toDone(running, call, { outcome, entries: inner(), now })
        const revision = held?.revision() ?? put.revision
        await settle({ keys, name, ttlMs, service }, { item, revision })
      } else {
        await keys.release(name, run).catch(() => {
          service.log.warn(
            'an idempotency key could not be given back; it is free when its lease ends',
          )
        })
      }
      exchange.answer({
        key,
        status: 'processed',
        original_request_id: call.id,
        expires_at: formatTimestamp(now + ttlMs),
      })
      return outcome
    },
  }
}

interface Settling {
  readonly keys: Ledger<IdempotencyRecord>
  readonly name: { readonly id: string }
  readonly ttlMs: number
  readonly service: Service
}

/** Stores what came of a call. The effect is there: a store that is away only makes the record late, not the answer. */
async function settle(
  { keys, name, ttlMs, service: { log, clock } }: Settling,
  { item, revision }: LedgerEntry<IdempotencyRecord>,
): Promise<void> {
  const { request, run } = item
  const whose = ({ run: other, state }: IdempotencyRecord) =>
    other !== run ? 'foreign' : state === 'running' ? 'ours' : 'ended'

  async function write(record: IdempotencyRecord): Promise<void> {
    if (await keys.end(name, { item: record, revision, whose }, { ttl: ttlMs })) return
    log.error('a call outlived its claim on an idempotency key: its function may have run twice', {
      request,
    })
  }

  async function writeOrLater(record: IdempotencyRecord): Promise<void> {
    try {
      await write(record)
    } catch (thrown) {
      if (!isUnavailable(thrown)) throw thrown
      const until = clock.elapsed() + LATE_MS
      const again = { log, id: request, isStopped: () => clock.elapsed() > until }
      repeatWrite(() => write(record), again).catch(() =>
        log.error('the outcome of an idempotent call could not be stored', { request }),
      )
    }
  }

  try {
    await writeOrLater(item)
  } catch {
    // That the call is done must be known even where its result is too large for the store.
    const { outcome: _, ...rest } = item
    log.warn('the result of an idempotent call is too large to be stored', { request })
    await writeOrLater(rest)
  }
}

function toRunning(call: Call): IdempotencyRecord {
  return {
    state: 'running',
    hash: toArgumentsHash(call.arguments),
    request: call.id,
    run: randomUUID(),
  }
}

function toDone(
  { hash, request, run }: IdempotencyRecord,
  call: Call,
  {
    outcome,
    entries,
    now,
  }: { outcome: Outcome; entries: IdempotencyRecord['entries']; now: number },
): IdempotencyRecord {
  const { disposition } = call.reply
  return {
    state: 'done',
    hash,
    request,
    run,
    at: now,
    outcome: toStoredOutcome(outcome),
    ...(entries && entries.length > 0 && { entries }),
    ...(disposition && { disposition }),
  }
}

function answerFromRecord(
  { call, service, answer }: ExtensionCall,
  found: {
    readonly key: string
    readonly hash: string
    readonly put: LedgerEntry<IdempotencyRecord>
  },
): Outcome {
  const { key, hash } = found
  const { item: record, ttl } = found.put
  const known = { key, original_request_id: record.request }
  if (record.hash !== hash) {
    answer({ ...known, status: 'conflict' })
    throw new CallError('IDEMPOTENCY_CONFLICT', {
      details: { key, original_arguments_hash: record.hash },
    })
  }
  if (record.state === 'running') {
    answer({ ...known, status: 'processing' })
    throw new CallError('IDEMPOTENCY_PROCESSING', {
      details: { key, retry_after: toSeconds(RETRY_AFTER_MS) },
    })
  }
  answer({
    ...known,
    status: 'cached',
    ...(record.at !== undefined && { cached_at: formatTimestamp(record.at) }),
    ...(ttl && { expires_at: formatTimestamp(service.clock.now() + ttl) }),
  })
  restoreReply(call.reply, record.entries)
  if (record.disposition) call.reply.disposition = record.disposition
  return fromRecord(record, key)
}
