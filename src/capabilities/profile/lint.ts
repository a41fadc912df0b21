import {
  asRecord,
  findPrivateKeys,
  formatPointer,
  isRecord,
  ownMember,
} from '../../values/index.ts'
import { DIAGNOSTICS, type Diagnostic, type DiagnosticSeverity } from '../diagnostic.ts'
import { createDocumentIndex, indexDocument } from '../documents/index-document.ts'
import {
  type CapabilityEntry,
  longestPrefix,
  type Profile,
  type Rules,
  type ServiceEntry,
  type Side,
} from '../model.ts'
import { judgeLeaf, negotiate } from '../negotiate/negotiate.ts'
import { FALLBACK_OPERATIONS, resolveOperations } from '../negotiate/operations.ts'
import { readRequires } from '../negotiate/usable.ts'
import { readProfile } from './read.ts'
import { createProfileValidator } from './schema.ts'

/** One remark of the lint, with the place it is about. */
export interface LintFinding {
  readonly severity: DiagnosticSeverity
  readonly code: string
  /** JSON Pointer into the profile. */
  readonly pointer: string
  readonly message: string
}

/** Checks a business profile against the documents it names: what is missing on either side. */
function lintDocuments(
  profile: Profile,
  documents: Readonly<Record<string, unknown>>,
): readonly LintFinding[] {
  return [...lintServices(profile, documents), ...lintCapabilities(profile, documents)]
}

function* lintServices(
  profile: Profile,
  documents: Readonly<Record<string, unknown>>,
): Generator<LintFinding> {
  const claimed = claimedOperations(profile)
  for (const [service, entries] of profile.services) {
    for (const entry of entries) {
      const at = ['ucp', 'services', service, String(entry.index)]
      if (entry.endpoint?.endsWith('/')) {
        yield finding('warning', 'endpoint_slash', [...at, 'endpoint'], 'leave out the last slash')
      }
      yield* lintUnclaimed(entry, documents, claimed.get(service), at)
    }
  }
}

function* lintUnclaimed(
  { schema }: ServiceEntry,
  documents: Readonly<Record<string, unknown>>,
  claimed: ReadonlySet<string> | undefined,
  at: readonly string[],
): Generator<LintFinding> {
  if (schema === undefined || !Object.hasOwn(documents, schema)) return
  const document = indexDocument(documents[schema], schema)
  for (const id of document?.operations.keys() ?? []) {
    if (claimed?.has(id)) continue
    const message = `${id} is in the document, but no capability lists it`
    yield finding('info', 'operation_unclaimed', [...at, 'schema'], message)
  }
}

function claimedOperations(profile: Profile): ReadonlyMap<string, ReadonlySet<string>> {
  const claimed = new Map<string, Set<string>>()
  for (const [name, entries] of profile.capabilities) {
    const service = longestPrefix(name, profile.services) ?? ''
    const set = claimed.get(service) ?? new Set()
    for (const id of entries.flatMap((entry) => entry.operations ?? known(name))) set.add(id)
    claimed.set(service, set)
  }
  return claimed
}

function* lintCapabilities(
  profile: Profile,
  documents: Readonly<Record<string, unknown>>,
): Generator<LintFinding> {
  for (const [name, entries] of profile.capabilities) {
    for (const entry of entries) {
      const at = ['ucp', 'capabilities', name, String(entry.index)]
      if (entry.extends === undefined) yield* lintRoot(name, entry, at)
      else yield* lintExtension(entry.extends, entry, documents, at)
    }
  }
}

function* lintRoot(
  name: string,
  { operations }: CapabilityEntry,
  at: readonly string[],
): Generator<LintFinding> {
  const published = known(name)
  if (operations === undefined) {
    const hint = published.length > 0 ? `, for example ${JSON.stringify(published)}` : ''
    const message = `say which operations the capability drives${hint}; [] when none`
    yield finding('warning', 'operations_missing', [...at, 'operations'], message)
  } else if (name === CHECKOUT) {
    // The checkout page of the protocol asks for all of its core operations.
    for (const id of published.filter((core) => !operations.includes(core))) {
      const message = `${id} is a core operation of checkout and not listed`
      yield finding('warning', 'core_operation_missing', [...at, 'operations'], message)
    }
  }
}

const CHECKOUT = 'dev.ucp.shopping.checkout'

function* lintExtension(
  parents: readonly string[],
  { schema }: CapabilityEntry,
  documents: Readonly<Record<string, unknown>>,
  at: readonly string[],
): Generator<LintFinding> {
  const document = schema !== undefined && Object.hasOwn(documents, schema) && documents[schema]
  if (!isRecord(document)) return
  const shapes = isRecord(document['$defs']) ? document['$defs'] : {}
  for (const parent of parents) {
    if (Object.hasOwn(shapes, parent)) continue
    const message = `the schema has no $defs entry named ${parent}`
    yield finding('error', 'parent_shape_missing', [...at, 'extends'], message)
  }
  const requires = readRequires(document)
  for (const asked of requires && requires !== 'malformed' ? requires.capabilities.keys() : []) {
    if (Object.hasOwn(shapes, asked)) continue
    const message = `requires.capabilities names ${asked}, which is not in $defs`
    yield finding('error', 'requires_unknown', [...at, 'schema'], message)
  }
}

function known(name: string): readonly string[] {
  return ownMember(FALLBACK_OPERATIONS, name) ?? []
}

