import { andThen, asRecord, isRecord, type Maybe, parsePointer } from '../values/index.ts'
import type { Check, JsonSchema, Validation } from './schema.ts'

/**
 * Lets a check take null for an optional argument that does not admit it: models write null for what they do not want to
 * give. The handler still sees the null, and leaves the argument out.
 */
export function withNullLeftOut(check: Check, schema: JsonSchema): Check {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const names = Object.keys(asRecord(schema['properties']))
  const optional = new Set(names.filter((name) => !required.has(name)))

  const checkRest = (value: unknown): Maybe<Validation> =>
    andThen(check(value), (checked) => {
      if (checked.ok || !isRecord(value)) return checked
      const refused = checked.problems.flatMap(({ pointer }) => {
        const [name, ...inner] = parsePointer(pointer) ?? []
        return name !== undefined && inner.length === 0 ? [name] : []
      })
      const nulls = new Set(refused.filter((name) => optional.has(name) && value[name] === null))
      if (nulls.size === 0) return checked
      const rest = Object.entries(value).filter(([name]) => !nulls.has(name))
      return checkRest(Object.fromEntries(rest))
    })

  return (value) =>
    andThen(checkRest(value), (checked): Validation => {
      if (!checked.ok || !isRecord(value) || !isRecord(checked.value)) return checked
      const kept = checked.value
      const left = Object.entries(value).filter(([name]) => !Object.hasOwn(kept, name))
      return left.length === 0
        ? checked
        : { ok: true, value: { ...kept, ...Object.fromEntries(left) } }
    })
}
