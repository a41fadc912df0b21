import {
  type Admission,
  type Admit,
  buildBusinessProfile,
  checkRequest,
  createDocumentFetcher,
  createDocumentIndex,
  type DocumentFetcher,
  type FetchedDocument,
  findLeaf,
  hostProfile,
  judgeProfileUrl,
  negotiate,
  type ProtocolErrorCode,
  parseAgentHeader,
  resolveOperations,
  selectResponseCapabilities,
  toIncompatibleBody,
} from '../../capabilities/index.ts'
import { createContracts } from '../../contract/index.ts'
import { type Service, type ServiceProfile, toToolName } from '../../core/index.ts'
import { assertNoPrivateKeys, isList, isRecord, type JsonObject } from '../../values/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import { buildOpenApi, buildOpenRpc } from '../documents/index.ts'

/** Where a profile is published, and how platforms are asked for theirs. */
export interface ProfileOptions extends ServiceProfile {
  /** Public origin of the service; endpoints and document URLs are built on it. */
  readonly origin: string
  /** Lets platforms on this machine announce themselves, for development only. */
  readonly allowLoopback?: boolean
  readonly fetcher?: DocumentFetcher
}

/** The profile of a service, and what it means for calls. */
export interface ProfileSurface {
  readonly handler: HttpHandler
  readonly admit: Admit
}

/** Publishes the profile of a service and checks calls against the profiles that platforms announce. */
export function createProfileSurface(service: Service, options: ProfileOptions): ProfileSurface {
  const { fetcher: _fetcher, ...published } = options
  assertNoPrivateKeys(published, 'profile')
  assertForm(options)
  assertCapabilities(service, options)
  const { allowLoopback = false } = options
  const fetcher = options.fetcher ?? createDocumentFetcher({ allowLoopback })
  const current = createCurrent(service, options)

  return {
    handler: (request) =>
      request.method === 'GET' || request.method === 'HEAD'
        ? current().hosted.answer(request.header('if-none-match'))
        : { status: 405, headers: { allow: 'GET, HEAD' }, body: '' },
    async admit(announcement, functionName, caller) {
      const agent =
        'header' in announcement
          ? parseAgentHeader(announcement.header, { allowLoopback })
          : judgeProfileUrl(announcement.profile, { allowLoopback })
      if (!agent.ok) return refuse('invalid_profile_url', agent.message)
      const fetched = await fetcher.get(agent.profile, caller)
      if (!fetched.ok) return refuseUnfetched(service, agent.profile, fetched)
      const pair = { business: current().profile, platform: fetched.value }
      const leaves = await fetchLeaf(pair, fetcher)
      return judge({ ...pair, leaves }, current().documents, toToolName(functionName), options)
    },
  }
}

interface Current {
  readonly profile: JsonObject
  readonly documents: ReturnType<typeof createDocumentIndex>
  readonly hosted: ReturnType<typeof hostProfile>
}

/** Builds profile and documents once per state of the registry, so that they cannot drift apart. */
function createCurrent(service: Service, options: ProfileOptions): () => Current {
  let revision = -1
  let current: Current | undefined
  return () => {
    if (current === undefined || revision !== service.registry.revision()) {
      revision = service.registry.revision()
      const documents = {
        [`${options.origin}/openapi.json`]: buildOpenApi(service),
        [`${options.origin}/openrpc.json`]: buildOpenRpc(service),
      }
      const profile = buildProfile(service, options, documents)
      current = { profile, documents: createDocumentIndex(documents), hosted: hostProfile(profile) }
    }
    return current
  }
}

function buildProfile(
  service: Service,
  options: ProfileOptions,
  documents: Readonly<Record<string, unknown>>,
): JsonObject {
  const { origin, version, paymentHandlers, supportedVersions, keys } = options
  return buildBusinessProfile({
    version,
    documents,
    services: {
      [options.service]: [
        { transport: 'rest', endpoint: origin, schema: `${origin}/openapi.json` },
        { transport: 'mcp', endpoint: `${origin}/mcp`, schema: `${origin}/openrpc.json` },
      ],
    },
    capabilities: options.capabilities.map((capability) => ({
      ...capability,
      ...(capability.extends === undefined && {
        operations: operationsOf(service, capability.name),
      }),
    })),
    ...(paymentHandlers && { paymentHandlers }),
    ...(supportedVersions && { supportedVersions }),
    ...(keys && { keys }),
  })
}

