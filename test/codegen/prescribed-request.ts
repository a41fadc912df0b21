import { resolvePointer } from '../../src/values/json.ts'
import type { RecordedRequest } from './recording-server.ts'

/*
 * What an OpenAPI document itself says about a request, read without any code of src/sources/openapi or
 * src/sources/runtime: the oracle for requests that imported tools send.
 */

type Node = Readonly<Record<string, unknown>>

/** A parameter as the document declares it. */
interface Parameter {
  readonly name: string
  readonly in: string
  readonly style: string
  readonly explode: boolean
  readonly isContent: boolean
}

/** An operation as the document declares it. */
export interface Prescribed {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly mediaTypes: readonly string[]
}

/** Finds the operation a tool was made from; undefined when the path is not spelled as in the document. */
export function findPrescribed(
  document: unknown,
  method: string,
  path: string,
): Prescribed | undefined {
  const item = resolve(document, node(node(document)['paths'])[path])
  const operation = node(resolve(document, item[method.toLowerCase()]))
  if (Object.keys(operation).length === 0) return undefined
  const declared = [item['parameters'], operation['parameters']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((parameter) => node(resolve(document, parameter)))
  const body = node(resolve(document, operation['requestBody']))
  const consumes = operation['consumes'] ?? node(document)['consumes']
  return {
    method,
    path,
    parameters: declared
      .filter((one) => one['in'] !== 'body' && one['in'] !== 'formData')
      .map(toParameter),
    mediaTypes: [
      ...Object.keys(node(body['content'])),
      ...(Array.isArray(consumes) ? consumes : []),
    ],
  }
}

/** Lists how a request differs from what the document prescribes for these values, by wire name. */
export function findDifferences(
  prescribed: Prescribed,
  request: RecordedRequest,
  values: ReadonlyMap<string, unknown>,
): string[] {
  return [
    ...(request.method === prescribed.method ? [] : [`method ${request.method}`]),
    ...comparePath(prescribed, request, values),
    ...prescribed.parameters.flatMap((parameter) => {
      const value = values.get(`${parameter.in} ${parameter.name}`)
      return value === undefined ? [] : compareParameter(parameter, request, value)
    }),
  ]
}

function toParameter(parameter: Node): Parameter {
  const place = String(parameter['in'])
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  const name = String(parameter['name'])
  const isContent = parameter['content'] !== undefined
  const format = parameter['collectionFormat']
  const isSwagger = parameter['schema'] === undefined && !isContent
  if (isSwagger) {
    const styles: Record<string, [string, boolean]> = {
      multi: ['form', true],
      ssv: ['spaceDelimited', false],
      pipes: ['pipeDelimited', false],
    }
    const [style, explode] = styles[String(format)] ?? [usual, false]
    return { name, in: place, style, explode, isContent }
  }
  const style = String(parameter['style'] ?? usual)
  const explode = parameter['explode'] ?? style === 'form'
  return { name, in: place, style, explode: explode === true, isContent }
}

function comparePath(
  prescribed: Prescribed,
  request: RecordedRequest,
  values: ReadonlyMap<string, unknown>,
): string[] {
  const expected = prescribed.path.replace(/\{([^{}]*)\}/g, (_match, name: string) => {
    const value = values.get(`path ${name}`)
    const list = Array.isArray(value) ? value : [value]
    return list.map((item) => encodeURIComponent(String(item))).join(',')
  })
  const escaped = new URL(`http://h${expected.split(/[?#]/)[0]}`).pathname
  return request.path.endsWith(escaped) ? [] : [`path ${request.path} does not end in ${escaped}`]
}

function compareParameter(
  parameter: Parameter,
  request: RecordedRequest,
  value: unknown,
): string[] {
  if (parameter.isContent) return []
  if (parameter.in === 'header') {
    const sent = request.headers[parameter.name.toLowerCase()]
    const wanted = (Array.isArray(value) ? value : [value]).join(',')
    return typeof value === 'object' && !Array.isArray(value)
      ? []
      : compare(parameter, [sent], [wanted])
  }
  if (parameter.in !== 'query') return []
  return compare(parameter, ...queryValues(parameter, request, value))
}

function queryValues(
  { name, style, explode }: Parameter,
  request: RecordedRequest,
  value: unknown,
): [sent: unknown[], wanted: unknown[]] {
  const sent = request.query.getAll(name)
  if (Array.isArray(value)) {
    const items = value.map(String)
    if (style === 'deepObject') {
      return [items.map((_item, index) => request.query.get(`${name}[${index}]`)), items]
    }
    if (explode) return [sent, items]
    const joint = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
    return [sent, [items.join(joint)]]
  }
  if (typeof value !== 'object' || value === null) return [sent, [String(value)]]
  const scalars = Object.entries(value).filter(([, item]) => typeof item !== 'object')
  const keyOf = (key: string): string => (style === 'deepObject' ? `${name}[${key}]` : key)
  if (style === 'deepObject' || explode) {
    const found = scalars.map(([key]) => request.query.get(keyOf(key)))
    return [found, scalars.map(([, item]) => String(item))]
  }
  return [sent.slice(0, 0), []]
}

function compare({ in: place, name }: Parameter, sent: unknown[], wanted: unknown[]): string[] {
  const isSame = JSON.stringify(sent) === JSON.stringify(wanted)
  return isSame
    ? []
    : [`${place} ${name}: ${JSON.stringify(sent)} instead of ${JSON.stringify(wanted)}`]
}

function resolve(document: unknown, value: unknown): Node {
  let current = node(value)
  for (let hops = 0; typeof current['$ref'] === 'string' && hops < 20; hops += 1) {
    const pointer = decodeURIComponent(current['$ref'].replace(/^#/, ''))
    current = node(resolvePointer(document, pointer))
  }
  return current
}

function node(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}
