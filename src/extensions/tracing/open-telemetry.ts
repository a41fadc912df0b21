import type { Failure, Target } from '../../core/index.ts'
import { resolveCode } from '../../errors/index.ts'
import type { JsonObject, Maybe } from '../../values/index.ts'

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

/** The members of `@opentelemetry/api` that are called here. */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: SpanStart, context: OpenTelemetryContext): OpenTelemetrySpan
    }
    setSpan(context: OpenTelemetryContext, span: OpenTelemetrySpan): OpenTelemetryContext
    setSpanContext(context: OpenTelemetryContext, identity: RemoteSpan): OpenTelemetryContext
    getSpanContext(context: OpenTelemetryContext): SpanContext | undefined
  }
  readonly context: {
    active(): OpenTelemetryContext
    with<Result>(context: OpenTelemetryContext, run: () => Result): Result
  }
  readonly propagation: {
    createBaggage(entries: Record<string, { readonly value: string }>): object
    setBaggage(context: OpenTelemetryContext, baggage: object): OpenTelemetryContext
  }
  readonly createTraceState: (text: string) => TraceState
}

/** What OpenTelemetry carries from a span to what it causes; opaque here. */
export interface OpenTelemetryContext {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): OpenTelemetryContext
  deleteValue(key: symbol): OpenTelemetryContext
}

/** What an OpenTelemetry span starts with. */
export interface SpanStart {
  readonly kind: number
  readonly attributes: Record<string, string>
}

/** The members of a span that are called here. */
export interface OpenTelemetrySpan {
  spanContext(): SpanContext
  setAttribute(name: string, value: string): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(): void
}

/** What identifies an OpenTelemetry span. */
export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

/** What identifies a span of another process. */
export interface RemoteSpan extends SpanContext {
  readonly isRemote: true
  readonly traceState?: TraceState
}

/** What vendors add to a trace, as OpenTelemetry keeps it. */
export interface TraceState {
  set(key: string, value: string): TraceState
  unset(key: string): TraceState
  get(key: string): string | undefined
  serialize(): string
}

/** What a span of ours grows from. */
export interface SpanParent {
  readonly remote: SpanIdentity | undefined
  readonly state: string | undefined
  readonly baggage: JsonObject | undefined
}

/** A span that is recorded while a call runs. */
export interface RecordedSpan {
  readonly identity: SpanIdentity
  /** Runs something with the span active, so that what it starts becomes a child. */
  readonly run: <Result>(work: () => Result) => Result
  readonly end: (failure: Failure | undefined) => void
}

const SERVER_KIND = 1
const ERROR_STATUS = 2
const OPEN_TELEMETRY_SAMPLED = 1

/** Creates a getter for the API: what was handed in, or the installed package, looked for at the first call. */
export function createApiLoader(
  given: OpenTelemetryApi | false | undefined,
): () => Maybe<OpenTelemetryApi | undefined> {
  let api: Maybe<OpenTelemetryApi | undefined> = given === false ? undefined : given
  let asked = given !== undefined
  return () => {
    if (asked) return api
    asked = true
    api = loadApi().then((loaded) => {
      api = loaded
      return loaded
    })
    return api
  }
}

async function loadApi(): Promise<OpenTelemetryApi | undefined> {
  try {
    return await import('@opentelemetry/api')
  } catch {
    return undefined
  }
}

/** Starts a span for a call; undefined when no provider is there to record it. */
export function startSpan(
  api: OpenTelemetryApi,
  target: Target,
  parent: SpanParent,
): RecordedSpan | undefined {
  const base = toParentContext(api, parent)
  const span = api.trace.getTracer('waymark').startSpan(
    target.name,
    {
      kind: SERVER_KIND,
      attributes: {
        'rpc.system.name': 'forrst',
        'rpc.method': target.name,
        'forrst.function.version': target.version,
      },
    },
    base,
  )
  const { traceId, spanId, traceFlags } = span.spanContext()
  // Without a provider the API hands the parent back, or a span made of zeroes.
  const fresh = spanId !== api.trace.getSpanContext(base)?.spanId
  if (!fresh || !isTraceId(traceId) || !isSpanId(spanId)) return undefined
  const context = api.trace.setSpan(base, span)
  return {
    identity: {
      traceId,
      spanId,
      sampled: (traceFlags & OPEN_TELEMETRY_SAMPLED) === OPEN_TELEMETRY_SAMPLED,
    },
    run: (work) => api.context.with(context, work),
    end(failure) {
      if (failure !== undefined) recordFailure(span, failure)
      span.end()
    },
  }
}

/** A span the host already opened for this request lies between the caller's span and ours. */
function toParentContext(
  api: OpenTelemetryApi,
  { remote, state, baggage }: SpanParent,
): OpenTelemetryContext {
  const active = api.context.active()
  const context =
    remote === undefined || api.trace.getSpanContext(active)?.traceId === remote.traceId
      ? active
      : api.trace.setSpanContext(active, {
          traceId: remote.traceId,
          spanId: remote.spanId,
          traceFlags: remote.sampled ? OPEN_TELEMETRY_SAMPLED : 0,
          isRemote: true,
          ...(state !== undefined && { traceState: api.createTraceState(state) }),
        })
  const entries = Object.entries(baggage ?? {}).filter(([, value]) => typeof value === 'string')
  if (entries.length === 0) return context
  const pairs = entries.map(([name, value]) => [name, { value: value as string }] as const)
  return api.propagation.setBaggage(
    context,
    api.propagation.createBaggage(Object.fromEntries(pairs)),
  )
}

/** What the caller did wrong is not an error of this service: only its own failures colour the span. */
function recordFailure(span: OpenTelemetrySpan, { errors, status }: Failure): void {
  const [{ code, message }] = errors
  span.setAttribute('rpc.response.status_code', code)
  if ((status ?? resolveCode(code).status) < 500 && code !== 'DEADLINE_EXCEEDED') return
  span.setAttribute('error.type', code)
  span.setStatus({ code: ERROR_STATUS, message })
}
