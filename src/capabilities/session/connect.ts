import { randomUUID } from 'node:crypto'
import { createPublicFetch, type PublicFetch } from '../../net/index.ts'
import {
  type Clock,
  defined,
  isList,
  type JsonObject,
  ownMember,
  systemClock,
  unref,
} from '../../values/index.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { createDocumentFetcher, type DocumentFetcher } from '../documents/fetcher.ts'
import type { Rules, TransportName } from '../model.ts'
import {
  type Negotiation,
  type NegotiationOutcome,
  negotiate,
  selectVersion,
} from '../negotiate/negotiate.ts'
import {
  type FallbackTable,
  type OperationSet,
  resolveOperations,
} from '../negotiate/operations.ts'
import { readVersions } from '../profile/read.ts'
import { judgeProfileUrl } from './agent-header.ts'
import type { CallResult } from './incoming.ts'
import { loadDocuments } from './load.ts'
import {
  createSessionCaller,
  type PreparedCall,
  type SessionCallOptions,
  type SessionState,
} from './session.ts'

/** The profile a platform announces: where it is, and what it says when that is at hand. */
export type PlatformProfile = string | { readonly url: string; readonly profile: unknown }

/** How a session is opened. */
export interface ConnectOptions {
  /** What the caller speaks, in order of preference; REST, then MCP by default. */
  readonly transports?: readonly TransportName[]
  readonly rules?: Rules
  readonly fallback?: FallbackTable | false
  /** Allows loopback addresses and plain http to them, for local development only. */
  readonly allowLoopback?: boolean
  /** Documents that are at hand already, by URL; they are not fetched. */
  readonly documents?: Readonly<Record<string, unknown>>
  /** Whether arguments are checked against schemas, which are fetched for it; on by default. */
  readonly checkArguments?: boolean
  /** Asks for the profile again whenever it is no longer fresh, until the session is closed. */
  readonly keepFresh?: boolean
  /** Sends calls; the guarded fetch of Waymark by default. */
  readonly fetch?: PublicFetch
  /** Fetches profiles, documents and schemas; share one to share its memory. */
  readonly fetcher?: DocumentFetcher
  readonly clock?: Clock
  readonly randomId?: () => string
}

/** Why a session could not be opened. */
export type ConnectFailure =
  | 'INVALID_PROFILE_URL'
  | 'PROFILE_FETCH_FAILED'
  | 'PROFILE_INVALID_JSON'
  | 'PROFILE_SCHEMA_INVALID'
  | 'PROTOCOL_VERSION_INCOMPATIBLE'
  | 'CAPABILITIES_INCOMPATIBLE'

/** What connecting gives. */
export type Connection =
  | { readonly connected: true; readonly session: Session }
  | {
      readonly connected: false
      readonly code: ConnectFailure
      readonly message: string
      readonly diagnostics: readonly Diagnostic[]
    }

/** What two parties agreed on, and the operations that makes available. */
export interface Session {
  readonly negotiation: Negotiation
  readonly operations: OperationSet
  /** Builds the request of an operation without sending it. */
  readonly prepare: (id: string, args?: JsonObject, options?: SessionCallOptions) => PreparedCall
  /** Calls an operation with exactly one request. */
  readonly call: (
    id: string,
    args?: JsonObject,
    options?: SessionCallOptions,
  ) => Promise<CallResult>
  /** Negotiates again and swaps everything at once; false, and no change, when that fails. */
  readonly refresh: () => Promise<boolean>
  /** Stops keeping the session fresh. */
  readonly close: () => void
}

/** Opens a session with a business: fetches its profile and documents, negotiates, resolves operations. */
export async function connect(
  business: string,
  platform: PlatformProfile | readonly PlatformProfile[],
  options: ConnectOptions = {},
): Promise<Connection> {
  const tools = toTools(options)
  const platforms = isList(platform) ? platform : [platform]
  const opened = await open(business, platforms, tools)
  if ('connected' in opened) return opened
  return { connected: true, session: createSession(opened, business, platforms, tools) }
}

interface Tools {
  readonly options: ConnectOptions
  readonly transports: readonly TransportName[]
  readonly fetcher: DocumentFetcher
  readonly fetch: PublicFetch
  readonly clock: Clock
  readonly randomId: () => string
}

const FETCHING = {
  requireHttps: true,
  maxBytes: 8 * 1024 * 1024,
  timeoutMs: 30_000,
  redirects: 'refuse',
} as const

function toTools(options: ConnectOptions): Tools {
  const { clock = systemClock, allowLoopback = false } = options
  const { fetch } = options
  return {
    options,
    transports: options.transports ?? ['rest', 'mcp'],
    fetcher:
      options.fetcher ?? createDocumentFetcher({ allowLoopback, clock, ...defined({ fetch }) }),
    fetch: fetch ?? createPublicFetch({ ...FETCHING, allowLoopback }),
    clock,
    randomId: options.randomId ?? randomUUID,
  }
}

