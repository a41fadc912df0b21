import type { PlannedFilter, QueryOperator, QueryValue, ResourceObject } from '../../core/index.ts'
import { attributeOf } from './resource.ts'

/** Orders two values: null first, then false, true, numbers, texts; what has no order counts as null. */
export function compareValues(left: unknown, right: unknown): number {
  const kind = rankOf(left)
  if (kind !== rankOf(right)) return kind - rankOf(right)
  if (typeof left === 'string') return compareCollated(left, right as string)
  if (typeof left === 'number' || typeof left === 'boolean') return Number(left) - Number(right)
  return 0
}

const RANKS: readonly string[] = ['boolean', 'number', 'string']

function rankOf(value: unknown): number {
  return RANKS.indexOf(typeof value)
}

/** Orders texts by code point, as databases do; `<` orders them by halves of code points. */
export function compareCollated(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = weight(left.charCodeAt(index)) - weight(right.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

/** Surrogates stand for code points above all others. */
function weight(unit: number): number {
  const isSurrogate = unit >= FIRST_SURROGATE && unit < AFTER_SURROGATES
  return isSurrogate ? unit + 0x10000 : unit
}

/** Compiles a pattern in which `%` stands for any run of characters; case counts and nothing else is special. */
export function compileLike(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('%')
  if (pieces.length === 1) return (text) => text === pattern
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '')
  return (text) => {
    if (text.length < first.length + last.length) return false
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let from = first.length
    // The earliest place for each piece leaves the most room for the rest, so no place is ever tried twice.
    for (const piece of middle) {
      const at = text.indexOf(piece, from)
      if (at === -1 || at + piece.length > end) return false
      from = at + piece.length
    }
    return true
  }
}

/** Tells whether a resource meets a condition. */
export type Match = (resource: ResourceObject) => boolean

type Test = (value: unknown) => boolean

/** Compiles conditions into one test, folded strictly from left to right; none at all let everything pass. */
export function compileFilters(filters: readonly PlannedFilter[]): Match {
  const steps = filters.map(({ boolean, ...filter }) => ({ boolean, matches: toMatch(filter) }))
  const [first, ...rest] = steps
  if (first === undefined) return () => true
  return (resource) =>
    rest.reduce(
      (met, { boolean, matches }) =>
        boolean === 'or' ? met || matches(resource) : met && matches(resource),
      first.matches(resource),
    )
}

function toMatch({ attribute, operator, values }: Omit<PlannedFilter, 'boolean'>): Match {
  const test = TESTS[operator](values)
  return (resource) => test(attributeOf(resource, attribute))
}

/** Every operator. Only the null tests are true of null, as in SQL; values of another kind are just not equal. */
const TESTS: Readonly<Record<QueryOperator, (values: readonly QueryValue[]) => Test>> = {
  equals: equal,
  not_equals: not(equal),
  greater_than: ordered((order) => order > 0),
  greater_than_or_equal_to: ordered((order) => order >= 0),
  less_than: ordered((order) => order < 0),
  less_than_or_equal_to: ordered((order) => order <= 0),
  like,
  not_like: not(like),
  in: member,
  not_in: not(member),
  between,
  not_between: not(between),
  is_null: () => (value) => value === null,
  is_not_null: () => (value) => value !== null,
}

function equal([wanted]: readonly QueryValue[]): Test {
  return (value) => value === wanted
}

function member(wanted: readonly QueryValue[]): Test {
  const set = new Set<unknown>(wanted)
  return (value) => set.has(value)
}

function like([pattern]: readonly QueryValue[]): Test {
  const matches = compileLike(String(pattern))
  return (value) => typeof value === 'string' && matches(value)
}

function ordered(accepts: (order: number) => boolean): (values: readonly QueryValue[]) => Test {
  return ([bound]) =>
    (value) =>
      typeof value === typeof bound && accepts(compareValues(value, bound))
}

function between([from, to]: readonly QueryValue[]): Test {
  return (value) =>
    typeof value === typeof from && compareValues(value, from) >= 0 && compareValues(value, to) <= 0
}

function not(
  positive: (values: readonly QueryValue[]) => Test,
): (values: readonly QueryValue[]) => Test {
  return (values) => {
    const test = positive(values)
    return (value) => value !== null && !test(value)
  }
}
