import {
  addReplyHeader,
  type Extension,
  type ExtensionCall,
  invalidOption,
  type Next,
  type Outcome,
  type TraceFacts,
  withFacts,
} from '../../core/index.ts'
import {
  andThen,
  extensionUrn,
  isRecord,
  type JsonObject,
  type Maybe,
  toDuration,
} from '../../values/index.ts'
import {
  createApiLoader,
  formatTraceparent,
  isSpanId,
  isTraceId,
  type OpenTelemetryApi,
  parseTraceparent,
  parseTracestate,
  type RecordedSpan,
  randomTraceIds,
  type SpanIdentity,
  startSpan,
  type TraceIds,
} from './open-telemetry.ts'

/** How calls are traced. */
export interface TracingExtensionOptions {
  /** Also starts a trace for calls that bring none; off when absent. */
  readonly always?: boolean
  /** The API of OpenTelemetry; the installed `@opentelemetry/api` when absent, no spans when false. */
  readonly openTelemetry?: OpenTelemetryApi | false
  /** Where identifiers come from; random when absent. */
  readonly ids?: TraceIds
}

/** Creates the extension that follows a call through a chain of services. */
export function tracingExtension(options: TracingExtensionOptions = {}): Extension {
  const ids = options.ids ?? randomTraceIds
  const load = createApiLoader(options.openTelemetry)
  return {
    urn: extensionUrn('tracing'),
    version: '1.0.0',
    phase: 'observe',
    order: -50,
    joins: () => options.always === true,
    around(exchange, next) {
      const incoming = readTrace(exchange)
      return andThen(load(), (api) => {
        const span = api && tryStartSpan(api, exchange, incoming)
        return runTraced(exchange, toTrace(incoming, span, ids), span, next)
      })
    },
  }
}

/** What a request says about the trace it belongs to. */
interface IncomingTrace {
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  readonly sampled?: boolean
  readonly state?: string | undefined
  readonly baggage?: JsonObject | undefined
}

const NO_TRACE: IncomingTrace = {}
const IDENTIFIER = /^[\x21-\x7e]{1,128}$/

/** Headers that make no sense are as good as absent; options that make no sense are the caller's mistake. */
function readTrace(exchange: ExtensionCall): IncomingTrace {
  const { traceparent, tracestate } = exchange.options
  const parent = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  if (parent !== undefined) {
    const state = typeof tracestate === 'string' ? parseTracestate(tracestate) : undefined
    return { ...parent, state, baggage: readBaggage(exchange) }
  }
  const traceId = readIdentifier(exchange, 'trace_id')
  const spanId = readIdentifier(exchange, 'span_id')
  readIdentifier(exchange, 'parent_span_id')
  const baggage = readBaggage(exchange)
  return traceId === undefined && baggage === undefined ? NO_TRACE : { traceId, spanId, baggage }
}

function readIdentifier(exchange: ExtensionCall, name: string): string | undefined {
  const value = exchange.options[name]
  if (typeof value === 'string' && IDENTIFIER.test(value)) return value
  if (value === undefined || !exchange.declared) return undefined
  throw invalidOption(exchange, name, 'a text of 1 to 128 visible ASCII characters')
}

function readBaggage(exchange: ExtensionCall): JsonObject | undefined {
  const { baggage } = exchange.options
  if (baggage === undefined || isRecord(baggage)) return baggage
  throw invalidOption(exchange, 'baggage', 'an object')
}

/** Recording must never cost the caller the answer. */
function tryStartSpan(
  api: OpenTelemetryApi,
  { target, service }: ExtensionCall,
  { traceId = '', spanId = '', sampled = true, state, baggage }: IncomingTrace,
): RecordedSpan | undefined {
  const remote = isTraceId(traceId) && isSpanId(spanId) ? { traceId, spanId, sampled } : undefined
  try {
    return startSpan(api, target, { remote, state, baggage })
  } catch (error) {
    service.log.warn('a span could not be started', { function: target.name, error })
    return undefined
  }
}

/** The trace as this service goes on with it. */
interface OwnTrace {
  readonly facts: TraceFacts
  /** What `traceresponse` says; absent when the caller's trace id is not of the W3C form. */
  readonly identity: SpanIdentity | undefined
}

function toTrace(
  { traceId: given, spanId: parentSpanId, sampled, state, baggage }: IncomingTrace,
  span: RecordedSpan | undefined,
  ids: TraceIds,
): OwnTrace {
  const own: SpanIdentity = span?.identity ?? {
    traceId: given !== undefined && isTraceId(given) ? given : ids.traceId(),
    spanId: ids.spanId(),
    sampled: sampled ?? false,
  }
  const traceId = given ?? own.traceId
  return {
    facts: {
      traceId,
      spanId: own.spanId,
      sampled: own.sampled,
      ...(parentSpanId !== undefined && { parentSpanId }),
      ...(state !== undefined && { state }),
      ...(baggage !== undefined && { baggage }),
    },
    identity: span !== undefined || traceId === own.traceId ? own : undefined,
  }
}

function runTraced(
  { call, service, answer }: ExtensionCall,
  { facts, identity }: OwnTrace,
  span: RecordedSpan | undefined,
  next: Next,
): Maybe<Outcome> {
  const traced = withFacts(call, { trace: facts })
  const outcome = span === undefined ? next(traced) : span.run(() => next(traced))
  return andThen(outcome, (settled) => {
    const spent = service.clock.elapsed() - call.startedAt
    answer({ trace_id: facts.traceId, span_id: facts.spanId, duration: toDuration(spent) })
    if (identity) addReplyHeader(call.reply, 'traceresponse', formatTraceparent(identity))
    endSpan(span, settled, service.log)
    return settled
  })
}

function endSpan(
  span: RecordedSpan | undefined,
  outcome: Outcome,
  log: ExtensionCall['service']['log'],
): void {
  try {
    span?.end(outcome.ok ? undefined : outcome)
  } catch (error) {
    log.warn('a span could not be ended', { error })
  }
}
