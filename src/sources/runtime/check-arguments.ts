import { didYouMean, isRecord } from '../../values/index.ts'
import type { ToolArguments } from './operation.ts'
import { toScalarText } from './serialize.ts'
import { ToolError } from './tool-error.ts'

/** The part of JSON Schema that arguments of tools are described with. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: readonly string[]
  /** False refuses members that `properties` does not name, a schema says what they hold. */
  readonly additionalProperties?: boolean | ArgumentSchema
  readonly items?: ArgumentSchema
  readonly anyOf?: readonly ArgumentSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
}

/** Checks arguments against their schema and fills in defaults; throws a list of what is wrong. */
export function checkArguments(tool: string, schema: ArgumentSchema, args: unknown): ToolArguments {
  const filled = fillDefaults(schema, args ?? {})
  const problems = findProblems(schema, filled, '')
  if (problems.length === 0 && isRecord(filled)) return filled
  const message = `${tool}: ${problems.slice(0, 5).join('; ')}`
  throw new ToolError(tool, 'arguments', message, { problems })
}

/** Fills in the default of everything that was left out. */
export function fillDefaults(schema: ArgumentSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.map((item) => fillDefaults(items, item)) : value
  }
  const others = othersOf(schema)
  if (!isRecord(value) || (schema.properties ?? others) === undefined) return value
  const filled = new Map(Object.entries(value))
  for (const [name, member] of otherMembers(schema, value)) {
    if (others) filled.set(name, fillDefaults(others, member))
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const current = filled.get(name)
    if (current !== undefined) filled.set(name, fillDefaults(property, current))
    else if (property.default !== undefined) filled.set(name, property.default)
  }
  return Object.fromEntries(filled)
}

/** Lists what is wrong with a value, one sentence each, with the path of the field. */
export function findProblems(schema: ArgumentSchema, value: unknown, path: string): string[] {
  const name = path === '' ? 'arguments' : path
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    return [`${name} must be ${types.join(' or ')}${explainLarge(types, value)}`]
  }
  const problems = findLimits(schema, value).map((limit) => `${name} ${limit}`)
  if (schema.anyOf && !schema.anyOf.some((one) => findProblems(one, value, path).length === 0)) {
    problems.push(`${name} fits none of the allowed forms`)
  }
  return [...problems, ...findNested(schema, value, path)]
}

/** A number that lost digits before it came here cannot be told from the one that was meant. */
function explainLarge(types: readonly string[], value: unknown): string {
  const isLarge =
    typeof value === 'number' ? Number.isInteger(value) : /^-?\d{16,}$/.test(toScalarText(value))
  if (!types.includes('integer') || !isLarge) return ''
  const hint = types.includes('string') ? '; send it as a string of digits' : ''
  return `: beyond ±9007199254740991 a JSON number loses digits${hint}`
}

function findNested(schema: ArgumentSchema, value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema
    return items
      ? value.flatMap((item, index) => findProblems(items, item, `${path}[${index}]`))
      : []
  }
  if (!isRecord(value)) return []
  const under = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const properties = new Map(Object.entries(schema.properties ?? {}))
  const missing = (schema.required ?? []).filter((key) => {
    return isLeftOut(properties.get(key) ?? {}, ownMember(value, key), path)
  })
  const wrong = [...properties].flatMap(([key, property]) => {
    const member = ownMember(value, key)
    return isLeftOut(property, member, path) ? [] : findProblems(property, member, under(key))
  })
  const others = othersOf(schema)
  const wrongOthers = others
    ? otherMembers(schema, value).flatMap(([key, one]) => findProblems(others, one, under(key)))
    : []
  const unknown = schema.additionalProperties === false ? findUnknown(properties, value) : []
  return [
    ...unknown.map(([key, hint]) => `${under(key)} is not an argument${hint}`),
    ...missing.map((key) => `${under(key)} is required`),
    ...wrong,
    ...wrongOthers,
  ]
}

function othersOf({ additionalProperties }: ArgumentSchema): ArgumentSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Lists the members that the schema does not name. */
function otherMembers(
  { properties = {} }: ArgumentSchema,
  value: Readonly<Record<string, unknown>>,
): [string, unknown][] {
  return Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name))
}

