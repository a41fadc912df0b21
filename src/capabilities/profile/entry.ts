import { formatPointer, isRecord, type JsonObject } from '../../values/index.ts'
import { isHttps } from '../authority.ts'
import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts'
import {
  type CapabilityEntry,
  type HandlerEntry,
  isCalendarDate,
  isDateVersion,
  isName,
  type ProfileEntry,
  type ServiceEntry,
  type Side,
  TRANSPORTS,
} from '../model.ts'

/** What reading one profile writes down on the way. */
export interface Reading {
  readonly side: Side
  readonly diagnostics: Diagnostic[]
  /** Dates already found in the calendar. */
  readonly dates: Set<string>
}

/** Where an entry stands; turned into a pointer only when something is wrong with it. */
export interface Place {
  readonly registry: 'capabilities' | 'services' | 'payment_handlers'
  readonly name: string
  readonly index: number
}

/** Reads one entry of a registry; undefined when it cannot be used. */
export type ReadEntry<Item> = (
  reading: Reading,
  value: Record<string, unknown>,
  place: Place,
) => Item | undefined

/** Notes that the member at a path is wrong. */
export function report(
  { side, diagnostics }: Reading,
  code: DiagnosticCode,
  path: readonly (string | number)[],
  about: Partial<Diagnostic> = {},
): undefined {
  diagnostics.push({ code, side, ...about, field: formatPointer(path.map(String)) })
}

/** Notes that a member of an entry is wrong. */
function reportEntry(
  reading: Reading,
  code: DiagnosticCode,
  { registry, name, index }: Place,
  member: string,
): undefined {
  const about =
    registry === 'capabilities'
      ? { capability: name }
      : registry === 'services'
        ? { service: name }
        : {}
  report(reading, code, ['ucp', registry, name, index, member], about)
}

/** Reads one version of a capability. */
export const readCapability: ReadEntry<CapabilityEntry> = (reading, value, place) => {
  const common = readCommon(reading, value, place)
  if (common === undefined) return undefined
  const parents = readParents(value['extends'])
  if (parents === 'malformed') return reportEntry(reading, 'invalid_entry', place, 'extends')
  const { operations } = value
  const wellFormed = operations !== undefined && isStringList(operations)
  return {
    ...common,
    extends: parents,
    operations: wellFormed ? operations : undefined,
    operationsMalformed: operations !== undefined && !wellFormed,
  }
}

/** Reads one transport binding of a service. */
export const readService: ReadEntry<ServiceEntry> = (reading, value, place) => {
  const common = readCommon(reading, value, place)
  if (common === undefined) return undefined
  const transport = TRANSPORTS.find((known) => known === value['transport'])
  const { endpoint } = value
  const refuse = (code: DiagnosticCode, member: string) => reportEntry(reading, code, place, member)
  if (transport === undefined) return refuse('unknown_transport', 'transport')
  if (endpoint === undefined) {
    const isNeeded = reading.side === 'business' && transport !== 'embedded'
    if (isNeeded) return refuse('endpoint_missing', 'endpoint')
  } else if (typeof endpoint !== 'string') return refuse('invalid_entry', 'endpoint')
  else if (!isHttps(endpoint)) {
    if (isForeignScheme(endpoint)) return refuse('endpoint_refused', 'endpoint')
    refuse('endpoint_not_https', 'endpoint')
  }
  return { ...common, transport, endpoint }
}

/** Reads one instance of a payment handler. */
export const readHandler: ReadEntry<HandlerEntry> = (reading, value, place) => {
  const common = readCommon(reading, value, place)
  if (common === undefined) return undefined
  const { available_instruments: instruments } = value
  const readable = Array.isArray(instruments) && instruments.every(isRecord)
  return { ...common, availableInstruments: readable ? (instruments as JsonObject[]) : undefined }
}

/** Tells whether a value is a date of the protocol, and notes when the calendar does not have it. */
export function isDate(reading: Reading, value: unknown, place?: Place): value is string {
  if (reading.dates.has(value as string)) return true
  if (!isDateVersion(value)) return false
  reading.dates.add(value)
  if (!isCalendarDate(value)) {
    if (place) reportEntry(reading, 'impossible_date', place, 'version')
    else report(reading, 'impossible_date', ['ucp', 'version'])
  }
  return true
}

const readCommon: ReadEntry<ProfileEntry> = (reading, value, place) => {
  const { version, spec, schema, id, config } = value
  if (!isDate(reading, version, place)) {
    return reportEntry(reading, 'invalid_entry', place, 'version')
  }
  if (schema !== undefined && typeof schema !== 'string') {
    return reportEntry(reading, 'invalid_entry', place, 'schema')
  }
  if (spec !== undefined && (typeof spec !== 'string' || !spec.startsWith('https://'))) {
    reportEntry(reading, 'spec_not_https', place, 'spec')
  }
  return {
    index: place.index,
    version,
    spec: typeof spec === 'string' ? spec : undefined,
    schema,
    id: typeof id === 'string' ? id : undefined,
    config: isRecord(config) ? (config as JsonObject) : undefined,
  }
}

function readParents(value: unknown): readonly string[] | undefined | 'malformed' {
  if (value === undefined) return undefined
  if (typeof value === 'string') return isName(value) ? [value] : 'malformed'
  if (!isStringList(value) || value.length === 0 || !value.every(isName)) return 'malformed'
  return value.length === 1 ? value : [...new Set(value)]
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
}

// `{{ENDPOINT}}` in a template or http on a developer's machine is worth a remark;
// `javascript:` or `file:` must never end up in a binding.
function isForeignScheme(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password } = new URL(endpoint)
  return (protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== ''
}
