import { CallError } from '../../errors/index.ts'
import { isPromise, type Maybe } from '../../values/index.ts'
import { encodeInputRequired, readAnswers } from './agent.ts'
import type { McpEnvironment } from './environment.ts'
import { invalidParams, missingCapability } from './errors.ts'
import type { Reader } from './offer.ts'
import type { Encoded, McpExchange } from './protocol.ts'
import { createCancellable, createRun } from './run.ts'

/** Where a page of a list starts. */
export interface ResourcePage<Item> {
  readonly start: number
  readonly items: readonly Item[]
  readonly nextCursor: string | undefined
}

/**
 * Cuts one page out of a list. The cursor names the last item that was sent, so that a list that changed in between
 * neither repeats nor skips what stayed.
 */
export function selectPage<Item>(
  items: readonly Item[],
  cursor: unknown,
  size: number,
  keyOf: (item: Item) => string,
): ResourcePage<Item> {
  const start = cursor === undefined ? 0 : findStart(items, cursor, keyOf)
  const end = start + size
  const last = end < items.length ? items[end - 1] : undefined
  return {
    start,
    items: items.slice(start, end),
    nextCursor: last === undefined ? undefined : encodeCursor(end, keyOf(last)),
  }
}

function findStart<Item>(
  items: readonly Item[],
  cursor: unknown,
  keyOf: (item: Item) => string,
): number {
  const decoded = typeof cursor === 'string' ? decodeCursor(cursor) : undefined
  if (decoded === undefined) throw invalidParams('params.cursor is not a cursor of this server')
  const { index, key } = decoded
  const expected = items[index - 1]
  if (expected !== undefined && keyOf(expected) === key) return index
  const found = items.findIndex((item) => keyOf(item) === key)
  if (found === -1) throw invalidParams('params.cursor is too old: the list changed; start again')
  return found + 1
}

function encodeCursor(index: number, key: string): string {
  return Buffer.from(`${index}:${key}`).toString('base64url')
}

function decodeCursor(
  cursor: string,
): { readonly index: number; readonly key: string } | undefined {
  const [, index = '', key = ''] =
    /^(\d{1,9}):(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return key === '' ? undefined : { index: Number(index), key }
}

/** Runs what reads a resource or gets a prompt; it may ask the client, as tools may. */
export function runReader(
  { seal }: McpEnvironment,
  exchange: McpExchange,
  work: (reader: Reader) => Maybe<Encoded>,
): Maybe<Encoded> {
  const answers = readAnswers(exchange, seal)
  const abortable = createCancellable(exchange.signal)
  const run = createRun(exchange, answers, abortable)
  const fail = (thrown: unknown): Encoded => {
    if (thrown instanceof CallError) {
      if (run.missing !== undefined) throw missingCapability(run.missing)
      if (run.pending !== undefined) {
        return encodeInputRequired(exchange, run.pending, answers, seal)
      }
    }
    throw thrown
  }
  try {
    const reader = {
      agent: run.agent(),
      principal: exchange.principal,
      signal: abortable.signal,
    }
    const result = work(reader)
    return isPromise(result) ? result.catch(fail) : result
  } catch (thrown) {
    return fail(thrown)
  }
}
