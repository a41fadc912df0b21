import { isRecord } from '../core/json.ts'
import { resolvePointer } from '../core/pointer.ts'
import type { JsonSchema } from '../core/schema.ts'

/** A member that a schema marks as deprecated. */
export interface DeprecatedMember {
  /** Names from the root; `*` stands for every item of a list. */
  readonly path: readonly string[]
  readonly description: string | undefined
}

const MAX_DEPTH = 12
const MAX_MEMBERS = 200
const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'] as const

/** Lists the members that a schema marks with `deprecated: true`. */
export function collectDeprecated(schema: JsonSchema | undefined): readonly DeprecatedMember[] {
  const found = new Map<string, DeprecatedMember>()

  function visit(node: unknown, path: readonly string[], depth: number): void {
    if (!isRecord(node) || depth > MAX_DEPTH || found.size >= MAX_MEMBERS) return
    if (node['deprecated'] === true && path.length > 0) {
      const { description } = node
      found.set(path.join('.'), {
        path,
        description: typeof description === 'string' ? description : undefined,
      })
      return
    }
    const { $ref: reference, properties, items } = node
    if (typeof reference === 'string' && reference.startsWith('#')) {
      visit(resolvePointer(schema, reference.slice(1)), path, depth + 1)
    }
    for (const [name, member] of Object.entries(isRecord(properties) ? properties : {})) {
      visit(member, [...path, name], depth + 1)
    }
    if (isRecord(items)) visit(items, [...path, '*'], depth + 1)
    for (const keyword of COMBINATIONS) {
      const branches = node[keyword]
      if (Array.isArray(branches)) for (const branch of branches) visit(branch, path, depth + 1)
    }
  }

  visit(schema, [], 0)
  return [...found.values()]
}

/** Tells whether a value has the member at a path. */
export function hasMember(value: unknown, path: readonly string[], from = 0): boolean {
  const name = path[from]
  if (name === undefined) return value !== undefined
  if (name === '*') {
    return Array.isArray(value) && value.some((item) => hasMember(item, path, from + 1))
  }
  return isRecord(value) && Object.hasOwn(value, name) && hasMember(value[name], path, from + 1)
}
