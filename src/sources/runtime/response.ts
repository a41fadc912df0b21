import { joinBytes, toBase64 } from '../../files/index.ts'
import { isRecord, parseExactJson } from '../../values/index.ts'
import type { ApiOperation, PaginateRule, ResponseRule, ToolArguments } from './operation.ts'

/** An answer, read. */
export interface ApiAnswer {
  readonly value: unknown
  /** The answer was longer than the limit; `value` says so and holds its beginning. */
  readonly truncated: boolean
}

/** Reads an answer up to a limit: JSON, text, bytes as base64, or null when it is empty. */
export async function readAnswer(response: Response, maxBytes: number): Promise<ApiAnswer> {
  const { bytes, truncated } = await readBytes(response, maxBytes)
  if (bytes.length === 0) return { value: null, truncated }
  const type = (response.headers.get('content-type') ?? '').toLowerCase()
  const mime = (type.split(';')[0] ?? '').trim()
  if (mime !== '' && !isText(mime)) {
    const value = { mime, bytes: bytes.length, base64: toBase64(bytes) }
    return { value: truncated ? { ...value, truncated } : value, truncated }
  }
  const text = decodeText(bytes, type)
  if (truncated) return { value: { truncated, limit_bytes: maxBytes, text }, truncated }
  return { value: isPlain(mime) ? text : parseOr(text), truncated }
}

/** Reads the beginning of an answer as text, for an error message. */
export async function readExcerpt(response: Response, maxBytes: number): Promise<string> {
  const { bytes } = await readBytes(response, maxBytes)
  return decodeText(bytes, response.headers.get('content-type') ?? '')
}

async function readBytes(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  while (reader !== undefined && length <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  if (length > maxBytes) await reader?.cancel()
  return { bytes: joinBytes(chunks).subarray(0, maxBytes), truncated: length > maxBytes }
}

function isText(mime: string): boolean {
  return (
    isPlain(mime) ||
    /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$/.test(mime)
  )
}

function isPlain(mime: string): boolean {
  return (
    mime !== '' && !/[/+]json$/.test(mime) && /^text\/|xml|yaml|javascript|form|ndjson/.test(mime)
  )
}

function decodeText(bytes: Uint8Array, type: string): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

// An answer that calls itself JSON and is not is still worth reading.
function parseOr(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

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
  if (!isRecord(value)) return undefined
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

/** Where a page ends and the next begins. */
export interface ResultPage {
  /** Undefined when the answer holds no list where it should. */
  readonly items: readonly unknown[] | undefined
  /** Null on the last page. */
  readonly next: string | number | null
}

/** An answer with what is needed to find the page after it. */
export interface PageSource {
  readonly value: unknown
  /** The `Link` header. */
  readonly link: string | null
}

/** Finds the list and the next cursor in one page. */
export function readPage(
  operation: ApiOperation,
  rule: PaginateRule,
  args: ToolArguments,
  source: PageSource,
): ResultPage {
  const found = rule.items === undefined ? source.value : followPath(source.value, rule.items)
  const items = Array.isArray(found) ? found : undefined
  if (rule.style === 'cursor') {
    return { items, next: toCursor(rule.next && followPath(source.value, rule.next)) }
  }
  if (rule.style === 'link') return { items, next: cursorInLink(source.link, rule.cursor) }
  const count = items?.length ?? 0
  const size = numberArgument(operation, args, rule.limit)
  const isLast = count === 0 || (size !== undefined && count < size)
  if (isLast) return { items, next: null }
  const current = numberArgument(operation, args, rule.cursor)
  return { items, next: rule.style === 'page' ? (current ?? 1) + 1 : (current ?? 0) + count }
}

/** Follows a dot path through own members; numbers walk lists, negative ones from the end. */
export function followPath(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((current, key) => {
    if (Array.isArray(current)) return /^-?\d+$/.test(key) ? current.at(Number(key)) : undefined
    return isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined
  }, value)
}

function toCursor(value: unknown): string | number | null {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : null
}

function numberArgument(
  operation: ApiOperation,
  args: ToolArguments,
  name: string | undefined,
): number | undefined {
  const rule = operation.params?.find((param) => (param.name ?? param.arg) === name)
  const value = rule && args[rule.arg]
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

// RFC 8288: `<https://h/items?cursor=b>; rel="next", <…>; rel="prev"`.
function cursorInLink(link: string | null, parameter: string | undefined): string | null {
  for (const [, target = '', attributes = ''] of (link ?? '').matchAll(/<([^<>]*)>([^,<]*)/g)) {
    if (!/;\s*rel="?[^";]*\bnext\b/i.test(attributes)) continue
    if (parameter === undefined) return target
    const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : ''
    return new URLSearchParams(query.split('#')[0]).get(parameter)
  }
  return null
}
