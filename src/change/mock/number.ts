import { type JsonSchema, Unsatisfiable } from '../../schema/index.ts'
import type { Random } from './random.ts'

const SPAN = 100
const ATTEMPTS = 50

/** Makes a number that a schema accepts. */
export function makeNumber(schema: JsonSchema, random: Random, integer: boolean): number {
  const bounds = readBounds(schema, integer)
  const step = numberOf(schema['multipleOf']) ?? (integer ? 1 : undefined)
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const value = step === undefined ? between(bounds, random) : onStep(bounds, step, random)
    if (accepts(bounds, value) && (!integer || Number.isInteger(value))) return value
  }
  // An integer that is also a multiple of a fraction is rare enough to look for one by one.
  if (integer && step !== undefined && !Number.isInteger(step)) {
    for (let value = Math.ceil(bounds.low); value <= bounds.high; value += 1) {
      if (accepts(bounds, value) && isMultiple(value, step)) return value
    }
  }
  throw new Unsatisfiable(`no number from ${bounds.low} to ${bounds.high} meets the schema`)
}

interface Bounds {
  readonly low: number
  readonly high: number
  readonly lowOpen: boolean
  readonly highOpen: boolean
}

function readBounds(schema: JsonSchema, integer: boolean): Bounds {
  const minimum = numberOf(schema['minimum'])
  const maximum = numberOf(schema['maximum'])
  const above = numberOf(schema['exclusiveMinimum'])
  const below = numberOf(schema['exclusiveMaximum'])
  const low = pick(Math.max, minimum, above)
  const high = pick(Math.min, maximum, below)
  const span = Math.max(SPAN, Math.abs(numberOf(schema['multipleOf']) ?? 0) * 10)
  const from = low ?? (high === undefined ? 0 : Math.min(0, high - span))
  const to = high ?? Math.max(from, 0) + span
  if (from > to) throw new Unsatisfiable(`no number is above ${from} and below ${to}`)
  return {
    low: integer ? Math.ceil(from) : from,
    high: integer ? Math.floor(to) : to,
    lowOpen: above !== undefined && above === low,
    highOpen: below !== undefined && below === high,
  }
}

function between({ low, high }: Bounds, random: Random): number {
  const value = low + random.next() * (high - low)
  const rounded = Math.round(value * 100) / 100
  return rounded > low && rounded < high ? rounded : value
}

function onStep({ low, high, lowOpen, highOpen }: Bounds, step: number, random: Random): number {
  const first = Math.ceil(low / step) + (lowOpen && low % step === 0 ? 1 : 0)
  const last = Math.floor(high / step) - (highOpen && high % step === 0 ? 1 : 0)
  if (first > last)
    throw new Unsatisfiable(`no multiple of ${step} lies between ${low} and ${high}`)
  const value = random.whole(first, Math.min(last, first + 1_000_000)) * step
  const decimals = Math.min(20, (String(step).split('.')[1] ?? '').length)
  return Number.isInteger(step) ? value : Number(value.toFixed(decimals))
}

function accepts({ low, high, lowOpen, highOpen }: Bounds, value: number): boolean {
  return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high)
}

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function pick(
  choose: (...values: number[]) => number,
  ...bounds: readonly (number | undefined)[]
): number | undefined {
  const given = bounds.filter((bound) => bound !== undefined)
  return given.length === 0 ? undefined : choose(...given)
}
