import type { Target } from '../core/index.ts'
import { FULL_MASK, normalizeName, REDACTED_FIELDS } from '../extensions/redact/index.ts'
import { itemSchema, type JsonSchema, listLocalInPlace, memberSchema } from '../schema/index.ts'
import { isRecord, type JsonObject } from '../values/index.ts'

/** Longest text, most members or items, and deepest value that a log line holds of an argument. */
const MOST = { text: 200, members: 20, depth: 6 } as const

/** Creates what makes arguments fit to be logged: secrets hidden, long values cut. */
export function createArgumentRedactor(
  hide: readonly string[] = [],
): (target: Target, given: JsonObject) => unknown {
  const names = new Set([...REDACTED_FIELDS, ...hide].map(normalizeName))

  function write(
    value: unknown,
    schemas: readonly unknown[],
    root: JsonSchema,
    depth: number,
  ): unknown {
    const applied = listLocalInPlace(schemas, root)
    if (applied.some(isSensitive)) return FULL_MASK
    if (typeof value === 'string')
      return value.length > MOST.text ? `${value.slice(0, MOST.text)}…` : value
    if (typeof value !== 'object' || value === null) return value
    if (depth >= MOST.depth) return '…'
    if (Array.isArray(value)) {
      const items = value.slice(0, MOST.members).map((item, index) =>
        write(
          item,
          applied.map((schema) => itemSchema(schema, index)),
          root,
          depth + 1,
        ),
      )
      return value.length > MOST.members ? [...items, '…'] : items
    }
    const members = Object.entries(value).slice(0, MOST.members)
    const written = members.map(([name, member]) => [
      name.slice(0, MOST.text),
      names.has(normalizeName(name))
        ? FULL_MASK
        : write(
            member,
            applied.map((schema) => memberSchema(schema, name)),
            root,
            depth + 1,
          ),
    ])
    return Object.fromEntries(written)
  }

  return ({ inputSchema }, given) => write(given, [inputSchema], inputSchema, 0)
}

function isSensitive(schema: JsonSchema): boolean {
  return (
    isRecord(schema) &&
    (schema['writeOnly'] === true ||
      schema['format'] === 'password' ||
      schema['x-sensitive'] === true)
  )
}
