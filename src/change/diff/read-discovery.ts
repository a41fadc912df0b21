import {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  isReference,
  resolveReference,
} from '../../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../../discovery/index.ts'
import { followReference, localPointerOf, type SchemaAt } from '../../schema/index.ts'
import { asList, asRecord, canonicalUrn, isRecord, toText } from '../../values/index.ts'
import {
  addWords,
  anyChange,
  comesAndGoes,
  createFacets,
  type DescribedFunction,
  type DescribedInput,
  type DescribedService,
  type FacetCollector,
  type Facets,
} from './model.ts'

/** Reads a discovery document into the form that is compared. */
export function readDiscovery(document: DiscoveryDocument): DescribedService {
  const components = asRecord(document.components)
  const { version } = document.info ?? {}
  return {
    kind: 'discovery',
    version: typeof version === 'string' ? version : undefined,
    document,
    functions: document.functions.map((entry, index) =>
      readFunction(entry, `/functions/${index}`, { document, components }),
    ),
    facets: readServers(document),
  }
}

interface Placed<Component> {
  readonly component: Component
  readonly pointer: string
}

function readFunction(
  entry: FunctionObject,
  pointer: string,
  { document, components }: { readonly document: unknown; readonly components: Components },
): DescribedFunction {
  const place = <Component>(kind: ComponentKind, list: unknown, at: string): Placed<Component>[] =>
    asList(list).flatMap((value, index) => {
      const component =
        resolveReference(value, components, kind) ?? followReference(value, document)
      if (!isRecord(component)) return []
      const own = localPointerOf(value) ?? `${pointer}/${at}/${index}`
      return [{ component: component as Component, pointer: own }]
    })
  const outputs = new Map<string, SchemaAt>()
  const facets = createFacets()
  const [result] = place<ContentDescriptor>('contentDescriptors', [entry.result], 'result')
  if (result !== undefined) {
    // A result stands alone, not in a list.
    const at = isReference(entry.result) ? result.pointer : `${pointer}/result`
    outputs.set('result', toSchemaAt(result.component.schema, `${at}/schema`))
  }
  for (const error of place<Record<string, unknown>>('errors', entry.errors, 'errors')) {
    addError(error, facets, outputs)
  }
  addDocs(entry, pointer, facets)
  addQuery(entry.query, `${pointer}/query`, facets)
  addExtensions(entry.extensions, `${pointer}/extensions`, facets)
  const links = place<Record<string, unknown>>('links', entry.links, 'links')
  for (const { component, pointer: at } of links) {
    const { function: target, params } = component
    const name = toText(component['name'])
    const rules = { ...comesAndGoes('link'), changed: 'link-changed' } as const
    const value = { target, params }
    facets.add(`link\u0000${name}`, `the link "${name}"`, rules, { value, pointer: at })
  }
  return {
    name: entry.name,
    version: entry.version,
    pointer,
    inputs: readInputs(place('contentDescriptors', entry.arguments, 'arguments')),
    outputs,
    sideEffects: readSideEffects(entry.sideEffects, pointer),
    facets: facets.facets,
  }
}

function readInputs(
  placed: readonly Placed<ContentDescriptor>[],
): ReadonlyMap<string, DescribedInput> {
  const inputs = new Map<string, DescribedInput>()
  for (const { component, pointer } of placed) {
    const { name, schema, required, deprecated } = component
    if (typeof name !== 'string' || inputs.has(name)) continue
    inputs.set(name, {
      ...toSchemaAt(schema, `${pointer}/schema`),
      required: required === true,
      deprecated: deprecated === true,
      facets: new Map(),
    })
  }
  return inputs
}

function addError(
  { component, pointer }: Placed<Record<string, unknown>>,
  { add }: FacetCollector,
  outputs: Map<string, SchemaAt>,
): void {
  const { code, message: value, data } = component
  if (typeof code !== 'string') return
  const message = { changed: 'error-message-changed' } as const
  const at = { value, pointer: `${pointer}/message` }
  add(`error\u0000${code}`, `the error ${code}`, comesAndGoes('error'), { value: true, pointer })
  add(`error message\u0000${code}`, `the message of ${code}`, message, at)
  if (data !== undefined) outputs.set(`error ${code}`, toSchemaAt(data, `${pointer}/data`))
}

