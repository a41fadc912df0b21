import { compilePattern, isRegExp, type JsonSchema, type Resolver } from '../../schema/index.ts'
import { asList, entriesOf, isRecord, type Json } from '../../values/index.ts'
import { cleanText, cutText } from './describe.ts'
import { asFilledText, asFlag, asNode, asNumber, type Node, read, toPlainJson } from './node.ts'

/*
 * Schemas of responses keep their names and their nesting: a type of TypeScript and a mock need them. What is kept is
 * what a service can be held to: closed objects are opened, `oneOf` is read as `anyOf`, and a keyword that makes no
 * sense is left out, so that every schema compiles.
 */

/** The schemas that responses of a document refer to, converted as they are asked for. */
export interface ResponseSchemas {
  /** Converts a schema of the document; references lead to `#/$defs/NAME`. */
  convert(value: unknown): JsonSchema
  /** Every schema that was referred to so far, by name. */
  named(): Readonly<Record<string, JsonSchema>>
  /** References that lead nowhere. */
  readonly missing: ReadonlySet<string>
}

const MAX_NESTING = 40
const MAX_TEXT = 300

/** Creates an empty collection over one document. */
export function createResponseSchemas(resolver: Resolver): ResponseSchemas {
  const names = new Map<object, string>()
  const taken = new Set<string>()
  const converted = new Map<string, JsonSchema>()
  const missing = new Set<string>()
  // Named schemas wait in a list: a chain of a thousand references must not be a thousand calls deep.
  const waiting: { readonly name: string; readonly node: Node }[] = []

  const refer = (value: Node): JsonSchema => {
    const resolved = resolver.resolve(value)
    if (!resolved.found) {
      missing.add(resolved.ref)
      return {}
    }
    const node = asNode(resolved.node)
    if (node === undefined) return {}
    const known = names.get(node)
    const name = known ?? takeSchemaName(resolved.name ?? 'Schema', taken)
    if (known === undefined) {
      names.set(node, name)
      waiting.push({ name, node })
    }
    return { $ref: `#/$defs/${name}`, ...textOf(value, 'description') }
  }

  const enter = (value: unknown, depth: number): JsonSchema => {
    const node = asNode(value)
    if (node === undefined || depth > MAX_NESTING) return {}
    return typeof node['$ref'] === 'string' ? refer(node) : toSchema(node, enter, depth)
  }

  return {
    missing,
    convert(value) {
      const schema = enter(value, 0)
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        converted.set(next.name, toSchema(next.node, enter, 0))
      return schema
    },
    named: () => Object.fromEntries(converted),
  }
}

