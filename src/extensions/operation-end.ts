import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure, Outcome } from '../core/call.ts'
import { formatTimestamp } from '../core/clock.ts'
import { CallError } from '../core/error.ts'
import { PROTOCOL_VERSION } from '../core/protocol.ts'
import type { Store } from '../store/store.ts'
import { forgetStoredOutcome, isFinalFailure, replaceStoredOutcome } from './idempotency-record.ts'
import { keepKey, releaseKey, toKeyScope } from './operation-key.ts'
import type { OperationCall, OperationRecord } from './operation-record.ts'
import type { OperationStore } from './operation-store.ts'
import type { Outgoing } from './outgoing.ts'

/** An operation that has ended, for those who want to know. */
export interface EndedOperation {
  readonly record: OperationRecord
  readonly call: OperationCall
  readonly outcome: Outcome
}

/** What the end of an operation sets going. */
export interface OperationEndOptions {
  readonly store: Store
  readonly operations: OperationStore
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
): Promise<void> {
  const { operations, outgoing, onEnd } = options
  const call = await operations.readCall(record.id)
  if (call === undefined) return
  const outcome = (await operations.readOutcome(record))?.outcome ?? CANCELLED
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
  await settleIdempotency(options.store, { record, call, outcome })
  await operations.close(record)
}

const CANCELLED: Failure = { ok: false, errors: new CallError('CANCELLED').errors }

async function settleIdempotency(
  store: Store,
  { record, call, outcome }: EndedOperation,
): Promise<void> {
  const scope = toKeyScope(call)
  if (scope === undefined) return
  const keep = outcome.ok || isFinalFailure(outcome)
  for (const pause of PAUSES_MS) {
    if (pause > 0) await sleep(pause)
    const settled = keep
      ? await replaceStoredOutcome(store, scope, { outcome, at: record.ended ?? 0 })
      : await forgetStoredOutcome(store, scope)
    if (settled) return (keep ? keepKey : releaseKey)(store, scope, record.id)
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
