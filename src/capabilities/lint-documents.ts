import { isRecord } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'
import { indexDocument } from './document-index.ts'
import { FALLBACK_OPERATIONS } from './fallback.ts'
import type { LintFinding } from './lint-finding.ts'
import type { CapabilityEntry, Profile, ServiceEntry } from './model.ts'
import { longestPrefix } from './name.ts'
import { readRequires } from './requires.ts'

/** Checks a business profile against the documents it names: what is missing on either side. */
export function lintDocuments(
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
  return Object.hasOwn(FALLBACK_OPERATIONS, name) ? (FALLBACK_OPERATIONS[name] ?? []) : []
}

function finding(
  severity: LintFinding['severity'],
  code: string,
  path: readonly string[],
  message: string,
): LintFinding {
  return { severity, code, pointer: formatPointer(path), message }
}
