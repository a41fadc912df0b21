import { followReference, localPointerOf, type SchemaAt } from '../../schema/index.ts'
import { asList, asRecord, entriesOf, formatPointer, isRecord, toText } from '../../values/index.ts'
import {
  addWords,
  createFacets,
  type DescribedFunction,
  type DescribedInput,
  type DescribedService,
  type FacetCollector,
  type Facets,
} from './model.ts'
import { addSchemes, addSecurity } from './read-security.ts'

type Node = Readonly<Record<string, unknown>>

const METHODS: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'patch',
  'head',
  'options',
  'trace',
  'query',
]

/** Reads an OpenAPI document (2.0 to 3.2) into the form that is compared. */
export function readOpenApi(document: Node): DescribedService {
  const functions: DescribedFunction[] = []
  for (const [path, value] of entriesOf(document['paths'])) {
    const pointer = formatPointer(['paths', path])
    const item = follow(value, document)
    for (const method of METHODS) {
      const operation = item[method]
      if (!isRecord(operation)) continue
      functions.push(
        readOperation({ document, path, method, item, operation, pointer: `${pointer}/${method}` }),
      )
    }
  }
  const { version } = asRecord(document['info'])
  return {
    kind: 'openapi',
    version: typeof version === 'string' ? version : undefined,
    document,
    functions,
    facets: readDocumentFacets(document),
  }
}

interface OperationAt {
  readonly document: Node
  readonly path: string
  readonly method: string
  readonly item: Node
  readonly operation: Node
  readonly pointer: string
}

function readOperation(at: OperationAt): DescribedFunction {
  const { document, path, method, operation, pointer } = at
  const facets = createFacets()
  const inputs = new Map<string, DescribedInput>()
  const outputs = new Map<string, SchemaAt>()
  for (const parameter of listParameters(at)) addParameter(parameter, at, { inputs, facets })
  addBody(at, inputs, facets)
  for (const [status, response] of entriesOf(operation['responses'])) {
    addResponse(status, response, { at, facets, outputs })
  }
  const security = operation['security'] ?? document['security']
  const isOwn = operation['security'] !== undefined
  addSecurity(security, isOwn ? `${pointer}/security` : '/security', facets)
  addSchemes(security, document, facets)
  const { summary, description, tags, operationId, deprecated, externalDocs } = operation
  const text = [summary ?? null, description ?? null, externalDocs ?? null]
  addWords({ text, tags, isDeprecated: deprecated === true }, pointer, facets)
  facets.add('operationId', {
    rules: { removed: 'operation-id-changed', changed: 'operation-id-changed' },
    label: 'the operationId',
    value: operationId,
    pointer: `${pointer}/operationId`,
  })
  return {
    name: `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`,
    version: undefined,
    pointer,
    inputs,
    outputs,
    sideEffects: undefined,
    facets: facets.facets(),
  }
}

interface ParameterAt {
  readonly parameter: Node
  readonly pointer: string
}

/** Parameters of the operation come before those of its path. */
function listParameters({
  document,
  item,
  operation,
  pointer,
}: OperationAt): readonly ParameterAt[] {
  const found = new Map<string, ParameterAt>()
  const above = pointer.slice(0, pointer.lastIndexOf('/'))
  for (const [list, at] of [
    [operation['parameters'], `${pointer}/parameters`],
    [item['parameters'], `${above}/parameters`],
  ] as const) {
    for (const [index, value] of asList(list).entries()) {
      const parameter = follow(value, document)
      const key = `${toText(parameter['in'])} ${toText(parameter['name'])}`
      if (!found.has(key))
        found.set(key, { parameter, pointer: localPointerOf(value) ?? `${at}/${index}` })
    }
  }
  return [...found.values()]
}

function addParameter(
  { parameter, pointer }: ParameterAt,
  at: OperationAt,
  {
    inputs,
    facets,
  }: { readonly inputs: Map<string, DescribedInput>; readonly facets: FacetCollector },
): void {
  const { name, in: place } = parameter
  if (typeof name !== 'string') return
  const isBody = place === 'body'
  // The name of a path parameter is only a word between the two documents; its position is what counts.
  const key = isBody ? 'body' : place === 'path' ? `path ${positionOf(at.path, name)}` : name
  const unique = inputs.has(key) ? `${key} (${toText(place)})` : key
  const own = createFacets()
  own.add('place', {
    rules: { changed: 'parameter-moved' },
    label: 'the place it travels in',
    value: place,
    pointer: `${pointer}/in`,
  })
  own.add('style', {
    rules: { changed: 'parameter-style-changed' },
    label: 'the way it is written',
    value: styleOf(parameter),
    pointer,
  })
  if (isBody) addMediaTypes(consumesOf(at), pointer, facets, 'request')
  inputs.set(unique, {
    schema: parameter['schema'] ?? contentSchema(parameter) ?? withoutFrame(parameter),
    pointer: parameter['schema'] === undefined ? pointer : `${pointer}/schema`,
    base: at.document,
    required: parameter['required'] === true || place === 'path',
    deprecated: parameter['deprecated'] === true,
    facets: own.facets(),
  })
}

function positionOf(path: string, name: string): number {
  return [...path.matchAll(/\{([^{}]*)\}/g)].findIndex(([, found]) => found === name)
}

