import type { ExtensionEntry, Service, Target } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { extensionUrn, fromJson, isRecord, type Json, type JsonObject } from '../values/index.ts'

/** Something a caller may ask of an extension in one call, as each surface spells it; on Forrst it is `options`. */
export interface CallOption {
  readonly urn: string
  readonly summary: string
  /** HTTP header, over REST and the tool API. */
  readonly header: string
  /** Key of `_meta` of an MCP request. */
  readonly meta: string
  /** Member of the options of a call with the client; `extensions` where it has none of its own. */
  readonly client: 'deadline' | 'idempotencyKey' | 'within' | 'extensions'
  /** Flag of `waymark call`; `--extension` where it has none of its own. */
  readonly flag: string
  /** True when clients send the header to every server: where it does not apply it is passed over, not refused. */
  readonly offered: boolean
  /** Reads the header; undefined when it asks for nothing. */
  readonly fromHeader: (text: string, header: Header) => JsonObject | undefined
  /** Reads the value in `_meta`; undefined when it is not what it should be. */
  readonly fromMeta: (value: Json, meta: JsonObject) => JsonObject | undefined
  /** Says what the value in `_meta` should be. */
  readonly expected: string
}

type Header = (name: string) => string | undefined

/** RFC 7240, 4.1; other preferences may stand beside it. */
const RESPOND_ASYNC = /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i
const DURATION = /^(\d{1,12}(?:\.\d{1,6})?) ?(ms|s|m|h)?$/
const UNITS: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
}

/** Every option with a spelling of its own; others are written as entries, see `ENTRIES`. */
export const CALL_OPTIONS: readonly CallOption[] = [
  {
    urn: extensionUrn('deadline'),
    summary: 'when nobody waits for the answer any more',
    header: 'waymark-deadline',
    meta: 'waymark/deadline',
    client: 'deadline',
    flag: '--deadline',
    offered: false,
    fromHeader: (text) => {
      const [, value, unit = 's'] = DURATION.exec(text.trim()) ?? []
      return value === undefined
        ? { value: text.trim(), unit: 'iso8601' }
        : { value: Number(value), unit: UNITS[unit] ?? 'second' }
    },
    fromMeta: (value) =>
      typeof value === 'string' ? { value, unit: 'iso8601' } : isRecord(value) ? value : undefined,
    expected: 'a time such as "2030-01-15T10:30:00Z" or { "value": 5, "unit": "second" }',
  },
  {
    urn: extensionUrn('idempotency'),
    summary: 'one outcome per key, however often the call is repeated',
    header: 'idempotency-key',
    meta: 'waymark/idempotency-key',
    client: 'idempotencyKey',
    flag: '--idempotency-key',
    offered: true,
    fromHeader: (text) => ({ key: text.replace(/^"(.*)"$/, '$1') }),
    fromMeta: (value) => (typeof value === 'string' ? { key: value } : undefined),
    expected: 'a string',
  },
  {
    urn: extensionUrn('dry-run'),
    summary: 'what the call would do, without doing it',
    header: 'waymark-dry-run',
    meta: 'waymark/dry-run',
    client: 'extensions',
    flag: '--dry-run',
    offered: false,
    fromHeader: (text) => ({ enabled: toBoolean('Waymark-Dry-Run', text) }),
    fromMeta: (value) =>
      typeof value === 'boolean' ? { enabled: value } : isRecord(value) ? value : undefined,
    expected: 'true or an object',
  },
  {
    urn: extensionUrn('simulation'),
    summary: 'the answer of a declared scenario, by its name',
    header: 'waymark-simulation',
    meta: 'waymark/simulation',
    client: 'extensions',
    flag: '--simulate',
    offered: false,
    fromHeader: (text) => ({ enabled: true, scenario: text.trim() }),
    fromMeta: (value) =>
      typeof value === 'string'
        ? { enabled: true, scenario: value }
        : isRecord(value)
          ? value
          : undefined,
    expected: 'the name of a scenario or an object',
  },
  {
    urn: extensionUrn('locale'),
    summary: 'language, time zone and currency of the answer',
    header: 'accept-language',
    meta: 'waymark/locale',
    client: 'extensions',
    flag: '--extension',
    offered: true,
    // `*` is what clients send when nobody chose a language.
    fromHeader: (text) => (text === '*' ? undefined : { accept_language: text }),
    fromMeta: (value) =>
      typeof value === 'string' ? { language: value } : isRecord(value) ? value : undefined,
    expected: 'a language tag or an object',
  },
  {
    urn: extensionUrn('tracing'),
    summary: 'the trace that the call belongs to',
    header: 'traceparent',
    meta: 'traceparent',
    client: 'within',
    flag: '--extension',
    offered: true,
    fromHeader: (traceparent, header) => ({ traceparent, tracestate: header('tracestate') }),
    fromMeta: (traceparent, { tracestate }) =>
      typeof traceparent === 'string' ? { traceparent, tracestate } : undefined,
    expected: 'a string',
  },
  {
    urn: extensionUrn('async'),
    summary: 'goes on in the background, and is answered at once',
    header: 'prefer',
    meta: 'waymark/background',
    client: 'extensions',
    flag: '--async',
    offered: true,
    fromHeader: (text) => (RESPOND_ASYNC.test(text) ? { preferred: true } : undefined),
    fromMeta: (value) => (typeof value === 'boolean' ? { preferred: value } : undefined),
    expected: 'true or false',
  },
  {
    urn: extensionUrn('caching'),
    summary: 'the answer only if it is another one than the caller has',
    header: 'if-none-match',
    meta: 'waymark/if-none-match',
    client: 'extensions',
    flag: '--extension',
    offered: true,
    fromHeader: (text) => ({ if_none_match: text }),
    fromMeta: (value) => (typeof value === 'string' ? { if_none_match: value } : undefined),
    expected: 'an entity tag',
  },
]

