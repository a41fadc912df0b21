import type {
  QueryValue,
  RelationshipObject,
  ResourceIdentifier,
  ResourceObject,
} from '../../core/index.ts'
import { isList, isRecord } from '../../values/index.ts'

/** Makes a resource out of a flat record: its `id` as text, everything else as attributes. */
export function toResource(
  type: string,
  record: { readonly id: string | number | bigint; readonly [attribute: string]: unknown },
  relationships?: Readonly<Record<string, RelationshipObject>>,
): ResourceObject {
  const { id, type: _type, ...attributes } = record
  return { type, id: String(id), attributes, ...(relationships && { relationships }) }
}

/** Reads an attribute to compare or sort by; `id` and `type` count as attributes. */
export function attributeOf(resource: ResourceObject, attribute: string): unknown {
  if (attribute === 'id') return resource.id
  if (attribute === 'type') return resource.type
  const { attributes } = resource
  return attributes && Object.hasOwn(attributes, attribute) ? (attributes[attribute] ?? null) : null
}

/** Reads an attribute as part of a position; what has no order counts as null. */
export function positionOf(resource: ResourceObject, attribute: string): QueryValue | null {
  const value = attributeOf(resource, attribute)
  const kind = typeof value
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? (value as QueryValue) : null
}

/** Lists where a relationship leads. */
export function identifiersOf(
  resource: ResourceObject,
  name: string,
): readonly ResourceIdentifier[] {
  const { relationships } = resource
  if (relationships === undefined || !Object.hasOwn(relationships, name)) return []
  const data = relationships[name]?.data ?? []
  return isList(data) ? data : [data]
}

/** Names a resource uniquely. */
export function resourceKey({ type, id }: ResourceIdentifier): string {
  return JSON.stringify([type, id])
}

/** Says what is wrong with a result that should be a resource document; undefined when nothing is. */
export function findDocumentMistake(result: unknown): string | undefined {
  if (!isRecord(result) || !('data' in result)) return 'must be { data, included?, meta? }'
  const { data, included = [], meta = {} } = result
  if (!isRecord(meta)) return 'meta must be an object'
  if (!isList(included)) return 'included must be a list'
  const primary = isList(data) ? data : data === null ? [] : [data]
  const resources = [...primary, ...included]
  return firstOf(resources, (resource) => findResourceMistake(resource))
}

const MEMBERS = ['type', 'id', 'attributes', 'relationships', 'meta']

function findResourceMistake(resource: unknown): string | undefined {
  if (!isRecord(resource)) return 'every resource must be an object'
  const { type, id, attributes = {}, relationships = {} } = resource
  if (typeof type !== 'string' || type === '') return 'the type of a resource must be a text'
  if (typeof id !== 'string' || id === '') return `the id of a ${type} must be a text`
  const foreign = Object.keys(resource).find((member) => !MEMBERS.includes(member))
  if (foreign !== undefined) return `"${foreign}" of a ${type} belongs into its attributes`
  if (!isRecord(attributes) || 'id' in attributes || 'type' in attributes) {
    return `the attributes of a ${type} must be an object without id and type`
  }
  if (!isRecord(relationships)) return `the relationships of a ${type} must be an object`
  return firstOf(Object.entries(relationships), ([name, relationship]) =>
    isRelationship(relationship)
      ? undefined
      : `the data of ${type}.${name} must be { type, id }, a list of them, or null`,
  )
}

function isRelationship(relationship: unknown): boolean {
  if (!isRecord(relationship) || !('data' in relationship)) return false
  const { data } = relationship
  return data === null || (Array.isArray(data) ? data.every(isIdentifier) : isIdentifier(data))
}

function isIdentifier(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false
  return typeof value['type'] === 'string' && typeof value['id'] === 'string'
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
