import type { Example, ExamplePairing } from '../core/description.ts'
import { createPreparedResult } from '../core/prepared.ts'
import { resolveReference } from '../core/reference.ts'
import type { Service } from '../core/service.ts'
import type { Target } from '../core/target.ts'
import { buildDocument } from '../discovery/document.ts'
import { toStandaloneFunction } from '../discovery/inline.ts'
import type { DiscoveryDocument } from '../discovery/types.ts'
import type { Catalogue } from './catalogue.ts'
import type { McpResource, McpResourceTemplate } from './offer.ts'

/** Where agents read the description of the whole service. */
export const DOCUMENT_URI = 'waymark://document'

const JSON_TYPE = 'application/json'
const SCHEMA_TYPE = 'application/schema+json'

/** An example call of a function, resolved. */
export interface FunctionExample {
  readonly target: Target
  readonly pairing: ExamplePairing
  readonly result: Example | undefined
}

/** Makes resources of a service's description: the document, each shared schema, each example. */
export function createServiceResources(
  service: Service,
  catalogue: () => Catalogue,
): () => readonly McpResource[] {
  const document = createPreparedResult(service.registry, () => buildDocument(service))
  let revision = -1
  let resources: readonly McpResource[] = []
  return () => {
    if (service.registry.revision() !== revision) {
      revision = service.registry.revision()
      resources = [
        {
          uri: DOCUMENT_URI,
          name: 'discovery document',
          title: `${service.info.title}: all functions`,
          description: 'Every function with arguments, results, errors and examples',
          mimeType: JSON_TYPE,
          read: () => document().json,
        },
        ...schemaResources(service, () => JSON.parse(document().json) as DiscoveryDocument),
        ...listExamples(service, catalogue()).map(toExampleResource),
      ]
    }
    return resources
  }
}

/** Makes the template under which each function can be read alone, with its schemas in full. */
export function createFunctionTemplate(
  service: Service,
  catalogue: () => Catalogue,
): McpResourceTemplate {
  const find = (name: string) =>
    catalogue().tools.find((tool) => tool.target.name === name || tool.name === name)
  return {
    uriTemplate: 'waymark://functions/{name}',
    name: 'function',
    title: 'One function',
    description: 'Everything about one function, by its name',
    mimeType: JSON_TYPE,
    read({ name = '' }) {
      const tool = find(name)
      return (
        tool && JSON.stringify(toStandaloneFunction(tool.target, service.components, new Map()))
      )
    },
    complete: (_variable, value) =>
      catalogue()
        .tools.map(({ target }) => target.name)
        .filter((name) => name.startsWith(value)),
  }
}

/** Lists the example calls of all functions that agents may call. */
export function listExamples(service: Service, { tools }: Catalogue): readonly FunctionExample[] {
  return tools.flatMap(({ target }) =>
    (target.definition.examples ?? []).flatMap((reference) => {
      const pairing = resolveReference<ExamplePairing>(
        reference,
        service.components,
        'examplePairings',
      )
      if (pairing === undefined) return []
      const result =
        pairing.result && resolveReference<Example>(pairing.result, service.components, 'examples')
      return [{ target, pairing, result }]
    }),
  )
}

function schemaResources(
  service: Service,
  document: () => DiscoveryDocument,
): readonly McpResource[] {
  return Object.keys(service.components.schemas ?? {}).map((name) => ({
    uri: `waymark://schemas/${encodeURIComponent(name)}`,
    name: `schema ${name}`,
    description: `JSON Schema of ${name}`,
    mimeType: SCHEMA_TYPE,
    read: () =>
      JSON.stringify(document().components?.schemas?.[name] ?? service.components.schemas?.[name]),
  }))
}

function toExampleResource({ target, pairing, result }: FunctionExample): McpResource {
  return {
    uri: `waymark://examples/${encodeURIComponent(target.name)}/${encodeURIComponent(pairing.name)}`,
    name: `example ${target.name} ${pairing.name}`,
    ...(pairing.summary !== undefined && { title: pairing.summary }),
    description: pairing.description ?? pairing.summary ?? `An example call of ${target.name}`,
    mimeType: JSON_TYPE,
    read: () =>
      JSON.stringify({ function: target.name, version: target.version, ...pairing, result }),
  }
}
