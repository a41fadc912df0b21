type Schema = Readonly<Record<string, unknown>>

/** Makes arguments for a tool: every argument of its schema, two levels deep, with awkward text. */
export function sampleArguments(schema: Schema): Record<string, unknown> {
  return sampleObject(schema, 0)
}

function sampleObject(schema: Schema, depth: number): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const required = new Set((schema['required'] ?? []) as string[])
  const kept =
    depth === 0 ? properties : properties.filter(([name], index) => required.has(name) || index < 2)
  return Object.fromEntries(
    kept.map(([name, property]) => [name, sampleValue(property, depth + 1)]),
  )
}

function sampleValue(schema: Schema, depth: number): unknown {
  const alternatives = schema['anyOf'] as Schema[] | undefined
  if (alternatives?.[0]) return sampleValue(alternatives[0], depth)
  const values = schema['enum'] as unknown[] | undefined
  if (values && values.length > 0) return values[0]
  const type = [schema['type']].flat()[0]
  if (type === 'integer') return Math.max(7, Number(schema['minimum'] ?? 0))
  if (type === 'number') return 1.5
  if (type === 'boolean') return false
  if (type === 'array') {
    const item = (schema['items'] ?? { type: 'string' }) as Schema
    return depth > 3 ? [] : [sampleValue(item, depth + 1), sampleValue(item, depth + 1)]
  }
  if (type === 'object') return depth > 3 ? {} : sampleObject(schema, depth)
  if (schema['format'] === 'binary') return 'AAEC'
  if (String(schema['pattern']).includes('[0-9]')) return '12345678901234567890'
  return 'a b/c&d=é,1'
}
