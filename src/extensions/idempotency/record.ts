import {
  type Failure,
  isPrepared,
  type Outcome,
  type Reply,
  type ReplyEntry,
} from '../../core/index.ts'
import { CallError, resolveCode } from '../../errors/index.ts'
import { type Entry, type Store, storeKey, toSha256 } from '../../store/index.ts'
import { type Json, parseExactJson, toCanonicalJson } from '../../values/index.ts'

/** What is kept about a key: who claimed it and, when the call is done, what came of it. */
export interface IdempotencyRecord {
  readonly state: 'running' | 'done'
  /** `sha256:` and the digits of the canonical arguments. */
  readonly hash: string
  /** Id of the request that claimed the key. */
  readonly request: string
  /** Tells one attempt from every other. */
  readonly run: string
  /** When the outcome was stored, in epoch milliseconds. */
  readonly at?: number
  /** Absent when the outcome was too large to be stored. */
  readonly outcome?: StoredOutcome
  /** Answers of other extensions that belong to the outcome. */
  readonly entries?: readonly ReplyEntry[]
  readonly disposition?: NonNullable<Reply['disposition']>
}

type StoredOutcome = { readonly ok: true; readonly result?: unknown } | Failure

/** Whose key it is. */
export interface KeyScope {
  readonly key: string
  readonly function: string
  readonly version: string
  /** The caller's principal id; absent for callers nobody knows. */
  readonly principal?: string | undefined
}

/** Gives the key under which the store keeps an idempotency key of one caller, function and version. */
export function toRecordKey({ key, function: name, version, principal }: KeyScope): string {
  return storeKey('idempotency', toSha256(JSON.stringify([key, name, version, principal ?? null])))
}

/** Gives the hash that tells one set of arguments from another. */
export function toArgumentsHash(input: unknown): string {
  return `sha256:${toSha256(toCanonicalJson(input))}`
}

/** Reads what the store keeps under a key. */
export function toRecord({ value }: Entry): IdempotencyRecord {
  return value as unknown as IdempotencyRecord
}

/** Writes a record as the JSON that a store keeps. */
export function toStored(record: IdempotencyRecord): Json {
  return record as unknown as Json
}

/** Makes an outcome storable: a result whose text was prepared is kept as the value it stands for. */
export function toStoredOutcome(outcome: Outcome): StoredOutcome {
  if (!outcome.ok || !isPrepared(outcome.result)) return outcome
  return { ok: true, result: parseExactJson(outcome.result.json) }
}

/** Gives the outcome of a record to a new caller. */
export function fromRecord(record: IdempotencyRecord, key: string): Outcome {
  const { outcome, request } = record
  if (outcome === undefined) {
    throw new CallError('CONFLICT', {
      message: 'The first call with this key is done, but its result was too large to be kept',
      details: { key, original_request_id: request },
    })
  }
  return outcome.ok ? { ok: true, result: outcome.result ?? null } : outcome
}

/**
 * Stores a later outcome under a key whose call was only accepted, keeping the time it has left: for work that goes on
 * in the background. Tells whether there was such a record.
 */
export async function replaceStoredOutcome(
  store: Store,
  scope: KeyScope,
  later: { readonly outcome: Outcome; readonly at: number },
): Promise<boolean> {
  const key = toRecordKey(scope)
  const entry = await store.get(key)
  if (entry === undefined || toRecord(entry).state !== 'done') return false
  const { hash, request, run } = toRecord(entry)
  const outcome = toStoredOutcome(later.outcome)
  const value = toStored({ state: 'done', hash, request, run, at: later.at, outcome })
  return (await store.compareAndSet(key, value, { revision: entry.revision, ttl: 'keep' })).swapped
}

/**
 * Gives a key back whose call was only accepted: for work in the background that came to nothing and may be tried
 * again. Tells whether the key is free; it is not while its call is still being answered.
 */
export async function forgetStoredOutcome(store: Store, scope: KeyScope): Promise<boolean> {
  const key = toRecordKey(scope)
  const entry = await store.get(key)
  if (entry === undefined) return true
  if (toRecord(entry).state !== 'done') return false
  await store.delete(key)
  return true
}

/** Tells whether a failure is one that the same call would meet again; one before the function ran, or because nobody waited, is none. */
export function isFinalFailure({ errors }: Failure): boolean {
  return errors.every(
    ({ code, source }) =>
      !resolveCode(code).retryable &&
      code !== 'CANCELLED' &&
      code !== 'EXTENSION_NOT_APPLICABLE' &&
      !(source && 'pointer' in source && source.pointer.startsWith('/extensions/')),
  )
}
