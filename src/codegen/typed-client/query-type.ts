import type { QueryCapabilities, Resource } from '../../core/index.ts'
import { keyword, type TypeNode, toUnion } from '../../schema/index.ts'
import { asList, isRecord, toText } from '../../values/index.ts'
import { LINE_WIDTH, toPropertyKey, toStringLiteral } from '../literals.ts'
import { printType } from '../print-type.ts'

/** Operators that a condition can be written with, by every name they have. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte'].map((name) => [name, name] as const),
  ...['like', 'not_like', 'in', 'not_in'].map((name) => [name, name] as const),
  ...['between', 'not_between', 'is_null', 'is_not_null'].map((name) => [name, name] as const),
  ['equals', 'eq'],
  ['not_equals', 'neq'],
  ['greater_than', 'gt'],
  ['greater_than_or_equal_to', 'gte'],
  ['less_than', 'lt'],
  ['less_than_or_equal_to', 'lte'],
])

const DEFAULT_OPERATORS: readonly string[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like']

/** What the type of a query is made from. */
export interface QueryTypeOptions {
  readonly query: QueryCapabilities
  /** Type of one attribute, where the result says it. */
  readonly attributeType: (attribute: string) => TypeNode | undefined
  /** What the document says about the resource that is queried. */
  readonly resource: Resource | undefined
}

/** Prints the members of a query type, one line each. */
export function printQueryMembers(options: QueryTypeOptions): readonly string[] {
  const { filters, sorts, fields, relationships, pagination } = options.query
  return [
    ...(isRecord(filters) ? printFilters(options) : []),
    ...(isRecord(sorts) ? [printSorts(asList(sorts.allowed))] : []),
    ...(isRecord(fields) ? [printList('fields', asList(fields.allowed))] : []),
    ...(isRecord(relationships) ? [printList('relationships', asList(relationships.allowed))] : []),
    ...(isRecord(pagination) ? printPagination(asList(pagination.strategies)) : []),
  ]
}

function printFilters(options: QueryTypeOptions): readonly string[] {
  const { filters = {} } = options.query
  const allowed = asList(filters.allowed).filter((name) => typeof name === 'string')
  const shared = toOperators(filters.operators)
  const attributes = allowed.map((attribute) => {
    const own = options.resource?.attributes[attribute]?.filterOperators
    const operators = own === undefined ? shared : toOperators(own)
    const known = options.attributeType(attribute) ?? ANY_VALUE
    const value = printType(known, '    ')
    const conditions = `QueryConditions<${value}, ${printNames(operators)}>`
    const start = `    readonly ${toPropertyKey(attribute)}?:`
    if (!operators.includes('eq')) return `${start} ${conditions}`
    const oneLine = `${start} ${value} | ${conditions}`
    const alternatives =
      known.kind === 'union' ? known.types.map((type) => printType(type)) : [value]
    return oneLine.length <= LINE_WIDTH
      ? oneLine
      : [start, ...[...alternatives, conditions].map((type) => `      | ${type}`)].join('\n')
  })
  const names = allowed.length === 0 ? 'string' : printNames(allowed)
  const where =
    allowed.length === 0
      ? ['  readonly where?: Readonly<Record<string, unknown>>']
      : ['  readonly where?: {', ...attributes, '  }']
  return [
    '  /** Conditions that must all hold. */',
    ...where,
    '  /** Conditions read from left to right, for those joined by "or". */',
    ...printFilterList(names, printNames(shared)),
  ]
}

function printFilterList(names: string, operators: string): readonly string[] {
  const oneLine = `  readonly filters?: readonly QueryFilter<${names}, ${operators}>[]`
  return oneLine.length <= LINE_WIDTH
    ? [oneLine]
    : ['  readonly filters?: readonly QueryFilter<', `    ${names},`, `    ${operators}`, '  >[]']
}

const ANY_VALUE: TypeNode = toUnion([keyword('string'), keyword('number'), keyword('boolean')])

function toOperators(declared: unknown): readonly string[] {
  const known = asList(declared).flatMap((name) => OPERATORS.get(toText(name)) ?? [])
  return known.length === 0 ? DEFAULT_OPERATORS : [...new Set(known)]
}

function printSorts(allowed: readonly unknown[]): string {
  const names = allowed.filter((name) => typeof name === 'string')
  const both = names.flatMap((name) => [name, `-${name}`])
  const type = both.length === 0 ? 'string' : printNames(both)
  const start =
    '  /** In order of priority; a minus sorts the other way round. */\n  readonly sorts?: readonly ('
  const oneLine = `  readonly sorts?: readonly (${type})[]`
  const lines = both.map((name) => `\n    | ${toStringLiteral(name)}`)
  return oneLine.length <= LINE_WIDTH ? `${start}${type})[]` : `${start}${lines.join('')}\n  )[]`
}

function printList(member: string, allowed: readonly unknown[]): string {
  const names = allowed.filter((name) => typeof name === 'string')
  return `  readonly ${member}?: readonly (${names.length === 0 ? 'string' : printNames(names)})[]`
}

const PAGES: Readonly<Record<string, string>> = {
  offset: '{ readonly limit?: number; readonly offset?: number }',
  cursor: '{ readonly limit?: number; readonly cursor?: string }',
  page: '{ readonly page?: number; readonly per_page?: number }',
}

function printPagination(strategies: readonly unknown[]): readonly string[] {
  const known = strategies.filter((name) => Object.hasOwn(PAGES, toText(name)))
  const types = (known.length === 0 ? ['offset'] : known).map((name) => PAGES[toText(name)])
  return types.length === 1
    ? [`  readonly pagination?: ${types[0]}`]
    : ['  readonly pagination?:', ...types.map((type) => `    | ${type}`)]
}

function printNames(names: readonly string[]): string {
  return [...new Set(names)].map(toStringLiteral).join(' | ')
}
