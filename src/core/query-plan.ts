import type { JsonObject } from '../values/index.ts'

/** How an attribute is compared; the names are those of the wire. */
export type QueryOperator =
  | 'equals'
  | 'not_equals'
  | 'greater_than'
  | 'greater_than_or_equal_to'
  | 'less_than'
  | 'less_than_or_equal_to'
  | 'like'
  | 'not_like'
  | 'in'
  | 'not_in'
  | 'between'
  | 'not_between'
  | 'is_null'
  | 'is_not_null'

/** A value that attributes are compared with. */
export type QueryValue = string | number | boolean

/** One condition, joined by `boolean` to everything before it. */
export interface PlannedFilter {
  readonly attribute: string
  readonly operator: QueryOperator
  /** None for null tests, two for ranges, any number for lists, else one. */
  readonly values: readonly QueryValue[]
  readonly boolean: 'and' | 'or'
}

/** One level of the order; null counts as the smallest value. */
export interface QuerySort {
  readonly attribute: string
  readonly direction: 'asc' | 'desc'
}

/** A place in the order: between a resource with these values, one per sort, and its neighbour. */
export interface QueryPosition {
  readonly direction: 'after' | 'before'
  readonly values: readonly (QueryValue | null)[]
}

/** Which page of the resources is asked for. */
export type QueryPagination =
  | { readonly style: 'offset'; readonly limit: number; readonly offset: number }
  | { readonly style: 'page'; readonly limit: number; readonly page: number }
  | {
      readonly style: 'cursor'
      readonly limit: number
      /** Absent for the first page. */
      readonly position?: QueryPosition
      /** Writes a position as the text that callers send back. */
      readonly seal: (position: QueryPosition) => string
    }
  | {
      readonly style: 'keyset'
      readonly limit: number
      readonly afterId?: string
      readonly beforeId?: string
      readonly since?: string
      readonly until?: string
      /** What `since` and `until` are compared with. */
      readonly timeAttribute: string
    }

/** What a caller of a list wants, checked against what the function allows. */
export interface QueryPlan {
  /** Conditions on the resources themselves, to be folded from left to right. */
  readonly filters: readonly PlannedFilter[]
  /** Conditions that one related resource has to meet, by relationship. */
  readonly relatedFilters: ReadonlyMap<string, readonly PlannedFilter[]>
  /** Never empty; ends with a unique key. */
  readonly sorts: readonly QuerySort[]
  /** Attributes to show, by `self` or relationship; all of them where there is no entry. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** Relationships to include, parents before what is nested in them. */
  readonly relationships: readonly string[]
  /** Absent when the function does not page. */
  readonly pagination: QueryPagination | undefined
}

/** Which resource is meant. */
export interface ResourceIdentifier {
  readonly type: string
  readonly id: string
}

/** What a relationship leads to: one, none (`null`), or a list. */
export interface RelationshipObject {
  readonly data: ResourceIdentifier | null | readonly ResourceIdentifier[]
}

/** A resource as the protocol writes it. */
export interface ResourceObject<Attributes = Readonly<Record<string, unknown>>>
  extends ResourceIdentifier {
  readonly attributes?: Attributes
  readonly relationships?: Readonly<Record<string, RelationshipObject>>
  readonly meta?: JsonObject
}

/** The result of a call with the query extension. */
export interface ResourceDocument<Attributes = Readonly<Record<string, unknown>>> {
  readonly data: ResourceObject<Attributes> | null | readonly ResourceObject<Attributes>[]
  readonly included?: readonly ResourceObject[]
  readonly meta?: JsonObject
}