/** Finds members without a place, and which of the known ones may have been meant. */
function findUnknown(
  properties: ReadonlyMap<string, unknown>,
  value: Readonly<Record<string, unknown>>,
): [string, string][] {
  const keys = Object.keys(value).filter((key) => !properties.has(key))
  return keys.slice(0, 10).map((key) => {
    const hint = didYouMean(key, properties.keys())
    return [key.slice(0, 100), hint === undefined ? '' : `; ${hint}`]
  })
}

function ownMember(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

// Models write null for arguments they do not want to give; further down it would be sent as it is.
function isLeftOut(schema: ArgumentSchema, member: unknown, above: string): boolean {
  if (member !== null || above !== '') return member === undefined
  return findProblems(schema, null, '').length > 0
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

function findLimits(schema: ArgumentSchema, value: unknown): string[] {
  if (schema.enum && !schema.enum.includes(value)) {
    return [`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`]
  }
  if (typeof value === 'number') return numberLimits(schema, value)
  if (typeof value === 'string')
    return [...textLimits(schema, value), ...digitLimits(schema, value)]
  return Array.isArray(value) ? listLimits(schema, value) : []
}

const ENDS: Readonly<Record<string, readonly [string, string]>> = {
  int64: ['-9223372036854775808', '9223372036854775807'],
  uint64: ['0', '18446744073709551615'],
}

/** Digits of a 64-bit integer are compared as the number they are, digit by digit. */
function digitLimits(schema: ArgumentSchema, value: string): string[] {
  const types = [schema.type].flat()
  const [low, high] = ENDS[schema.format ?? ''] ?? []
  const isNumeric = types.includes('integer') || types.includes('number')
  if (low === undefined || high === undefined || !isNumeric || !/^-?\d{1,40}$/.test(value))
    return []
  const digits = BigInt(value)
  if (digits < BigInt(low)) return [`must be at least ${low}`]
  return digits > BigInt(high) ? [`must be at most ${high}`] : numberLimits(schema, digits)
}

function numberLimits(schema: ArgumentSchema, value: number | bigint): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  return [
    minimum !== undefined && value < minimum && `must be at least ${minimum}`,
    maximum !== undefined && value > maximum && `must be at most ${maximum}`,
    exclusiveMinimum !== undefined &&
      value <= exclusiveMinimum &&
      `must be above ${exclusiveMinimum}`,
    exclusiveMaximum !== undefined &&
      value >= exclusiveMaximum &&
      `must be below ${exclusiveMaximum}`,
    multipleOf !== undefined &&
      !isMultiple(value, multipleOf) &&
      `must be a multiple of ${multipleOf}`,
  ].filter((limit) => limit !== false)
}

function isMultiple(value: number | bigint, step: number): boolean {
  if (typeof value === 'bigint')
    return !Number.isInteger(step) || value % BigInt(step) === BigInt(0)
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

function textLimits(schema: ArgumentSchema, value: string): string[] {
  const { minLength, maxLength, pattern } = schema
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length
  return [
    minLength !== undefined && length < minLength && `must have at least ${minLength} characters`,
    maxLength !== undefined && length > maxLength && `must have at most ${maxLength} characters`,
    pattern !== undefined && !matches(pattern, value) && `must match ${pattern}`,
  ].filter((limit) => limit !== false)
}

// A pattern of another regular-expression dialect must not make every call fail.
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function listLimits(schema: ArgumentSchema, value: readonly unknown[]): string[] {
  const { minItems, maxItems, uniqueItems } = schema
  return [
    minItems !== undefined && value.length < minItems && `must have at least ${minItems} items`,
    maxItems !== undefined && value.length > maxItems && `must have at most ${maxItems} items`,
    uniqueItems === true && !isUnique(value) && 'must not repeat an item',
  ].filter((limit) => limit !== false)
}

function isUnique(value: readonly unknown[]): boolean {
  return new Set(value.map((item) => JSON.stringify(item))).size === value.length
}
