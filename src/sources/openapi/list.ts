import { defined, nearest } from '../../values/index.ts'
import { toSnake } from './names.ts'
import { asFilledText, asText, read } from './node.ts'
import { type DocumentOperation, type OpenOptions, openDocument } from './operations.ts'

/** Which operations to take: OR within a list, AND between lists; nothing given takes all. */
export interface OperationFilter {
  /** Tool names, operation ids (`*` stands for anything), path prefixes (`/x`) or `GET /x`. */
  readonly pick?: readonly string[]
  readonly tag?: readonly string[]
  /** Whole segments: `/tick` does not match `/tickets`. */
  readonly pathPrefix?: readonly string[]
  readonly method?: readonly string[]
  /** As `pick`, but takes out. */
  readonly exclude?: readonly string[]
  /** GET and HEAD only. */
  readonly readOnly?: boolean
  readonly noDeprecated?: boolean
}

/** What filtering gives: the operations, and the picks that matched none. */
export interface FilteredOperations {
  readonly operations: readonly DocumentOperation[]
  readonly unmatched: readonly { readonly pick: string; readonly near: readonly string[] }[]
}

/** Filters operations, in the order of the document. */
export function filterOperations(
  operations: readonly DocumentOperation[],
  filter: OperationFilter,
): FilteredOperations {
  const picks = (filter.pick ?? []).map(toMatcher)
  const excludes = (filter.exclude ?? []).map(toMatcher)
  const tags = lowered(filter.tag)
  const methods = lowered(filter.method)
  const prefixes = filter.pathPrefix ?? []
  const kept = operations.filter(
    (operation) =>
      (picks.length === 0 || picks.some((matches) => matches(operation))) &&
      !excludes.some((matches) => matches(operation)) &&
      (tags.length === 0 || operation.tags.some((tag) => tags.includes(tag.toLowerCase()))) &&
      (prefixes.length === 0 || prefixes.some((prefix) => isUnder(operation, prefix))) &&
      (methods.length === 0 || methods.includes(operation.method.toLowerCase())) &&
      (!filter.readOnly || operation.method === 'GET' || operation.method === 'HEAD') &&
      (!filter.noDeprecated || !operation.deprecated),
  )
  const unmatched = (filter.pick ?? []).filter(
    (_, index) => !operations.some((operation) => picks[index]?.(operation)),
  )
  return {
    operations: kept,
    unmatched: unmatched.map((pick) => ({ pick, near: suggest(pick, operations) })),
  }
}

type Matcher = (operation: DocumentOperation) => boolean

function toMatcher(text: string): Matcher {
  const wanted = text.trim()
  const line = /^([A-Za-z]+)\s+(\/.*)$/.exec(wanted)
  if (line) {
    const [, method = '', path = ''] = line
    return (operation) => operation.method === method.toUpperCase() && operation.rawPath === path
  }
  if (wanted.startsWith('/')) return (operation) => isUnder(operation, wanted)
  if (wanted.includes('*')) {
    const pieces = wanted.toLowerCase().split('*')
    return (operation) =>
      [operation.name, operation.operationId ?? ''].some((name) =>
        fitsPieces(name.toLowerCase(), pieces),
      )
  }
  const snake = toSnake(wanted)
  const lower = wanted.toLowerCase()
  return ({ name, uncut, clashed, operationId = '' }) =>
    [name, uncut, clashed].includes(snake) ||
    operationId.toLowerCase() === lower ||
    (snake !== '' && toSnake(operationId) === snake)
}

/** Matches pieces in order, without a regular expression that a pattern could make slow. */
function fitsPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop() ?? ''
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= text.length - last.length
}

function isUnder(operation: DocumentOperation, prefix: string): boolean {
  const wanted = prefix.length > 1 ? prefix.replace(/(?<!\/)\/+$/, '') : prefix
  return [operation.path, operation.rawPath].some(
    (path) =>
      wanted === '/' ||
      (path.startsWith(wanted) && ['', '/', '?', '#'].includes(path.charAt(wanted.length))),
  )
}

function suggest(pick: string, operations: readonly DocumentOperation[]): string[] {
  const isPath = pick.startsWith('/')
  const members = new Set(
    operations.map((operation) => (isPath ? operation.rawPath : operation.name)),
  )
  const word = isPath ? pick : toSnake(pick)
  return nearest(word, members, { distance: Math.max(3, Math.ceil(word.length / 2)), count: 3 })
}

function lowered(words: readonly string[] | undefined): string[] {
  return (words ?? []).map((word) => word.toLowerCase())
}

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
export interface ListOperationsOptions extends OpenOptions, OperationFilter {}

/** Lists what a document offers; nothing but names, methods and paths is looked at. */
export function listOperations(
  document: unknown,
  options: ListOperationsOptions = {},
): OperationListing {
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

function toRow(operation: DocumentOperation): OperationRow {
  const { name, method, rawPath: path, operationId, summary, tags, deprecated, skipped } = operation
  const shown = { ...defined({ operationId, summary }), tags, deprecated, ...defined({ skipped }) }
  return { name, method, path, ...shown }
}