/** Names that a pointer and a YAML key take as they are. */
function takeSchemaName(label: string, taken: Set<string>): string {
  const plain = label.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 80) || 'Schema'
  const base = plain === '__proto__' ? 'proto' : plain
  let name = base
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`
  taken.add(name)
  return name
}

type Enter = (value: unknown, depth: number) => JsonSchema

function toSchema(node: Node, enter: Enter, depth: number): JsonSchema {
  const inside = (value: unknown): JsonSchema => enter(value, depth + 1)
  const types = typesOf(node)
  return {
    ...textOf(node, 'title'),
    ...textOf(node, 'description'),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...valuesOf(node, types),
    ...(asFlag(node['deprecated']) && { deprecated: true }),
    ...formatOf(node),
    ...boundsOf(node),
    ...patternOf(node['pattern']),
    ...membersOf(node, inside),
    ...itemsOf(node, types, inside),
    ...choicesOf(node, types, inside),
    ...exampleOf(node),
  }
}

function textOf(node: Node, key: 'title' | 'description'): JsonSchema {
  const text = cleanText(asFilledText(node[key]) ?? '')
  return text === '' ? {} : { [key]: cutText(text, MAX_TEXT) }
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

function typesOf(node: Node): readonly string[] {
  const { type } = node
  const given = (Array.isArray(type) ? type : [type]).flatMap((one) => {
    const word = asFilledText(one)?.trim().toLowerCase()
    return word !== undefined && TYPES.includes(word) ? [word] : []
  })
  // A type that nobody knows says nothing, and neither does the rest of a list that holds one.
  if (Array.isArray(type) && given.length < type.length) return []
  const isNullable = asFlag(node['nullable']) || asFlag(node['x-nullable'])
  return given.length > 0 && isNullable ? [...new Set([...given, 'null'])] : [...new Set(given)]
}

function valuesOf(node: Node, types: readonly string[]): JsonSchema {
  const hasConst = Object.hasOwn(node, 'const')
  const members = hasConst ? [node['const']] : asList(node['enum'])
  if (members.length === 0 || members.length > 1000) return {}
  const fitting = members.map((member) => toTyped(member, types))
  // One value that its own type refuses shows that the list cannot be trusted.
  if (fitting.includes(undefined)) return {}
  const unique = [...new Map(fitting.map((one) => [JSON.stringify(one), one])).values()]
  const withNull = types.includes('null') && !unique.includes(null) ? [...unique, null] : unique
  return { enum: withNull }
}

function toTyped(member: unknown, types: readonly string[]): Json | undefined {
  const plain = toPlainJson(member, { depth: 4, nodes: 40 })
  if (plain === undefined || types.length === 0) return plain
  const fits = (value: Json): boolean => types.some((type) => hasType(value, type))
  if (fits(plain)) return plain
  if (types.includes('string') && (typeof plain === 'number' || typeof plain === 'boolean'))
    return String(plain)
  const number = asNumber(plain)
  return number !== undefined && fits(number) ? number : undefined
}

function hasType(value: Json, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function formatOf(node: Node): JsonSchema {
  const format = asFilledText(node['format'])?.trim()
  return format === undefined || format.length > 40 ? {} : { format }
}

const COUNTS = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const

function boundsOf(node: Node): JsonSchema {
  const bounds: Record<string, number | boolean> = {}
  for (const [low, high] of COUNTS) {
    const [least, most] = [asCount(node[low]), asCount(node[high])]
    if (least !== undefined && most !== undefined && least > most) continue
    if (least !== undefined && least > 0) bounds[low] = least
    if (most !== undefined) bounds[high] = most
  }
  const [least, most] = [rangeEnd(node, 'minimum'), rangeEnd(node, 'maximum')]
  const isEmpty = least !== undefined && most !== undefined && least.value >= most.value
  // One value between equal bounds is a range only when neither end is open.
  const isPoint = isEmpty && least.value === most.value && !least.open && !most.open
  if (!isEmpty || isPoint) {
    if (least) bounds[least.open ? 'exclusiveMinimum' : 'minimum'] = least.value
    if (most) bounds[most.open ? 'exclusiveMaximum' : 'maximum'] = most.value
  }
  const step = asNumber(node['multipleOf'])
  if (step !== undefined && step > 0) bounds['multipleOf'] = step
  if (node['uniqueItems'] === true) bounds['uniqueItems'] = true
  return bounds
}

function rangeEnd(
  node: Node,
  end: 'minimum' | 'maximum',
): { readonly value: number; readonly open: boolean } | undefined {
  const beyond = node[end === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
  const value = typeof beyond === 'number' ? beyond : asNumber(node[end])
  const open = beyond === true || typeof beyond === 'number'
  return value === undefined || Math.abs(value) > Number.MAX_SAFE_INTEGER
    ? undefined
    : { value, open }
}

function asCount(value: unknown): number | undefined {
  const number = asNumber(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function patternOf(value: unknown): JsonSchema {
  const pattern = asFilledText(value)
  if (pattern === undefined || pattern.length > 500 || !isRegExp(pattern)) return {}
  return compilePattern(pattern).unchecked === undefined ? { pattern } : {}
}

function membersOf(node: Node, inside: (value: unknown) => JsonSchema): JsonSchema {
  const properties = entriesOf(node['properties']).filter(([, value]) => isRecord(value))
  const names = new Set(properties.map(([name]) => name))
  const hidden = new Set(
    properties.filter(([, value]) => asFlag(read(value, 'writeOnly'))).map(([name]) => name),
  )
  const required = asList(node['required']).flatMap((name) => asFilledText(name) ?? [])
  const kept = [...new Set(required)].filter((name) => names.has(name) && !hidden.has(name))
  const others = node['additionalProperties']
  const shown = properties.filter(([name]) => !hidden.has(name))
  return {
    ...(shown.length > 0 && {
      properties: Object.fromEntries(shown.map(([name, value]) => [name, inside(value)])),
    }),
    ...(kept.length > 0 && { required: kept }),
    // `false` is left out: a service that adds a member breaks nobody.
    ...(isRecord(others) &&
      Object.keys(others).length > 0 && { additionalProperties: inside(others) }),
  }
}

function itemsOf(
  node: Node,
  types: readonly string[],
  inside: (value: unknown) => JsonSchema,
): JsonSchema {
  const { items } = node
  if (!isRecord(items) || (types.length > 0 && !types.includes('array'))) return {}
  return { items: inside(items) }
}

function choicesOf(
  node: Node,
  types: readonly string[],
  inside: (value: unknown) => JsonSchema,
): JsonSchema {
  const list = (key: string) => asList(node[key]).filter(isRecord).map(inside)
  const all = list('allOf')
  const any = [...list('anyOf'), ...list('oneOf')]
  const isNullable = asFlag(node['nullable']) || asFlag(node['x-nullable'])
  const either =
    any.length > 0 && isNullable && types.length === 0 ? [...any, { type: 'null' }] : any
  // 3.0 says nullable beside allOf with one reference; the parts would refuse null.
  if (isNullable && types.length === 0 && all.length > 0 && any.length === 0)
    return { anyOf: [all.length === 1 ? all[0] : { allOf: all }, { type: 'null' }] }
  return { ...(all.length > 0 && { allOf: all }), ...(either.length > 0 && { anyOf: either }) }
}

function exampleOf(node: Node): JsonSchema {
  const given = node['example'] ?? asList(node['examples'])[0]
  const plain = given === undefined ? undefined : toPlainJson(given, { depth: 6, nodes: 60 })
  const isShort = plain !== undefined && plain !== null && JSON.stringify(plain).length <= 500
  return isShort ? { examples: [plain] } : {}
}
