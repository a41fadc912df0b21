import { followReference, localPointerOf, type SchemaAt } from '../../schema/index.ts'
import { asList, asRecord, entriesOf, formatPointer, isRecord, toText } from '../../values/index.ts'
import {
  addWords,
  comesAndGoes,
  createFacets,
  type DescribedFunction,
  type DescribedInput,
  type DescribedService,
  type FacetCollector,
  type Facets,
} from './model.ts'
import { addSecurity } from './read-security.ts'

type Node = Readonly<Record<string, unknown>>

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace', 'query']

/** Reads an OpenAPI document (2.0 to 3.2) into the form that is compared. */
export function readOpenApi(document: Node): DescribedService {
  const functions = entriesOf(document['paths']).flatMap(([path, value]) => {
    const item = follow(value, document)
    return METHODS.flatMap((method) => {
      const operation = item[method]
      const pointer = `${formatPointer(['paths', path])}/${method}`
      if (!isRecord(operation)) return []
      return [readOperation({ document, path, method, item, operation, pointer })]
    })
  })
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

/** What is found out about an operation. */
interface Found {
  readonly facets: FacetCollector
  readonly inputs: Map<string, DescribedInput>
  readonly outputs: Map<string, SchemaAt>
}

function readOperation(at: OperationAt): DescribedFunction {
  const { document, path, method, operation, pointer } = at
  const found: Found = { facets: createFacets(), inputs: new Map(), outputs: new Map() }
  const { facets, inputs, outputs } = found
  for (const parameter of listParameters(at)) addParameter(parameter, at, found)
  addBody(at, found)
  for (const [status, response] of entriesOf(operation['responses'])) {
    addResponse(status, response, at, found)
  }
  const { summary, description, tags, operationId, deprecated, externalDocs, security } = operation
  const securityAt = security === undefined ? '/security' : `${pointer}/security`
  addSecurity(security ?? document['security'], securityAt, document, facets)
  const text = [summary ?? null, description ?? null, externalDocs ?? null]
  addWords({ text, tags, isDeprecated: deprecated === true }, pointer, facets)
  const rules = { removed: 'operation-id-changed', changed: 'operation-id-changed' } as const
  const id = { value: operationId, pointer: `${pointer}/operationId` }
  facets.add('operationId', 'the operationId', rules, id)
  return {
    name: `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`,
    version: undefined,
    pointer,
    inputs,
    outputs,
    sideEffects: undefined,
    facets: facets.facets,
  }
}

interface ParameterAt {
  readonly parameter: Node
  readonly pointer: string
}

/** Parameters of the operation come before those of its path. */
function listParameters(at: OperationAt): Iterable<ParameterAt> {
  const { document, item, operation, pointer } = at
  const found = new Map<string, ParameterAt>()
  const add = (list: unknown, place: string): void => {
    for (const [index, value] of asList(list).entries()) {
      const parameter = follow(value, document)
      const key = `${toText(parameter['in'])} ${toText(parameter['name'])}`
      const own = localPointerOf(value) ?? `${place}/parameters/${index}`
      if (!found.has(key)) found.set(key, { parameter, pointer: own })
    }
  }
  add(operation['parameters'], pointer)
  add(item['parameters'], pointer.slice(0, pointer.lastIndexOf('/')))
  return found.values()
}

function addParameter({ parameter, pointer }: ParameterAt, at: OperationAt, found: Found): void {
  const { inputs, facets } = found
  const { name, in: place, schema } = parameter
  if (typeof name !== 'string') return
  const isBody = place === 'body'
  // The name of a path parameter is only a word between the two documents; its position is what counts.
  const key = isBody ? 'body' : place === 'path' ? `path ${positionOf(at.path, name)}` : name
  const own = createFacets()
  const moved = { value: place, pointer: `${pointer}/in` }
  const style = { value: styleOf(parameter), pointer }
  own.add('place', 'the place it travels in', { changed: 'parameter-moved' }, moved)
  own.add('style', 'the way it is written', { changed: 'parameter-style-changed' }, style)
  if (isBody) {
    const types = asList(at.operation['consumes'] ?? at.document['consumes']).map(toText)
    addMediaTypes(types, pointer, facets)
  }
  inputs.set(inputs.has(key) ? `${key} (${toText(place)})` : key, {
    schema: schema ?? contentSchema(parameter) ?? withoutFrame(parameter),
    pointer: schema === undefined ? pointer : `${pointer}/schema`,
    base: at.document,
    required: parameter['required'] === true || place === 'path',
    deprecated: parameter['deprecated'] === true,
    facets: own.facets,
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
  const [[, media] = []] = entriesOf(parameter['content'])
  return asRecord(media)['schema']
}

/** In Swagger 2.0 a parameter is its own schema. */
function withoutFrame(parameter: Node): Node {
  const { name: _1, in: _2, required: _3, collectionFormat: _4, ...schema } = parameter
  return schema
}

function addBody({ document, operation, pointer }: OperationAt, { inputs, facets }: Found): void {
  const { requestBody } = operation
  if (requestBody === undefined) return
  const body = follow(requestBody, document)
  const here = localPointerOf(requestBody) ?? `${pointer}/requestBody`
  const content = entriesOf(body['content'])
  const types = content.map(([type]) => type)
  addMediaTypes(types, `${here}/content`, facets)
  for (const [index, [type, media]] of content.entries()) {
    inputs.set(index === 0 ? 'body' : `body as ${type}`, {
      schema: asRecord(media)['schema'],
      pointer: `${here}${formatPointer(['content', type, 'schema'])}`,
      base: document,
      required: body['required'] === true && index === 0,
      deprecated: false,
      isVariant: index > 0,
      facets: new Map(),
    })
  }
}

function addResponse(status: string, value: unknown, at: OperationAt, found: Found): void {
  const { facets, outputs } = found
  const base = at.document
  const response = follow(value, base)
  const pointer = localPointerOf(value) ?? `${at.pointer}${formatPointer(['responses', status])}`
  const isError = /^[45]/.test(status) || status === 'default'
  const rules = comesAndGoes(isError ? 'error' : 'response')
  const docs = { value: response['description'], pointer: `${pointer}/description` }
  const add = (label: string, schema: unknown, own: string): void => {
    if (schema !== undefined) outputs.set(label, { schema, pointer: `${pointer}${own}`, base })
  }
  facets.add(`response\u0000${status}`, `the answer ${status}`, rules, { value: true, pointer })
  const words = `the words about ${status}`
  facets.add(`response docs\u0000${status}`, words, { changed: 'docs-changed' }, docs)
  add(`answer ${status}`, response['schema'], '/schema')
  const content = entriesOf(response['content'])
  const types = content.map(([type]) => type)
  if (!isError) addMediaTypes(types, `${pointer}/content`, facets, status)
  for (const [type, media] of content) {
    const label = content.length === 1 ? `answer ${status}` : `answer ${status} as ${type}`
    add(label, asRecord(media)['schema'], formatPointer(['content', type, 'schema']))
  }
}

/** Adds the types of a request, or of the answer with a status. */
function addMediaTypes(
  types: readonly string[],
  pointer: string,
  { add }: FacetCollector,
  status?: string,
): void {
  const side = status === undefined ? 'request' : 'response'
  const label = status === undefined ? 'the request type' : `the type of ${status}`
  for (const type of types) {
    const at = { value: true, pointer: `${pointer}${formatPointer([type])}` }
    const id = `${side} ${status ?? ''}\u0000${type.toLowerCase()}`
    add(id, `${label} ${type}`, comesAndGoes(`${side}-type`), at)
  }
}

function readDocumentFacets(document: Node): Facets {
  const { add, facets } = createFacets()
  const { version: _version, ...info } = asRecord(document['info'])
  const about = { value: info, pointer: '/info' }
  add('info', 'what the API says about itself', { changed: 'docs-changed' }, about)
  for (const [url, pointer] of listServers(document)) {
    const at = { value: true, pointer }
    add(`server\u0000${url}`, `the server ${url}`, comesAndGoes('server'), at)
  }
  return facets
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

function follow(value: unknown, document: Node): Node {
  return asRecord(followReference(value, document))
}