function styleOf({ style, explode, collectionFormat, in: place }: Node): unknown {
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  const chosen = style ?? usual
  return [chosen, explode ?? chosen === 'form', collectionFormat ?? 'csv']
}

function contentSchema(parameter: Node): unknown {
  const [media] = entriesOf(parameter['content']).map(([, value]) => value)
  return isRecord(media) ? media['schema'] : undefined
}

/** In Swagger 2.0 a parameter is its own schema. */
function withoutFrame(parameter: Node): Node {
  const {
    name: _name,
    in: _in,
    required: _required,
    collectionFormat: _format,
    ...schema
  } = parameter
  return schema
}

function addBody(
  at: OperationAt,
  inputs: Map<string, DescribedInput>,
  facets: FacetCollector,
): void {
  const { document, operation, pointer } = at
  if (operation['requestBody'] === undefined) return
  const body = follow(operation['requestBody'], document)
  const here = localPointerOf(operation['requestBody']) ?? `${pointer}/requestBody`
  const content = entriesOf(body['content'])
  addMediaTypes(
    content.map(([type]) => type),
    `${here}/content`,
    facets,
    'request',
  )
  for (const [index, [type, media]] of content.entries()) {
    const schema = isRecord(media) ? media['schema'] : undefined
    inputs.set(content.length === 1 || index === 0 ? 'body' : `body as ${type}`, {
      schema,
      pointer: `${here}${formatPointer(['content', type, 'schema'])}`,
      base: document,
      required: body['required'] === true && index === 0,
      deprecated: false,
      isVariant: index > 0,
      facets: new Map(),
    })
  }
}

interface ResponsePlaces {
  readonly at: OperationAt
  readonly facets: FacetCollector
  readonly outputs: Map<string, SchemaAt>
}

function addResponse(
  status: string,
  value: unknown,
  { at, facets, outputs }: ResponsePlaces,
): void {
  const response = follow(value, at.document)
  const pointer = localPointerOf(value) ?? `${at.pointer}${formatPointer(['responses', status])}`
  const isError = /^[45]/.test(status) || status === 'default'
  facets.add(`response\u0000${status}`, {
    rules: isError
      ? { added: 'error-added', removed: 'error-removed' }
      : { added: 'response-added', removed: 'response-removed' },
    label: `the answer ${status}`,
    value: true,
    pointer,
  })
  facets.add(`response docs\u0000${status}`, {
    rules: { changed: 'docs-changed' },
    label: `the words about ${status}`,
    value: response['description'],
    pointer: `${pointer}/description`,
  })
  if (response['schema'] !== undefined) {
    outputs.set(`answer ${status}`, {
      schema: response['schema'],
      pointer: `${pointer}/schema`,
      base: at.document,
    })
  }
  const content = entriesOf(response['content'])
  if (!isError)
    addMediaTypes(
      content.map(([type]) => type),
      `${pointer}/content`,
      facets,
      'response',
      status,
    )
  for (const [type, media] of content) {
    const schema = isRecord(media) ? media['schema'] : undefined
    const own = formatPointer(['content', type, 'schema'])
    const label = content.length === 1 ? `answer ${status}` : `answer ${status} as ${type}`
    if (schema !== undefined) {
      outputs.set(label, { schema, pointer: `${pointer}${own}`, base: at.document })
    }
  }
}

function addMediaTypes(
  types: readonly string[],
  pointer: string,
  facets: FacetCollector,
  side: 'request' | 'response',
  status = '',
): void {
  for (const type of types) {
    facets.add(`${side} ${status}\u0000${type.toLowerCase()}`, {
      rules: { added: `${side}-type-added`, removed: `${side}-type-removed` },
      label: `${side === 'request' ? 'the request type' : `the type of ${status}`} ${type}`,
      value: true,
      pointer: `${pointer}${formatPointer([type])}`,
    })
  }
}

function readDocumentFacets(document: Node): Facets {
  const facets = createFacets()
  const { version: _version, ...info } = asRecord(document['info'])
  facets.add('info', {
    rules: { changed: 'docs-changed' },
    label: 'what the API says about itself',
    value: info,
    pointer: '/info',
  })
  const rules = { added: 'server-added', removed: 'server-removed' } as const
  for (const [url, pointer] of listServers(document)) {
    facets.add(`server\u0000${url}`, { rules, label: `the server ${url}`, value: true, pointer })
  }
  return facets.facets()
}

function listServers(document: Node): readonly (readonly [string, string])[] {
  const { host, basePath = '', schemes } = document
  if (typeof host === 'string') {
    const all = asList(schemes).length === 0 ? ['https'] : asList(schemes)
    return all.map((scheme) => [`${toText(scheme)}://${host}${toText(basePath)}`, '/host'])
  }
  return asList(document['servers']).flatMap((server, index) =>
    isRecord(server) ? [[toText(server['url']), `/servers/${index}`] as const] : [],
  )
}

function consumesOf({ document, operation }: OperationAt): readonly string[] {
  return asList(operation['consumes'] ?? document['consumes']).map(toText)
}

function follow(value: unknown, document: Node): Node {
  const target = followReference(value, document)
  return asRecord(target)
}
