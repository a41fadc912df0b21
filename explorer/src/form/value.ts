import { isList, isRecord } from '../../../src/values/json.ts'
import { hasMembers, isExactNumber } from '../model/exact-json.ts'
import type { Schema, SchemaObject } from '../model/types.ts'
import { placesOf, resolveSchema, toFieldKind, typesOf, variantsOf } from './schema.ts'

/** The way to a value inside the arguments. */
export type Path = readonly (string | number)[]

/** Gives the arguments a form begins with: exactly the required names, each with its default or null. */
export function prefill(schema: Schema): Record<string, unknown> {
  const { required = [], properties = {} } = resolveSchema(schema, schema)
  return Object.fromEntries(
    required.map((name): [string, unknown] => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, resolveSchema(property, schema).default ?? null]
    }),
  )
}

/** Gives the value a field gets when somebody adds it. */
export function startValue(schema: Schema | undefined, root: Schema): unknown {
  const resolved = resolveSchema(schema, root)
  if (resolved.default !== undefined) return resolved.default
  switch (toFieldKind(resolved)) {
    case 'fixed':
      return resolved.const
    case 'choice':
      return resolved.enum?.[0] ?? null
    case 'text':
      return ''
    case 'number':
      return typeof resolved.minimum === 'number' ? resolved.minimum : 0
    case 'boolean':
      return true
    case 'list':
      return []
    case 'tuple':
      return placesOf(resolved).map(() => null)
    case 'object':
      return startObject(resolved, root)
    case 'map':
      return {}
    case 'variants':
      return startValue(variantsOf(resolved)[0], root)
    case 'json':
      return typesOf(resolved)[0] === 'object' ? {} : null
  }
}

/** Finds the alternative that a value looks most like. */
export function chooseVariant(variants: readonly Schema[], value: unknown, root: Schema): number {
  const scores = variants.map((variant) => score(resolveSchema(variant, root), value))
  return Math.max(0, scores.indexOf(Math.max(...scores)))
}

/** Reads the value at a path. */
export function getAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at) && typeof key === 'number') return at[key]
    return isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, value)
}

/** Gives a copy with another value at a path; undefined takes the member away. */
export function setAt(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (typeof key === 'number') {
    const list: unknown[] = isList(value) ? [...value] : []
    if (rest.length === 0 && next === undefined) list.splice(key, 1)
    else list[key] = setAt(list[key], rest, next)
    return list
  }
  const members = Object.entries(isRecord(value) ? value : {})
  const changed = setAt(getAt(value, [key]), rest, next)
  const others = members.filter(([name]) => name !== key)
  if (changed === undefined) return Object.fromEntries(others)
  const place = members.findIndex(([name]) => name === key)
  others.splice(place === -1 ? others.length : place, 0, [key, changed])
  return Object.fromEntries(others)
}

function startObject({ required = [], properties = {} }: SchemaObject, root: Schema): unknown {
  return Object.fromEntries(
    required.map((name) => {
      const property = resolveSchema(properties[name], root)
      return [name, property.const ?? property.default ?? null]
    }),
  )
}

function score(schema: SchemaObject, value: unknown): number {
  if (schema.const !== undefined) return schema.const === value ? 10 : 0
  const types = typesOf(schema)
  const matches = types.length === 0 || types.includes(typeOf(value))
  if (!matches) return types.includes('number') && typeOf(value) === 'integer' ? 4 : 0
  if (!hasMembers(value)) return types.length === 0 ? 1 : 4
  const properties = Object.entries(schema.properties ?? {})
  const agreeing = properties.filter(([name, property]) => {
    const fixed = typeof property === 'object' ? (property.const ?? property.enum?.[0]) : undefined
    return fixed !== undefined && value[name] === fixed
  })
  const present = properties.filter(([name]) => Object.hasOwn(value, name))
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name))
  return 4 + agreeing.length * 8 + present.length - missing.length
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isExactNumber(value)) return /^-?\d+$/.test(JSON.stringify(value)) ? 'integer' : 'number'
  if (Number.isInteger(value)) return 'integer'
  return typeof value
}
