import { followReference, listInPlace, resolveLocal } from '../../schema/walk/index.ts'
import { asList, asRecord, entriesOf, isRecord, pushTo, toText } from '../../values/index.ts'
import type { DiagnosticCode } from '../diagnostic.ts'

/** Collects the addresses of the schema files that a schema stands for, without fragments. */
function collectSchemaFiles(schema: unknown, document: unknown, base: string): ReadonlySet<string> {
  const files = new Set<string>()
  listInPlace([schema], (ref) => {
    if (ref.startsWith('#')) return resolveLocal(document, ref)
    files.add(toFile(ref, base))
    return undefined
  })
  return files
}

function toFile(reference: string, base: string): string {
  const [file = ''] = reference.split('#', 1)
  if (/^[a-z][a-z0-9+.-]*:/i.test(file)) return file
  return URL.canParse(file, base) ? new URL(file, base).href : file
}

/** An operation of an OpenAPI document. */
export interface RestOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Gives the parameters of path and operation, local references resolved. */
  readonly parameters: () => readonly Record<string, unknown>[]
  /** Gives the request body object, local references resolved. */
  readonly requestBody: () => unknown
  /** The operation object as published. */
  readonly published: Record<string, unknown>
  /** The URL of the document it stands in. */
  readonly document: string
}

/** A method of an OpenRPC document, which is a tool over MCP. */
export interface McpOperation {
  readonly id: string
  /** Gives the content descriptors of the parameters, local references resolved. */
  readonly params: () => readonly Record<string, unknown>[]
  /** The method object as published. */
  readonly published: Record<string, unknown>
  /** The URL of the document it stands in. */
  readonly document: string
}

/** Something odd about a document. */
export interface DocumentRemark {
  readonly code: DiagnosticCode
  readonly operation?: string
}

/** The operations of one document. */
export interface OperationTable<Operation> {
  readonly operations: ReadonlyMap<string, Operation>
  /** Schema file to the operations whose answers name it. */
  readonly citing: ReadonlyMap<string, readonly string[]>
  readonly remarks: readonly DocumentRemark[]
}

/** What indexed documents of every transport have. */
export interface DocumentMembers {
  /** Identifiers that the business calls; never callable by the platform. */
  readonly webhooks: ReadonlySet<string>
  readonly document: Record<string, unknown>
  readonly url: string
}

/** An indexed OpenAPI document. */
export interface RestDocument extends OperationTable<RestOperation>, DocumentMembers {
  readonly transport: 'rest'
}

/** An indexed OpenRPC document. */
export interface McpDocument extends OperationTable<McpOperation>, DocumentMembers {
  readonly transport: 'mcp'
}

/** An indexed document of either transport. */
export type TransportDocument = RestDocument | McpDocument

// More operations than any real document has; the rest is left out and reported.
const MAX_OPERATIONS = 10_000

type Node = Readonly<Record<string, unknown>>

