import type { FunctionDefinition, ResourceObject } from '../../../core/index.ts'
import {
  attributeOf,
  compareValues,
  findDocumentMistake,
  OPERATOR_NAMES,
  OPERATORS,
  resolveOperator,
} from '../../../extensions/query/index.ts'
import { extensionUrn, isRecord, type JsonObject } from '../../../values/index.ts'
import { type FindingFacts, showActual } from '../finding.ts'
import { type Case, callCase, findCase, nameOf, pointerOf, type Subject } from '../subject.ts'

const URN = extensionUrn('query')
const NOBODYS = 'waymark_verify_unknown'

/** One thing a function says about its lists, or that it should refuse. */
interface Probe {
  readonly field: string
  readonly options: JsonObject
  /** Looks at the rows of an answer; undefined when they are as they should be. */
  readonly judge?: (rows: readonly ResourceObject[]) => string | undefined
}

/** Filters, sorts, selects and pages by everything a function declares, and by what it does not. */
export async function* verifyQueries(subject: Subject): AsyncGenerator<FindingFacts> {
  const queried = subject.definitions.filter(({ query }) => query !== undefined)
  for (const definition of queried) {
    const [one] = findCase(subject.cases, (other) => other === definition)
    if (one === undefined) continue
    const ask = (options: JsonObject) => send(subject, one, options)
    const first = await ask({})
    const rows = first.ok ? first.rows : []
    for (const probe of listDeclared(definition, rows)) {
      const answer = await ask(probe.options)
      const wrong = answer.ok ? (answer.mistake ?? probe.judge?.(answer.rows)) : answer.problem
      if (wrong === undefined) continue
      yield {
        rule: answer.ok ? 'query.wrong' : 'query.refused',
        ...frameOf(subject, definition, probe.field),
        expected: showActual(probe.options),
        actual: wrong,
        sentence: `${nameOf(definition)} declares query.${probe.field}, and a call with it ${answer.ok ? 'gives the wrong rows' : 'fails'}: ${wrong}`,
      }
    }
    for (const probe of listUndeclared(definition)) {
      const answer = await ask(probe.options)
      if (!answer.ok) continue
      yield {
        rule: 'query.undeclared',
        ...frameOf(subject, definition, probe.field),
        expected: 'INVALID_ARGUMENTS',
        actual: 'a result',
        sentence: `${nameOf(definition)} takes ${showActual(probe.options)}, which query.${probe.field} does not declare`,
      }
    }
  }
}

function frameOf(subject: Subject, definition: FunctionDefinition, field: string) {
  return {
    function: nameOf(definition),
    pointer: `${pointerOf(subject, definition)}/query/${field.replaceAll('.', '/')}`,
  }
}

type QueryAnswer =
  | {
      readonly ok: true
      readonly rows: readonly ResourceObject[]
      /** Why its rows are none. */
      readonly mistake?: string
    }
  | { readonly ok: false; readonly problem: string }

async function send(subject: Subject, one: Case, options: JsonObject): Promise<QueryAnswer> {
  // The example's own arguments may narrow the list further than a probe expects.
  const outcome = await callCase(subject, { ...one, arguments: {} }, { urn: URN, options })
  if (!outcome.ok) return { ok: false, problem: `${outcome.error.code}: ${outcome.error.message}` }
  const data = isRecord(outcome.result) ? outcome.result['data'] : undefined
  if (!Array.isArray(data)) return { ok: true, rows: [] }
  const mistake = findDocumentMistake(outcome.result)
  return mistake === undefined
    ? { ok: true, rows: data as readonly ResourceObject[] }
    : { ok: true, rows: [], mistake }
}

function listDeclared(
  { query = {} }: FunctionDefinition,
  rows: readonly ResourceObject[],
): readonly Probe[] {
  const { filters, sorts, fields, relationships, pagination } = query
  const operators = (filters?.operators ?? OPERATOR_NAMES).flatMap(
    (name) => resolveOperator(name) ?? [],
  )
  return [
    ...(filters?.allowed ?? []).flatMap((attribute) =>
      operators.map((operator) => toFilterProbe(attribute, operator, rows)),
    ),
    ...(sorts?.allowed ?? []).flatMap((attribute) =>
      (['asc', 'desc'] as const).map((direction) => toSortProbe(attribute, direction)),
    ),
    ...(fields?.allowed ?? []).map(toFieldProbe),
    ...(relationships?.allowed ?? []).map((name) => ({
      field: 'relationships.allowed',
      options: { relationships: [name] },
    })),
    ...(pagination?.strategies ?? []).map((style) => ({
      field: 'pagination.strategies',
      options: { pagination: PAGES[style] },
      judge: (page: readonly ResourceObject[]) =>
        page.length > 1 ? `${page.length} rows on a page of 1` : undefined,
    })),
  ]
}

