import { isRecord } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'
import { findPrivateKeys } from '../core/private-keys.ts'
import { DIAGNOSTICS, type Diagnostic } from './diagnostic.ts'
import { createDocumentIndex } from './document-index.ts'
import { lintDocuments } from './lint-documents.ts'
import type { LintFinding } from './lint-finding.ts'
import type { Profile, Rules, Side } from './model.ts'
import { judgeLeaf, negotiate } from './negotiate.ts'
import { resolveOperations } from './operations.ts'
import { readProfile } from './read-profile.ts'
import { createProfileValidator } from './validate-profile.ts'

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
  findings.push(...lintKeys(profile, known))
  if (!reading.ok) return findings
  findings.push(...lintAgainstItself(profile, side, options))
  if (side === 'business') {
    findings.push(...lintDocuments(reading.profile, options.documents ?? {}))
    findings.push(...lintLeaves(reading.profile, options))
  }
  return findings
}

/** What is published stays known: this is graver than a key that nobody can use. */
function lintKeys(profile: unknown, known: ReadonlySet<string>): readonly LintFinding[] {
  return findPrivateKeys(profile)
    .filter((pointer) => !known.has(pointer))
    .map((pointer) => ({
      severity: 'error',
      code: 'private_key',
      pointer,
      message:
        'part of a private key; leave it out, and replace the key if this was ever published',
    }))
}

/** Tells whose profile a document is: only a business has endpoints and links older versions. */
export function guessSide(profile: unknown): Side {
  const ucp = isRecord(profile) ? profile['ucp'] : undefined
  if (!isRecord(ucp)) return 'business'
  if (ucp['supported_versions'] !== undefined) return 'business'
  const services = isRecord(ucp['services']) ? Object.values(ucp['services']) : []
  const entries = services.flatMap((value): unknown =>
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
    .map(({ registry, name, entry, reason }) => ({
      severity: 'error',
      code: reason,
      pointer: formatPointer([
        'ucp',
        registry,
        name,
        String(entry.index),
        reason === 'version_skew' ? 'version' : 'schema',
      ]),
      message: DROPPED[reason],
    }))
  for (const [name, reason] of negotiation.excluded) {
    if (reason !== 'orphaned_extension' && reason !== 'requires_violated') continue
    findings.push({
      severity: 'error',
      code: reason,
      pointer: formatPointer(['ucp', 'capabilities', name]),
      message:
        reason === 'orphaned_extension'
          ? 'the profile has none of the capabilities that this one extends'
          : 'the versions of this profile are not those that the schema requires',
    })
  }
  const set =
    side === 'business' ? resolveOperations(negotiation, { documents: index }).diagnostics : []
  const own = negotiation.diagnostics.filter(({ side: about }) => about === undefined)
  for (const diagnostic of [...own, ...set]) findings.push(toFinding(diagnostic, place(diagnostic)))
  return findings
}

const DROPPED = {
  authority_mismatch: 'the host of the schema does not own the name',
  version_skew: 'entries of dev.ucp.* carry the version of the profile',
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
    const pointer = formatPointer(['ucp', 'supported_versions', version])
    return [{ ...toFinding({ code }), pointer }]
  })
}