/** Collects operations with the schema files their answers name; one that occurs twice is ambiguous and left out. */
function collectOperations<Operation extends { readonly id: string }>(
  found: Iterable<readonly [Operation, answers: ReadonlySet<string>]>,
  remarks: DocumentRemark[],
): OperationTable<Operation> {
  const operations = new Map<string, Operation>()
  const repeated = new Set<string>()
  const citing = new Map<string, string[]>()
  for (const [operation, answers] of found) {
    const { id } = operation
    if (operations.has(id)) {
      if (!repeated.has(id)) remarks.push({ code: 'duplicate_operation_id', operation: id })
      repeated.add(id)
      continue
    }
    if (operations.size === MAX_OPERATIONS) {
      remarks.push({ code: 'document_too_large' })
      break
    }
    operations.set(id, operation)
    for (const file of answers) pushTo(citing, file, id)
  }
  for (const id of repeated) operations.delete(id)
  return { operations, citing, remarks }
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** Indexes the operations of an OpenAPI document by `operationId`. */
export function indexOpenApi(document: Record<string, unknown>, url: string): RestDocument {
  const remarks: DocumentRemark[] = []
  const table = collectOperations(findOperations(document, url, remarks), remarks)
  const webhooks = new Set<string>()
  for (const { id } of walkItems(document, document['webhooks'], remarks)) webhooks.add(id)
  return { transport: 'rest', ...table, webhooks, document, url }
}

function* findOperations(
  document: Node,
  url: string,
  remarks: DocumentRemark[],
): Generator<readonly [RestOperation, ReadonlySet<string>]> {
  for (const { id, key, method, item, published } of walkItems(
    document,
    document['paths'],
    remarks,
  )) {
    if (!isSafePath(key)) {
      remarks.push({ code: 'unsafe_path', operation: id })
      continue
    }
    const operation: RestOperation = {
      id,
      method: method.toUpperCase(),
      path: key,
      parameters: () => mergeParameters([item['parameters'], published['parameters']], document),
      requestBody: () => followReference(published['requestBody'], document),
      published,
      document: url,
    }
    yield [operation, answerFiles(published, document, url)]
  }
}

interface ItemOperation {
  readonly id: string
  /** The path, or the name of a webhook. */
  readonly key: string
  readonly method: string
  readonly item: Node
  readonly published: Record<string, unknown>
}

// Other members of a path item (parameters, summary, servers, x-*) are not operations.
function* walkItems(
  document: Node,
  items: unknown,
  remarks: DocumentRemark[],
): Generator<ItemOperation> {
  for (const [key, value] of entriesOf(items)) {
    if (key.startsWith('x-') || !isRecord(value)) continue
    const item = followReference(value, document)
    if (!isRecord(item)) {
      remarks.push({ code: 'external_reference' })
      continue
    }
    for (const method of METHODS) {
      const published = item[method]
      if (!isRecord(published)) continue
      const id = published['operationId']
      if (typeof id === 'string' && id !== '') yield { id, key, method, item, published }
    }
  }
}

// A parameter of the operation replaces one of the path item with the same name and place.
function mergeParameters(
  lists: readonly unknown[],
  document: Node,
): readonly Record<string, unknown>[] {
  const merged = new Map<string, Record<string, unknown>>()
  for (const item of lists.flatMap(asList)) {
    const parameter = followReference(item, document)
    if (!isRecord(parameter)) continue
    merged.set(`${toText(parameter['in'])} ${toText(parameter['name'])}`, parameter)
  }
  return [...merged.values()]
}

function answerFiles(operation: Node, document: Node, url: string): ReadonlySet<string> {
  const media = entriesOf(operation['responses']).flatMap(([, value]) =>
    entriesOf(asRecord(followReference(value, document))['content']),
  )
  const schemas = media.map(([, content]) => asRecord(content)['schema'])
  return new Set(schemas.flatMap((schema) => [...collectSchemaFiles(schema, document, url)]))
}

// The path is appended to the endpoint as it is: nothing in it may reach another host or directory.
function isSafePath(path: string): boolean {
  if (!path.startsWith('/') || path.includes('//') || /[\\?#\s]/.test(path)) return false
  return path.split('/').every((segment) => !DOT_SEGMENT.test(segment))
}

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

/** Indexes the methods of an OpenRPC document by `name`. */
export function indexOpenRpc(document: Record<string, unknown>, url: string): McpDocument {
  const remarks: DocumentRemark[] = []
  const table = collectOperations(findMethods(document, url, remarks), remarks)
  return { transport: 'mcp', ...table, webhooks: new Set(), document, url }
}

function* findMethods(
  document: Node,
  url: string,
  remarks: DocumentRemark[],
): Generator<readonly [McpOperation, ReadonlySet<string>]> {
  for (const item of asList(document['methods']).filter(isRecord)) {
    const published = followReference(item, document)
    if (!isRecord(published)) {
      remarks.push({ code: 'external_reference' })
      continue
    }
    const { name: id } = published
    if (typeof id !== 'string' || id === '') continue
    const follow = (param: unknown): unknown => followReference(param, document)
    const params = () => asList(published['params']).map(follow).filter(isRecord)
    const { schema } = asRecord(follow(published['result']))
    yield [{ id, params, published, document: url }, collectSchemaFiles(schema, document, url)]
  }
}
