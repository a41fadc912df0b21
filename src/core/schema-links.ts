import { DIALECT_URIS } from './dialect.ts'
import { isRecord } from './json.ts'
import { resolvePointer } from './pointer.ts'
import type { JsonSchema } from './schema.ts'
import { eachSubschema, isSubschema, roleOf, type Subschema } from './schema-keywords.ts'

/** Schemas that a `$ref` may name, by reference: an absolute URI or `#/components/schemas/Order`. */
export type Definitions = Readonly<Record<string, Subschema>>

/** A reference inside a schema, and the address it is relative to. */
export interface Link {
  readonly pointer: string
  readonly ref: string
  readonly base: string
}

/** The base of a schema that has no address of its own. */
export const ROOT_BASE = 'schema:///'

const COMPONENT = '#/components/schemas/'
const PLAIN_NAME = /^[A-Za-z0-9._-]+$/
const META_SCHEMAS: readonly string[] = Object.values(DIALECT_URIS).map(withoutFragment)

/** Turns names of components into the references that reach them; other keys stay. */
export function toDefinitions(schemas: Readonly<Record<string, Subschema>>): Definitions {
  const entries = Object.entries(schemas)
  if (!entries.some(([key]) => PLAIN_NAME.test(key))) return schemas
  return Object.fromEntries(
    entries.map(([key, schema]) => [PLAIN_NAME.test(key) ? `${COMPONENT}${key}` : key, schema]),
  )
}

/** Lists every `$ref` that leads nowhere, as JSON pointers into the schema. */
export function findDanglingRefs(
  schema: Subschema,
  schemas: Readonly<Record<string, Subschema>> = {},
): readonly { readonly pointer: string; readonly ref: string }[] {
  if (typeof schema === 'boolean') return []
  const definitions = toDefinitions(schemas)
  const links = listLinks(schema, ROOT_BASE)
  if (links.length === 0) return []
  const index = indexAddresses(schema, ROOT_BASE)
  return links
    .filter((link) => !leadsSomewhere(link, index, definitions))
    .map(({ pointer, ref }) => ({ pointer, ref }))
}

/** Finds the definition a reference names or points into, with the pointer that remains. */
export function matchDefinition(
  ref: string,
  definitions: Definitions,
): { readonly key: string; readonly rest: string } | undefined {
  if (Object.hasOwn(definitions, ref)) return { key: ref, rest: '' }
  if (!ref.startsWith('#/')) return undefined
  const path = decodeFragment(ref)
  for (let end = path.length; end > 1; end = path.lastIndexOf('/', end - 1)) {
    const key = path.slice(0, end)
    if (Object.hasOwn(definitions, key)) return { key, rest: path.slice(end) }
  }
  return undefined
}

/** Lists the references of a schema, each with its base; also those in unknown keywords when asked. */
export function listLinks(schema: JsonSchema, base: string, everywhere = false): readonly Link[] {
  const links: Link[] = []
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
export function toAddress(ref: string, base: string): string | undefined {
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

function leadsSomewhere(link: Link, index: AddressIndex, definitions: Definitions): boolean {
  const match = matchDefinition(link.ref, definitions)
  if (match !== undefined) return isSubschema(resolvePointer(definitions[match.key], match.rest))
  const address = toAddress(link.ref, link.base)
  if (address === undefined) return false
  const resource = withoutFragment(address)
  const fragment = decodeFragment(address.slice(resource.length + 1))
  const local = index.resources.get(resource)
  if (local !== undefined) return hasFragment(local, resource, fragment, index)
  const defined = definitions[resource]
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
    const own = typeof $id === 'string' ? (toAddress($id, outer) ?? outer) : outer
    const nodeBase = withoutFragment(own)
    visit(node, nodeBase, pointer)
    for (const [keyword, value] of Object.entries(node)) {
      const below = `${pointer}/${keyword}`
      eachSubschema(keyword, value, (inner, rest) => enter(inner, nodeBase, `${below}${rest}`))
      if (everywhere && roleOf(keyword, value) === 'unknown') enterUnknown(value, nodeBase)
    }
  }
  // A reference may point into a keyword nobody knows; what stands there may be a schema.
  const enterUnknown = (value: unknown, nodeBase: string): void => {
    if (isRecord(value)) enter(value, nodeBase, '')
    else if (Array.isArray(value)) for (const item of value) enterUnknown(item, nodeBase)
  }
  enter(schema, base, '')
}

/** Undoes the percent-encoding of a fragment; text that is not encoded properly stays. */
export function decodeFragment(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}
