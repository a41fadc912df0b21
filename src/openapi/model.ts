import { asList, asNode, asText, type Node, read } from './node.ts'
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
  if (version === '2.0') {
    const consumes = consumesOf(node, document)
    return {
      ...common,
      ...convertParameters(merged, consumes, warn),
      servers:
        asList(read(node, 'schemes')).length > 0
          ? convertServers(document, node['schemes'])
          : opened.servers,
    }
  }
  const own = [read(node, 'servers'), read(item, 'servers')].map(asList)
  return {
    ...common,
    parameters: merged,
    requestBody: readBody(opened, read(node, 'requestBody'), warn),
    servers: own.find((list) => list.length > 0) ?? opened.servers,
  }
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
      const place = asText(read(parameter, 'in'))?.trim()
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

/** A list; some documents write a mapping of parameters instead. */
function parametersIn(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list
  return Object.values(asNode(list) ?? {})
}
