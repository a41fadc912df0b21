import type {
  FunctionDefinition,
  QueryCapabilities,
  RelationshipObject,
  ResourceObject,
} from '../../core/index.ts'
import { type JsonSchema, Unsatisfiable } from '../../schema/index.ts'
import { isRecord, ownMember, toText } from '../../values/index.ts'
import { createRandom } from './random.ts'
import { makeText } from './text.ts'
import { createValueMaker } from './value.ts'

/** Everything a list function has to show. */
export interface MockRows {
  readonly resources: readonly ResourceObject[]
  /** What relationships of the resources lead to. */
  readonly related: readonly ResourceObject[]
}

const ROWS = 60
const RELATED = 5

/** Makes the rows of a function that can be queried, from its examples and its result's schema. */
export function createRows(definition: FunctionDefinition, seed: string): MockRows {
  const { name, query = {} } = definition
  const type = toType(name)
  const { related, links } = createRelated(query, `${seed}\n${name}`)
  const records = listRecords(definition, `${seed}\n${name}`)
  const ids = new Set<string>()
  const resources = records.map((record, index): ResourceObject => {
    const { id: given, type: _type, ...attributes } = record
    const wanted = isId(given) ? toText(given) : `${type}_${index + 1}`
    const id = ids.has(wanted) ? `${wanted}_${index + 1}` : wanted
    ids.add(id)
    const random = createRandom(`${seed}\n${name}\n${index}`)
    const missing = listAttributes(query).filter((attribute) => !(attribute in attributes))
    const added = missing.map((attribute): [string, unknown] => [
      attribute,
      makeText({}, random, attribute),
    ])
    return {
      type,
      id,
      attributes: { ...attributes, ...Object.fromEntries(added) },
      ...(links.length > 0 && { relationships: toRelationships(links, index) }),
    }
  })
  return { resources, related }
}

function listRecords(
  definition: FunctionDefinition,
  seed: string,
): readonly Record<string, unknown>[] {
  const shown = (definition.examples ?? []).flatMap((example) => {
    const result = 'result' in example ? example.result : undefined
    const value = result !== undefined && 'value' in result ? result.value : undefined
    return Array.isArray(value) ? value.filter(isRecord) : []
  })
  const items = findItems(definition.output as JsonSchema | undefined)
  const maker = createValueMaker(items ?? { type: 'object' })
  try {
    const made = Array.from({ length: ROWS }, (_, index) => maker.make(`${seed}\n${index}`))
    return [...shown, ...made.filter(isRecord)]
  } catch (thrown) {
    if (!(thrown instanceof Unsatisfiable)) throw thrown
    return [...shown, ...Array.from({ length: ROWS }, () => ({}))]
  }
}

/** The schema of one row: the items of the result, or of the first list in it. */
function findItems(output: JsonSchema | undefined): JsonSchema | undefined {
  if (output === undefined) return undefined
  const { $defs } = output
  const direct = output['items']
  const members = isRecord(output['properties']) ? Object.values(output['properties']) : []
  const nested = members.filter(isRecord).map(({ items }) => items)
  const items = [direct, ...nested].find(isRecord)
  return items && { ...items, ...(isRecord($defs) && { $defs }) }
}

function listAttributes({ filters, sorts, fields }: QueryCapabilities): readonly string[] {
  const named = [...(filters?.allowed ?? []), ...(sorts?.allowed ?? []), ...(fields?.allowed ?? [])]
  return [...new Set(named)].filter((name) => name !== 'id' && name !== 'type')
}

interface Related {
  readonly related: readonly ResourceObject[]
  /** Names of the relationships of a row itself. */
  readonly links: readonly string[]
}

/** `venue.city` lets every venue lead to a city; what a path passes through exists as well. */
function createRelated({ relationships, fields }: QueryCapabilities, seed: string): Related {
  const paths = new Set(
    (relationships?.allowed ?? []).flatMap((path) => {
      const steps = path.split('.')
      return steps.map((_, index) => steps.slice(0, index + 1).join('.'))
    }),
  )
  const children = (parent: string) =>
    [...paths]
      .filter((path) => path.startsWith(parent) && !path.slice(parent.length).includes('.'))
      .map((path) => path.slice(parent.length))
  const related = [...paths].flatMap((path) =>
    Array.from({ length: RELATED }, (_, index): ResourceObject => {
      const random = createRandom(`${seed}\n${path}\n${index}`)
      const type = path.split('.').at(-1) ?? path
      const names = ['name', ...(ownMember(fields?.related, path) ?? [])]
      const inner = children(`${path}.`)
      return {
        type,
        id: `${type}_${index + 1}`,
        attributes: Object.fromEntries(names.map((one) => [one, makeText({}, random, one)])),
        ...(inner.length > 0 && { relationships: toRelationships(inner, index) }),
      }
    }),
  )
  return { related: uniqueById(related), links: children('') }
}

function toRelationships(
  names: readonly string[],
  index: number,
): Readonly<Record<string, RelationshipObject>> {
  return Object.fromEntries(
    names.map((name) => [name, { data: { type: name, id: `${name}_${(index % RELATED) + 1}` } }]),
  )
}

function uniqueById(resources: readonly ResourceObject[]): readonly ResourceObject[] {
  return [...new Map(resources.map((one) => [`${one.type}\n${one.id}`, one])).values()]
}

/** `events.list` lists events: the type is the part before the verb, without its plural. */
function toType(name: string): string {
  const noun = name.split(/[.:]/).at(-2) ?? name
  return noun.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}
