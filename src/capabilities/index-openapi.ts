import { isRecord } from '../core/json.ts'
import { toText } from '../core/text.ts'
import { collectSchemaFiles, dereference } from './schema-references.ts'
import {
  collectOperations,
  type DocumentRemark,
  type FoundOperation,
  type RestDocument,
  type RestOperation,
} from './transport-document.ts'

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
  document: Record<string, unknown>,
  url: string,
  remarks: DocumentRemark[],
): Generator<FoundOperation<RestOperation>> {
  for (const item of walkItems(document, document['paths'], remarks)) {
    if (isSafePath(item.key)) {
      yield {
        operation: toOperation(item, document, url),
        answers: answerFiles(item.published, document, url),
      }
    } else remarks.push({ code: 'unsafe_path', operation: item.id })
  }
}

interface ItemOperation {
  readonly id: string
  /** The path, or the name of a webhook. */
  readonly key: string
  readonly method: string
  readonly item: Record<string, unknown>
  readonly published: Record<string, unknown>
}

// Other members of a path item (parameters, summary, servers, x-*) are not operations.
function* walkItems(
  document: Record<string, unknown>,
  items: unknown,
  remarks: DocumentRemark[],
): Generator<ItemOperation> {
  if (!isRecord(items)) return
  for (const [key, value] of Object.entries(items)) {
    if (key.startsWith('x-') || !isRecord(value)) continue
    const item = dereference(document, value)
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

function toOperation(
  { id, key, method, item, published }: ItemOperation,
  document: Record<string, unknown>,
  url: string,
): RestOperation {
  return {
    id,
    method: method.toUpperCase(),
    path: key,
    parameters: () => mergeParameters([item['parameters'], published['parameters']], document),
    requestBody: () => dereference(document, published['requestBody']),
    published,
    document: url,
  }
}

// A parameter of the operation replaces one of the path item with the same name and place.
function mergeParameters(
  lists: readonly unknown[],
  document: Record<string, unknown>,
): readonly Record<string, unknown>[] {
  const merged = new Map<string, Record<string, unknown>>()
  for (const item of lists.flatMap((list): unknown => (Array.isArray(list) ? list : []))) {
    const parameter = dereference(document, item)
    if (!isRecord(parameter)) continue
    merged.set(`${toText(parameter['in'])} ${toText(parameter['name'])}`, parameter)
  }
  return [...merged.values()]
}

function answerFiles(
  operation: Record<string, unknown>,
  document: Record<string, unknown>,
  url: string,
): ReadonlySet<string> {
  const files = new Set<string>()
  const { responses } = operation
  for (const value of isRecord(responses) ? Object.values(responses) : []) {
    const response = dereference(document, value)
    const content = isRecord(response) ? response['content'] : undefined
    for (const media of isRecord(content) ? Object.values(content) : []) {
      if (!isRecord(media)) continue
      for (const file of collectSchemaFiles(media['schema'], document, url)) files.add(file)
    }
  }
  return files
}

// The path is appended to the endpoint as it is: nothing in it may reach another host or directory.
function isSafePath(path: string): boolean {
  if (!path.startsWith('/') || path.includes('//') || /[\\?#\s]/.test(path)) return false
  return path.split('/').every((segment) => !DOT_SEGMENT.test(segment))
}

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i
