import type { AttributeSchema, ExtensionParameters, QueryCapabilities } from '../../core/index.ts'
import { allowAny, type JsonSchema } from '../../schema/index.ts'
import { isList, isRecord, type Json, type JsonObject, toText } from '../../values/index.ts'
import { OPERATORS, type OptionPath, resolveOperator, toQueryRules } from './rules.ts'

/** Where an entry stands that was made from parameters: what is wrong with it is named by them. */
export const PARAMETERS_POINTER = '/call/arguments'

/** What a query may say about one function, as parameters of the families of JSON:API: filter, sort, page, fields, include. */
type QueryParameters = Omit<ExtensionParameters, 'assertOptions'>

const SELF = 'self'
/** Joins the conditions below it by "or"; an attribute of that name wins. */
const OR = 'or'

/** Writes what a function declares as `query` as parameters. */
export function toQueryParameters(
  query: QueryCapabilities,
  name: string,
  attributeSchema: AttributeSchema = () => undefined,
): QueryParameters {
  const rules = toQueryRules(query, name)
  const own = new Set(rules.filters.get(SELF))
  const read = (values: JsonObject, text: boolean): JsonObject => {
    const { filter, sort, page, fields, include, ...others } = values
    const toValue = (resource: string, attribute: string, value: Json | undefined) =>
      text ? fromText(value, attributeSchema(resource, attribute)) : value
    return {
      ...others,
      ...(filter !== undefined && { filters: toFilters(filter, own, toValue) }),
      ...(sort !== undefined && { sorts: toSorts(sort) }),
      ...(page !== undefined && { pagination: text ? toPage(page) : page }),
      ...(fields !== undefined && { fields: mapRecord(fields, toList) }),
      ...(include !== undefined && { relationships: toList(include) }),
    }
  }
  const properties = {
    ...(rules.filters.size > 0 && { filter: filterSchema(query, rules.filters, attributeSchema) }),
    ...(rules.sorts.length > 0 && { sort: sortSchema(rules.sorts, rules.maxSorts) }),
    ...(rules.pagination && { page: pageSchema(rules.pagination) }),
    ...(rules.fields.size > 0 && { fields: fieldsSchema(rules.fields) }),
    ...(rules.relationships.length > 0 && { include: includeSchema(rules.relationships) }),
  }
  return {
    properties,
    toOptions: (values) => read(values, false),
    fromText: (values) => read(values, true),
  }
}

type ToValue = (resource: string, attribute: string, value: Json | undefined) => Json | undefined

function toFilters(filter: Json, own: ReadonlySet<string>, toValue: ToValue): Json {
  if (!isRecord(filter)) return filter
  const lists = new Map<string, Json[]>()
  const add = (conditions: JsonObject, boolean: 'and' | 'or') => {
    for (const [key, condition] of Object.entries(conditions)) {
      if (key === OR && boolean === 'and' && isRecord(condition) && !own.has(OR)) {
        add(condition, OR)
        continue
      }
      const dot = own.has(key) ? -1 : key.lastIndexOf('.')
      const [resource, attribute] =
        dot === -1 ? [SELF, key] : [key.slice(0, dot), key.slice(dot + 1)]
      const list = lists.get(resource) ?? []
      lists.set(resource, list)
      const pairs = isRecord(condition)
        ? Object.entries(condition)
        : [['equals', condition] as const]
      for (const [operator, value] of pairs) {
        const operand = toOperand(operator, value, (one) => toValue(resource, attribute, one))
        list.push({
          attribute,
          operator,
          ...(operand !== undefined && { value: operand }),
          ...(boolean === OR && { boolean }),
        })
      }
    }
  }
  add(filter, 'and')
  return Object.fromEntries(lists)
}

/** Null tests are given as true, or as nothing at all. */
function toOperand(
  name: string,
  value: Json | undefined,
  toValue: (value: Json | undefined) => Json | undefined,
): Json | undefined {
  const operator = resolveOperator(name)
  const operand = operator && OPERATORS[operator]
  if (operand === 'none')
    return value === true || value === '' || value === 'true' ? undefined : value
  if (operand !== 'list' && operand !== 'range') return toValue(value)
  const list = toList(value)
  return isList(list) ? list.map((one) => toValue(one) ?? null) : list
}

/** Reads a value by the type of its attribute; where that is unknown, what looks like a number or truth value is one. */
function fromText(value: Json | undefined, schema: JsonSchema | undefined): Json | undefined {
  if (typeof value !== 'string') return value
  const types = schema && [schema['type']].flat()
  const may = (type: string) => types === undefined || types.includes(type)
  if ((value === 'true' || value === 'false') && may('boolean')) return value === 'true'
  const isNumber = value.trim() !== '' && String(Number(value)) === value
  if (isNumber && (may('number') || types?.includes('integer'))) return Number(value)
  return types === undefined && /^".*"$/s.test(value) ? value.slice(1, -1) : value
}

function toSorts(sort: Json): Json {
  const list = toList(sort)
  if (!isList(list)) return list
  return list.map((field) => {
    if (typeof field !== 'string') return field
    const descending = field.startsWith('-')
    return {
      attribute: descending ? field.slice(1) : field,
      direction: descending ? 'desc' : 'asc',
    }
  })
}

const NUMBERS: readonly string[] = ['limit', 'offset', 'page', 'per_page']

