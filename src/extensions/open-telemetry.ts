import type { Failure } from '../core/call.ts'
import { resolveCode } from '../core/codes.ts'
import type { JsonObject } from '../core/json.ts'
import type { Maybe } from '../core/maybe.ts'
import type { Target } from '../core/target.ts'
import { isSpanId, isTraceId, type SpanIdentity } from './trace-context.ts'

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
interface OpenTelemetryContext {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): OpenTelemetryContext
  deleteValue(key: symbol): OpenTelemetryContext
}

interface SpanStart {
  readonly kind: number
  readonly attributes: Record<string, string>
}

/** The members of a span that are called here. */
interface OpenTelemetrySpan {
  spanContext(): SpanContext
  setAttribute(name: string, value: string): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(): void
}

interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

interface RemoteSpan extends SpanContext {
  readonly isRemote: true
  readonly traceState?: TraceState
}

interface TraceState {
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
const SAMPLED = 1

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
    identity: { traceId, spanId, sampled: (traceFlags & SAMPLED) === SAMPLED },
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
          traceFlags: remote.sampled ? SAMPLED : 0,
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
