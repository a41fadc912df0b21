import { asList, createRecord, isRecord, resolvePointer, toText } from '../../values/index.ts'
import {
  addressOf,
  decodeFragment,
  MAX_STEPS,
  referenceLabel,
  resolveLocal,
} from '../walk/index.ts'

/** Where a reference led: the target, or why there is none. */
export type Resolved =
  | { readonly found: true; readonly node: unknown; readonly name: string | undefined }
  | UnresolvedReference

/** A reference that leads nowhere. */
export interface UnresolvedReference {
  readonly found: false
  readonly ref: string
  /** True when it points into another document, which was not read. */
  readonly isExternal: boolean
  readonly reason: string
}

/** Follows the references of a document, one at a time and only when asked; the document is never changed. */
export interface Resolver {
  /** Follows references until a node that is not one; such a node is its own target. */
  resolve(value: unknown): Resolved
  /** Finds the named schemas that include a schema through `allOf`, directly or not. */
  subtypesOf(schema: object): readonly Subtype[]
  /** External documents that were asked for and are not there. */
  readonly wanted: ReadonlySet<string>
}

/** A named schema that includes another one. */
export interface Subtype {
  readonly name: string
  readonly node: Record<string, unknown>
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
  const cache = new Map<string, Resolved>()

  const lookUp = (ref: string, holder: object): Resolved => {
    const home = homes.get(holder) ?? url
    const key = `${home}\n${ref}`
    const known = cache.get(key)
    if (known) return known
    const target = findTarget(ref, home)
    cache.set(key, target)
    return target
  }

  function findTarget(ref: string, home: string): Resolved {
    const [, place = '', fragment = ''] = /^([^#]*)#?(.*)$/s.exec(ref) ?? []
    const address = place === '' ? home : resolveLocation(place, home)
    if (address === url) return inDocument(document, fragment, ref)
    const external = externals.get(address)
    if (external !== undefined) return inDocument(external, fragment, ref)
    const local = findBareName(ref, document)
    if (local !== undefined) return { found: true, node: local, name: toName(ref) }
    wanted.add(address)
    const reason = 'it points outside the document, and external references are not followed'
    return { found: false, ref, isExternal: true, reason }
  }

  const resolve = (value: unknown): Resolved => {
    let node = value
    let name: string | undefined
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const ref = addressOf(node)
      if (ref === undefined) return { found: true, node, name }
      const target = lookUp(ref, node as object)
      if (!target.found) return target
      node = target.node
      name = target.name ?? name
    }
    const ref = toText(addressOf(value))
    return { found: false, ref, isExternal: false, reason: 'the reference leads back to itself' }
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
  return Object.assign(
    createRecord<unknown>(),
    resolvePointer(document, '/definitions'),
    resolvePointer(document, '/components/schemas'),
  )
}

function indexSubtypes(
  document: unknown,
  resolve: (value: unknown) => Resolved,
): Map<object, Subtype[]> {
  const children = new Map<object, Subtype[]>()
  for (const [name, node] of Object.entries(namedSchemas(document))) {
    if (!isRecord(node)) continue
    for (const member of asList(node['allOf'])) {
      const parent = addressOf(member) === undefined ? undefined : resolve(member)
      const target = parent?.found ? parent.node : undefined
      if (isRecord(target)) children.set(target, [...(children.get(target) ?? []), { name, node }])
    }
  }
  return children
}

function inDocument(document: unknown, fragment: string, ref: string): Resolved {
  const isWhole = fragment === '' || fragment === '/'
  const node = isWhole ? document : findFragment(document, fragment)
  if (node !== undefined) return { found: true, node, name: toName(ref) }
  const reason = 'nothing is at that place of the document'
  return { found: false, ref, isExternal: false, reason }
}

/** An anchor among the named schemas, where people put it, or a pointer, of which some leave the first slash out. */
function findFragment(document: unknown, fragment: string): unknown {
  if (fragment.startsWith('/')) return resolveLocal(document, `#${fragment}`)
  const anchored = Object.values(namedSchemas(document)).find(
    (schema) => isRecord(schema) && schema['$anchor'] === fragment,
  )
  return anchored ?? resolveLocal(document, `#/${fragment}`)
}

/** Old Swagger documents write `$ref: Pet` for `#/definitions/Pet`. */
function findBareName(ref: string, document: unknown): unknown {
  if (!/^[\w.-]+$/.test(ref) || /\.(ya?ml|json)$/i.test(ref)) return undefined
  const pointers = [`/definitions/${ref}`, `/components/schemas/${ref}`]
  return pointers.map((pointer) => resolvePointer(document, pointer)).find(Boolean)
}

function toName(ref: string): string | undefined {
  const label = referenceLabel(ref)
  return label === '' ? undefined : decodeFragment(label)
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
