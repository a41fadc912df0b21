import type { PlannedFilter, QueryOperator, QueryValue } from '../../core/index.ts'
import { didYouMean, isList, isRecord, type JsonObject } from '../../values/index.ts'
import {
  echo,
  type Findings,
  OPERATORS,
  type OptionPath,
  type QueryRules,
  resolveOperator,
} from './rules.ts'

/** Longest list that `in` and `not_in` take. */
const MAX_LIST = 100
/** Longest text to compare with. */
const MAX_TEXT = 1024
// Databases refuse or cut texts with these.
const UNSTORABLE = /[\0\p{Surrogate}]/u

/** Reads the `filters` option into conditions by `self` or relationship. */
export function parseFilters(
  filters: unknown,
  rules: QueryRules,
  findings: Findings,
): ReadonlyMap<string, readonly PlannedFilter[]> {
  const parsed = new Map<string, readonly PlannedFilter[]>()
  if (filters === undefined) return parsed
  if (!isRecord(filters)) {
    findings.add(['filters'], 'must be an object of lists, such as { "self": [] }')
    return parsed
  }
  if (exceedsConditions(filters, rules, findings)) return parsed
  for (const [key, list] of Object.entries(filters)) {
    const path = ['filters', key]
    const allowed = rules.filters.get(key) ?? (key === 'self' ? [] : undefined)
    if (allowed === undefined) {
      const names = [...rules.filters.keys()].filter((name) => name !== 'self')
      const wrong = { as: 'relationship', given: key, names, list: 'available' } as const
      addChoice(findings, path, wrong, 'names no relationship to filter by;')
    } else if (!Array.isArray(list)) findings.add(path, 'must be a list of filters')
    else {
      const read = list.flatMap(
        (filter: unknown, index) =>
          parseFilter(filter, [...path, index], allowed, rules, findings) ?? [],
      )
      parsed.set(key, read)
    }
  }
  return parsed
}

function exceedsConditions(
  filters: Record<string, unknown>,
  { maxConditions }: QueryRules,
  findings: Findings,
): boolean {
  const requested = Object.values(filters).reduce<number>(
    (sum, list) => sum + (Array.isArray(list) ? list.length : 0),
    0,
  )
  if (requested <= maxConditions) return false
  findings.add(['filters'], `must hold at most ${maxConditions} conditions`, {
    requested,
    max_conditions: maxConditions,
  })
  return true
}

function parseFilter(
  filter: unknown,
  path: OptionPath,
  allowed: readonly string[],
  { operators }: QueryRules,
  findings: Findings,
): PlannedFilter | undefined {
  if (!isRecord(filter)) {
    findings.add(path, 'must be an object with attribute, operator and value')
    return undefined
  }
  const { attribute, value, boolean = 'and' } = filter
  const operator = resolveOperator(filter['operator'])
  const knownAttribute = typeof attribute === 'string' && allowed.includes(attribute)
  if (!knownAttribute) {
    const wrong = { as: 'attribute', given: attribute, names: allowed }
    addChoice(findings, [...path, 'attribute'], wrong)
  }
  if (operator === undefined || !operators.includes(operator)) {
    const expected = `must be ${nameChoices(operators, filter['operator'])}`
    findings.add([...path, 'operator'], expected, { allowed: operators })
  }
  if (boolean !== 'and' && boolean !== 'or') {
    findings.add([...path, 'boolean'], 'must be and or or')
    return undefined
  }
  if (operator === undefined) return undefined
  const values = parseValue(operator, value, [...path, 'value'], findings)
  return knownAttribute && values ? { attribute, operator, values, boolean } : undefined
}

/** What a caller wrote where only some names are known, and under which names both are repeated. */
export interface WrongChoice {
  readonly as: string
  readonly given: unknown
  readonly names: readonly string[]
  /** `allowed` when absent. */
  readonly list?: 'allowed' | 'available'
  /** Further details. */
  readonly also?: JsonObject
}

/** Adds the finding for a name that is not in its list. */
export function addChoice(
  findings: Findings,
  path: OptionPath,
  { as, given, names, list = 'allowed', also }: WrongChoice,
  expected = 'must be',
): void {
  const details = { ...echo(as, given), ...also, [list]: names }
  findings.add(path, `${expected} ${nameChoices(names, given)}`, details)
}

/** Words a list of choices, and which of them was perhaps meant. */
function nameChoices(names: readonly string[], given?: unknown): string {
  if (names.length === 0) return 'left out: the function offers none'
  const hint = didYouMean(given, names)
  return `one of ${names.join(', ')}${hint === undefined ? '' : `; ${hint}`}`
}

function parseValue(
  operator: QueryOperator,
  value: unknown,
  path: OptionPath,
  findings: Findings,
): readonly QueryValue[] | undefined {
  const refuse = (expected: string): undefined => {
    findings.add(path, expected)
  }
  switch (OPERATORS[operator]) {
    case 'none':
      return value === undefined || value === null ? [] : refuse(`must be left out for ${operator}`)
    case 'value':
      if (value === null) return refuse('must not be null: use is_null or is_not_null')
      return isValue(value) ? [value] : refuse(`must be ${VALUE}`)
    case 'ordered':
      return isOrdered(value) ? [value] : refuse(`must be ${ORDERED}`)
    case 'pattern':
      return typeof value === 'string' && isValue(value) ? [value] : refuse(`must be ${TEXT}`)
    case 'range':
      return isRange(value) ? value : refuse('must be two numbers or two texts: [from, to]')
    case 'list':
      return parseList(value, path, findings)
  }
}

const TEXT = `a text of at most ${MAX_TEXT} characters`
const ORDERED = `a number, or ${TEXT}`
const VALUE = `true, false, ${ORDERED}`

function parseList(
  list: unknown,
  path: OptionPath,
  findings: Findings,
): readonly QueryValue[] | undefined {
  if (!isList(list) || list.length > MAX_LIST) {
    findings.add(path, `must be a list of at most ${MAX_LIST} values`)
    return undefined
  }
  if (list.every(isValue)) return list
  const wrong = list.findIndex((value) => !isValue(value))
  findings.add([...path, wrong], `must be ${VALUE}`)
  return undefined
}

function isRange(value: unknown): value is readonly [QueryValue, QueryValue] {
  if (!isList(value) || value.length !== 2) return false
  const [from, to] = value
  return isOrdered(from) && isOrdered(to) && typeof from === typeof to
}

function isOrdered(value: unknown): value is QueryValue {
  return typeof value !== 'boolean' && isValue(value)
}

function isValue(value: unknown): value is QueryValue {
  if (typeof value === 'string') return value.length <= MAX_TEXT && !UNSTORABLE.test(value)
  return typeof value === 'boolean' || Number.isFinite(value)
}
