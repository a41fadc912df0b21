import {
  createResolver,
  type Resolver,
  type ResolverOptions,
  withoutReference,
} from '../../schema/index.ts'
import { asList, defined, entriesOf } from '../../values/index.ts'
import { detectVersion, type OpenApiVersion } from './load.ts'
import { type PlannedName, planNames } from './names.ts'
import { asFilledText, asFlag, asNode, type Node, read } from './node.ts'
import { convertServers } from './swagger2.ts'

/** An operation of a document, with the name its tool gets. */
export interface DocumentOperation extends PlannedName {
  /** Upper case. */
  readonly method: string
  /** As a tool writes it: starts with `/`, no query, no fragment. */
  readonly path: string
  /** As the document writes it. */
  readonly rawPath: string
  /** Query that the document writes into the path. */
  readonly fixedQuery: readonly (readonly [string, string])[]
  readonly node: Node
  readonly item: Node
  readonly operationId?: string
  readonly summary?: string
  readonly tags: readonly string[]
  readonly deprecated: boolean
  /** Why no tool can be made of it. */
  readonly skipped?: string
  /** A reference of the operation or its path that leads nowhere. */
  readonly dangling?: string
}

/** A document opened for reading. */
export interface OpenedDocument {
  readonly document: unknown
  readonly version: OpenApiVersion
  readonly resolver: Resolver
  readonly operations: readonly DocumentOperation[]
  /** Servers of the document as a whole, in OpenAPI 3 form. */
  readonly servers: readonly unknown[]
  /** Paths that could not be read at all, with the reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}

/** How a document is opened. */
export interface OpenOptions extends ResolverOptions {
  /** Longest tool name; 64 when absent. */
  readonly maxNameLength?: number
}

/** Opens a document: finds its operations and names them, and looks at nothing else. */
export function openDocument(document: unknown, options: OpenOptions = {}): OpenedDocument {
  const version = detectVersion(document) ?? '3.0'
  const resolver = createResolver(document, options)
  const unreadable: { path: string; reason: string }[] = []
  const found = entriesOf(read(document, 'paths')).flatMap(([rawPath, value]) => {
    if (rawPath.startsWith('x-')) return []
    const { node: item, dangling } = follow(value, resolver)
    if (item === undefined) {
      const reason = dangling ?? 'the path item is not a mapping'
      unreadable.push({ path: rawPath, reason })
      return []
    }
    return operationsOf(item).map(([method, node]) => ({
      ...defined({ dangling }),
      ...readOperation(rawPath, method, node, item, resolver),
    }))
  })
  const nameable = found.map((operation) => ({
    ...operation,
    fixedName: asFilledText(read(read(operation.node, 'x-forge'), 'name')),
    path: operation.rawPath,
  }))
  const names = planSeparately(nameable, options.maxNameLength)
  const operations = found.map((operation, index) => ({
    ...operation,
    ...names[index],
    name: names[index]?.name ?? '',
  }))
  const servers = serversOf(document, version)
  return { document, version, resolver, operations, servers, unreadable }
}

/** Servers of a document, where its version keeps them, else where the other one does. */
function serversOf(document: unknown, version: OpenApiVersion): readonly unknown[] {
  const servers = asList(read(document, 'servers'))
  const hasHost = asFilledText(read(document, 'host')) !== undefined
  if (version === '2.0') return hasHost || servers.length === 0 ? convertServers(document) : servers
  return servers.length === 0 && hasHost ? convertServers(document) : servers
}

/** Follows a reference; what stands beside it counts more, and all when it leads nowhere. */
function follow(
  value: unknown,
  resolver: Resolver,
): { readonly node: Node | undefined; readonly dangling?: string } {
  const resolved = resolver.resolve(value)
  const beside = withoutReference(asNode(value) ?? {})
  const isBare = Object.keys(beside).length === 0
  if (!resolved.found) {
    const dangling = `${resolved.ref}: ${resolved.reason}`
    return { node: isBare ? undefined : beside, dangling }
  }
  const target = asNode(resolved.node)
  return { node: target === value || isBare || !target ? target : { ...target, ...beside } }
}

/** Operations that do not become a tool must not take names away from those that do. */
function planSeparately(
  operations: readonly (Omit<DocumentOperation, 'name'> & {
    readonly fixedName: string | undefined
  })[],
  limit: number | undefined,
): PlannedName[] {
  const kept = operations.filter((operation) => operation.skipped === undefined)
  const dropped = operations.filter((operation) => operation.skipped !== undefined)
  const plans = new Map<object, PlannedName>()
  for (const group of [kept, dropped]) {
    for (const [index, plan] of planNames(group, limit).entries()) {
      const operation = group[index]
      if (operation) plans.set(operation, plan)
    }
  }
  return operations.map((operation) => plans.get(operation) ?? { name: 'operation' })
}

const TOOL_METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])
const OTHER_METHODS = new Set(['head', 'options', 'trace', 'query'])