function finding(
  severity: LintFinding['severity'],
  code: string,
  path: readonly string[],
  message: string,
): LintFinding {
  return { severity, code, pointer: formatPointer(path), message }
}

/** What a profile is checked against. */
export interface LintOptions {
  /** Whose profile it is; told from its members when absent. */
  readonly side?: Side
  /** URL to document: transport documents, schemas and leaf profiles; nothing is fetched. */
  readonly documents?: Readonly<Record<string, unknown>>
  readonly rules?: Rules
}

/** Checks a profile against its published layout, its own statements and the documents it names. */
export function lintProfile(profile: unknown, options: LintOptions = {}): readonly LintFinding[] {
  const side = options.side ?? guessSide(profile)
  const findings: LintFinding[] = createProfileValidator()
    .problems(profile, side)
    .map(({ pointer, message }) => ({ severity: 'error', code: 'layout', pointer, message }))
  const known = new Set(findings.map(({ pointer }) => pointer))
  const reading = readProfile(profile, side)
  for (const diagnostic of reading.diagnostics) {
    if (!known.has(diagnostic.field ?? '')) findings.push(toFinding(diagnostic, diagnostic.field))
  }
  // What is published stays known: this is graver than a key that nobody can use.
  for (const pointer of findPrivateKeys(profile)) {
    if (!known.has(pointer)) {
      findings.push({ severity: 'error', code: 'private_key', pointer, message: PRIVATE_KEY })
    }
  }
  if (!reading.ok) return findings
  findings.push(...lintAgainstItself(profile, side, options))
  if (side === 'business') {
    findings.push(...lintDocuments(reading.profile, options.documents ?? {}))
    findings.push(...lintLeaves(reading.profile, options))
  }
  return findings
}

const PRIVATE_KEY =
  'part of a private key; leave it out, and replace the key if this was ever published'

/** Tells whose profile a document is: only a business has endpoints and links older versions. */
export function guessSide(profile: unknown): Side {
  const ucp = isRecord(profile) ? profile['ucp'] : undefined
  if (!isRecord(ucp)) return 'business'
  if (ucp['supported_versions'] !== undefined) return 'business'
  const entries = Object.values(asRecord(ucp['services'])).flatMap((value): unknown =>
    isRecord(value) ? Object.values(value) : value,
  )
  const serves = entries.some((entry) => isRecord(entry) && entry['endpoint'] !== undefined)
  return serves ? 'business' : 'platform'
}

// Publishers get no benefit of the doubt: what negotiation shrugs off is an error here.
const GRAVER: ReadonlySet<string> = new Set([
  'extension_declares_operations',
  'operation_not_found',
  'operation_is_webhook',
  'operations_malformed',
  'service_not_declared',
  'service_authority_mismatch',
  'service_version_skew',
  'duplicate_operation_id',
  'extension_cycle',
  'endpoint_not_https',
])

function toFinding(diagnostic: Diagnostic, pointer = ''): LintFinding {
  const { code, operation, transport } = diagnostic
  const { severity, message } = DIAGNOSTICS[code]
  const about = [operation, transport].filter((part) => part !== undefined).join(' on ')
  return {
    severity: GRAVER.has(code) ? 'error' : severity,
    code,
    pointer,
    message: about === '' ? message : `${about}: ${message}`,
  }
}

function lintAgainstItself(
  profile: unknown,
  side: Side,
  { documents, rules }: LintOptions,
): readonly LintFinding[] {
  const index = createDocumentIndex(documents)
  // Negotiated with itself at its own version, everything a profile declares must become active.
  const negotiation = negotiate({
    business: profile,
    platform: profile,
    document: index.find,
    ...(rules && { rules }),
  })
  const findings: LintFinding[] = negotiation.dropped
    .filter((entry) => entry.side === side)
    .map(({ registry, name, entry, reason }) => {
      const member = reason === 'version_skew' ? 'version' : 'schema'
      const path = ['ucp', registry, name, String(entry.index), member]
      return finding('error', reason, path, ITSELF[reason])
    })
  for (const [name, reason] of negotiation.excluded) {
    if (reason !== 'orphaned_extension' && reason !== 'requires_violated') continue
    findings.push(finding('error', reason, ['ucp', 'capabilities', name], ITSELF[reason]))
  }
  const set =
    side === 'business' ? resolveOperations(negotiation, { documents: index }).diagnostics : []
  const own = negotiation.diagnostics.filter(({ side: about }) => about === undefined)
  for (const diagnostic of [...own, ...set]) findings.push(toFinding(diagnostic, place(diagnostic)))
  return findings
}

const ITSELF = {
  authority_mismatch: 'the host of the schema does not own the name',
  version_skew: 'entries of dev.ucp.* carry the version of the profile',
  orphaned_extension: 'the profile has none of the capabilities that this one extends',
  requires_violated: 'the versions of this profile are not those that the schema requires',
} as const

function place({ capability, service }: Diagnostic): string {
  if (service !== undefined) return formatPointer(['ucp', 'services', service])
  return formatPointer(['ucp', 'capabilities', capability ?? ''])
}

function lintLeaves(profile: Profile, { documents = {} }: LintOptions): readonly LintFinding[] {
  return [...profile.supportedVersions].flatMap(([version, url]) => {
    if (!Object.hasOwn(documents, url)) return []
    const code = judgeLeaf(documents[url], version)
    if (code === undefined) return []
    return [toFinding({ code }, formatPointer(['ucp', 'supported_versions', version]))]
  })
}