function addDocs(entry: FunctionObject, pointer: string, facets: FacetCollector): void {
  const { add } = facets
  const { summary, description, externalDocs, deprecated, discoverable, stability } = entry
  const isDeprecated = deprecated !== undefined || stability === 'deprecated'
  const text = [summary ?? null, description ?? null, externalDocs ?? null]
  addWords({ text, tags: entry.tags, isDeprecated }, pointer, facets)
  const at = (value: unknown, place: string) => ({ value, pointer: `${pointer}/${place}` })
  for (const scenario of asList(entry.simulations)) {
    const name = toText(asRecord(scenario)['name'])
    const rules = { ...comesAndGoes('simulation'), changed: 'simulation-changed' } as const
    add(`simulation\u0000${name}`, `the simulation "${name}"`, rules, at(scenario, 'simulations'))
  }
  const { sunset } = asRecord(deprecated)
  const settled = isDeprecated ? undefined : stability
  const hidden = { added: 'function-hidden', removed: 'function-shown' } as const
  const isHidden = discoverable === false || undefined
  add(
    'examples',
    'the examples',
    { changed: 'example-changed' },
    at(entry.examples ?? [], 'examples'),
  )
  add('stability', 'the stability', { changed: 'stability-changed' }, at(settled, 'stability'))
  add(
    'sunset',
    'the day on which it goes',
    anyChange('sunset-changed'),
    at(sunset, 'deprecated/sunset'),
  )
  add('hidden', 'being hidden', hidden, at(isHidden, 'discoverable'))
}

/** What queries may name: the part, its member, and what one of them is called. */
const QUERY_LISTS = [
  ['filters', 'allowed', 'filter'],
  ['filters', 'operators', 'operator'],
  ['sorts', 'allowed', 'sort'],
  ['fields', 'allowed', 'field'],
  ['relationships', 'allowed', 'relationship'],
  ['pagination', 'strategies', 'pagination'],
] as const

const QUERY_LIMITS = [
  ['filters', 'maxConditions'],
  ['sorts', 'maxFields'],
  ['relationships', 'maxDepth'],
  ['pagination', 'maxSize'],
] as const

const QUERY_DEFAULTS = [
  ['sorts', 'default'],
  ['fields', 'default'],
  ['pagination', 'defaultSize'],
] as const

const LIMIT_RULES = {
  added: 'query-limit-lowered',
  removed: 'query-limit-raised',
  lowered: 'query-limit-lowered',
  raised: 'query-limit-raised',
} as const

const DEFAULT_RULES = {
  removed: 'query-default-changed',
  changed: 'query-default-changed',
} as const

/** Adds what a function lets callers ask for. */
function addQuery(query: unknown, pointer: string, { add, addList }: FacetCollector): void {
  if (!isRecord(query)) return
  const at = (part: string, member: string) => ({
    value: asRecord(query[part])[member],
    pointer: `${pointer}/${part}/${member}`,
  })
  for (const [part, member, noun] of QUERY_LISTS) {
    addList(`${part}.${member}`, `the ${noun}`, comesAndGoes(noun), at(part, member))
  }
  for (const [part, member] of QUERY_LIMITS) {
    const name = `limit ${part}.${member}`
    add(name, `the ${name}`, LIMIT_RULES, at(part, member))
  }
  for (const [part, member] of QUERY_DEFAULTS) {
    const name = `default ${part}.${member}`
    add(name, `the ${name}`, DEFAULT_RULES, at(part, member))
  }
}

function addExtensions(declared: unknown, pointer: string, { add }: FacetCollector): void {
  for (const [index, declaration] of asList(declared).entries()) {
    if (!isRecord(declaration) || typeof declaration['urn'] !== 'string') continue
    const urn = canonicalUrn(declaration['urn'])
    const { urn: _urn, ...value } = declaration
    const rules = { ...comesAndGoes('extension'), changed: 'extension-changed' } as const
    const at = { value, pointer: `${pointer}/${index}` }
    add(`extension\u0000${urn}`, `the extension ${urn}`, rules, at)
  }
}

function readServers(document: DiscoveryDocument): Facets {
  const facets = createFacets()
  const { add } = facets
  const about = 'what the service says about itself'
  const value = isRecord(document.info) ? { ...document.info, version: undefined } : null
  add('info', about, { changed: 'docs-changed' }, { value, pointer: '/info' })
  for (const [index, server] of asList(document.servers).entries()) {
    if (!isRecord(server)) continue
    const pointer = `/servers/${index}`
    const name = toText(server['name'])
    const label = `the server "${name}"`
    const rules = { ...comesAndGoes('server'), changed: 'server-url-changed' } as const
    const variables = { value: server['variables'] ?? {}, pointer: `${pointer}/variables` }
    const changed = { changed: 'server-variable-changed' } as const
    add(`server\u0000${name}`, label, rules, { value: server['url'], pointer })
    add(`variables\u0000${name}`, `variables of ${label}`, changed, variables)
    addExtensions(server['extensions'], `${pointer}/extensions`, facets)
  }
  return facets.facets
}

function readSideEffects(
  effects: unknown,
  pointer: string,
): ReadonlyMap<string, string> | undefined {
  if (!Array.isArray(effects)) return undefined
  return new Map(
    effects.map((effect, index) => [toText(effect), `${pointer}/sideEffects/${index}`]),
  )
}

function toSchemaAt(schema: unknown, pointer: string): SchemaAt {
  return { schema, pointer, base: schema }
}
