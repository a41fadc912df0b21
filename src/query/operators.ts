import type { QueryOperator } from '../core/query-plan.ts'

/** What an operator is compared with: one value, one that has an order, a text, a list, two bounds, or nothing. */
export type Operand = 'value' | 'ordered' | 'pattern' | 'list' | 'range' | 'none'

/** Every operator and its operand. */
export const OPERATORS: Readonly<Record<QueryOperator, Operand>> = {
  equals: 'value',
  not_equals: 'value',
  greater_than: 'ordered',
  greater_than_or_equal_to: 'ordered',
  less_than: 'ordered',
  less_than_or_equal_to: 'ordered',
  like: 'pattern',
  not_like: 'pattern',
  in: 'list',
  not_in: 'list',
  between: 'range',
  not_between: 'range',
  is_null: 'none',
  is_not_null: 'none',
}

/** The names in discovery documents, which callers may use too. */
const SHORT: ReadonlyMap<string, QueryOperator> = new Map([
  ['eq', 'equals'],
  ['neq', 'not_equals'],
  ['gt', 'greater_than'],
  ['gte', 'greater_than_or_equal_to'],
  ['lt', 'less_than'],
  ['lte', 'less_than_or_equal_to'],
])

/** Every operator by its wire name. */
export const OPERATOR_NAMES: readonly QueryOperator[] = Object.keys(OPERATORS) as QueryOperator[]

/** Finds the operator of a long or short name; undefined when there is none. */
export function resolveOperator(name: unknown): QueryOperator | undefined {
  if (typeof name !== 'string') return undefined
  return SHORT.get(name) ?? OPERATOR_NAMES.find((operator) => operator === name)
}
