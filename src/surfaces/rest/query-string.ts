import type { Contract } from '../../contract/index.ts'
import type { Service } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { itemSchema, type JsonSchema, listLocalInPlace, memberSchema } from '../../schema/index.ts'
import { createRecord, isList, isRecord, type Json, type JsonObject } from '../../values/index.ts'
import { parseJson } from '../../wire/index.ts'

/** `filter[total][greater_than]`: a name, then members in brackets. */
const KEY = /^([^[\]]{1,200})((?:\[[^[\]]{0,200}\])*)$/
const MAX_PAIRS = 500
const MAX_DEPTH = 5
/** Of JSON in a query string. */
const MAX_JSON_DEPTH = 20

/** Reads a query string into nested values that are all text; a name that comes twice is a list. */
export function parseQueryString(query: string): JsonObject {
  const values: JsonObject = createRecord()
  let pairs = 0
  for (const [key, value] of new URLSearchParams(query)) {
    pairs += 1
    if (pairs > MAX_PAIRS) throw refuse(`The query string has more than ${MAX_PAIRS} parameters`)
    const [, name, members = ''] = KEY.exec(key) ?? []
    if (name === undefined) throw refuse(`${show(key)}: write members as name[member]`)
    const path = members === '' ? [] : members.slice(1, -1).split('][')
    if (path.length > MAX_DEPTH) throw refuse(`${show(key)} nests more than ${MAX_DEPTH} deep`)
    // `tags[]=a` is how many clients write a list of one.
    place(values, path.at(-1) === '' ? [name, ...path.slice(0, -1)] : [name, ...path], {
      value,
      isItem: path.at(-1) === '',
      key,
    })
  }
  return values
}

interface Placed {
  readonly value: string
  readonly isItem: boolean
  readonly key: string
}

function place(values: JsonObject, path: readonly string[], { value, isItem, key }: Placed): void {
  let holder = values as Record<string, Json>
  for (const name of path.slice(0, -1)) {
    const next = holder[name] ?? createRecord<Json>()
    if (!isRecord(next)) throw refuse(`${show(key)} is given both as a value and with members`)
    holder[name] = next
    holder = next as Record<string, Json>
  }
  const last = path.at(-1) ?? ''
  const before = holder[last]
  if (isRecord(before)) throw refuse(`${show(key)} is given both as a value and with members`)
  if (before === undefined) holder[last] = isItem ? [value] : value
  else holder[last] = isList(before) ? [...before, value] : [before, value]
}

function refuse(message: string): CallError {
  return new CallError('INVALID_ARGUMENTS', { message })
}

function show(key: string): string {
  return key.slice(0, 100)
}

/** Reads arguments that were given as text by their schemas; what does not fit stays text, for the check to refuse. */
export function coerceArguments(
  values: JsonObject,
  { target: { inputSchema } }: Contract,
  { components }: Service,
  style: TextStyle,
): JsonObject {
  const root: JsonSchema = { ...inputSchema, components }
  return coerce(values, inputSchema, { root, style }) as JsonObject
}

/** How OpenAPI calls it: lists in `simple` are joined by commas, in `form` a name is repeated for each item. */
export type TextStyle = 'simple' | 'form'

interface Coercion {
  readonly root: JsonSchema
  readonly style: TextStyle
}

function coerce(given: Json, schema: unknown, coercion: Coercion): Json {
  const { root } = coercion
  const applied = listLocalInPlace([schema], root)
  const types = applied.flatMap(({ type }) => type)
  const inside = (find: (one: JsonSchema) => unknown) => applied.map(find).find(isRecord)
  const value = toShape(given, types, applied, coercion)
  if (isRecord(value)) {
    const members = Object.entries(value).map(([name, member]) => [
      name,
      coerce(
        member ?? null,
        inside((one) => memberSchema(one, name)),
        coercion,
      ),
    ])
    return Object.fromEntries(members) as JsonObject
  }
  if (types.includes('array') || isList(value)) {
    const list = isList(value) ? value : [value]
    return list.map((item, index) =>
      coerce(
        item,
        inside((one) => itemSchema(one, index)),
        coercion,
      ),
    )
  }
  return typeof value === 'string' ? coerceText(value, types) : value
}

/** Brings text into the shape that a schema wants: JSON for an object, commas or numbered members for a list. */
function toShape(
  value: Json,
  types: readonly unknown[],
  applied: readonly JsonSchema[],
  { root, style }: Coercion,
): Json {
  if (typeof value === 'string' && !types.includes('string')) {
    if (types.includes('object') && value.startsWith('{')) return parseOr(value)
    if (!types.includes('array')) return value
    if (value.startsWith('[')) return parseOr(value)
    if (value === '') return []
    return style === 'simple' || !holdsText(applied, root) ? value.split(',') : value
  }
  if (isRecord(value) && types.includes('array')) {
    const numbered = Object.keys(value).every((name, index) => name === String(index))
    if (numbered) return Object.values(value) as Json[]
  }
  return value
}

/** Tells whether the items of a list may be text: a comma would then be a part of one. */
function holdsText(applied: readonly JsonSchema[], root: JsonSchema): boolean {
  const items = listLocalInPlace(applied.map((one) => itemSchema(one, 0)).filter(isRecord), root)
  const types = items.flatMap(({ type }) => type)
  const isClosed = items.some((one) => Array.isArray(one['enum']))
  return !isClosed && (types.includes('string') || types.every((type) => type === undefined))
}

function parseOr(text: string): Json {
  try {
    return parseJson(Buffer.from(text), MAX_JSON_DEPTH) as Json
  } catch {
    return text
  }
}

function coerceText(text: string, types: readonly unknown[]): Json {
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.includes('number') || types.includes('integer')) {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    // An integer beyond these loses digits; as text it is refused, or taken digit by digit.
    if (Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number
  }
  return types.includes('null') && text === 'null' ? null : text
}
