import { isRecord } from '../core/json.ts'
import { compilePattern } from '../core/pattern/index.ts'
import type { JsonSchema } from '../core/schema.ts'
import { Unmakeable } from './unmakeable.ts'

/** Joins two schemas into one that accepts what both accept, as far as single keywords can say it. */
export function mergeSchemas(left: JsonSchema, right: JsonSchema): JsonSchema {
  if (Object.keys(left).length === 0) return right
  if (Object.keys(right).length === 0) return left
  const merged: Record<string, unknown> = { ...right, ...left }
  for (const keyword of Object.keys(right)) {
    const join = Object.hasOwn(left, keyword) ? JOINS[keyword] : undefined
    if (join !== undefined) merged[keyword] = join(left[keyword] as never, right[keyword] as never)
  }
  const properties = mergeProperties(left, right)
  if (Object.keys(properties).length > 0) merged['properties'] = properties
  return merged
}

type Join = (left: never, right: never) => unknown

const larger: Join = (left: number, right: number) => Math.max(left, right)
const smaller: Join = (left: number, right: number) => Math.min(left, right)
const both: Join = (left: unknown, right: unknown) => {
  if (left === false || right === false) return false
  if (left === true) return right
  return right === true ? left : { allOf: [left, right] }
}

const JOINS: Readonly<Record<string, Join>> = {
  type: joinTypes,
  enum: joinChoices,
  const: (left: unknown, right: unknown) => {
    if (JSON.stringify(left) === JSON.stringify(right)) return left
    throw new Unmakeable('two constants differ')
  },
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  minContains: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  maxContains: smaller,
  multipleOf: joinSteps,
  required: (left: readonly string[], right: readonly string[]) => [
    ...new Set([...left, ...right]),
  ],
  pattern: (left: unknown, right: unknown) => [left, right].flat(),
  uniqueItems: (left: boolean, right: boolean) => left || right,
  items: both,
  contains: both,
  propertyNames: both,
  additionalProperties: both,
  unevaluatedProperties: both,
  unevaluatedItems: both,
  patternProperties: joinMaps,
  dependentSchemas: joinMaps,
  dependentRequired: (left: object, right: object) => ({ ...right, ...left }),
  prefixItems: (left: readonly unknown[], right: readonly unknown[]) =>
    Array.from({ length: Math.max(left.length, right.length) }, (_, index) =>
      both((left[index] ?? true) as never, (right[index] ?? true) as never),
    ),
}

function joinTypes(left: string | readonly string[], right: string | readonly string[]): unknown {
  const others = [right].flat()
  const common = [left].flat().flatMap((type) => {
    if (others.includes(type)) return [type]
    if (type === 'number' && others.includes('integer')) return ['integer']
    return type === 'integer' && others.includes('number') ? ['integer'] : []
  })
  if (common.length === 0) {
    const [one, other] = [left, right].map((types) => [types].flat().join(' or '))
    throw new Unmakeable(`nothing is both ${one} and ${other}`)
  }
  return common.length === 1 ? common[0] : common
}

function joinChoices(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const known = new Set(right.map((value) => JSON.stringify(value)))
  const common = left.filter((value) => known.has(JSON.stringify(value)))
  if (common.length === 0) throw new Unmakeable('two lists of choices have nothing in common')
  return common
}

function joinSteps(left: number, right: number): number {
  const high = Math.max(left, right)
  const low = Math.min(left, right)
  if (Number.isInteger(high / low)) return high
  return Number.isInteger(left) && Number.isInteger(right)
    ? (left * right) / divisor(left, right)
    : high
}

function divisor(left: number, right: number): number {
  return right === 0 ? left : divisor(right, left % right)
}

function joinMaps(left: Record<string, unknown>, right: Record<string, unknown>): object {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in left && name in right
        ? both(left[name] as never, right[name] as never)
        : (left[name] ?? right[name]),
    ]),
  )
}

/** A schema without room for further members also judges the members that only the other one names. */
function mergeProperties(left: JsonSchema, right: JsonSchema): Record<string, unknown> {
  const own = mapOf(left['properties'])
  const other = mapOf(right['properties'])
  const names = new Set([...Object.keys(own), ...Object.keys(other)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      both(toJudge(left, own, name) as never, toJudge(right, other, name) as never),
    ]),
  )
}

function toJudge(schema: JsonSchema, properties: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(properties, name)) return properties[name]
  const patterns = Object.keys(mapOf(schema['patternProperties']))
  if (patterns.some((pattern) => compilePattern(pattern).test(name))) return true
  return schema['additionalProperties'] ?? true
}

function mapOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}
