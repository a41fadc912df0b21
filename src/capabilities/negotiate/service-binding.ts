import type { Diagnostic } from '../diagnostic.ts'
import type { DocumentIndex } from '../documents/index-document.ts'
import type { McpDocument, RestDocument, TransportDocument } from '../documents/transport.ts'
import type { CallableTransport, ServiceEntry } from '../model.ts'
import type { Parties } from './intersect.ts'
import { dropReason } from './usable.ts'

/** A service over one transport: where it is, and its document when that is at hand. */
interface TransportBinding<Document extends TransportDocument> {
  readonly endpoint: string
  readonly document: Document | undefined
}

/** A service over the transports both sides speak. */
export interface ServiceBinding {
  readonly service: string
  readonly rest: TransportBinding<RestDocument> | undefined
  readonly mcp: TransportBinding<McpDocument> | undefined
  /** In the caller's order of preference. */
  readonly transports: readonly CallableTransport[]
}

/** Binds every service of the business to its documents; what has no usable transport is left out. */
export function openServices(
  parties: Parties,
  transports: readonly CallableTransport[],
  documents: DocumentIndex,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, ServiceBinding> {
  const services = new Map<string, ServiceBinding>()
  const names = [...parties.business.profile.services.keys()]
  for (const service of names.length > 1 ? names.sort() : names) {
    const usable = selectEntries(service, parties, transports, diagnostics)
    if (usable.size === 0) continue
    const bind = (
      transport: CallableTransport,
    ): TransportBinding<TransportDocument> | undefined => {
      const entry = usable.get(transport)
      if (entry === undefined) return undefined
      const document = findDocument(service, transport, entry, parties, documents, diagnostics)
      return { endpoint: withoutSlash(entry.endpoint ?? ''), document }
    }
    services.set(service, {
      service,
      rest: bind('rest') as TransportBinding<RestDocument> | undefined,
      mcp: bind('mcp') as TransportBinding<McpDocument> | undefined,
      transports: transports.filter((transport) => usable.has(transport)),
    })
  }
  return services
}

/** Finds the address of a service's document: the business says, otherwise the platform. */
export function documentUrl(
  service: string,
  entry: ServiceEntry,
  { platform }: Parties,
): { readonly url: string | undefined; readonly fromPlatform: boolean } {
  if (entry.schema !== undefined) return { url: entry.schema, fromPlatform: false }
  const own = platform.services
    .get(service)
    ?.find(
      ({ transport, version, schema }) =>
        transport === entry.transport && version === entry.version && schema !== undefined,
    )
  return { url: own?.schema, fromPlatform: own !== undefined }
}

/** Selects, per wanted transport, the entry of a business service that counts. */
export function selectEntries(
  service: string,
  { business, authority, rules }: Parties,
  transports: readonly CallableTransport[],
  diagnostics: Diagnostic[],
): ReadonlyMap<CallableTransport, ServiceEntry> {
  const chosen = new Map<CallableTransport, ServiceEntry>()
  for (const entry of business.profile.services.get(service) ?? []) {
    const transport = transports.find((wanted) => wanted === entry.transport)
    if (transport === undefined) continue
    const reason = dropReason(service, entry, 'services', business.profile, { authority, rules })
    if (reason !== undefined) {
      diagnostics.push({ code: `service_${reason}`, service, transport })
      continue
    }
    const other = chosen.get(transport)
    if (other !== undefined)
      diagnostics.push({ code: 'duplicate_transport_entry', service, transport })
    if (other === undefined || entry.version > other.version) chosen.set(transport, entry)
  }
  return chosen
}

function findDocument(
  service: string,
  transport: CallableTransport,
  entry: ServiceEntry,
  parties: Parties,
  documents: DocumentIndex,
  diagnostics: Diagnostic[],
): TransportDocument | undefined {
  const { url, fromPlatform } = documentUrl(service, entry, parties)
  if (fromPlatform) diagnostics.push({ code: 'service_schema_from_platform', service, transport })
  const document =
    url === undefined
      ? documents.bundled(service, transport, entry.version)
      : documents.transport(url, transport)
  if (document === undefined) {
    diagnostics.push({ code: 'document_unavailable', service, transport })
    return undefined
  }
  if (url === undefined) diagnostics.push({ code: 'service_schema_bundled', service, transport })
  for (const remark of document.remarks) diagnostics.push({ ...remark, service, transport })
  return document
}

function withoutSlash(endpoint: string): string {
  return endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint
}
