import { asList, asRecord, isRecord, toText } from '../values/index.ts'
import type { JsonSchema } from './schema.ts'
import { mapSubschemas, mapValues, type Subschema, walkSchema } from './walk/index.ts'

/** The JSON Schema dialects that are read and written. */
export type Dialect = '2020-12' | 'draft-07'

/** The `$schema` value that announces each dialect. */
export const DIALECT_URIS = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
} as const

/** Reads the dialect a schema announces; undefined when it announces none that is known. */
export function readDialect(schema: JsonSchema): Dialect | undefined {
  const { $schema } = schema
  if (typeof $schema !== 'string') return undefined
  if (/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/.test($schema)) return 'draft-07'
  return $schema.startsWith('https://json-schema.org/draft/20') ? '2020-12' : undefined
}

/**
 * Rewrites a 2020-12 schema with draft 7 keywords, as discovery documents print them.
 *
 * What draft 7 cannot say is left out, so the result may accept more: `minContains` and `maxContains`,
 * `unevaluated*` beside keywords that apply schemas in place, and the dynamic part of `$dynamicRef`.
 */
export function toDraft7(schema: JsonSchema): JsonSchema
export function toDraft7(schema: Subschema): Subschema
export function toDraft7(schema: Subschema): Subschema {
  return convert(schema, 'draft-07', writeDraft7)
}

/** Rewrites a draft 7 schema with 2020-12 keywords; a schema that announces 2020-12 stays as it is. */
export function to202012(schema: JsonSchema): JsonSchema
export function to202012(schema: Subschema): Subschema
export function to202012(schema: Subschema): Subschema {
  return convert(schema, '2020-12', write202012)
}

type Draft = Record<string, unknown>

/** Writes one level of a schema; `ids` are the addresses that stand inside the whole of it. */
type Write = (draft: Draft, ids: ReadonlySet<string>) => Draft

function convert(schema: Subschema, target: Dialect, write: Write): Subschema {
  if (typeof schema === 'boolean') return schema
  const ids = new Set<string>([''])
  walkSchema(schema, (keyword, value) => {
    if (keyword === '$id' && typeof value === 'string') ids.add(value)
  })
  // Schemas inside come first, so that a writer sees keywords of its own level only.
  const enter = (node: JsonSchema): JsonSchema =>
    readDialect(node) === target
      ? node
      : write(
          mapValues(node, (value, keyword) => mapSubschemas(keyword, value, enter)),
          ids,
        )
  return enter(schema)
}

function writeDraft7(draft: Draft, ids: ReadonlySet<string>): Draft {
  const { $schema, $id, $defs, definitions, $anchor, $dynamicAnchor, $dynamicRef, ...kept } = draft
  const { $vocabulary: _vocabulary, contentSchema: _content, ...rest } = kept
  const anchor = $anchor ?? $dynamicAnchor
  const ref = rest['$ref'] ?? $dynamicRef
  const named = { ...asRecord(definitions), ...asRecord($defs) }
  const head = {
    ...(typeof $schema === 'string' && { $schema: DIALECT_URIS['draft-07'] }),
    ...($id !== undefined && { $id }),
    ...(typeof anchor === 'string' && { $id: `${toText($id ?? '')}#${anchor}` }),
  }
  const tail = ($defs ?? definitions) === undefined ? {} : { definitions: named }
  const body = toDependencies(toTuple(toAdditional(rest)))
  if (typeof ref !== 'string') return { ...head, ...body, ...tail }
  const $ref = renameRef(ref, ids, { $defs: 'definitions', prefixItems: 'items' })
  const { $ref: _ref, ...siblings } = body
  // Draft 7 ignores whatever stands beside $ref, an $id included, so neighbours need an allOf.
  return Object.keys(siblings).length === 0 && !('$id' in head)
    ? { ...head, $ref, ...tail }
    : { ...head, ...siblings, allOf: [{ $ref }, ...asList(siblings['allOf'])], ...tail }
}

const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'dependentSchemas', 'if', 'not', 'oneOf']

/** Reads `unevaluated*` as `additional*` where nothing else evaluates members; otherwise drops it. */
function toAdditional(draft: Draft): Draft {
  const { unevaluatedItems, unevaluatedProperties, ...rest } = draft
  const exact = !IN_PLACE.some((keyword) => keyword in rest)
  const properties =
    exact && unevaluatedProperties !== undefined && !('additionalProperties' in rest)
  const items = exact && unevaluatedItems !== undefined && !('items' in rest || 'contains' in rest)
  return {
    ...rest,
    ...(properties && { additionalProperties: unevaluatedProperties }),
    ...(items && { items: unevaluatedItems }),
  }
}

function toTuple(draft: Draft): Draft {
  const { prefixItems, items, additionalItems: _ignored, ...rest } = draft
  const { minContains, maxContains: _max, contains, ...others } = rest
  return {
    ...others,
    // With minContains 0 any number of matches will do, none included.
    ...(contains !== undefined && minContains !== 0 && { contains }),
    ...(prefixItems === undefined
      ? items !== undefined && { items }
      : { items: prefixItems, ...(items !== undefined && { additionalItems: items }) }),
  }
}

