import type { ResponseRule } from './operation.ts'
import { isEntries } from './serialize.ts'

/** A trimmed answer and what was left out of it. */
export interface Trimmed {
  readonly result: unknown
  /** Absent when nothing was left out. */
  readonly trimmed?: TrimNotice
}

/** Says what is missing from an answer. */
export interface TrimNotice {
  /** Only these paths were kept. */
  readonly picked?: readonly string[]
  /** Lists that were cut: where, how many were kept and how many there were. */
  readonly lists?: readonly CutList[]
  /** The answer was longer than this many bytes. */
  readonly max_bytes?: number
}

/** A list that lost its end. */
export interface CutList {
  readonly path: string
  readonly kept: number
  readonly total: number
}

/** Keeps the picked paths, cuts long lists, and cuts more until the answer is short enough. */
export function trimAnswer(value: unknown, rule: ResponseRule): Trimmed {
  const picked = rule.pick
    ? pickPaths(
        value,
        rule.pick.map((path) => path.split('.')),
      )
    : value
  const first = cutLists(picked, rule.max_items ?? Number.POSITIVE_INFINITY)
  const { result, lists, tooLong } = shorten(picked, first, rule.max_bytes)
  const trimmed: TrimNotice = {
    ...(rule.pick && { picked: rule.pick }),
    ...(lists.length > 0 && { lists }),
    ...(tooLong && rule.max_bytes !== undefined && { max_bytes: rule.max_bytes }),
  }
  return Object.keys(trimmed).length === 0 ? { result } : { result, trimmed }
}

interface Cut {
  readonly result: unknown
  readonly lists: readonly CutList[]
}

function shorten(
  value: unknown,
  cut: Cut,
  maxBytes: number | undefined,
): Cut & { readonly tooLong: boolean } {
  if (maxBytes === undefined || byteLength(cut.result) <= maxBytes)
    return { ...cut, tooLong: false }
  let current = cut
  const longest = Math.max(
    1,
    ...current.lists.map((list) => list.kept),
    longestList(current.result),
  )
  for (let items = Math.floor(longest / 2); items >= 1; items = Math.floor(items / 2)) {
    current = cutLists(value, items)
    if (byteLength(current.result) <= maxBytes) return { ...current, tooLong: true }
  }
  const bytes = new TextEncoder().encode(JSON.stringify(current.result)).subarray(0, maxBytes)
  const text = new TextDecoder().decode(bytes).replace(/\ufffd$/, '')
  return { result: text, lists: current.lists, tooLong: true }
}

function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

function longestList(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const items = Object.values(value)
  const own = Array.isArray(value) ? items.length : 0
  return items.reduce<number>((longest, item) => Math.max(longest, longestList(item)), own)
}

function pickPaths(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((item) => pickPaths(item, paths) ?? null)
  if (!isEntries(value)) return undefined
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const under = paths.filter(([head]) => head === key).map((path) => path.slice(1))
    const kept = under.length === 0 ? undefined : pickPaths(item, under)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return Object.fromEntries(entries)
}

function cutLists(value: unknown, maxItems: number, path = ''): Cut {
  if (typeof value !== 'object' || value === null) return { result: value, lists: [] }
  const lists: CutList[] = []
  const walk = (item: unknown, key: string): unknown => {
    const cut = cutLists(item, maxItems, path === '' ? key : `${path}.${key}`)
    lists.push(...cut.lists)
    return cut.result
  }
  if (!Array.isArray(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, walk(item, key)] as const)
    return { result: Object.fromEntries(entries), lists }
  }
  const kept = value.slice(0, maxItems)
  if (kept.length < value.length) lists.push({ path, kept: kept.length, total: value.length })
  return { result: kept.map((item, index) => walk(item, String(index))), lists }
}
