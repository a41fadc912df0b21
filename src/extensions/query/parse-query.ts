import type { PlannedFilter, QueryCapabilities, QueryPlan, QuerySort } from '../../core/index.ts'
import {
  asList,
  didYouMean,
  formatPointer,
  isList,
  isRecord,
  type JsonObject,
} from '../../values/index.ts'
import { PARAMETERS_POINTER, toParameterPath } from './parameters.ts'
import { addChoice, parseFilters } from './parse-filters.ts'
import { createCursorCodec, parsePagination, toCursorScope } from './parse-pagination.ts'
import {
  createFindings,
  type Findings,
  type OptionPath,
  type QueryRules,
  toQueryRules,
} from './rules.ts'

/** What a parser needs to know beside what the function allows. */
export interface QueryParserOptions {
  /** Name of the function; cursors of one function are nothing to another. */
  readonly name: string
  /** Seals cursors. Without it anybody who reads this code can forge one. */
  readonly cursorSecret?: string | undefined
  /** What `since` and `until` of keyset pages are compared with; `created_at` when absent. */
  readonly timeAttribute?: string | undefined
}

/** Reads the options of the query extension for one function. */
export interface QueryParser {
  /** Gives the plan, or throws INVALID_ARGUMENTS with every finding; `pointer` is where the entry stands. */
  readonly parse: (options: JsonObject, pointer?: string) => QueryPlan
  /** What the function supports, in the words of the protocol. */
  readonly capabilities: readonly string[]
}

const SELF = 'self'

/** Creates the parser for what a function declares as `query`; mistakes in that throw a TypeError. */
export function createQueryParser(
  query: QueryCapabilities,
  { name, cursorSecret = '', timeAttribute = 'created_at' }: QueryParserOptions,
): QueryParser {
  const rules = toQueryRules(query, name)
  const codec = createCursorCodec(cursorSecret)
  return {
    capabilities: rules.capabilities,
    parse(options, pointer = '') {
      const findings = createFindings((path) => locate(path, options, pointer))
      refuseOthers(options, findings)
      const filters = parseFilters(options['filters'], rules, findings)
      const sorts = parseSorts(options['sorts'], rules, findings)
      const scope = () => toCursorScope({ name, filters, sorts })
      const pagination = parsePagination(options['pagination'], {
        rules,
        findings,
        timeAttribute,
        seal: (position) => codec.seal(position, scope()),
        open: (cursor) => codec.open(cursor, scope()),
      })
      if (pagination?.style === 'keyset' && options['sorts'] !== undefined) {
        findings.add(['sorts'], 'cannot be combined with keyset pagination: it is newest first')
      }
      const relationships = parseRelationships(options['relationships'], rules, findings)
      const fields = parseFields(options['fields'], rules, findings)
      findings.finish()
      return {
        filters: filters.get(SELF) ?? [],
        relatedFilters: withoutSelf(filters),
        sorts,
        fields,
        relationships,
        pagination,
      }
    },
  }
}

/** Options that were read from parameters are named by those. */
function locate(
  path: OptionPath,
  options: JsonObject,
  pointer: string,
): { readonly name: string; readonly pointer: string } {
  const fromParameters = pointer === PARAMETERS_POINTER
  const words = (fromParameters ? toParameterPath(path, options) : path).map(String)
  return fromParameters
    ? { name: words.join('.'), pointer: `${pointer}${formatPointer(words)}` }
    : { name: `options.${words.join('.')}`, pointer: `${pointer}/options${formatPointer(words)}` }
}

const OPTIONS = ['filters', 'sorts', 'pagination', 'relationships', 'fields']

/** A misspelt `filters` would list everything. */
function refuseOthers(options: JsonObject, findings: Findings): void {
  for (const name of Object.keys(options)) {
    if (OPTIONS.includes(name)) continue
    const hint = didYouMean(name, OPTIONS) ?? `use ${OPTIONS.join(', ')}`
    findings.add([name.slice(0, 100)], `is not an option of the query extension; ${hint}`)
  }
}

function withoutSelf(
  filters: ReadonlyMap<string, readonly PlannedFilter[]>,
): ReadonlyMap<string, readonly PlannedFilter[]> {
  return new Map([...filters].filter(([key, list]) => key !== SELF && list.length > 0))
}