function toDependencies(draft: Draft): Draft {
  const { dependentRequired, dependentSchemas, ...rest } = draft
  if (dependentRequired === undefined && dependentSchemas === undefined) return rest
  const required = asRecord(dependentRequired)
  const schemas = asRecord(dependentSchemas)
  const both = mapValues(schemas, (schema, name) =>
    Object.hasOwn(required, name) ? { required: required[name], allOf: [schema] } : schema,
  )
  return { ...rest, dependencies: { ...asRecord(rest['dependencies']), ...required, ...both } }
}

const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'deprecated', '$comment']

function write202012(draft: Draft, ids: ReadonlySet<string>): Draft {
  const { $schema, $id, $ref, definitions, $defs, ...rest } = draft
  const anchor = typeof $id === 'string' && /^#./.test($id)
  const named = { ...asRecord($defs), ...asRecord(definitions) }
  const head = {
    ...(typeof $schema === 'string' && { $schema: DIALECT_URIS['2020-12'] }),
    ...($id !== undefined && (anchor ? { $anchor: $id.slice(1) } : { $id })),
  }
  const tail = ($defs ?? definitions) === undefined ? {} : { $defs: named }
  if (typeof $ref !== 'string') return { ...head, ...fromDependencies(fromTuple(rest)), ...tail }
  const notes = Object.entries(rest).filter(([keyword]) => ANNOTATIONS.includes(keyword))
  return {
    // Beside $ref draft 7 ignores $id as well: keeping it would move the base of the reference.
    ...(typeof $schema === 'string' && { $schema: DIALECT_URIS['2020-12'] }),
    $ref: renameRef($ref, ids, { definitions: '$defs', items: 'prefixItems' }),
    ...Object.fromEntries(notes),
    ...tail,
  }
}

function fromTuple(draft: Draft): Draft {
  const { items, additionalItems, ...rest } = draft
  if (!Array.isArray(items)) return items === undefined ? rest : { ...rest, items }
  // An empty tuple says nothing about any position, and prefixItems must not be empty.
  const prefix = items.length > 0 && { prefixItems: items }
  return { ...rest, ...prefix, ...(additionalItems !== undefined && { items: additionalItems }) }
}

function fromDependencies(draft: Draft): Draft {
  const { dependencies, ...rest } = draft
  if (!isRecord(dependencies)) return rest
  const entries = Object.entries(dependencies)
  const required = entries.filter(([, value]) => Array.isArray(value))
  const schemas = entries.filter(([, value]) => !Array.isArray(value))
  return {
    ...rest,
    ...(required.length > 0 && { dependentRequired: Object.fromEntries(required) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  }
}

const NAMING = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const COMPONENT = /^\/components\/schemas\/[^/]+/

/** Renames keywords along a pointer into the schema itself, never a property that is called like one. */
function renameRef(
  ref: string,
  ids: ReadonlySet<string>,
  names: Readonly<Record<string, string>>,
): string {
  const [address = '', pointer = ''] = ref.split('#', 2)
  if (!pointer.startsWith('/') || !ids.has(address)) return ref
  const component = COMPONENT.exec(pointer)?.[0] ?? ''
  const segments = pointer.slice(component.length).split('/')
  let isName = true
  const renamed = segments.map((segment, index) => {
    const wasName = isName
    isName = !wasName && NAMING.includes(segment)
    // Without a position behind it, `items` is the schema of the rest and keeps its name.
    if (wasName || (segment === 'items' && !/^\d+$/.test(segments[index + 1] ?? ''))) return segment
    return names[segment] ?? segment
  })
  return `${address}#${component}${renamed.join('/')}`
}

const MOST_DEPTH = 100

/** Says in JSON Schema what OpenAPI 2.0 and 3.0 say in words of their own. */
export function fromOpenApi(value: unknown, depth = 0): unknown {
  if (depth > MOST_DEPTH) return true
  if (Array.isArray(value)) return value.map((item) => fromOpenApi(item, depth + 1))
  if (!isRecord(value)) return value
  const { nullable, ...rest } = value
  const entries = Object.entries(rest).flatMap(([key, member]): [string, unknown][] => {
    if (key === '$ref')
      return [[key, toText(member).replace('#/definitions/', '#/components/schemas/')]]
    const isFlag = typeof member === 'boolean'
    if (isFlag && ['exclusiveMinimum', 'exclusiveMaximum', 'required'].includes(key)) return []
    if (key === 'type' && nullable === true && typeof member === 'string') {
      return [[key, [member, 'null']]]
    }
    return [[key, key === 'enum' || key === 'example' ? member : fromOpenApi(member, depth + 1)]]
  })
  return Object.fromEntries(entries)
}
