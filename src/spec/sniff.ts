import { isRecord } from '../core/json.ts'

/** What a document is, told by its top-level keys. */
export type DocumentKind = 'openapi' | 'tool-spec' | 'unknown'

/** Tells an API description from a tool spec: `openapi`/`swagger`, or `domain` and `tools`. */
export function sniffDocument(value: unknown): DocumentKind {
  if (!isRecord(value)) return 'unknown'
  const has = (key: string): boolean => Object.hasOwn(value, key)
  if (has('openapi') || has('swagger')) return 'openapi'
  if (has('domain') || has('tools')) return 'tool-spec'
  return 'unknown'
}
