import { isLoopbackUrl } from '../../../src/capabilities/authority.ts'
import {
  createDocumentIndex,
  type DocumentIndex,
} from '../../../src/capabilities/documents/index-document.ts'
import type { Profile } from '../../../src/capabilities/model.ts'
import { readProfile } from '../../../src/capabilities/profile/read.ts'
import { isRecord, toReason } from '../../../src/values/json.ts'
import { type Cell, createCell } from './cell.ts'
import type { Load } from './types.ts'

/** The service of this page as a party to negotiate with. */
export interface Business {
  readonly profile: unknown
  /** Those documents of the profile that this page's own server has. */
  readonly documents: DocumentIndex
  /** Whether names may be defined on this machine: only while the page itself comes from it. */
  readonly allowLoopback: boolean
}

/** What the page knows for negotiating: the service's profile, and the platform's as it was typed. */
export interface NegotiationDesk {
  readonly business: Cell<Load<Business>>
  readonly platform: Cell<string>
  /** Finds out whether the service publishes a profile. */
  readonly probe: () => Promise<boolean>
  readonly read: () => Promise<void>
}

const MAX_DOCUMENTS = 50

/** Makes the desk for a page at `base`; only its own server is ever asked. */
export function createNegotiationDesk(
  base: string,
  headers: () => Readonly<Record<string, string>>,
): NegotiationDesk {
  const root = new URL('../', `${location.origin}${base}/`).href
  const business = createCell<Load<Business>>({ state: 'loading' })

  async function ask(url: string): Promise<unknown> {
    const response = await fetch(url, { headers: headers() })
    if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status}.`)
    return (await response.json()) as unknown
  }

  async function readOwn(): Promise<unknown> {
    const profile = await ask(`${root}.well-known/ucp`)
    if (isRecord(profile) && isRecord(profile['ucp'])) return profile
    throw new Error('/.well-known/ucp has no member "ucp".')
  }

  async function readDocuments(profile: unknown): Promise<ReadonlyMap<string, unknown>> {
    const reading = readProfile(profile, 'business')
    const wanted = reading.ok ? listDocuments(reading.profile, root) : []
    const found = await Promise.all(
      wanted.map(async ([url, address]) => [url, await ask(address).catch(ignore)] as const),
    )
    return new Map(found.filter(([, document]) => document !== undefined))
  }

  return {
    business,
    platform: createCell(''),
    probe: () => readOwn().then(Boolean),
    async read() {
      try {
        const profile = await readOwn()
        const documents = createDocumentIndex(await readDocuments(profile))
        const allowLoopback = isLoopbackUrl(location.origin)
        business.set({ state: 'ready', value: { profile, documents, allowLoopback } })
      } catch (thrown) {
        const reason = `The service shows no profile: ${toReason(thrown)}`
        business.set({ state: 'failed', reason })
      }
    },
  }
}

/** Lists the URLs a profile names that the own server answers, each with the address to ask. */
function listDocuments(profile: Profile, root: string): readonly (readonly [string, string])[] {
  const transports = [...profile.services.values()].flat().map(({ schema }) => schema)
  // Only an extension's schema has a say in the negotiation, by what it requires.
  const extensions = [...profile.capabilities.values()]
    .flat()
    .filter((entry) => entry.extends !== undefined)
    .map(({ schema }) => schema)
  const urls = new Set([...transports, ...extensions, ...profile.supportedVersions.values()])
  const found: (readonly [string, string])[] = []
  for (const url of urls) {
    const address = url !== undefined && findAddress(url, root)
    if (address) found.push([url, address])
  }
  return found.slice(0, MAX_DOCUMENTS)
}

/** A service writes its public origin into the profile; here it may be reached under another one. */
function findAddress(url: string, root: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  if (origin === location.origin) return url
  const [own] = /(?:openapi|openrpc)\.json$/.exec(pathname) ?? []
  return own !== undefined && pathname.endsWith(`/${own}`) ? `${root}${own}` : undefined
}

function ignore(): undefined {
  return undefined
}
