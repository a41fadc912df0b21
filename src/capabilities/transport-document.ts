import type { DiagnosticCode } from './diagnostic.ts'

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

interface DocumentMembers {
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

/** An operation as an indexer found it. */
export interface FoundOperation<Operation> {
  readonly operation: Operation
  /** Schema files that the operation's answers name. */
  readonly answers: ReadonlySet<string>
}

// More operations than any real document has; the rest is left out and reported.
const MAX_OPERATIONS = 10_000

/** Collects operations by identifier; one that occurs twice becomes ambiguous and is left out. */
export function collectOperations<Operation extends { readonly id: string }>(
  found: Iterable<FoundOperation<Operation>>,
  remarks: DocumentRemark[],
): OperationTable<Operation> {
  const operations = new Map<string, Operation>()
  const repeated = new Set<string>()
  const citing = new Map<string, string[]>()
  for (const { operation, answers } of found) {
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
    for (const file of answers) {
      const ids = citing.get(file)
      if (ids === undefined) citing.set(file, [id])
      else ids.push(id)
    }
  }
  for (const id of repeated) operations.delete(id)
  return { operations, citing, remarks }
}
