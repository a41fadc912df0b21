import { isRecord, type JsonObject } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'
import { isHttps } from './authority.ts'
import type { Diagnostic, DiagnosticCode } from './diagnostic.ts'
import {
  type CapabilityEntry,
  type Entry,
  type HandlerEntry,
  type ServiceEntry,
  type Side,
  TRANSPORTS,
  type Transport,
} from './model.ts'
import { isCalendarDate, isName, isVersion } from './name.ts'

/** What reading one profile writes down on the way. */
export interface Reading {
  readonly side: Side
  readonly diagnostics: Diagnostic[]
  /** Dates already found in the calendar. */
  readonly dates: Set<string>
}

/** Where an entry stands, as path segments; turned into text only when something is wrong. */
export type Path = readonly (string | number)[]

/** Notes that the member at a path is wrong. */
export function report(
  reading: Reading,
  code: DiagnosticCode,
  path: Path,
  about: Pick<Diagnostic, 'capability' | 'service'> = {},
): undefined {
  const field = formatPointer(path.map(String))
  reading.diagnostics.push({ code, side: reading.side, ...about, field })
  return undefined
}

/** Reads one version of a capability; undefined when it cannot be used. */
export function readCapability(
  reading: Reading,
  name: string,
  value: Record<string, unknown>,
  path: Path,
): CapabilityEntry | undefined {
  const about = { capability: name }
  const common = readCommon(reading, value, path, about)
  if (common === undefined) return undefined
  const parents = readParents(value['extends'])
  if (parents === 'malformed') return report(reading, 'invalid_entry', [...path, 'extends'], about)
  const operations = value['operations']
  const wellFormed = isStringList(operations)
  return {
    version: common.version,
    spec: common.spec,
    schema: common.schema,
    id: common.id,
    config: common.config,
    extends: parents,
    operations: wellFormed ? operations : undefined,
    operationsMalformed: operations !== undefined && !wellFormed,
  }
}

/** Reads one transport binding of a service; undefined when it cannot be used. */
export function readService(
  reading: Reading,
  name: string,
  value: Record<string, unknown>,
  path: Path,
): ServiceEntry | undefined {
  const about = { service: name }
  const common = readCommon(reading, value, path, about)
  if (common === undefined) return undefined
  const { transport, endpoint } = value
  if (!isTransport(transport)) {
    return report(reading, 'unknown_transport', [...path, 'transport'], about)
  }
  if (endpoint !== undefined && typeof endpoint !== 'string') {
    return report(reading, 'invalid_entry', [...path, 'endpoint'], about)
  }
  if (reading.side === 'business' && endpoint === undefined && transport !== 'embedded') {
    return report(reading, 'endpoint_missing', [...path, 'endpoint'], about)
  }
  if (endpoint !== undefined && !isHttps(endpoint)) {
    if (isForeignScheme(endpoint)) {
      return report(reading, 'endpoint_refused', [...path, 'endpoint'], about)
    }
    report(reading, 'endpoint_not_https', [...path, 'endpoint'], about)
  }
  return { ...common, transport, endpoint }
}

/** Reads one instance of a payment handler; undefined when it cannot be used. */
export function readHandler(
  reading: Reading,
  _name: string,
  value: Record<string, unknown>,
  path: Path,
): HandlerEntry | undefined {
  const common = readCommon(reading, value, path, {})
  if (common === undefined) return undefined
  const instruments = value['available_instruments']
  const readable = Array.isArray(instruments) && instruments.every(isRecord)
  return {
    ...common,
    availableInstruments: readable ? (instruments as JsonObject[]) : undefined,
  }
}

/** Reads a date and notes when the calendar does not have it. */
export function readDate(reading: Reading, value: unknown, path: Path): string | undefined {
  if (!isVersion(value)) return undefined
  if (!reading.dates.has(value)) {
    if (isCalendarDate(value)) reading.dates.add(value)
    else report(reading, 'impossible_date', path)
  }
  return value
}

type About = Pick<Diagnostic, 'capability' | 'service'>

function readCommon(
  reading: Reading,
  value: Record<string, unknown>,
  path: Path,
  about: About,
): Entry | undefined {
  const { version, spec, schema, id, config } = value
  if (typeof version !== 'string' || !reading.dates.has(version)) {
    const date = readDate(reading, version, [...path, 'version'])
    if (date === undefined) return report(reading, 'invalid_entry', [...path, 'version'], about)
  }
  if (schema !== undefined && typeof schema !== 'string') {
    return report(reading, 'invalid_entry', [...path, 'schema'], about)
  }
  if (spec !== undefined && (typeof spec !== 'string' || !isHttps(spec))) {
    report(reading, 'spec_not_https', [...path, 'spec'], about)
  }
  return {
    version: version as string,
    spec: typeof spec === 'string' ? spec : undefined,
    schema,
    id: typeof id === 'string' ? id : undefined,
    config: isRecord(config) ? (config as JsonObject) : undefined,
  }
}

function readParents(value: unknown): readonly string[] | undefined | 'malformed' {
  if (value === undefined) return undefined
  const parents = typeof value === 'string' ? [value] : value
  if (!isStringList(parents) || parents.length === 0) return 'malformed'
  if (!parents.every(isName)) return 'malformed'
  return parents.length === 1 ? parents : [...new Set(parents)]
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
}

function isTransport(value: unknown): value is Transport {
  return (TRANSPORTS as readonly unknown[]).includes(value)
}

// `{{ENDPOINT}}` in a template or http on a developer's machine is worth a remark;
// `javascript:` or `file:` must never end up in a binding.
function isForeignScheme(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password } = new URL(endpoint)
  return (protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== ''
}
