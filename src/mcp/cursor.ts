import { invalidParams } from './errors.ts'

/** Where a page of a list starts. */
export interface Page<Item> {
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
): Page<Item> {
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
  if (decoded === undefined) throw invalidParams('params.cursor is not one this server gave')
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
