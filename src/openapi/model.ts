import { asList } from '../core/json.ts'
import { asNode, asText, type Node, read } from './node.ts'
import type { OpenedDocument, Operation } from './operations.ts'
import { consumesOf, convertParameters, convertServers } from './swagger2.ts'
import { type Warn, warnUnresolved } from './warnings.ts'

/** An operation in OpenAPI 3 form, whatever the document is written in. */
export interface OperationModel {
  /** Resolved and merged: the operation's own win over those of the path. */
  readonly parameters: readonly Node[]
  readonly requestBody: Node | undefined
  /** Innermost first. */
  readonly servers: readonly unknown[]
  readonly security: unknown
  readonly callbacks: unknown
  readonly responses: unknown
}

/** Reads an operation into the one form that the rest of the import knows. */
export function readModel(
  opened: OpenedDocument,
  operation: Operation,
  warn: Warn,
): OperationModel {
  const { document, version } = opened
  const { node, item } = operation
  const merged = mergeParameters(opened, operation, warn)
  const common = {
    security: read(node, 'security') ?? read(document, 'security'),
    callbacks: read(node, 'callbacks'),
    responses: read(node, 'responses'),
  }
  const body = readBody(opened, read(node, 'requestBody'), warn)
  if (version === '2.0') {
    const converted = convertParameters(merged, consumesOf(node, document), warn)
    const hasSchemes = asList(read(node, 'schemes')).length > 0
    return {
      ...common,
      ...converted,
      requestBody: chooseBody(converted.requestBody, body, 'OpenAPI 3', warn),
      servers:
        hasSchemes && read(document, 'host') !== undefined
          ? convertServers(document, node['schemes'])
          : opened.servers,
    }
  }
  const own = [read(node, 'servers'), read(item, 'servers')].map(asList)
  const old = body === undefined ? merged.filter(isOldBody) : []
  const converted = convertParameters(old, consumesOf(node, document), warn)
  return {
    ...common,
    parameters: merged.filter((parameter) => !old.includes(parameter)),
    requestBody: chooseBody(body, converted.requestBody, 'Swagger 2.0', warn),
    servers: own.find((list) => list.length > 0) ?? opened.servers,
  }
}

/** A body as 2.0 writes it, which documents whose version was merely raised still have. */
function isOldBody(parameter: Node): boolean {
  return parameter['in'] === 'body' || parameter['in'] === 'formData'
}

/** The body that belongs to the version of the document, else the one of the other version. */
function chooseBody(
  own: Node | undefined,
  foreign: Node | undefined,
  version: string,
  warn: Warn,
): Node | undefined {
  if (foreign === undefined) return own
  const fate = own === undefined ? 'is taken' : 'is ignored beside another one'
  warn('W101', `a body of ${version} ${fate}`, 'body')
  return own ?? foreign
}

function readBody(opened: OpenedDocument, value: unknown, warn: Warn): Node | undefined {
  if (value === undefined || value === null) return undefined
  const resolved = opened.resolver.resolve(value)
  if (resolved.found) return asNode(resolved.node)
  warnUnresolved(warn, resolved, 'body')
  // What the body looks like is unknown, but that there is one is known.
  return { content: { 'application/json': {} } }
}

function mergeParameters(opened: OpenedDocument, operation: Operation, warn: Warn): Node[] {
  const merged = new Map<string, Node>()
  for (const list of [read(operation.item, 'parameters'), read(operation.node, 'parameters')]) {
    for (const value of parametersIn(list)) {
      const resolved = opened.resolver.resolve(value)
      if (!resolved.found) {
        warnUnresolved(warn, resolved, 'params')
        continue
      }
      const parameter = asNode(resolved.node)
      const name = asText(read(parameter, 'name'))
      const place = toPlace(asText(read(parameter, 'in')))
      if (parameter === undefined || name === undefined || place === undefined) {
        warn('W101', 'a parameter without name or place is ignored', 'params')
        continue
      }
      const key =
        place === 'body' ? 'body' : `${place}\n${place === 'header' ? name.toLowerCase() : name}`
      merged.set(key, { ...parameter, name, in: place })
    }
  }
  return [...merged.values()]
}

const PLACES = ['path', 'query', 'header', 'cookie', 'body', 'formData', 'querystring']

/** Reads the place of a parameter, in whatever case it is written. */
function toPlace(given: string | undefined): string | undefined {
  const text = given?.trim()
  return PLACES.find((place) => place.toLowerCase() === text?.toLowerCase()) ?? text
}

/** A list; some documents write a mapping of parameters instead. */
function parametersIn(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list
  return Object.values(asNode(list) ?? {})
}
