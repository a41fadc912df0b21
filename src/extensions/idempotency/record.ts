import {
  type Failure,
  isPrepared,
  type Outcome,
  type Reply,
  type ReplyEntry,
} from '../../core/index.ts'
import { CallError, resolveCode } from '../../errors/index.ts'
import { type Store, storeKey, toSha256 } from '../../store/index.ts'
import { parseExactJson, toCanonicalJson } from '../../values/index.ts'
import { createLedger, type Ledger } from '../../work/index.ts'

/** What is kept about a key, an item of the ledger: who claimed it and, when the call is done, what came of it. */
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

/** Names the item of an idempotency key of one caller, function and version. */
export function toKeyId({ key, function: name, version, principal }: KeyScope): string {
  return toSha256(JSON.stringify([key, name, version, principal ?? null]))
}

/** Gives the key under which the store keeps an idempotency key. */
export function toRecordKey(id: string): string {
  return storeKey('idempotency', id)
}

/** Opens the keys in a store. An outcome may be replaced by a later one, so that none is the last word. */
export function openKeys(store: Store, keptMs: number): Ledger<IdempotencyRecord> {
  return createLedger(store, {
    key: ({ id }) => toRecordKey(id),
    isOver: () => false,
    keptMs: () => keptMs,
  })
}

/** Gives the hash that tells one set of arguments from another. */
export function toArgumentsHash(input: unknown): string {
  return `sha256:${toSha256(toCanonicalJson(input))}`
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

/** The outcomes of calls that were only accepted under a key: for work that goes on in the background. */
export interface LaterOutcomes {
  /** Stores a later outcome, keeping the time it has left; undefined unless the call was answered. Else that time. */
  readonly replace: (
    scope: KeyScope,
    later: { readonly outcome: Outcome; readonly at: number },
  ) => Promise<number | null | undefined>
  /**
   * Gives a key back whose work came to nothing; tells whether it is free. It is not while its call is being answered.
   * `isOurs` is asked when the record was seen: one that is another's by then is left alone.
   */
  readonly forget: (scope: KeyScope, isOurs: () => Promise<boolean>) => Promise<boolean>
}

/** Opens the outcomes that come later. */
export function openLaterOutcomes(store: Store): LaterOutcomes {
  const keys = openKeys(store, 1)
  return {
    async replace(scope, { outcome, at }) {
      const id = toKeyId(scope)
      const entry = await keys.read({ id })
      if (entry?.item.state !== 'done') return undefined
      const change = await keys.change(
        { id },
        ({ state, hash, request, run }) =>
          state === 'done'
            ? { state, hash, request, run, at, outcome: toStoredOutcome(outcome) }
            : undefined,
        entry,
      )
      return change?.changed ? (entry.ttl ?? null) : undefined
    },
    async forget(scope, isOurs) {
      const name = { id: toKeyId(scope) }
      const entry = await keys.read(name)
      if (entry === undefined || !(await isOurs())) return true
      if (entry.item.state !== 'done') return false
      await keys.removeSeen(name, entry)
      return true
    },
  }
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
