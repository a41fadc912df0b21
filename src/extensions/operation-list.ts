import { CallError } from '../core/error.ts'
import { newestFirst } from '../store/keys.ts'
import { toCursor } from '../store/range.ts'
import type { Entry, Store } from '../store/store.ts'
import {
  OPERATION_KEYS as KEYS,
  type OperationRecord,
  type OperationStatus,
  toOperation,
} from './operation-record.ts'

/** Which operations of a caller are wanted. */
export interface OperationQuery {
  readonly owner: string
  readonly limit: number
  readonly status?: OperationStatus
  readonly function?: string
  readonly cursor?: string
}

/** A page of operations, the newest first. */
export interface OperationPage {
  readonly operations: readonly OperationRecord[]
  /** Continues the listing; null when there is nothing left. */
  readonly cursor: string | null
}

/** A filter that matches little must not read everything: the page is then short and the cursor goes on from there. */
const MOST_LOOKED_AT = 500
const CURSOR = /^\d{16}:op_[0-9A-Z]{26}$/

/** Lists the operations of a caller at a cost that does not grow with their number. */
export async function listOperations(store: Store, query: OperationQuery): Promise<OperationPage> {
  const { limit } = query
  const prefix = KEYS.listOf(query.owner)
  const found: OperationRecord[] = []
  let place = query.cursor === undefined ? undefined : requireCursor(query.cursor)
  for (let looked = 0; looked < MOST_LOOKED_AT; ) {
    const page = await store.listByPrefix(prefix, {
      limit: looked === 0 ? limit : Math.max(limit, 100),
      ...(place !== undefined && { cursor: toCursor(prefix + place) }),
    })
    const records = await readMatching(store, page.entries, query)
    const last = records[limit - found.length - 1]
    found.push(...records.slice(0, limit - found.length))
    place = last ? toPlace(last) : page.entries.at(-1)?.key.slice(prefix.length)
    const isLast = page.cursor === undefined && (last === undefined || last === records.at(-1))
    if (isLast || place === undefined) return { operations: found, cursor: null }
    if (last !== undefined) break
    looked += page.entries.length
  }
  return { operations: found, cursor: place ?? null }
}

async function readMatching(
  store: Store,
  entries: readonly Entry[],
  { status, function: name }: OperationQuery,
): Promise<readonly OperationRecord[]> {
  const listed = entries.map(({ value }) => value as { readonly id: string; function: string })
  const wanted = listed.filter((item) => name === undefined || item.function === name)
  const records = await Promise.all(wanted.map(({ id }) => store.get(KEYS.record(id))))
  return records
    .flatMap((entry) => (entry === undefined ? [] : [toOperation(entry)]))
    .filter((record) => status === undefined || record.status === status)
}

/** Where an operation stands in the listing. */
function toPlace({ accepted, id }: OperationRecord): string {
  return `${newestFirst(accepted)}:${id}`
}

function requireCursor(cursor: string): string {
  if (CURSOR.test(cursor)) return cursor
  throw new CallError('INVALID_ARGUMENTS', {
    message: 'cursor: must be the next_cursor of an earlier page',
    source: { pointer: '/call/arguments/cursor' },
  })
}
