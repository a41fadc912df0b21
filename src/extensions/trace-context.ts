/** The identity of a span as W3C Trace Context writes it. */
export interface SpanIdentity {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/
const SAMPLED = 1

/** Tells whether a text is a W3C trace id. */
export function isTraceId(text: string): boolean {
  return TRACE_ID.test(text)
}

/** Tells whether a text is a W3C span id. */
export function isSpanId(text: string): boolean {
  return SPAN_ID.test(text)
}

/** Reads a `traceparent` header; undefined when W3C Trace Context tells to ignore it. */
export function parseTraceparent(text: string): SpanIdentity | undefined {
  const match = TRACEPARENT.exec(trimSpace(text))
  if (match === null) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match
  // Only a version nobody knows yet may have more to say.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (!isTraceId(traceId) || !isSpanId(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** Writes the identity of a span as `traceparent` and `traceresponse` carry it. */
export function formatTraceparent({ traceId, spanId, sampled }: SpanIdentity): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

const MAX_STATE_LENGTH = 8192
const MAX_MEMBERS = 32
const MEMBER =
  /^([a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=([\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e])$/

/** Reads a `tracestate` header and writes it without spaces; undefined when it is empty or breaks a rule. */
export function parseTracestate(text: string): string | undefined {
  if (text.length > MAX_STATE_LENGTH) return undefined
  const members = text.split(',').map(trimSpace).filter(Boolean)
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined
  const keys = new Set<string>()
  for (const member of members) {
    const key = MEMBER.exec(member)?.[1]
    if (key === undefined || keys.has(key)) return undefined
    keys.add(key)
  }
  return members.join(',')
}

/** Where identifiers of traces and spans come from; tests hand in their own. */
export interface TraceIds {
  readonly traceId: () => string
  readonly spanId: () => string
}

/** Makes random identifiers as W3C Trace Context wants them. */
export const randomTraceIds: TraceIds = {
  traceId: () => randomHex(16),
  spanId: () => randomHex(8),
}

function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  // All zeroes is the one forbidden value.
  if (values.every((value) => value === 0)) values[0] = 1
  return Buffer.from(values).toString('hex')
}

function trimSpace(text: string): string {
  return text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
}
