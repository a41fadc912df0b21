import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure, Outcome } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import type { Store } from '../../store/index.ts'
import { formatTimestamp, toText } from '../../values/index.ts'
import { PROTOCOL_VERSION } from '../../wire/index.ts'
import {
  isFinalFailure,
  type KeyScope,
  type LaterOutcomes,
  toKeyId,
  toRecordKey,
} from '../idempotency/index.ts'
import type { Outgoing } from '../outgoing/index.ts'
import { OPERATION_KEYS, type OperationCall, type OperationRecord } from './record.ts'
import type { OperationStore } from './store.ts'

/** What a key is claimed on. */
export interface OperationKeyOptions {
  readonly store: Store
  readonly operations: OperationStore
  /** How long a claim lasts whose operation never ends, in milliseconds. */
  readonly openMs: number
}

/** Gives the scope of the idempotency key that a call was accepted under; undefined when it has none. */
export function toKeyScope(
  call: Pick<OperationCall, 'function' | 'version' | 'principal' | 'facts'>,
): KeyScope | undefined {
  const { function: name, version, principal, facts } = call
  if (facts.idempotencyKey === undefined) return undefined
  return { key: facts.idempotencyKey, function: name, version, principal: principal?.id }
}

/**
 * Makes an operation the one of its idempotency key, and answers undefined; or answers the operation that was there
 * first. The process that accepted that one may have died before the key knew of it: then the call comes again, and
 * must not become a second operation.
 */
export async function claimKey(
  scope: KeyScope,
  record: OperationRecord,
  { store, operations, openMs }: OperationKeyOptions,
): Promise<OperationRecord | undefined> {
  const key = toClaimKey(scope)
  const { id } = record
  const claim = await store.putIfAbsent(key, id, { ttl: openMs, owner: id })
  if (claim.created) return undefined
  let entry = claim.entry
  for (;;) {
    const first = await operations.read(toText(entry.value))
    if (first && !(await cameToNothing(first, operations))) return first
    const { revision } = entry
    const swap = await store.compareAndSet(key, id, { revision, ttl: openMs, owner: id })
    if (swap.swapped) return undefined
    if (swap.entry === undefined) return claimKey(scope, record, { store, operations, openMs })
    entry = swap.entry
  }
}

/** A key passes on from an operation that was cancelled or failed for a reason that passes, and from no other. */
async function cameToNothing(
  record: OperationRecord,
  operations: OperationStore,
): Promise<boolean> {
  if (record.status !== 'failed') return record.status === 'cancelled'
  const { outcome } = (await operations.readOutcome(record)) ?? {}
  return outcome === undefined || !(outcome.ok || isFinalFailure(outcome))
}

function toClaimKey(scope: KeyScope): string {
  return OPERATION_KEYS.claim(toRecordKey(toKeyId(scope)))
}

/** An operation that has ended, for those who want to know. */
export interface EndedOperation {
  readonly record: OperationRecord
  readonly call: OperationCall
  readonly outcome: Outcome
}

/** What the run that ended an operation knows of it, and need not read again. */
export type KnownEnd = Pick<EndedOperation, 'call' | 'outcome'>

/** What the end of an operation sets going. */
export interface OperationEndOptions {
  readonly store: Store
  readonly operations: OperationStore
  readonly outcomes: LaterOutcomes
  readonly outgoing: Outgoing | undefined
  /** Told of every end, at least once; the operation is not closed before it resolves. */
  readonly onEnd?: ((ended: EndedOperation) => Promise<void>) | undefined
}

/** How often the record of an idempotency key is looked for whose call is still being answered. */
const PAUSES_MS = [0, 20, 100, 500, 2_000]

/**
 * Does what the end of an operation asks for: callback, idempotency record, listeners. The call is forgotten last, so
 * that a process that dies in between leaves the rest to the next run of the job.
 */
export async function finishOperation(
  record: OperationRecord,
  options: OperationEndOptions,
  known?: KnownEnd,
): Promise<void> {
  const { operations, outgoing, onEnd } = options
  const call = known?.call ?? (await operations.readCall(record.id))
  if (call === undefined) return
  const outcome = known?.outcome ?? (await operations.readOutcome(record))?.outcome ?? CANCELLED
  if (record.callbackUrl !== undefined && outgoing !== undefined) {
    await outgoing.send({
      id: record.id,
      url: record.callbackUrl,
      body: encodeCallback(record, outcome),
      headers: { 'x-forrst-operation-id': record.id, 'user-agent': 'Forrst-Async/1.0' },
      ...(outgoing.signs('forrst') && { signature: 'forrst' as const }),
    })
  }
  await onEnd?.({ record, call, outcome })
  await settleIdempotency(options, { record, call, outcome })
  await operations.close(record)
}

const CANCELLED: Failure = { ok: false, errors: new CallError('CANCELLED').errors }

/**
 * Tells the idempotency key of an operation what came of it. Its claim is kept as long as the key's own record, and no
 * longer: a process that was held up while it accepted the call, so long that another one took its place, may come to
 * the claim after the end. One whose operation came to nothing goes: the next call may become another one.
 */
async function settleIdempotency(
  { store, outcomes }: OperationEndOptions,
  { record: { id, ended: at = 0 }, call, outcome }: EndedOperation,
): Promise<void> {
  const scope = toKeyScope(call)
  if (scope === undefined) return
  for (const pause of PAUSES_MS) {
    if (pause > 0) await sleep(pause)
    if (outcome.ok || isFinalFailure(outcome)) {
      const ttl = await outcomes.replace(scope, { outcome, at })
      if (ttl === undefined) continue
      const claim = await store.get(toClaimKey(scope))
      if (claim?.owner !== id) return
      await store.compareAndSet(claim.key, id, { revision: claim.revision, ttl })
      return
    }
    // Two processes may do this at once, and between them the key may have become another operation's.
    const isOurs = async () => ((await store.get(toClaimKey(scope)))?.owner ?? id) === id
    if (!(await outcomes.forget(scope, isOurs))) continue
    await store.deleteIfOwner(toClaimKey(scope), id)
    return
  }
}

function encodeCallback(record: OperationRecord, outcome: Outcome): string {
  const { id, request, status, ended = 0 } = record
  return JSON.stringify({
    protocol: { name: 'forrst', version: PROTOCOL_VERSION },
    callback: {
      operation_id: id,
      original_request_id: request,
      status,
      ...(outcome.ok ? { result: outcome.result ?? null } : { errors: outcome.errors }),
      completed_at: formatTimestamp(ended),
    },
  })
}
