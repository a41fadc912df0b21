import { isRecord, resolvePointer, unescapeSegment } from '../../values/index.ts'
import { DIALECT_URIS } from '../dialect.ts'
import type { JsonSchema } from '../schema.ts'
import {
  decodeFragment,
  eachSubschema,
  isSubschema,
  resolveLocal,
  roleOf,
  type Subschema,
  withinDepth,
} from '../walk/index.ts'

/** Schemas that a `$ref` may name: by absolute URI, by `#/…` reference, or by the name of a component. */
export type Definitions = Readonly<Record<string, Subschema>>

/** Finds the schema a reference names as a whole. */
export type FindDefinition = (ref: string) => Subschema | undefined

/** A reference inside a schema, and the address it is relative to. */
export interface SchemaLink {
  readonly pointer: string
  readonly ref: string
  readonly base: string
}

/** The base of a schema that has no address of its own. */
export const ROOT_BASE = 'schema:///'

const COMPONENT = '#/components/schemas/'
const META_SCHEMAS: readonly string[] = Object.values(DIALECT_URIS).map(withoutFragment)

/** Looks definitions up where they are: copying them for each of thousands of schemas would cost more. */
export function createDefinitionFinder(sources: readonly Definitions[]): FindDefinition {
  return (ref) => {
    const name = ref.startsWith(COMPONENT)
      ? unescapeSegment(ref.slice(COMPONENT.length))
      : undefined
    for (const source of sources) {
      // A plain name as a reference would be a relative address, which is something else.
      if (/[#:]/.test(ref) && Object.hasOwn(source, ref)) return source[ref]
      if (name !== undefined && Object.hasOwn(source, name)) return source[name]
    }
    return undefined
  }
}

/** Lists every `$ref` that leads nowhere, as JSON pointers into the schema. */
export function findDanglingRefs(
  schema: Subschema,
  definitions: Definitions = {},
): readonly { readonly pointer: string; readonly ref: string }[] {
  if (typeof schema === 'boolean') return []
  const find = createDefinitionFinder([definitions])
  const links = withinDepth(() => listLinks(schema, ROOT_BASE))
  if (links.length === 0) return []
  const index = indexAddresses(schema, ROOT_BASE)
  return links
    .filter((link) => !leadsSomewhere(link, index, find))
    .map(({ pointer, ref }) => ({ pointer, ref }))
}

/** A definition that a reference names or points into. */
export interface DefinitionMatch {
  readonly key: string
  readonly schema: Subschema
  /** The pointer that remains below the definition. */
  readonly rest: string
}

/** Finds the definition a reference names or points into. */
export function matchDefinition(ref: string, find: FindDefinition): DefinitionMatch | undefined {
  const exact = find(ref)
  if (exact !== undefined) return { key: ref, schema: exact, rest: '' }
  if (!ref.startsWith('#/')) return undefined
  const path = decodeFragment(ref)
  for (let end = path.length; end > 1; end = path.lastIndexOf('/', end - 1)) {
    const key = path.slice(0, end)
    const schema = find(key)
    if (schema !== undefined) return { key, schema, rest: path.slice(end) }
  }
  return undefined
}

/** Lists the references of a schema, each with its base; also those in unknown keywords when asked. */
export function listLinks(
  schema: JsonSchema,
  base: string,
  everywhere = false,
): readonly SchemaLink[] {
  const links: SchemaLink[] = []
  walk(schema, base, everywhere, (node, nodeBase, pointer) => {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const ref = node[keyword]
      if (typeof ref === 'string')
        links.push({ pointer: `${pointer}/${keyword}`, ref, base: nodeBase })
    }
  })
  return links
}

/** Resolves a reference against its base; undefined when the two do not make an address. */
export function resolveUri(ref: string, base: string): string | undefined {
  return URL.canParse(ref, base) ? new URL(ref, base).href : undefined
}

/** Cuts the fragment off an address. */
export function withoutFragment(address: string): string {
  const hash = address.indexOf('#')
  return hash === -1 ? address : address.slice(0, hash)
}

interface AddressIndex {
  readonly resources: ReadonlyMap<string, JsonSchema>
  readonly anchors: ReadonlySet<string>
}

/** Notes every `$id` and anchor below a schema under its full address. */
function indexAddresses(schema: JsonSchema, base: string): AddressIndex {
  const resources = new Map([[base, schema]])
  const anchors = new Set<string>()
  walk(schema, base, true, (node, nodeBase) => {
    const { $id, $anchor, $dynamicAnchor } = node
    if (typeof $id === 'string' && !$id.startsWith('#')) resources.set(nodeBase, node)
    for (const anchor of [$anchor, $dynamicAnchor, draft7Anchor($id)]) {
      if (typeof anchor === 'string') anchors.add(`${nodeBase}#${anchor}`)
    }
  })
  return { resources, anchors }
}

function draft7Anchor($id: unknown): string | undefined {
  return typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined
}

function leadsSomewhere(link: SchemaLink, index: AddressIndex, find: FindDefinition): boolean {
  const match = matchDefinition(link.ref, find)
  if (match !== undefined) return isSubschema(resolvePointer(match.schema, match.rest))
  const address = resolveUri(link.ref, link.base)
  if (address === undefined) return false
  const resource = withoutFragment(address)
  const fragment = decodeFragment(address.slice(resource.length + 1))
  const local = index.resources.get(resource)
  if (local !== undefined) return hasFragment(local, resource, fragment, index)
  const defined = find(resource)
  if (defined === undefined) return META_SCHEMAS.includes(resource)
  if (typeof defined === 'boolean') return fragment === ''
  return hasFragment(defined, resource, fragment, indexAddresses(defined, resource))
}

function hasFragment(
  document: JsonSchema,
  address: string,
  fragment: string,
  { anchors }: AddressIndex,
): boolean {
  if (fragment === '') return true
  if (fragment.startsWith('/')) return isSubschema(resolvePointer(document, fragment))
  return anchors.has(`${address}#${fragment}`)
}

type Visit = (node: JsonSchema, base: string, pointer: string) => void

function walk(schema: JsonSchema, base: string, everywhere: boolean, visit: Visit): void {
  const enter = (node: JsonSchema, outer: string, pointer: string): void => {
    const { $id } = node
    const own = typeof $id === 'string' ? (resolveUri($id, outer) ?? outer) : outer
    const nodeBase = withoutFragment(own)
    visit(node, nodeBase, pointer)
    for (const [keyword, value] of Object.entries(node)) {
      const below = `${pointer}/${keyword}`
      eachSubschema(keyword, value, (inner, rest) => enter(inner, nodeBase, `${below}${rest}`))
      if (everywhere && roleOf(keyword, value) === 'unknown') enterUnknown(value, nodeBase)
    }
  }
  // A reference may point into an unknown keyword; its value may be a schema.
  const enterUnknown = (value: unknown, nodeBase: string): void => {
    if (isRecord(value)) enter(value, nodeBase, '')
    else if (Array.isArray(value)) for (const item of value) enterUnknown(item, nodeBase)
  }
  enter(schema, base, '')
}

/** Creates a finder of what a schema may refer to: its own anchors and places, and shared schemas by name. */
export function createSchemaFinder(
  root: Subschema,
  schemas: Readonly<Record<string, JsonSchema>>,
): (ref: string) => Subschema | undefined {
  const anchors = new Map<string, Subschema>()
  if (isRecord(root)) {
    walk(root, ROOT_BASE, true, (node) => {
      for (const name of [node['$anchor'], node['$dynamicAnchor'], node['$id']]) {
        if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, node)
      }
    })
  }
  return (ref) => {
    const found =
      anchors.get(ref) ??
      anchors.get(ref.replace(/^#/, '')) ??
      resolveLocal(root, ref) ??
      resolveLocal({ components: { schemas } }, ref)
    return isSubschema(found) ? found : undefined
  }
}
