import type { Operation, PaginateRule, ToolArguments } from './operation.ts'
import { isEntries } from './serialize.ts'

/** Where a page ends and the next begins. */
export interface Page {
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
  operation: Operation,
  rule: PaginateRule,
  args: ToolArguments,
  source: PageSource,
): Page {
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
    return isEntries(current) && Object.hasOwn(current, key) ? current[key] : undefined
  }, value)
}

function toCursor(value: unknown): string | number | null {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : null
}

function numberArgument(
  operation: Operation,
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
