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
  type TransportName,
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

/** Notes that the member at a path is wrong. */
export function report(
  reading: Reading,
  code: DiagnosticCode,
  path: readonly (string | number)[],
): undefined {
  reading.diagnostics.push({ code, side: reading.side, field: formatPointer(path.map(String)) })
  return undefined
}

/** Notes that a member of an entry is wrong. */
function reportEntry(
  reading: Reading,
  code: DiagnosticCode,
  { registry, name, index }: Place,
  member: string,
): undefined {
  const field = formatPointer(['ucp', registry, name, String(index), member])
  const about =
    registry === 'capabilities'
      ? { capability: name }
      : registry === 'services'
        ? { service: name }
        : {}
  reading.diagnostics.push({ code, side: reading.side, ...about, field })
  return undefined
}

/** Reads one version of a capability; undefined when it cannot be used. */
export function readCapability(
  reading: Reading,
  value: Record<string, unknown>,
  place: Place,
): CapabilityEntry | undefined {
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

/** Reads one transport binding of a service; undefined when it cannot be used. */
export function readService(
  reading: Reading,
  value: Record<string, unknown>,
  place: Place,
): ServiceEntry | undefined {
  const common = readCommon(reading, value, place)
  if (common === undefined) return undefined
  const { transport, endpoint } = value
  if (!isTransport(transport)) return reportEntry(reading, 'unknown_transport', place, 'transport')
  if (endpoint !== undefined && typeof endpoint !== 'string') {
    return reportEntry(reading, 'invalid_entry', place, 'endpoint')
  }
  if (endpoint === undefined && reading.side === 'business' && transport !== 'embedded') {
    return reportEntry(reading, 'endpoint_missing', place, 'endpoint')
  }
  if (endpoint !== undefined && !isHttps(endpoint)) {
    if (isForeignScheme(endpoint)) {
      return reportEntry(reading, 'endpoint_refused', place, 'endpoint')
    }
    reportEntry(reading, 'endpoint_not_https', place, 'endpoint')
  }
  return {
    ...common,
    transport,
    endpoint,
  }
}

/** Reads one instance of a payment handler; undefined when it cannot be used. */
export function readHandler(
  reading: Reading,
  value: Record<string, unknown>,
  place: Place,
): HandlerEntry | undefined {
  const common = readCommon(reading, value, place)
  if (common === undefined) return undefined
  const { available_instruments: instruments } = value
  const readable = Array.isArray(instruments) && instruments.every(isRecord)
  return {
    ...common,
    availableInstruments: readable ? (instruments as JsonObject[]) : undefined,
  }
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

function readCommon(
  reading: Reading,
  value: Record<string, unknown>,
  place: Place,
): ProfileEntry | undefined {
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
    spec: textOf(spec),
    schema,
    id: textOf(id),
    config: objectOf(config),
  }
}

function readParents(value: unknown): readonly string[] | undefined | 'malformed' {
  if (value === undefined) return undefined
  if (typeof value === 'string') return isName(value) ? [value] : 'malformed'
  if (!isStringList(value) || value.length === 0 || !value.every(isName)) return 'malformed'
  return value.length === 1 ? value : [...new Set(value)]
}

function isStringList(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false
  for (const item of value) if (typeof item !== 'string' || item === '') return false
  return true
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function objectOf(value: unknown): JsonObject | undefined {
  return isRecord(value) ? (value as JsonObject) : undefined
}

function isTransport(value: unknown): value is TransportName {
  return (TRANSPORTS as readonly unknown[]).includes(value)
}

// `{{ENDPOINT}}` in a template or http on a developer's machine is worth a remark;
// `javascript:` or `file:` must never end up in a binding.
function isForeignScheme(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password } = new URL(endpoint)
  return (protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== ''
}
