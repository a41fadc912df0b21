import { createHash } from 'node:crypto'
import type { JsonObject } from '../../values/index.ts'
import { assertNoPrivateKeys } from '../../values/index.ts'
import type { HttpResponse } from '../../wire/index.ts'
import { indexDocument } from '../documents/index-document.ts'
import { isDateVersion, isName, longestPrefix, type TransportName } from '../model.ts'

/** A transport binding a business offers. */
export interface ServiceDefinition {
  readonly transport: TransportName
  readonly endpoint?: string
  readonly schema?: string
  readonly spec?: string
  readonly version?: string
  readonly config?: JsonObject
}

/** A capability a business offers. */
export interface CapabilityDefinition {
  readonly name: string
  readonly schema?: string
  readonly spec?: string
  readonly version?: string
  readonly extends?: readonly string[]
  /** Roots only; what no document of the service has is left out. */
  readonly operations?: readonly string[]
  readonly config?: JsonObject
}

/** What a business profile is built from. */
export interface ProfileDefinition {
  readonly version: string
  readonly services: Readonly<Record<string, readonly ServiceDefinition[]>>
  readonly capabilities: readonly CapabilityDefinition[]
  /** URL to transport document: the ones the services name. */
  readonly documents: Readonly<Record<string, unknown>>
  readonly paymentHandlers?: JsonObject
  readonly supportedVersions?: Readonly<Record<string, string>>
  readonly keys?: readonly JsonObject[]
}

/** Builds a business profile whose `operations` cannot disagree with the documents it names. */
export function buildBusinessProfile(definition: ProfileDefinition): JsonObject {
  assertDefinition(definition)
  const { version, services, capabilities, supportedVersions, paymentHandlers, keys } = definition
  const known = new Map(
    Object.entries(services).map(([name, entries]) => [name, knownOperations(entries, definition)]),
  )
  const registry: Record<string, JsonObject[]> = {}
  for (const capability of capabilities) {
    const service = longestPrefix(capability.name, known)
    const entry = toEntry(
      capability,
      version,
      service === undefined ? undefined : known.get(service),
    )
    registry[capability.name] = [...(registry[capability.name] ?? []), entry]
  }
  return {
    ucp: {
      version,
      ...(supportedVersions && { supported_versions: supportedVersions }),
      services: Object.fromEntries(
        Object.entries(services).map(([name, entries]) => [
          name,
          entries.map((entry) => ({ version, ...entry })),
        ]),
      ),
      capabilities: registry,
      payment_handlers: paymentHandlers ?? {},
    },
    ...(keys && { keys }),
  }
}

/** A profile ready to be served: one body, one tag, cacheable by everybody. */
export interface HostedProfile {
  readonly body: string
  readonly etag: string
  /** Answers a request; `If-None-Match` with the tag gives 304. */
  readonly answer: (ifNoneMatch?: string) => HttpResponse
}

/** Prepares a profile for `/.well-known/ucp`; it may be cached for at least a minute, as the protocol asks. */
export function hostProfile(
  profile: JsonObject,
  options: { readonly maxAgeSeconds?: number } = {},
): HostedProfile {
  assertNoPrivateKeys(profile, 'profile')
  const body = JSON.stringify(profile)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const maxAge = Math.max(60, Math.floor(options.maxAgeSeconds ?? 300))
  const headers = { 'cache-control': `public, max-age=${maxAge}`, etag }
  return {
    body,
    etag,
    answer: (ifNoneMatch) =>
      matches(ifNoneMatch, etag)
        ? { status: 304, headers, body: '' }
        : { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body },
  }
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}

function knownOperations(
  entries: readonly ServiceDefinition[],
  { documents }: ProfileDefinition,
): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { schema } of entries) {
    if (schema === undefined || !Object.hasOwn(documents, schema)) continue
    for (const id of indexDocument(documents[schema], schema)?.operations.keys() ?? []) ids.add(id)
  }
  return ids
}

function toEntry(
  capability: CapabilityDefinition,
  version: string,
  known: ReadonlySet<string> | undefined,
): JsonObject {
  const { name: _name, extends: parents, operations, ...members } = capability
  const served = [...new Set(operations)].filter((id) => known?.has(id))
  return {
    version,
    ...members,
    ...(parents && { extends: parents.length === 1 ? parents[0] : parents }),
    ...(operations && parents === undefined && { operations: served }),
  }
}

function assertDefinition(definition: ProfileDefinition): void {
  const { documents: _documents, ...published } = definition
  assertNoPrivateKeys(published, 'profile')
  const { version, services, capabilities } = definition
  if (!isDateVersion(version)) throw new TypeError(`profile version ${version} is not YYYY-MM-DD`)
  for (const name of [...Object.keys(services), ...capabilities.map((item) => item.name)]) {
    if (!isName(name)) throw new TypeError(`${name} is not a reverse-domain name`)
  }
  for (const { name, extends: parents, operations } of capabilities) {
    if (parents?.length === 0) throw new TypeError(`${name}: extends is empty; leave it out`)
    if (parents && operations) {
      throw new TypeError(`${name}: an extension owns no operations; leave out \`operations\``)
    }
  }
}
