import { isRecord } from '../../src/values/json.ts'

/** A mapping of a document that is being changed. */
export type Node = Record<string, unknown>

/** A place in a document: what holds it, and under which key. */
export interface Site {
  readonly holder: Node
  readonly key: string
}

/** The kinds of place that mutations look for. */
export type SiteKind =
  | 'document'
  | 'item'
  | 'operation'
  | 'parameter'
  | 'body'
  | 'content'
  | 'schema'
  | 'text'

/** Finds the places of a document by kind. */
export function findSites(document: Node): Readonly<Record<SiteKind, Site[]>> {
  const sites: Record<SiteKind, Site[]> = {
    document: [{ holder: { document }, key: 'document' }],
    item: [],
    operation: [],
    parameter: [],
    body: [],
    content: [],
    schema: [],
    text: [],
  }
  const visit = (holder: Node, key: string, above: readonly string[]): void => {
    const value = holder[key]
    const kind = kindOf(above, key, value)
    if (kind !== undefined) sites[kind].push({ holder, key })
    if (typeof value !== 'object' || value === null) return
    for (const name of Object.keys(value)) visit(value as Node, name, [...above, key])
  }
  for (const name of Object.keys(document)) visit(document, name, [])
  return sites
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options'])
const SCHEMA_KEYS = new Set(['schema', 'items', 'additionalProperties', 'not'])
const SCHEMA_PARENTS = new Set(['properties', 'definitions', 'schemas', 'allOf', 'oneOf', 'anyOf'])
const TEXTS = new Set(['description', 'summary', 'title', 'operationId', 'name', 'version'])

function kindOf(above: readonly string[], key: string, value: unknown): SiteKind | undefined {
  const parent = above.at(-1) ?? ''
  if (typeof value === 'string') return TEXTS.has(key) ? 'text' : undefined
  if (!isRecord(value)) return undefined
  if (above.length === 1 && (parent === 'paths' || parent === 'webhooks')) return 'item'
  if (above.length === 2 && METHODS.has(key)) return 'operation'
  if (parent === 'parameters') return 'parameter'
  if (key === 'requestBody' || parent === 'requestBodies') return 'body'
  if (key === 'content') return 'content'
  const isInside = above.includes('properties') && parent === 'properties'
  if (isInside || SCHEMA_KEYS.has(key) || SCHEMA_PARENTS.has(parent)) return 'schema'
  return undefined
}

/** Cuts a document down to a few paths and what they refer to. */
export function slice(document: Node, paths: readonly string[]): Node {
  const all = isRecord(document['paths']) ? document['paths'] : {}
  const kept = Object.fromEntries(paths.map((path) => [path, all[path]]))
  const { definitions, components, parameters, responses, ...rest } = document
  const small: Node = { ...rest, paths: kept }
  const places = new Set<string>()
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const ref = (value as Node)['$ref']
    if (typeof ref === 'string' && ref.startsWith('#/') && !places.has(ref)) {
      places.add(ref)
      copyTarget({ definitions, components, parameters, responses }, small, ref, follow)
    }
    for (const child of Object.values(value)) follow(child)
  }
  const schemes = isRecord(components) ? components['securitySchemes'] : undefined
  if (schemes !== undefined) small['components'] = { securitySchemes: schemes }
  follow(small)
  return structuredClone(small)
}

function copyTarget(from: Node, into: Node, ref: string, follow: (value: unknown) => void): void {
  const steps = ref
    .slice(2)
    .split('/')
    .slice(0, 3)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const depth = steps[0] === 'components' ? 3 : 2
  let source: unknown = from
  for (const step of steps.slice(0, depth)) source = isRecord(source) ? source[step] : undefined
  if (source === undefined) return
  let place = into
  for (const step of steps.slice(0, depth - 1)) {
    const next = place[step]
    place[step] = isRecord(next) ? { ...next } : {}
    place = place[step] as Node
  }
  place[steps[depth - 1] ?? ''] = source
  follow(source)
}

/** Gives what stands at a place. */
export function valueAt({ holder, key }: Site): unknown {
  return holder[key]
}