function operationsOf(item: Node): [string, unknown][] {
  const own = Object.entries(item).filter(([key, value]) => {
    const method = key.toLowerCase()
    if (TOOL_METHODS.has(method) || OTHER_METHODS.has(method)) return true
    // COPY, LINK and the like are not methods of the format, but documents contain them.
    const isMeant = ['responses', 'operationId'].some((name) => read(value, name) !== undefined)
    return isMeant && /^[a-z]+$/i.test(key) && key !== 'additionalOperations'
  })
  return [...own, ...entriesOf(item['additionalOperations'])]
}

function readOperation(
  rawPath: string,
  methodKey: string,
  value: unknown,
  item: Node,
  resolver: Resolver,
): Omit<DocumentOperation, 'name'> {
  const method = methodKey.toLowerCase()
  const { node = {}, dangling } = follow(value, resolver)
  return {
    method: method.toUpperCase(),
    ...cleanPath(rawPath),
    rawPath,
    node,
    item,
    ...defined({
      operationId: asFilledText(read(node, 'operationId')),
      summary: asFilledText(read(node, 'summary')),
      skipped: whySkipped(method, rawPath, node, value),
      dangling,
    }),
    tags: asList(read(node, 'tags')).flatMap((tag) => asFilledText(tag) ?? []),
    deprecated: asFlag(read(node, 'deprecated')),
  }
}

function whySkipped(
  method: string,
  rawPath: string,
  node: Node,
  value: unknown,
): string | undefined {
  if (!TOOL_METHODS.has(method)) {
    return `a tool cannot use ${method.toUpperCase()}; the format knows GET, POST, PUT, PATCH and DELETE`
  }
  if (value !== null && value !== undefined && asNode(value) === undefined) {
    return 'the operation is not a mapping'
  }
  // A URL parser would resolve them, and the request would go to another path.
  if (rawPath.split(/[/?#]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return 'its path has a "." or ".." segment'
  if (read(node, 'x-mcp') === false) return 'the document says x-mcp: false'
  return asFlag(read(read(node, 'x-forge'), 'skip')) ? 'the document says x-forge: skip' : undefined
}

/** Takes query and fragment out of a path, and what a URL path cannot hold. */
function cleanPath(rawPath: string): Pick<DocumentOperation, 'path' | 'fixedQuery'> {
  // URI templates: {?a,b} and {&a} are query parameters declared elsewhere, {/a} and the like are {a}.
  const plain = rawPath.replace(/\{[?&][^{}]*\}/g, '').replace(/\{[#/.;]([^{}]*)\}/g, '{$1}')
  const [beforeFragment = ''] = plain.split('#')
  const [bare = '', ...queries] = beforeFragment.split('?')
  const fixedQuery = queries
    .join('&')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      return [name, rest.join('=')] as const
    })
  const slashed = bare.startsWith('/') ? bare : `/${bare}`
  return {
    path: slashed.replace(/\{[^{}]*\}|[{}\s]/g, (part) =>
      part.length > 1 ? part.replace(/\s/g, '%20') : encodeURIComponent(part),
    ),
    fixedQuery,
  }
}
