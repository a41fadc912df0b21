import { filterOperations, type OperationFilter } from './filter.ts'
import { asFilledText, asText, read } from './node.ts'
import { type OpenOptions, type Operation, openDocument } from './operations.ts'

/** One row of a listing. */
export interface OperationRow {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly summary?: string
  readonly tags: readonly string[]
  readonly deprecated: boolean
  /** Why no tool can be made of it. */
  readonly skipped?: string
}

/** A document's operations, for people who choose among them. */
export interface OperationListing {
  readonly title: string
  /** Version of the format, such as `OpenAPI 3.0.3`. */
  readonly format: string
  readonly operations: readonly OperationRow[]
  /** Operations of the document before filtering. */
  readonly total: number
  /** Paths that could not be read, with the reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}

/** Which operations to list. */
export interface ListOptions extends OpenOptions, OperationFilter {}

/** Lists what a document offers; nothing but names, methods and paths is looked at. */
export function listOperations(document: unknown, options: ListOptions = {}): OperationListing {
  const opened = openDocument(document, options)
  const chosen = filterOperations(opened.operations, options).operations
  const swagger = asText(read(document, 'swagger'))
  return {
    title: asFilledText(read(read(document, 'info'), 'title')) ?? '',
    format:
      swagger === undefined
        ? `OpenAPI ${asText(read(document, 'openapi')) ?? ''}`
        : `Swagger ${swagger}`,
    operations: chosen.map(toRow),
    total: opened.operations.length,
    unreadable: opened.unreadable,
  }
}

function toRow(operation: Operation): OperationRow {
  const { name, method, rawPath, operationId, summary, tags, deprecated, skipped } = operation
  return {
    name,
    method,
    path: rawPath,
    ...(operationId !== undefined && { operationId }),
    ...(summary !== undefined && { summary }),
    tags,
    deprecated,
    ...(skipped !== undefined && { skipped }),
  }
}
