import type { QueryConditions, QueryFilter, QueryOperands } from './methods/query.ts'

/** What a query may ask of a function: the names that its definition allows. */
export type QueryFor<Allowed, Attributes> = [Allowed] extends [never]
  ? never
  : QueryOf<Allowed, Attributes, ListIn<Allowed, 'filters'>, OperatorsIn<Allowed>>

/** The parts of a query; of those that the definition does not mention, none. */
export interface QueryOf<
  Allowed,
  Attributes,
  Filterable extends string,
  Operator extends keyof QueryOperands<unknown>,
> {
  /** Conditions that must all hold. */
  readonly where?: {
    readonly [Attribute in Filterable]?:
      | ComparedWith<Attributes, Attribute>
      | QueryConditions<ComparedWith<Attributes, Attribute>, Operator>
  }
  /** Conditions read from left to right, for those joined by "or". */
  readonly filters?: readonly QueryFilter<Filterable, Operator>[]
  /** In order of priority; a minus sorts the other way round. */
  readonly sorts?: readonly (ListIn<Allowed, 'sorts'> | `-${ListIn<Allowed, 'sorts'>}`)[]
  /** The attributes to show; all of them when absent. */
  readonly fields?: readonly ListIn<Allowed, 'fields'>[]
  /** What to include beside the resources. */
  readonly relationships?: readonly ListIn<Allowed, 'relationships'>[]
  readonly pagination?: PageIn<Allowed>
}

/** The names that one part of `query` allows; any where it lists none, none where it is absent. */
type ListIn<Allowed, Part extends string> = Allowed extends {
  readonly [Name in Part]: infer Rule
}
  ? Rule extends { readonly allowed: readonly (infer Name extends string)[] }
    ? Name
    : string
  : never

/** What an attribute is compared with: its own type where the output gives it. */
type ComparedWith<Attributes, Attribute> = Attribute extends keyof Attributes
  ? unknown extends Attributes[Attribute]
    ? AnyOperand
    : Extract<Attributes[Attribute], AnyOperand>
  : AnyOperand

type AnyOperand = string | number | boolean

/** The operators that `query.filters` allows, by their short names. */
type OperatorsIn<Allowed> = Allowed extends {
  readonly filters: { readonly operators: readonly (infer Operator)[] }
}
  ? string extends Operator
    ? keyof QueryOperands<unknown>
    : ShortOperator<Operator>
  : keyof QueryOperands<unknown>

type ShortOperator<Operator> = Operator extends keyof ShortOperators
  ? ShortOperators[Operator]
  : Operator & keyof QueryOperands<unknown>

interface ShortOperators {
  readonly equals: 'eq'
  readonly not_equals: 'neq'
  readonly greater_than: 'gt'
  readonly greater_than_or_equal_to: 'gte'
  readonly less_than: 'lt'
  readonly less_than_or_equal_to: 'lte'
}

/** How pages are asked for, by the strategies that `query.pagination` allows. */
type PageIn<Allowed> = Allowed extends { readonly pagination: infer Paging }
  ? Paging extends { readonly strategies: readonly (infer Strategy)[] }
    ? Pages[Strategy & keyof Pages]
    : Pages['offset']
  : never

/** A page by each strategy. */
export interface Pages {
  readonly offset: { readonly limit?: number; readonly offset?: number }
  readonly cursor: { readonly limit?: number; readonly cursor?: string }
  readonly page: { readonly page?: number; readonly per_page?: number }
  readonly keyset: {
    readonly limit?: number
    readonly after_id?: string
    readonly before_id?: string
    readonly since?: string
    readonly until?: string
  }
}
