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
  toSeconds,
  withFacts,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createStoreGuard, type Entry, type OnStoreFailure, type Store } from '../../store/index.ts'
import { type Duration, extensionUrn, formatTimestamp } from '../../values/index.ts'
import { holdClaim } from './claim.ts'
import {
  fromRecord,
  type IdempotencyRecord,
  isFinalFailure,
  type KeyScope,
  toArgumentsHash,
  toRecord,
  toRecordKey,
  toStored,
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

  return {
    urn: extensionUrn('idempotency'),
    version: '1.0.0',
    phase: 'remember',
    order: -10,
    excludedBy: 'readOnly',
    async around(exchange, next) {
      const { call, service } = exchange
      const key = requireKey(exchange, 'key', MAX_KEY_LENGTH)
      const ttlMs = Math.min(readDuration(exchange, 'ttl', { above: 0 }) ?? ttl, maxTtl)
      const recordKey = toRecordKey(toScope(exchange, key))
      const running = toRunning(call)
      const put = await guard.ask(
        service,
        () =>
          store.putIfAbsent(recordKey, toStored(running), {
            ttl: leaseMs === false ? ttlMs : leaseMs,
            owner: running.run,
          }),
        undefined,
      )
      const marked = withFacts(call, { idempotencyKey: key })
      if (put === undefined) {
        exchange.answer({ key, status: 'processed', original_request_id: call.id })
        return next(marked)
      }
      if (!put.created) return answerFromRecord(exchange, { key, running, entry: put.entry })
      const { revision } = put
      const { log } = service
      const claim = holdClaim({ store, key: recordKey, running, revision, leaseMs, log })
      const inner = captureReply(service, call.reply)
      const outcome = await next(marked)
      const now = service.clock.now()
      if (outcome.ok || keeps(outcome)) {
        await claim.settle(toDone(running, call, { outcome, entries: inner(), now }), ttlMs)
      } else await claim.giveUp()
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

function toScope({ call, target }: ExtensionCall, key: string): KeyScope {
  const { name, version } = target
  return { key, function: name, version, principal: call.principal?.id }
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
  found: { readonly key: string; readonly running: IdempotencyRecord; readonly entry: Entry },
): Outcome {
  const { key, entry } = found
  const record = toRecord(entry)
  const known = { key, original_request_id: record.request }
  if (record.hash !== found.running.hash) {
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
    ...(entry.ttl !== null && { expires_at: formatTimestamp(service.clock.now() + entry.ttl) }),
  })
  restoreReply(call.reply, record.entries)
  if (record.disposition) call.reply.disposition = record.disposition
  return fromRecord(record, key)
}