/** An empty cursor asks for the first page by cursors. */
function toPage(page: Json): Json {
  return mapRecord(page, (value, name) => {
    if (name === 'cursor' && value === '') return null
    return NUMBERS.includes(name) ? (fromText(value, { type: 'number' }) ?? null) : value
  })
}

function toList(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? null
  return value === '' ? [] : value.split(',')
}

function mapRecord(value: Json, map: (value: Json, key: string) => Json): Json {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one ?? null, key)]))
}

function closed(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', description, properties, additionalProperties: false }
}

function filterSchema(
  { filters }: QueryCapabilities,
  allowed: ReadonlyMap<string, readonly string[]>,
  attributeSchema: AttributeSchema,
): JsonSchema {
  // As the function writes them: callers have read its description.
  const operators = filters?.operators ?? Object.keys(OPERATORS)
  const entries = [...allowed].flatMap(([resource, attributes]) =>
    attributes.map((attribute): [string, JsonSchema] => {
      const value = toValueSchema(attributeSchema(resource, attribute))
      const name = resource === SELF ? attribute : `${resource}.${attribute}`
      return [name, allowAny([value, conditionSchema(operators, value)]) as JsonSchema]
    }),
  )
  const conditions = Object.fromEntries(entries)
  const orSchema = closed('Conditions of which one is enough', conditions)
  return closed('Conditions: a value, or an object of operators and values', {
    ...conditions,
    ...(!Object.hasOwn(conditions, OR) && { [OR]: orSchema }),
  })
}

/** Values to compare with are plain; what else the attribute's schema says is about stored ones. */
function toValueSchema(schema: JsonSchema | undefined): JsonSchema {
  const { type, enum: choices, format } = schema ?? {}
  const plain = [type].flat().filter((one) => typeof one === 'string' && PLAIN.includes(one))
  if (plain.length === 0) return { type: PLAIN }
  return {
    type: plain.length === 1 ? plain[0] : plain,
    ...(Array.isArray(choices) && { enum: choices }),
    ...(format !== undefined && { format }),
  }
}

const PLAIN: readonly string[] = ['string', 'number', 'integer', 'boolean']

function conditionSchema(operators: readonly string[], value: JsonSchema): JsonSchema {
  const { enum: _choices, format: _format, ...plain } = value
  const properties = operators.map((name): [string, JsonSchema] => {
    const operator = resolveOperator(name)
    switch (operator && OPERATORS[operator]) {
      case 'none':
        return [name, { type: 'boolean', const: true }]
      case 'pattern':
        return [name, { type: 'string' }]
      case 'list':
        return [name, { type: 'array', items: plain }]
      case 'range':
        return [name, { type: 'array', items: plain, minItems: 2, maxItems: 2 }]
      default:
        return [name, plain]
    }
  })
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

function sortSchema(allowed: readonly string[], maxItems: number): JsonSchema {
  return {
    type: 'array',
    description: 'Order, most important first; a minus sorts descending',
    items: { type: 'string', enum: allowed.flatMap((name) => [name, `-${name}`]) },
    maxItems,
  }
}

const WHOLE: JsonSchema = { type: 'integer', minimum: 0 }
const FROM_ONE: JsonSchema = { type: 'integer', minimum: 1 }

function pageSchema({
  styles,
  defaultLimit,
  maxLimit,
}: NonNullable<ReturnType<typeof toQueryRules>['pagination']>): JsonSchema {
  const limit: JsonSchema = { ...FROM_ONE, maximum: maxLimit, default: defaultLimit }
  const time: JsonSchema = { type: 'string', format: 'date-time' }
  return closed('Which part of the list', {
    limit,
    ...(styles.includes('offset') && { offset: WHOLE }),
    ...(styles.includes('cursor') && {
      cursor: { type: ['string', 'null'], description: 'next_cursor of the page before' },
    }),
    ...(styles.includes('page') && { page: FROM_ONE, per_page: limit }),
    ...(styles.includes('keyset') && {
      after_id: { type: 'string' },
      before_id: { type: 'string' },
      since: time,
      until: time,
    }),
  })
}

function fieldsSchema(allowed: ReadonlyMap<string, readonly string[]>): JsonSchema {
  const lists = [...allowed].map(([resource, names]): [string, JsonSchema] => [
    resource,
    { type: 'array', items: { type: 'string', enum: names } },
  ])
  return closed('Attributes to give, by "self" or relationship', Object.fromEntries(lists))
}

function includeSchema(allowed: readonly string[]): JsonSchema {
  return {
    type: 'array',
    description: 'Related resources to give beside the list',
    items: { type: 'string', enum: allowed },
  }
}

/** Names an option by the parameter that it was read from. */
export function toParameterPath(path: OptionPath, options: JsonObject): OptionPath {
  const [option, first, index] = path
  switch (option) {
    case 'filters': {
      if (first === undefined) return ['filter']
      const lists = options['filters']
      const list = isRecord(lists) ? lists[String(first)] : undefined
      const found: unknown = isList(list) && typeof index === 'number' ? list[index] : undefined
      if (!isRecord(found)) return ['filter', first]
      const attribute = toText(found['attribute'])
      const name = first === SELF ? attribute : `${first}.${attribute}`
      const operator = found['operator']
      return ['filter', name, ...(typeof operator === 'string' ? [operator] : [])]
    }
    case 'sorts':
      return ['sort']
    case 'pagination':
      return ['page', ...path.slice(1)]
    case 'fields':
      return ['fields', ...path.slice(1, 2)]
    case 'relationships':
      return ['include']
    default:
      return path
  }
}