const PAGES: Readonly<Record<string, JsonObject>> = {
  offset: { limit: 1, offset: 0 },
  page: { page: 1, per_page: 1 },
  cursor: { limit: 1, cursor: null },
  keyset: { limit: 1 },
}

function toFilterProbe(
  attribute: string,
  operator: (typeof OPERATOR_NAMES)[number],
  rows: readonly ResourceObject[],
): Probe {
  const known = rows.map((row) => attributeOf(row, attribute)).find((value) => value !== null)
  const value = typeof known === 'number' ? known : typeof known === 'string' ? known : 'x'
  const operands = {
    value,
    ordered: value,
    pattern: String(value),
    list: [value],
    range: [value, value],
    none: undefined,
  }
  const operand = operands[OPERATORS[operator]]
  return {
    field: 'filters.allowed',
    options: {
      filters: {
        self: [{ attribute, operator, ...(operand !== undefined && { value: operand }) }],
      },
    },
    ...(operator === 'equals' && {
      judge: (found) => {
        const other = found.find(
          ({ attributes = {} }) => attribute in attributes && attributes[attribute] !== value,
        )
        return other && `a row with ${attribute} ${showActual(attributeOf(other, attribute))}`
      },
    }),
  }
}

function toSortProbe(attribute: string, direction: 'asc' | 'desc'): Probe {
  return {
    field: 'sorts.allowed',
    options: { sorts: [{ attribute, direction }] },
    judge(rows) {
      const shown = rows.filter(({ attributes = {} }) => attribute in attributes)
      const values = shown.map((row) => attributeOf(row, attribute))
      const at = values.findIndex((value, index) => {
        if (index === 0) return false
        const difference = compareValues(values[index - 1], value)
        return direction === 'asc' ? difference > 0 : difference < 0
      })
      return at === -1
        ? undefined
        : `${showActual(values[at - 1])} before ${showActual(values[at])}`
    },
  }
}

function toFieldProbe(name: string): Probe {
  return {
    field: 'fields.allowed',
    options: { fields: { self: [name] } },
    judge(rows) {
      const extra = rows.flatMap(({ attributes = {} }) => Object.keys(attributes))
      const other = extra.find((one) => one !== name)
      return other && `rows with ${other}, although only ${name} was asked for`
    },
  }
}

function listUndeclared({ query = {} }: FunctionDefinition): readonly Probe[] {
  const { filters, pagination } = query
  const most = pagination?.maxSize
  return [
    {
      field: 'filters.allowed',
      options: { filters: { self: [{ attribute: NOBODYS, operator: 'equals', value: 'x' }] } },
    },
    { field: 'sorts.allowed', options: { sorts: [{ attribute: NOBODYS, direction: 'asc' }] } },
    ...undeclaredOperators(filters),
    ...(most === undefined
      ? []
      : [{ field: 'pagination.maxSize', options: { pagination: { limit: most + 1 } } }]),
  ]
}

function undeclaredOperators(
  filters: NonNullable<FunctionDefinition['query']>['filters'],
): readonly Probe[] {
  const [attribute] = filters?.allowed ?? []
  if (attribute === undefined || filters?.operators === undefined) return []
  const known = filters.operators.map(resolveOperator)
  const [other] = OPERATOR_NAMES.filter((operator) => !known.includes(operator))
  if (other === undefined || OPERATORS[other] === 'none') return []
  const value =
    OPERATORS[other] === 'list' ? ['x'] : OPERATORS[other] === 'range' ? ['x', 'y'] : 'x'
  return [
    {
      field: 'filters.operators',
      options: { filters: { self: [{ attribute, operator: other, value }] } },
    },
  ]
}
