import {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  isReference,
  resolveReference,
} from '../../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../../discovery/index.ts'
import { followReference, localPointerOf, type SchemaAt } from '../../schema/index.ts'
import {
  asList,
  asRecord,
  canonicalUrn,
  formatPointer,
  isRecord,
  toText,
} from '../../values/index.ts'
import {
  addWords,
  createFacets,
  type DescribedFunction,
  type DescribedInput,
  type DescribedService,
  type FacetCollector,
  type Facets,
} from './model.ts'
import { addQuery } from './read-query.ts'

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
  for (const { component, pointer: at } of place<Record<string, unknown>>(
    'links',
    entry.links,
    'links',
  )) {
    const { name, function: target, params } = component
    facets.add(`link\u0000${toText(name)}`, {
      rules: { added: 'link-added', removed: 'link-removed', changed: 'link-changed' },
      label: `the link "${toText(name)}"`,
      value: { target, params },
      pointer: at,
    })
  }
  return {
    name: entry.name,
    version: entry.version,
    pointer,
    inputs: readInputs(place('contentDescriptors', entry.arguments, 'arguments')),
    outputs,
    sideEffects: readSideEffects(entry.sideEffects, pointer),
    facets: facets.facets(),
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
  facets: FacetCollector,
  outputs: Map<string, SchemaAt>,
): void {
  const { code, message, data } = component
  if (typeof code !== 'string') return
  facets.add(`error\u0000${code}`, {
    rules: { added: 'error-added', removed: 'error-removed' },
    label: `the error ${code}`,
    value: true,
    pointer,
  })
  facets.add(`error message\u0000${code}`, {
    rules: { changed: 'error-message-changed' },
    label: `the message of ${code}`,
    value: message,
    pointer: `${pointer}/message`,
  })
  if (data !== undefined) outputs.set(`error ${code}`, toSchemaAt(data, `${pointer}/data`))
}

function addDocs(entry: FunctionObject, pointer: string, facets: FacetCollector): void {
  const { summary, description, externalDocs, deprecated, discoverable, stability } = entry
  const isDeprecated = deprecated !== undefined || stability === 'deprecated'
  const text = [summary ?? null, description ?? null, externalDocs ?? null]
  addWords({ text, tags: entry.tags, isDeprecated }, pointer, facets)
  facets.add('examples', {
    rules: { changed: 'example-changed' },
    label: 'the examples',
    value: entry.examples ?? [],
    pointer: `${pointer}/examples`,
  })
  for (const scenario of asList(entry.simulations)) {
    const name = toText(asRecord(scenario)['name'])
    facets.add(`simulation\u0000${name}`, {
      rules: {
        added: 'simulation-added',
        removed: 'simulation-removed',
        changed: 'simulation-changed',
      },
      label: `the simulation "${name}"`,
      value: scenario,
      pointer: `${pointer}/simulations`,
    })
  }
  facets.add('stability', {
    rules: { changed: 'stability-changed' },
    label: 'the stability',
    value: isDeprecated ? undefined : stability,
    pointer: `${pointer}/stability`,
  })
  facets.add('sunset', {
    rules: { added: 'sunset-changed', removed: 'sunset-changed', changed: 'sunset-changed' },
    label: 'the day on which it goes',
    value: asRecord(deprecated)['sunset'],
    pointer: `${pointer}/deprecated/sunset`,
  })
  facets.add('hidden', {
    rules: { added: 'function-hidden', removed: 'function-shown' },
    label: 'being hidden',
    value: discoverable === false || undefined,
    pointer: `${pointer}/discoverable`,
  })
}

function addExtensions(declared: unknown, pointer: string, facets: FacetCollector): void {
  for (const [index, declaration] of asList(declared).entries()) {
    if (!isRecord(declaration) || typeof declaration['urn'] !== 'string') continue
    const urn = canonicalUrn(declaration['urn'])
    const { urn: _urn, ...configuration } = declaration
    facets.add(`extension\u0000${urn}`, {
      rules: {
        added: 'extension-added',
        removed: 'extension-removed',
        changed: 'extension-changed',
      },
      label: `the extension ${urn}`,
      value: configuration,
      pointer: `${pointer}/${index}`,
    })
  }
}

function readServers(document: DiscoveryDocument): Facets {
  const facets = createFacets()
  facets.add('info', {
    rules: { changed: 'docs-changed' },
    label: 'what the service says about itself',
    value: withoutVersion(document.info),
    pointer: '/info',
  })
  for (const [index, server] of asList(document.servers).entries()) {
    if (!isRecord(server)) continue
    const pointer = formatPointer(['servers', String(index)])
    const name = toText(server['name'])
    const label = `the server "${name}"`
    facets.add(`server\u0000${name}`, {
      rules: { added: 'server-added', removed: 'server-removed', changed: 'server-url-changed' },
      label,
      value: server['url'],
      pointer,
    })
    facets.add(`variables\u0000${name}`, {
      rules: { changed: 'server-variable-changed' },
      label: `variables of ${label}`,
      value: server['variables'] ?? {},
      pointer: `${pointer}/variables`,
    })
    addExtensions(server['extensions'], `${pointer}/extensions`, facets)
  }
  return facets.facets()
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

function withoutVersion(info: unknown): unknown {
  if (!isRecord(info)) return null
  const { version: _version, ...rest } = info
  return rest
}

function toSchemaAt(schema: unknown, pointer: string): SchemaAt {
  return { schema, pointer, base: schema }
}
