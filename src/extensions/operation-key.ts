import { toText } from '../core/text.ts'
import type { Store } from '../store/store.ts'
import { type KeyScope, toRecordKey } from './idempotency-record.ts'
import { OPERATION_KEYS, type OperationCall, type OperationRecord } from './operation-record.ts'
import type { OperationStore } from './operation-store.ts'

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
    if (first && first.status !== 'failed' && first.status !== 'cancelled') return first
    const { revision } = entry
    const swap = await store.compareAndSet(key, id, { revision, ttl: openMs, owner: id })
    if (swap.swapped) return undefined
    if (swap.entry === undefined) return claimKey(scope, record, { store, operations, openMs })
    entry = swap.entry
  }
}

/** Lets a key go whose operation came to nothing: the next call may become another one. */
export async function releaseKey(store: Store, scope: KeyScope, id: string): Promise<void> {
  await store.deleteIfOwner(toClaimKey(scope), id)
}

/**
 * Keeps a key of an ended operation as long as the key's own record lives, and no longer. A process that was held up
 * while it accepted the call, so long that another one took its place, may come to its claim after the end.
 */
export async function keepKey(store: Store, scope: KeyScope, id: string): Promise<void> {
  const [known, claim] = await Promise.all([
    store.get(toRecordKey(scope)),
    store.get(toClaimKey(scope)),
  ])
  if (known === undefined || claim?.owner !== id) return
  const { revision } = claim
  await store.compareAndSet(claim.key, id, { revision, ttl: known.ttl })
}

function toClaimKey(scope: KeyScope): string {
  return OPERATION_KEYS.claim(toRecordKey(scope))
}