function createSession(
  first: SessionState,
  business: string,
  platforms: readonly PlatformProfile[],
  tools: Tools,
): Session {
  let state = first
  let caller = createSessionCaller(state, tools)
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  async function refresh(): Promise<boolean> {
    const opened = await open(business, platforms, tools)
    if ('connected' in opened) return false
    state = opened
    caller = createSessionCaller(state, tools)
    return true
  }

  function keepFresh(): void {
    if (closed) return
    const wait = Math.max(1_000, state.freshUntil - tools.clock.now())
    timer = setTimeout(() => void refresh().finally(keepFresh), Math.min(wait, 2 ** 31 - 1))
    unref(timer)
  }

  if (tools.options.keepFresh) keepFresh()
  return {
    get negotiation() {
      return state.negotiation
    },
    get operations() {
      return state.set
    },
    prepare: (...call) => caller.prepare(...call),
    call: (...call) => caller.call(...call),
    refresh,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

type Failed = Connection & { readonly connected: false }

async function open(
  business: string,
  platforms: readonly PlatformProfile[],
  tools: Tools,
): Promise<SessionState | Failed> {
  const own = await readPlatforms(platforms, tools)
  if ('connected' in own) return own
  const address = toWellKnown(business, tools)
  if (typeof address !== 'string') return address
  const fetched = await tools.fetcher.get(address)
  if (!fetched.ok) return fetchFailed(fetched.code, `business profile: ${fetched.message}`)
  const { offered, diagnostics } = readVersions(fetched.value, 'business')
  if (offered === undefined)
    return failure('PROFILE_SCHEMA_INVALID', 'business profile', diagnostics)
  const choice = selectVersion(offered, [...own.keys()])
  if (!choice.found) {
    const message = `the business offers ${choice.offered.join(', ')}; supported here: ${[...own.keys()].join(', ')}`
    return failure('PROTOCOL_VERSION_INCOMPATIBLE', message)
  }
  const documents: Record<string, unknown> = { ...tools.options.documents }
  if (choice.leaf !== undefined && !Object.hasOwn(documents, choice.leaf)) {
    const leaf = await tools.fetcher.get(choice.leaf)
    if (!leaf.ok) return fetchFailed(leaf.code, `profile of ${choice.version}: ${leaf.message}`)
    documents[choice.leaf] = leaf.value
  }
  const platform = own.get(choice.version)
  const pair = { business: fetched.value, platform: platform?.profile }
  return agree(pair, platform?.url ?? '', documents, fetched.freshUntil, tools)
}

async function agree(
  pair: { readonly business: unknown; readonly platform: unknown },
  profile: string,
  documents: Readonly<Record<string, unknown>>,
  freshUntil: number,
  tools: Tools,
): Promise<SessionState | Failed> {
  const { options, transports, fetcher } = tools
  const { rules, fallback, allowLoopback = false } = options
  const input = { ...pair, ...defined({ rules }), allowLoopback }
  const find = (url: string) => ownMember(documents, url)
  const preliminary = negotiate({ ...input, document: find })
  if (preliminary.outcome !== 'ok') return disagreed(preliminary)
  const schemas = options.checkArguments ?? true
  const loaded = await loadDocuments(preliminary, { fetcher, transports, documents, schemas })
  // Now that extension schemas are here, what they require is taken into account.
  const negotiation = negotiate({ ...input, document: loaded.index.find })
  if (negotiation.outcome !== 'ok') return disagreed(negotiation)
  const resolving = { documents: loaded.index, transports, ...defined({ fallback }) }
  const set = resolveOperations(negotiation, resolving)
  return { negotiation, set, loaded, profile, transports, freshUntil }
}

interface OwnProfile {
  readonly url: string
  readonly profile: unknown
}

async function readPlatforms(
  platforms: readonly PlatformProfile[],
  { fetcher, options }: Tools,
): Promise<ReadonlyMap<string, OwnProfile> | Failed> {
  const byVersion = new Map<string, OwnProfile>()
  for (const platform of platforms) {
    const url = typeof platform === 'string' ? platform : platform.url
    const judged = judgeProfileUrl(url, options)
    if (!judged.ok)
      return failure('INVALID_PROFILE_URL', `platform profile ${url}: ${judged.message}`)
    const fetched =
      typeof platform === 'string'
        ? await fetcher.get(url)
        : { ok: true as const, value: platform.profile }
    if (!fetched.ok) return fetchFailed(fetched.code, `platform profile: ${fetched.message}`)
    const { offered, diagnostics } = readVersions(fetched.value, 'platform')
    if (offered === undefined)
      return failure('PROFILE_SCHEMA_INVALID', 'platform profile', diagnostics)
    byVersion.set(offered.version, { url, profile: fetched.value })
  }
  return byVersion
}

function toWellKnown(business: string, { options }: Tools): string | Failed {
  const judged = judgeProfileUrl(business, options)
  if (judged.ok) return new URL('/.well-known/ucp', business).href
  return failure('INVALID_PROFILE_URL', `business ${business}: ${judged.message}`)
}

const FAILURES: Readonly<Record<Exclude<NegotiationOutcome, 'ok'>, ConnectFailure>> = {
  version_unsupported: 'PROTOCOL_VERSION_INCOMPATIBLE',
  capabilities_incompatible: 'CAPABILITIES_INCOMPATIBLE',
  profile_malformed: 'PROFILE_SCHEMA_INVALID',
}

function disagreed({ outcome, diagnostics }: Negotiation): Failed {
  const code = outcome === 'ok' ? 'CAPABILITIES_INCOMPATIBLE' : FAILURES[outcome]
  return failure(code, outcome.replaceAll('_', ' '), diagnostics)
}

function fetchFailed(code: string, message: string): Failed {
  if (code === 'url_refused') return failure('INVALID_PROFILE_URL', message)
  return failure(code === 'malformed' ? 'PROFILE_INVALID_JSON' : 'PROFILE_FETCH_FAILED', message)
}

function failure(
  code: ConnectFailure,
  message: string,
  diagnostics: readonly Diagnostic[] = [],
): Failed {
  return { connected: false, code, message, diagnostics }
}
