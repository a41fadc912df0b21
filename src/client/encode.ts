import {
  canonicalUrn,
  extensionUrn,
  findNoJson,
  formatPointer,
  isRecord,
  type JsonObject,
  type NoJson,
  toDuration,
  toText,
  writeMarked,
} from '../values/index.ts'
import { PROTOCOL, type RequestDocument, type RequestExtension } from '../wire/index.ts'
import { clientError } from './errors.ts'
import type { CallOptions } from './retry.ts'
import type { TransportRequest } from './transport.ts'

/** What a caller asks for, the same in every attempt. */
export interface OutgoingCall {
  readonly function: string
  readonly arguments: unknown
  readonly options: CallOptions
}

/** What is new in every attempt. */
export interface AttemptFacts {
  readonly id: string
  /** Asked only when the call is part of a trace. */
  readonly createSpanId: () => string
  /** Milliseconds until the deadline, or undefined when there is none. */
  readonly remainingMs: number | undefined
  /** Name of the calling service. */
  readonly caller: string | undefined
}

const DEADLINE = extensionUrn('deadline')
const IDEMPOTENCY = extensionUrn('idempotency')
const TRACING = extensionUrn('tracing')

/** Encodes one attempt of a call. */
export function encodeRequest(
  call: OutgoingCall,
  facts: AttemptFacts,
): Omit<TransportRequest, 'signal'> {
  const { options } = call
  if (facts.id === '') throw invalid('createId answered an empty id')
  if (call.arguments !== undefined && !isRecord(call.arguments)) {
    throw invalid('Arguments must be an object of named arguments')
  }
  assertJson(call)
  const context = encodeContext(options, facts.caller)
  const extensions = encodeExtensions(options, facts)
  const document: RequestDocument = {
    protocol: PROTOCOL,
    id: facts.id,
    call: {
      function: call.function,
      ...(options.version !== undefined && { version: options.version }),
      ...(call.arguments !== undefined && { arguments: call.arguments as JsonObject }),
    },
    ...(context && { context }),
    ...(extensions.length > 0 && { extensions }),
  }
  return { body: stringify(document), headers: encodeHeaders(extensions, options) }
}

/** Tells whether repeating a call cannot do anything twice. */
export function isRepeatable(options: CallOptions): boolean {
  return (
    options.readOnly === true ||
    options.idempotencyKey !== undefined ||
    options.extensions?.some(({ urn }) => canonicalUrn(urn) === IDEMPOTENCY) === true
  )
}

function stringify(document: RequestDocument): string {
  try {
    return writeMarked(JSON.stringify(document))
  } catch (cause) {
    throw invalid(`The arguments are not JSON: ${(cause as Error).message}`, cause)
  }
}

/** Refuses what would leave as something else: a Map as `{}`, NaN as null. */
function assertJson({ arguments: given, options }: OutgoingCall): void {
  const { context, extensions } = options
  const parts = { arguments: given, context, extensions }
  for (const [part, value] of Object.entries(parts)) {
    if (value === undefined) continue
    const noJson = findNoJson(value) ?? findUnsafeInteger(value, [])
    if (noJson === undefined) continue
    const place = [part, ...noJson.pointer.split('/').slice(1)].join('.')
    const prefix = part === 'arguments' ? '/call/arguments' : `/${part}`
    throw clientError('CLIENT_INVALID_REQUEST', {
      message: `${place} is what JSON cannot hold: ${noJson.found}`,
      source: { pointer: `${prefix}${noJson.pointer}` },
    })
  }
}

/** Finds an integer that may be another one than was meant; what is written with an exponent is nobody's id. */
function findUnsafeInteger(value: unknown, path: readonly string[]): NoJson | undefined {
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21) {
      return undefined
    }
    const found = `the integer ${value} exactly, because numbers lose digits beyond ±9007199254740991; give its digits as a string`
    return { pointer: formatPointer(path), found }
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = findUnsafeInteger(member, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

function encodeContext(
  { context, within }: CallOptions,
  caller: string | undefined,
): JsonObject | undefined {
  const { caller: _upstream, ...passedOn } = within?.context ?? {}
  const merged = { ...passedOn, ...context, ...(caller !== undefined && { caller }) }
  return Object.keys(merged).length === 0 ? undefined : merged
}

function encodeExtensions(options: CallOptions, facts: AttemptFacts): readonly RequestExtension[] {
  const own = options.extensions ?? []
  const taken = new Set(own.map(({ urn }) => canonicalUrn(urn)))
  const implied = [
    ...encodeDeadline(options, facts),
    ...encodeIdempotency(options),
    ...encodeTrace(options, facts),
  ]
  return [...own, ...implied.filter(({ urn }) => !taken.has(urn))]
}

// What is only passed on must not fail a call to a service that does not know the extension.
function encodeDeadline(options: CallOptions, facts: AttemptFacts): readonly RequestExtension[] {
  if (facts.remainingMs === undefined) return []
  const entry = { urn: DEADLINE, options: toDuration(facts.remainingMs) }
  return [options.deadline === undefined ? { ...entry, required: false } : entry]
}

function encodeIdempotency({ idempotencyKey: key }: CallOptions): readonly RequestExtension[] {
  return key === undefined ? [] : [{ urn: IDEMPOTENCY, options: { key } }]
}

function encodeTrace({ within }: CallOptions, facts: AttemptFacts): readonly RequestExtension[] {
  const trace = within?.facts.trace
  if (trace === undefined) return []
  const options = {
    trace_id: trace.traceId,
    span_id: facts.createSpanId(),
    parent_span_id: trace.spanId,
    ...(trace.baggage && { baggage: trace.baggage }),
  }
  return [{ urn: TRACING, options, required: false }]
}

const HEADER_SAFE = /^[\x20-\x7e]+$/
// Ids of other make than W3C's travel in the extension entry alone.
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/

function encodeHeaders(
  extensions: readonly RequestExtension[],
  { within }: CallOptions,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
  }
  const trace = extensions.find(({ urn }) => canonicalUrn(urn) === TRACING)?.options
  if (trace === undefined) return headers
  const set = (name: string, value: unknown) => {
    if (typeof value === 'string' && HEADER_SAFE.test(value)) headers[name] = value
  }
  set('x-forrst-trace-id', trace['trace_id'])
  set('x-forrst-span-id', trace['span_id'])
  set('x-forrst-parent-span-id', trace['parent_span_id'])
  const upstream = within?.facts.trace
  const flags = upstream?.sampled === false ? '00' : '01'
  const parent = `00-${toText(trace['trace_id'])}-${toText(trace['span_id'])}-${flags}`
  if (TRACEPARENT.test(parent)) {
    set('traceparent', parent)
    set('tracestate', upstream?.state)
  }
  return headers
}

function invalid(message: string, cause?: unknown): Error {
  return clientError('CLIENT_INVALID_REQUEST', { message, cause })
}