/** Where any extension can be asked for anything: a list of `{ urn, options }`. */
export const ENTRIES = { header: 'waymark-extensions', meta: 'waymark/extensions' } as const

/** Lists the options that mean something to one function. */
export function listCallOptions(service: Service, target: Target): readonly CallOption[] {
  return CALL_OPTIONS.filter(({ urn }) => service.supports(urn) && target.accepts(urn))
}

const NONE: readonly ExtensionEntry[] = []

/** Reads what the headers of a request ask of extensions. */
export function readHeaderOptions(header: Header): readonly ExtensionEntry[] {
  let entries: ExtensionEntry[] | undefined
  for (const option of CALL_OPTIONS) {
    const text = header(option.header)
    const options = text === undefined ? undefined : option.fromHeader(text, header)
    if (options === undefined) continue
    entries ??= []
    entries.push({
      urn: option.urn,
      options,
      pointer: '',
      ...(option.offered && { implicit: true }),
    })
  }
  const list = header(ENTRIES.header)
  if (list === undefined) return entries ?? NONE
  return [...(entries ?? NONE), ...readEntryList(parseList(list), () => wrongList(ENTRIES.header))]
}

/** Reads a list of entries; `refuse` makes the error for one that is none. */
export function readEntryList(
  value: unknown,
  refuse: () => Error,
  pointer = '',
): readonly ExtensionEntry[] {
  if (!Array.isArray(value)) throw refuse()
  return value.map((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['urn'] !== 'string') throw refuse()
    const options = isRecord(entry['options']) ? (entry['options'] as JsonObject) : {}
    return { urn: entry['urn'], options, pointer }
  })
}

function parseList(text: string): unknown {
  try {
    return fromJson(text)
  } catch {
    return undefined
  }
}

function wrongList(name: string): CallError {
  return new CallError('INVALID_REQUEST', {
    message: `${name} must be a JSON list such as [{"urn":"${extensionUrn('priority')}","options":{"level":"high"}}]`,
  })
}

function toBoolean(name: string, text: string): boolean {
  const value = text.trim().toLowerCase()
  if (value === 'true' || value === 'false') return value === 'true'
  throw new CallError('INVALID_REQUEST', { message: `${name} must be true or false` })
}