function operationsOf(service: Service, capability: string): readonly string[] {
  const names = createContracts(service)
    .list()
    .filter(({ target }) => target.definition.capability === capability)
    .map(({ target }) => toToolName(target.name))
  return [...new Set(names)]
}

interface Pair {
  readonly business: JsonObject
  readonly platform: unknown
}

/** Fetches the own profile that is linked for a platform of an older version, by its URL. */
async function fetchLeaf(
  { business, platform }: Pair,
  fetcher: DocumentFetcher,
): Promise<ReadonlyMap<string, unknown>> {
  const address = findLeaf(business, platform)
  const fetched = address === undefined ? undefined : await fetcher.get(address)
  return new Map(address !== undefined && fetched?.ok ? [[address, fetched.value]] : [])
}

function judge(
  { business, platform, leaves }: Pair & { readonly leaves: ReadonlyMap<string, unknown> },
  documents: Current['documents'],
  operation: string,
  { version, enforce = 'refuse', allowLoopback = false }: ProfileOptions,
): Admission {
  const document = (url: string): unknown => leaves.get(url)
  const negotiation = negotiate({ business, platform, document, allowLoopback })
  if (negotiation.outcome === 'profile_malformed') {
    return refuse('profile_malformed', 'The announced profile cannot be used')
  }
  if (negotiation.outcome === 'version_unsupported') {
    return refuse('version_unsupported', `This business speaks protocol version ${version}`)
  }
  const set = resolveOperations(negotiation, { documents })
  const { verdict } = checkRequest(negotiation, set, operation, { enforce })
  if (verdict === 'capabilities_incompatible') {
    const content = `${operation} belongs to a capability that was not negotiated`
    const body = toIncompatibleBody(negotiation.protocolVersion ?? version, { content })
    return { admitted: false, refusal: { kind: 'incompatible', body } }
  }
  const names = selectResponseCapabilities(negotiation, set, operation)
  const capabilities = Object.fromEntries(
    names.map((name) => [name, [{ version: negotiation.active.get(name)?.version ?? version }]]),
  )
  return { admitted: true, ucp: { version: negotiation.protocolVersion ?? version, capabilities } }
}

function refuse(code: ProtocolErrorCode, content: string): Admission {
  return { admitted: false, refusal: { kind: 'error', code, text: { content } } }
}

/** Why a profile could not be fetched may name internal addresses: the log learns it, the caller a neutral sentence. */
function refuseUnfetched(
  { log }: Service,
  profile: string,
  { code, message, retryAfterMs = 0 }: FetchedDocument & { readonly ok: false },
): Admission {
  if (code === 'rate_limited') {
    const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
    return { admitted: false, refusal: { kind: 'busy', retryAfterSeconds } }
  }
  log.warn('an announced profile was refused', { profile, code, reason: message })
  if (code === 'malformed') {
    return refuse('profile_malformed', 'The announced profile is not JSON that can be used')
  }
  return refuse(
    'profile_unreachable',
    code === 'redirect_refused'
      ? 'The announced profile answers with a redirect, which is not followed'
      : 'The announced profile could not be fetched',
  )
}

function assertCapabilities(service: Service, { capabilities }: ProfileOptions): void {
  const known = new Set(capabilities.map(({ name }) => name))
  for (const { target } of createContracts(service).list({ includeHidden: true })) {
    const { name, definition } = target
    const { capability } = definition
    if (capability !== undefined && !known.has(capability)) {
      throw new TypeError(
        `function ${name}: capability "${capability}" is not among the profile's capabilities`,
      )
    }
  }
}

/** Whoever gives the document that is to be published is told that it is made of less. */
function assertForm(options: ProfileOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const wrong = (member: string, form: string): never => {
    const hint = isRecord(given['ucp'])
      ? '; this looks like a profile as it is published, which is built from { version, service, capabilities }'
      : ''
    throw new TypeError(`profile.${member} must be ${form}${hint}`)
  }
  for (const member of ['version', 'service', 'origin']) {
    if (typeof given[member] !== 'string') wrong(member, 'a string')
  }
  const { capabilities } = given
  const list = isList(capabilities) ? capabilities : wrong('capabilities', 'a list')
  const nameless = list.findIndex((one) => !isRecord(one) || typeof one['name'] !== 'string')
  if (nameless !== -1) wrong(`capabilities[${nameless}].name`, 'a string')
  if (!URL.canParse(options.origin)) wrong('origin', 'a URL such as https://api.example.com')
}
