import { asList, createRecord, toText } from '../../values/index.ts'
import { asNode, type Node, read } from './node.ts'

/** Where a reference led: the target, or why there is none. */
export type Resolved =
  | { readonly found: true; readonly node: unknown; readonly name: string | undefined }
  | {
      readonly found: false
      readonly ref: string
      readonly code: 'E101' | 'E102'
      readonly reason: string
    }

/** Follows references, one at a time and only when asked; the document is never changed. */
export interface Resolver {
  /** Follows `$ref` until a node without one; a node without `$ref` is its own target. */
  resolve(value: unknown): Resolved
  /** Finds the named schemas that include a schema through `allOf`, directly or not. */
  subtypesOf(schema: object): readonly Subtype[]
  /** External documents that were asked for and are not there. */
  readonly wanted: ReadonlySet<string>
}

/** A named schema that includes another one. */
export interface Subtype {
  readonly name: string
  readonly node: Node
}

/** What a resolver works on. */
export interface ResolverOptions {
  /** Where the document came from; relative references are joined to it. */
  readonly url?: string
  /** Documents that were fetched, by absolute address. */
  readonly externals?: ReadonlyMap<string, unknown>
}

/** Creates a resolver of one document. */
export function createResolver(document: unknown, options: ResolverOptions = {}): Resolver {
  const { url = '', externals = new Map<string, unknown>() } = options
  const wanted = new Set<string>()
  const homes = new WeakMap<object, string>()
  for (const [address, external] of externals) markHomes(external, address, homes)
  const cache = new Map<string, Target>()

  const lookUp = (ref: string, holder: Node): Target => {
    const home = homes.get(holder) ?? url
    const key = `${home}\n${ref}`
    const known = cache.get(key)
    if (known) return known
    const target = findTarget(ref, home, document, options, externals, wanted)
    cache.set(key, target)
    return target
  }
  const resolve = (value: unknown): Resolved => {
    let node = value
    let name: string | undefined
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const ref = read(node, '$ref')
      if (typeof ref !== 'string') return { found: true, node, name }
      const target = lookUp(ref, node as Node)
      if (!target.found) return target
      node = target.node
      name = nameOf(ref) ?? name
    }
    const ref = toText(read(value, '$ref'))
    return { found: false, ref, code: 'E101', reason: 'the reference leads back to itself' }
  }
  let children: Map<object, Subtype[]> | undefined
  const subtypesOf = (schema: object): readonly Subtype[] => {
    children ??= indexSubtypes(document, resolve)
    const found = new Set<Subtype>(children.get(schema))
    for (const subtype of found)
      for (const below of children.get(subtype.node) ?? []) found.add(below)
    return [...found].filter(({ node }) => node !== schema)
  }
  return { wanted, resolve, subtypesOf }
}

function namedSchemas(document: unknown): Record<string, unknown> {
  const places = [read(document, 'definitions'), read(read(document, 'components'), 'schemas')]
  const named = createRecord<unknown>()
  for (const place of places) Object.assign(named, asNode(place))
  return named
}

function indexSubtypes(
  document: unknown,
  resolve: (value: unknown) => Resolved,
): Map<object, Subtype[]> {
  const children = new Map<object, Subtype[]>()
  for (const [name, schema] of Object.entries(namedSchemas(document))) {
    const node = asNode(schema)
    if (node === undefined) continue
    for (const member of asList(node['allOf'])) {
      const parent = typeof read(member, '$ref') === 'string' ? resolve(member) : undefined
      const target = parent?.found ? asNode(parent.node) : undefined
      if (target) children.set(target, [...(children.get(target) ?? []), { name, node }])
    }
  }
  return children
}

/** A chain of references longer than this goes in circles. */
const MAX_STEPS = 64

type Target =
  | { readonly found: true; readonly node: unknown }
  | Extract<Resolved, { readonly found: false }>

function findTarget(
  ref: string,
  home: string,
  document: unknown,
  options: ResolverOptions,
  externals: ReadonlyMap<string, unknown>,
  wanted: Set<string>,
): Target {
  const hash = ref.indexOf('#')
  const place = hash < 0 ? ref : ref.slice(0, hash)
  const fragment = hash < 0 ? '' : ref.slice(hash + 1)
  const isHere = place === '' && home === (options.url ?? '')
  if (isHere || (place !== '' && resolveLocation(place, home) === options.url)) {
    return inDocument(document, fragment, ref)
  }
  const address = place === '' ? home : resolveLocation(place, home)
  const external = externals.get(address)
  if (external !== undefined) return inDocument(external, fragment, ref)
  const local = bareName(ref, document)
  if (local !== undefined) return { found: true, node: local }
  wanted.add(address)
  const reason = 'it points outside the document, and external references are not followed'
  return { found: false, ref, code: 'E102', reason }
}

function inDocument(document: unknown, fragment: string, ref: string): Target {
  if (fragment === '' || fragment === '/') return { found: true, node: document }
  const node = fragment.startsWith('/')
    ? atPointer(document, fragment)
    : (findAnchor(document, fragment) ?? atPointer(document, `/${fragment}`))
  if (node !== undefined) return { found: true, node }
  return { found: false, ref, code: 'E101', reason: 'nothing is at that place of the document' }
}

function atPointer(document: unknown, pointer: string): unknown {
  const walk = (toKey: (step: string) => string): unknown => {
    let node = document
    for (const step of pointer.slice(1).split('/')) {
      const key = toKey(step)
      if (Array.isArray(node)) node = /^\d+$/.test(key) ? node[Number(key)] : undefined
      else node = read(node, key)
      if (node === undefined) return undefined
    }
    return node
  }
  const decode = (step: string): string => step.replace(/~1/g, '/').replace(/~0/g, '~')
  // Many tools percent-encode the fragment and many do not; the plain reading goes first.
  return walk(decode) ?? walk((step) => decode(percentDecode(step)))
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Looks for `$anchor` among the named schemas, where people put it. */
function findAnchor(document: unknown, anchor: string): unknown {
  return Object.values(namedSchemas(document)).find((schema) => read(schema, '$anchor') === anchor)
}

/** Old Swagger documents write `$ref: Pet` for `#/definitions/Pet`. */
function bareName(ref: string, document: unknown): unknown {
  if (!/^[\w.-]+$/.test(ref) || /\.(ya?ml|json)$/i.test(ref)) return undefined
  return (
    read(read(document, 'definitions'), ref) ??
    read(read(read(document, 'components'), 'schemas'), ref)
  )
}

/** Joins the place that a reference names to where the document that holds it is. */
export function resolveLocation(place: string, home: string): string {
  if (URL.canParse(place)) return new URL(place).href
  if (URL.canParse(place, home)) return new URL(place, home).href
  return joinPath(home, place)
}

/** Joins file paths without reading the file system; `..` never climbs above the start. */
function joinPath(home: string, place: string): string {
  const steps = place.startsWith('/') ? [] : home.split('/').slice(0, -1)
  for (const step of place.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else if (step !== '.') steps.push(step)
  }
  return steps.join('/')
}

function nameOf(ref: string): string | undefined {
  const last = ref.split(/[/#]/).at(-1)
  return last === undefined || last === '' ? undefined : percentDecode(last)
}

/** References inside an external document are relative to that document. */
function markHomes(external: unknown, address: string, homes: WeakMap<object, string>): void {
  const open: unknown[] = [external]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null || homes.has(node)) continue
    homes.set(node, address)
    // One by one: a long list would not fit into the arguments of a call.
    for (const child of Object.values(node)) open.push(child)
  }
}