function parseSorts(option: unknown, rules: QueryRules, findings: Findings): readonly QuerySort[] {
  const { maxSorts, defaultSort } = rules
  if (option === undefined) return withUniqueKey(defaultSort ? [defaultSort] : [])
  if (!Array.isArray(option)) {
    findings.add(['sorts'], 'must be a list such as [{ "attribute": "id", "direction": "asc" }]')
    return []
  }
  if (option.length > maxSorts) {
    const details = { requested: option.length, max_fields: maxSorts }
    findings.add(['sorts'], `must hold at most ${maxSorts} entries`, details)
    return []
  }
  const read = option.flatMap(
    (sort: unknown, index) => parseSort(sort, index, rules, findings) ?? [],
  )
  return withUniqueKey(read.length === 0 && defaultSort ? [defaultSort] : read)
}

function parseSort(
  sort: unknown,
  index: number,
  { sorts: allowed }: QueryRules,
  findings: Findings,
): QuerySort | undefined {
  if (!isRecord(sort)) {
    findings.add(['sorts', index], 'must be an object with attribute and direction')
    return undefined
  }
  const { attribute, direction } = sort
  const isKnown = typeof attribute === 'string' && allowed.includes(attribute)
  if (!isKnown) {
    const wrong = { as: 'attribute', given: attribute, names: allowed }
    addChoice(findings, ['sorts', index, 'attribute'], wrong)
  }
  if (direction !== 'asc' && direction !== 'desc') {
    findings.add(['sorts', index, 'direction'], 'must be asc or desc')
    return undefined
  }
  return isKnown ? { attribute, direction } : undefined
}

/** Ends every order with the id: pages of an order with ties would repeat and skip. What comes after an id never counts. */
function withUniqueKey(sorts: readonly QuerySort[]): readonly QuerySort[] {
  const first = sorts.filter(
    ({ attribute }, index) => sorts.findIndex((sort) => sort.attribute === attribute) === index,
  )
  const id = first.findIndex(({ attribute }) => attribute === 'id')
  return id === -1 ? [...first, { attribute: 'id', direction: 'asc' }] : first.slice(0, id + 1)
}

function parseRelationships(
  option: unknown,
  { relationships: available, maxDepth }: QueryRules,
  findings: Findings,
): readonly string[] {
  if (option === undefined) return []
  if (!Array.isArray(option)) {
    findings.add(['relationships'], 'must be a list of relationship names')
    return []
  }
  const paths = new Set<string>()
  for (const [index, name] of asList(option).entries()) {
    const path = ['relationships', index]
    if (typeof name !== 'string' || !available.includes(name)) {
      const wrong = {
        as: 'relationship',
        given: name,
        names: available,
        list: 'available',
      } as const
      addChoice(findings, path, wrong)
      continue
    }
    const steps = name.split('.')
    if (steps.length > maxDepth) {
      const details = { relationship: name, max_depth: maxDepth }
      findings.add(path, `must nest at most ${maxDepth} deep`, details)
    }
    for (const depth of steps.keys()) paths.add(steps.slice(0, depth + 1).join('.'))
  }
  return [...paths]
}

function parseFields(
  option: unknown,
  rules: QueryRules,
  findings: Findings,
): ReadonlyMap<string, readonly string[]> {
  const fields = new Map([...rules.fields])
  if (rules.defaultFields) fields.set(SELF, rules.defaultFields)
  if (option === undefined) return fields
  if (!isRecord(option)) {
    findings.add(['fields'], 'must be an object of lists, such as { "self": [] }')
    return fields
  }
  for (const [resource, names] of Object.entries(option)) {
    const allowed = rules.fields.get(resource) ?? (resource === SELF ? [] : undefined)
    const known = rules.relationships.includes(resource) || allowed !== undefined
    if (known) fields.set(resource, parseFieldset(names, resource, allowed ?? [], findings))
    else {
      const names = [SELF, ...rules.relationships]
      const wrong = { as: 'relationship', given: resource, names, list: 'available' } as const
      addChoice(findings, ['fields', resource], wrong, 'must be left out: fields are those of')
    }
  }
  return fields
}

function parseFieldset(
  names: unknown,
  resource: string,
  allowed: readonly string[],
  findings: Findings,
): readonly string[] {
  if (!isList(names)) {
    findings.add(['fields', resource], 'must be a list of fields')
    return []
  }
  const chosen = new Set<string>()
  for (const [index, field] of names.entries()) {
    if (field === 'id' || field === 'type') continue
    if (typeof field === 'string' && allowed.includes(field)) {
      chosen.add(field)
      continue
    }
    const wrong = { as: 'field', given: field, names: allowed, also: { resource } }
    addChoice(findings, ['fields', resource, index], wrong)
  }
  return [...chosen]
}
