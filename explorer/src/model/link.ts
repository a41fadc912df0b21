import { isRecord } from '../../../src/values/json.ts'

/** A related function, and the values it takes from a result. */
export interface Link {
  readonly name: string
  readonly summary?: string
  readonly description?: string
  readonly function?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Fills the parameters of a link from a result; a path that leads nowhere leaves its parameter out. */
export function resolveLink(link: Link, result: unknown): Record<string, unknown> {
  const filled = Object.entries(link.params ?? {}).map(
    ([name, value]) => [name, resolveExpression(value, result)] as const,
  )
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
}

function resolveExpression(value: unknown, result: unknown): unknown {
  if (value === '$result') return result
  if (typeof value !== 'string' || !value.startsWith('$result.')) return value
  return value
    .slice('$result.'.length)
    .split('.')
    .reduce<unknown>(
      (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      result,
    )
}
