import { isRecord } from '../core/json.ts'
import { collectSchemaFiles, dereference } from './schema-references.ts'
import {
  collectOperations,
  type DocumentRemark,
  type FoundOperation,
  type McpDocument,
  type McpOperation,
} from './transport-document.ts'

/** Indexes the methods of an OpenRPC document by `name`. */
export function indexOpenRpc(document: Record<string, unknown>, url: string): McpDocument {
  const remarks: DocumentRemark[] = []
  const table = collectOperations(findMethods(document, url, remarks), remarks)
  return { transport: 'mcp', ...table, webhooks: new Set(), document, url }
}

function* findMethods(
  document: Record<string, unknown>,
  url: string,
  remarks: DocumentRemark[],
): Generator<FoundOperation<McpOperation>> {
  const { methods } = document
  for (const item of Array.isArray(methods) ? methods.filter(isRecord) : []) {
    const method = dereference(document, item)
    if (!isRecord(method)) {
      remarks.push({ code: 'external_reference' })
      continue
    }
    const { name } = method
    if (typeof name !== 'string' || name === '') continue
    const result = dereference(document, method['result'])
    const schema = isRecord(result) ? result['schema'] : undefined
    yield {
      operation: toOperation(name, method, document, url),
      answers: collectSchemaFiles(schema, document, url),
    }
  }
}

function toOperation(
  id: string,
  published: Record<string, unknown>,
  document: Record<string, unknown>,
  url: string,
): McpOperation {
  const { params } = published
  const list: readonly unknown[] = Array.isArray(params) ? params : []
  return {
    id,
    params: () => list.map((param) => dereference(document, param)).filter(isRecord),
    published,
    document: url,
  }
}
