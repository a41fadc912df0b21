import type { QueryFilter, QueryOperator, QueryValue } from '../core/query-plan.ts'
import { compareValues } from './compare.ts'
import { compileLike } from './like.ts'
import { attributeOf, type ResourceObject } from './resource.ts'

/** Tells whether a resource meets a condition. */
export type Match = (resource: ResourceObject) => boolean

type Test = (value: unknown) => boolean

/** Compiles conditions into one test, folded strictly from left to right; none at all let everything pass. */
export function compileFilters(filters: readonly QueryFilter[]): Match {
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

function toMatch({ attribute, operator, values }: Omit<QueryFilter, 'boolean'>): Match {
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
