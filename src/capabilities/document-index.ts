import { isRecord } from '../core/json.ts'
import { createBundledDocument } from './bundled.ts'
import { indexOpenApi } from './index-openapi.ts'
import { indexOpenRpc } from './index-openrpc.ts'
import type { CallableTransport } from './model.ts'
import type { TransportDocument } from './transport-document.ts'

/** All documents at hand, indexed once. */
export interface DocumentIndex {
  /** The document as it was handed in; undefined when it is not at hand. */
  readonly find: (url: string) => unknown
  /** The transport document at a URL; undefined when missing or of another kind. */
  readonly transport: (url: string, transport: CallableTransport) => TransportDocument | undefined
  /** The copy that ships with Waymark, for services of the protocol itself. */
  readonly bundled: (
    service: string,
    transport: CallableTransport,
    version: string,
  ) => TransportDocument | undefined
}

/** Indexes documents by URL: transport documents by operation, everything else as it is. */
export function createDocumentIndex(
  documents: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown> = {},
): DocumentIndex {
  const raw = new Map<string, unknown>(
    documents instanceof Map ? documents : Object.entries(documents),
  )
  const indexed = new Map<string, TransportDocument>()
  for (const [url, document] of raw) {
    const entry = indexDocument(document, url)
    if (entry !== undefined) indexed.set(url, entry)
  }
  const bundles = new Map<string, TransportDocument | undefined>()
  return {
    find: (url) => raw.get(url),
    transport: (url, transport) => {
      const entry = indexed.get(url)
      return entry?.transport === transport ? entry : undefined
    },
    bundled: (service, transport, version) => {
      const url = `bundled:${service}/${transport}/${version}`
      if (!bundles.has(url)) {
        bundles.set(url, indexDocument(createBundledDocument(service, transport, version), url))
      }
      return bundles.get(url)
    },
  }
}

/** Indexes one transport document; undefined when it is neither OpenAPI 3 nor OpenRPC. */
export function indexDocument(document: unknown, url: string): TransportDocument | undefined {
  if (!isRecord(document)) return undefined
  const { openapi, openrpc } = document
  if (typeof openapi === 'string' && openapi.startsWith('3.')) return indexOpenApi(document, url)
  return typeof openrpc === 'string' ? indexOpenRpc(document, url) : undefined
}
