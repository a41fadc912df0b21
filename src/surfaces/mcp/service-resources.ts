import {
  createPreparedResult,
  EVERYTHING,
  type Example,
  type ExamplePairing,
  perView,
  resolveReference,
  type Service,
  type Target,
  toExampleArguments,
  toToolName,
  type View,
  viewOf,
} from '../../core/index.ts'
import {
  buildDocument,
  type DiscoveryDocument,
  toStandaloneFunction,
} from '../../discovery/index.ts'
import { isRecord, once } from '../../values/index.ts'
import type { McpEnvironment } from './environment.ts'
import type { McpPrompt, McpResource, McpResourceTemplate, PromptArgument } from './offer.ts'
import type { Catalogue } from './tools/catalogue.ts'

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

/** Makes resources of a service's description, as far as a view shows it: the document, shared schemas, examples. */
export function createServiceResources(
  service: Service,
  catalogue: McpEnvironment['catalogue'],
): (view: View) => readonly McpResource[] {
  const document = createPreparedResult(service.registry, (view) =>
    buildDocument(service, { view }),
  )
  return perView(service.registry, (view) => [
    {
      uri: DOCUMENT_URI,
      name: 'discovery document',
      title: `${service.info.title}: all functions`,
      description: 'Every function with arguments, results, errors and examples',
      mimeType: JSON_TYPE,
      read: () => document(view).json,
    },
    ...schemaResources(
      service,
      view,
      once(() => JSON.parse(document(view).json) as DiscoveryDocument),
    ),
    ...listExamples(service, catalogue(view)).map(toExampleResource),
  ])
}

/** Makes the template under which each function can be read alone, with its schemas in full. */
export function createFunctionTemplate(
  service: Service,
  catalogue: McpEnvironment['catalogue'],
): McpResourceTemplate {
  return {
    uriTemplate: 'waymark://functions/{name}',
    name: 'function',
    title: 'One function',
    description: 'Everything about one function, by its name',
    mimeType: JSON_TYPE,
    read({ name = '' }, { principal }) {
      const view = viewOf(service, principal)
      const { tools } = catalogue(view)
      const tool = tools.find((one) => one.target.name === name || one.name === name)
      return tool && JSON.stringify(toStandaloneFunction(tool.contract, service, new Map(), view))
    },
    complete: (_variable, value, principal) =>
      catalogue(viewOf(service, principal))
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

/** Reading the document is dear: its schemas are looked for only where the view hides some. */
function schemaResources(
  { components }: Service,
  view: View,
  document: () => DiscoveryDocument,
): readonly McpResource[] {
  const shared = components.schemas ?? {}
  const shown = view === EVERYTHING ? shared : (document().components?.schemas ?? {})
  const names = Object.keys(shared).filter((name) => Object.hasOwn(shown, name))
  return names.map((name) => ({
    uri: `waymark://schemas/${encodeURIComponent(name)}`,
    name: `schema ${name}`,
    description: `JSON Schema of ${name}`,
    mimeType: SCHEMA_TYPE,
    read: () => JSON.stringify(document().components?.schemas?.[name] ?? shared[name]),
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

/** Makes prompts of the example calls of functions. */
export function createServicePrompts({
  service,
  catalogue,
}: McpEnvironment): (view: View) => readonly McpPrompt[] {
  return perView(service.registry, (view) => {
    const current = catalogue(view)
    const names = new Map(current.tools.map(({ target, name }) => [target, name]))
    return listExamples(service, current).map((example) =>
      toPrompt(example, names.get(example.target) ?? example.target.name, service),
    )
  })
}

function toPrompt(example: FunctionExample, toolName: string, service: Service): McpPrompt {
  const { target, pairing, result } = example
  const values = toExampleArguments(target, pairing, service.components, (reason) => {
    throw new TypeError(`function ${target.name}: example ${pairing.name} ${reason}`)
  })
  return {
    name: toToolName(`${target.name}.${toSlug(pairing.name)}`),
    title: pairing.summary ?? pairing.name,
    description: pairing.description ?? pairing.summary ?? `An example call of ${target.name}`,
    arguments: Object.entries(values).map(([name, value]) => toGap(example, name, value)),
    get(given) {
      const input = { ...values, ...parseAll(given) }
      const question = `Use the tool ${toolName} with these arguments:\n${JSON.stringify(input, null, 2)}`
      const shown = result !== undefined && 'value' in result && Object.keys(given).length === 0
      return [
        { role: 'user', content: { type: 'text', text: question } },
        ...(shown
          ? [
              {
                role: 'assistant' as const,
                content: {
                  type: 'text' as const,
                  text: `It gives, for example:\n${JSON.stringify(result.value, null, 2)}`,
                },
              },
            ]
          : []),
      ]
    },
  }
}

function toGap({ target }: FunctionExample, name: string, value: unknown): PromptArgument {
  const text = toText(value)
  const { properties } = target.inputSchema
  const schema = isRecord(properties) ? properties[name] : undefined
  const choices = isRecord(schema) && Array.isArray(schema['enum']) ? schema['enum'] : [value]
  return {
    name,
    description: `${text.slice(0, 200)} when absent`,
    required: false,
    complete: (begun) => choices.map(toText).filter((choice) => choice.startsWith(begun)),
  }
}

/** Clients only send text: what reads as JSON is meant as JSON. */
function parseAll(given: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, parse(text)]))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toSlug(name: string): string {
  return name.replace(/[^a-zA-Z0-9-]+/g, '-').replace(/^-|-$/g, '') || 'example'
}
