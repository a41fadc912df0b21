import { placesOf, resolveSchema, variantsOf } from '../form/schema.ts'
import { hasMembers, parseExactly } from './exact-json.ts'
import type { Schema, SchemaObject } from './types.ts'

/** Takes values out that the schema marks as secret, before anything is written down or sent around. */
export function hideSecrets(body: string, schema: Schema): string {
  try {
    return JSON.stringify(withoutSecrets(parseExactly(body), schema, schema))
  } catch {
    // Better nothing than something unread.
    return '{}'
  }
}

/** What any alternative calls a secret is one; `tried` holds those that were asked about this very value. */
function withoutSecrets(
  value: unknown,
  schema: Schema | undefined,
  root: Schema,
  tried: ReadonlySet<unknown> = new Set(),
): unknown {
  if (schema === undefined || tried.has(schema)) return value
  const resolved = resolveSchema(schema, root)
  if (resolved.writeOnly === true || resolved.format === 'password') return null
  const asked = new Set([...tried, schema])
  return variantsOf(resolved).reduce<unknown>(
    (kept, variant) => withoutSecrets(kept, variant, root, asked),
    hideInside(value, resolved, root),
  )
}

function hideInside(value: unknown, schema: SchemaObject, root: Schema): unknown {
  if (Array.isArray(value)) {
    return value.map((item, at) => withoutSecrets(item, findItem(schema, at), root))
  }
  if (!hasMembers(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      findMembers(schema, name).reduce<unknown>(
        (kept, one) => withoutSecrets(kept, one, root),
        member,
      ),
    ]),
  )
}

function findItem(schema: SchemaObject, at: number): Schema | undefined {
  const place = placesOf(schema)[at]
  return place ?? (Array.isArray(schema.items) ? undefined : (schema.items as Schema | undefined))
}

/** A pattern of a foreign schema is not run; what one of them marks counts for every name. */
function findMembers(schema: SchemaObject, name: string): readonly Schema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema
  const named = Object.hasOwn(properties, name) ? properties[name] : undefined
  const patterns = Object.values(patternProperties)
  return named === undefined ? [...patterns, additionalProperties] : [named, ...patterns]
}
