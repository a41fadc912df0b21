import type { DocumentFetcher, FetchedDocument } from '../documents/fetcher.ts'
import { createDocumentIndex, type DocumentIndex } from '../documents/index-document.ts'
import type { TransportName } from '../model.ts'
import { schemaUrl } from '../negotiate/intersect.ts'
import type { Negotiation } from '../negotiate/negotiate.ts'
import { isCallable } from '../negotiate/operations.ts'
import { documentUrl, selectEntries } from '../negotiate/service-binding.ts'
import { listReferencedFiles } from './request-check.ts'

/** What is fetched for a negotiation, and from where it may come. */
export interface SessionLoadOptions {
  readonly fetcher: DocumentFetcher
  readonly transports: readonly TransportName[]
  /** Documents that are at hand already, by URL. */
  readonly documents: Readonly<Record<string, unknown>>
  /** Whether the schemas of arguments are fetched as well. */
  readonly schemas: boolean
}

/** The documents of a session. */
export interface LoadedDocuments {
  readonly index: DocumentIndex
  readonly files: ReadonlyMap<string, unknown>
  /** Why a document is missing, by URL. */
  readonly failures: ReadonlyMap<string, FetchedDocument & { readonly ok: false }>
}

// A release of the protocol has about seventy schema files.
const MAX_FILES = 400

const AT_ONCE = 8

/** Fetches the documents and schemas a negotiation needs; every URL is bound to a name before it is asked for. */
export async function loadDocuments(
  negotiation: Negotiation,
  options: SessionLoadOptions,
): Promise<LoadedDocuments> {
  const files = new Map<string, unknown>(Object.entries(options.documents))
  const failures = new Map<string, FetchedDocument & { readonly ok: false }>()
  const allowed = createPermission(negotiation)
  let wave = [...neededUrls(negotiation, options.transports)]
  const asked = new Set<string>()
  while (wave.length > 0 && asked.size < MAX_FILES) {
    const next = wave
      .filter((url) => !asked.has(url) && allowed(url))
      .slice(0, MAX_FILES - asked.size)
    for (const url of next) asked.add(url)
    await inBatches(next, async (url) => {
      if (files.has(url)) return
      const fetched = await options.fetcher.get(url)
      if (fetched.ok) files.set(url, fetched.value)
      else failures.set(url, fetched)
    })
    const found = next.filter((url) => options.schemas && files.has(url))
    wave = [...new Set(found.flatMap((url) => [...listReferencedFiles(files.get(url), url)]))]
  }
  return { index: createDocumentIndex(files), files, failures }
}

function* neededUrls(
  { parties, active }: Negotiation,
  transports: readonly TransportName[],
): Generator<string> {
  if (parties === undefined) return
  const wanted = transports.filter(isCallable)
  for (const service of parties.business.profile.services.keys()) {
    for (const entry of selectEntries(service, parties, wanted, []).values()) {
      const { url } = documentUrl(service, entry, parties)
      if (url !== undefined) yield url
    }
  }
  for (const { name, kind, entry } of active.values()) {
    const url = kind === 'extension' ? schemaUrl(name, entry, parties.platform) : undefined
    if (url !== undefined) yield url
  }
}

// A schema may refer to files of any name that takes part, and to no other host.
function createPermission({ parties, active }: Negotiation): (url: string) => boolean {
  if (parties === undefined) return () => false
  const names = [...parties.business.profile.services.keys(), ...active.keys()]
  return (url) => names.some((name) => parties.authority.owns(name, url))
}

async function inBatches<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
}
