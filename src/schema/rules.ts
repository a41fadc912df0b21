import { isRecord, ownMember, toText } from '../values/index.ts'
import type { JsonSchema } from './schema.ts'

/** A rule of ours that the validator runs beside its own. */
export interface Refinement {
  readonly check: (value: unknown) => boolean
  readonly error: (value: unknown) => RefinementFinding
}

/** The keyword that failed and what it expected, in the form of the validator's own findings. */
export interface RefinementFinding {
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Requires one of some values; a set, because a chain of thousands of comparisons does not compile. */
export function requireOneOf(keyword: 'enum' | 'const', allowed: readonly unknown[]): Refinement {
  const scalars = new Set(allowed.filter(isScalar))
  const structures = new Set(allowed.filter((value) => !isScalar(value)).map(toCanonicalText))
  return {
    check: (value) =>
      isScalar(value) ? scalars.has(value) : structures.has(toCanonicalText(value)),
    error: () => ({ keyword, params: { allowedValues: allowed, allowedValue: allowed[0] } }),
  }
}

/** Requires that no two items of an array are equal. */
export const requireUnique: Refinement = {
  check: (value) => !Array.isArray(value) || findDuplicate(value) === undefined,
  error: (value) => ({
    keyword: 'uniqueItems',
    params: { duplicate: Array.isArray(value) ? findDuplicate(value) : undefined },
  }),
}

/** Requires that a number is a multiple of another one, judged by their decimal digits. */
export function requireMultipleOf(divisor: number): Refinement {
  return {
    check: (value) => typeof value !== 'number' || isMultipleOf(value, divisor),
    error: () => ({ keyword: 'multipleOf', params: { multipleOf: divisor } }),
  }
}

/** Requires that an object has no members but the named ones. */
export function forbidOthers(names: readonly string[]): Refinement {
  const known = new Set(names)
  return {
    check: (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
      // A loop without a list of keys: this runs on nearly every call.
      for (const name in value) if (!known.has(name)) return false
      return true
    },
    error: (value) => ({
      keyword: 'additionalProperties',
      params: {
        additionalProperties: isRecord(value)
          ? Object.keys(value).filter((name) => !known.has(name))
          : [],
        known: names,
      },
    }),
  }
}

const LARGEST: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
}

/** Requires that digits given for a 64-bit integer are one, within the bounds of the schema; undefined for any other schema. */
export function requireDigitRange(schema: JsonSchema): Refinement | undefined {
  const types = [schema['type']].flat()
  const range = ownMember(LARGEST, toText(schema['format']))
  const isNumeric = types.includes('integer') || types.includes('number')
  if (range === undefined || !isNumeric || !types.includes('string')) return undefined
  const bounds = (names: readonly string[], end: bigint): [string, bigint | number][] => {
    const own = names.map((name): [string, unknown] => [name, schema[name]])
    return [...own, [names[0] ?? '', end]].filter(
      (bound): bound is [string, bigint | number] =>
        typeof bound[1] === 'number' || typeof bound[1] === 'bigint',
    )
  }
  const low = bounds(['minimum', 'exclusiveMinimum'], range[0])
  const high = bounds(['maximum', 'exclusiveMaximum'], range[1])
  const findBroken = (value: unknown): [string, bigint | number] | undefined => {
    if (typeof value !== 'string' || !/^-?[0-9]{1,40}$/.test(value)) return undefined
    const digits = BigInt(value)
    return (
      low.find(([name, end]) => digits < end || (name !== 'minimum' && digits <= end)) ??
      high.find(([name, end]) => digits > end || (name !== 'maximum' && digits >= end))
    )
  }
  return {
    check: (value) => findBroken(value) === undefined,
    error: (value) => {
      const [keyword, limit] = findBroken(value) ?? ['format', 0]
      return { keyword, params: { limit: `${limit}` } }
    },
  }
}

/** Tells whether a value is neither an object nor an array. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** Gives the positions of the first two equal items. */
function findDuplicate(items: readonly unknown[]): readonly [number, number] | undefined {
  const scalars = new Map<unknown, number>()
  const structures = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    const seen = isScalar(item) ? scalars : structures
    const key = isScalar(item) ? item : toCanonicalText(item)
    const first = seen.get(key)
    if (first !== undefined) return [first, index]
    seen.set(key, index)
  }
  return undefined
}

/** Prints a JSON value so that equal values give equal texts, whatever the order of members. */
function toCanonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join()}]`
  if (isScalar(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = members.map(
    ([name, member]) => `${JSON.stringify(name)}:${toCanonicalText(member)}`,
  )
  return `{${texts.join()}}`
}

function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  if (!Number.isFinite(value)) return false
  const [digits, exponent] = toDecimal(value)
  const [divisorDigits, divisorExponent] = toDecimal(divisor)
  const lowest = Math.min(exponent, divisorExponent)
  const scaled = digits * 10n ** BigInt(exponent - lowest)
  return scaled % (divisorDigits * 10n ** BigInt(divisorExponent - lowest)) === 0n
}

/** Reads a number as digits times a power of ten, the way JSON wrote it. */
function toDecimal(value: number): readonly [bigint, number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}
