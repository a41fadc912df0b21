import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  call,
  createTestClock,
  createTestLog,
  dataOf,
  type TestRequestOptions,
} from '../../../test/support/forrst.ts'
import type { CallFacts } from '../../core/call.ts'
import { defineFunction, type Invocation } from '../../core/function.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import type { OpenTelemetryApi } from './open-telemetry.ts'
import { type TracingExtensionOptions, tracingExtension } from './tracing.ts'

const URN = 'urn:forrst:ext:tracing'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

function setUp(
  options: TracingExtensionOptions = { openTelemetry: false },
  handler: (invocation: Invocation) => unknown = () => ({}),
) {
  const clock = createTestClock()
  const log = createTestLog()
  const facts: CallFacts[] = []
  let spans = 0
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'orders.create',
        version: '1.0.0',
        handler(invocation) {
          facts.push(invocation.call.facts)
          clock.advance(45)
          return handler(invocation as Invocation) as Record<string, unknown>
        },
      }),
    ],
    extensions: [
      tracingExtension({
        ids: {
          traceId: () => 'a'.repeat(32),
          spanId: () => (++spans).toString(16).padStart(16, '0'),
        },
        ...options,
      }),
    ],
    clock,
    log,
  })
  const ask = (trace?: Record<string, unknown>, request?: TestRequestOptions) =>
    call(
      service,
      {
        function: 'orders.create',
        context: { caller: 'test' },
        ...(trace && { extensions: [{ urn: URN, options: trace }] }),
      },
      request,
    )
  return { ask, facts, log }
}

describe('tracing extension', () => {
  it('[F-236] echoes the trace id and answers a span id of its own and the duration', async () => {
    const { ask } = setUp()
    const response = await ask({ trace_id: 'tr_abc123', span_id: 'span_client_001' })
    expect(dataOf(response, URN)).toEqual({
      trace_id: 'tr_abc123',
      span_id: '0000000000000001',
      duration: { value: 45, unit: 'millisecond' },
    })
  })

  it('[F-236] answers the same about a call that failed', async () => {
    const { ask } = setUp(undefined, () => {
      throw new CallError('NOT_FOUND')
    })
    const response = await ask({ trace_id: 'tr_abc123', span_id: 's' })
    expect(response.status).toBe(404)
    expect(dataOf(response, URN)).toMatchObject({
      trace_id: 'tr_abc123',
      duration: { value: 45, unit: 'millisecond' },
    })
  })

  it('gives handlers what calls they make have to pass on', async () => {
    const { ask, facts } = setUp()
    await ask({ trace_id: 'tr_1', span_id: 'span_1', baggage: { tier: 'premium' } })
    expect(facts[0]?.trace).toEqual({
      traceId: 'tr_1',
      spanId: '0000000000000001',
      parentSpanId: 'span_1',
      sampled: false,
      baggage: { tier: 'premium' },
    })
  })

  it('makes a trace id when the caller sent only the entry', async () => {
    const response = await setUp().ask({})
    expect(dataOf(response, URN)).toMatchObject({ trace_id: 'a'.repeat(32) })
  })

  it('[F-89] adds tracing data to calls without extensions when told to, and only then', async () => {
    expect((await setUp().ask()).body.extensions).toBeUndefined()
    const response = await setUp({ openTelemetry: false, always: true }).ask()
    expect(dataOf(response, URN)).toEqual({
      trace_id: 'a'.repeat(32),
      span_id: '0000000000000001',
      duration: { value: 45, unit: 'millisecond' },
    })
  })

  it('continues the trace of a traceparent header and answers traceresponse', async () => {
    const { ask, facts } = setUp()
    const response = await ask(undefined, {
      headers: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'congo=t61 , rojo=1' },
    })
    expect(dataOf(response, URN)).toMatchObject({ trace_id: TRACE, span_id: '0000000000000001' })
    expect(response.headers['traceresponse']).toBe(`00-${TRACE}-0000000000000001-01`)
    expect(facts[0]?.trace).toEqual({
      traceId: TRACE,
      spanId: '0000000000000001',
      parentSpanId: PARENT,
      sampled: true,
      state: 'congo=t61,rojo=1',
    })
  })

  it('starts a new trace when the traceparent header is broken, and drops its tracestate', async () => {
    const { ask, facts } = setUp()
    const response = await ask(undefined, {
      headers: { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01`, tracestate: 'congo=1' },
    })
    expect(response.status).toBe(200)
    expect(response.headers['traceresponse']).toBe(`00-${'a'.repeat(32)}-0000000000000001-00`)
    expect(facts[0]?.trace).not.toHaveProperty('state')
  })

  it('reads the headers of the protocol', async () => {
    const { ask, facts } = setUp()
    const response = await ask(undefined, {
      headers: { 'x-forrst-trace-id': 'tr_9', 'x-forrst-span-id': 'sp_9' },
    })
    expect(dataOf(response, URN)).toMatchObject({ trace_id: 'tr_9' })
    expect(facts[0]?.trace).toMatchObject({ traceId: 'tr_9', parentSpanId: 'sp_9' })
  })

  it('passes over a header that is not an identifier', async () => {
    const response = await setUp().ask(undefined, {
      headers: { 'x-forrst-trace-id': 'line\u00e9' },
    })
    expect(response.status).toBe(200)
    expect(dataOf(response, URN)).toMatchObject({ trace_id: 'a'.repeat(32) })
  })

  it('[F-56] believes the body when header and body differ', async () => {
    const response = await setUp().ask(
      { trace_id: 'from_body', span_id: 's' },
      { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } },
    )
    expect(dataOf(response, URN)).toMatchObject({ trace_id: 'from_body' })
    expect(response.headers).not.toHaveProperty('traceresponse')
  })

  it.each([
    [{ trace_id: 7 }, 'trace_id'],
    [{ trace_id: '' }, 'trace_id'],
    [{ trace_id: 'a\r\nSet-Cookie: b' }, 'trace_id'],
    [{ trace_id: 'x'.repeat(129) }, 'trace_id'],
    [{ trace_id: 't', span_id: {} }, 'span_id'],
    [{ trace_id: 't', parent_span_id: [] }, 'parent_span_id'],
    [{ trace_id: 't', span_id: 's', baggage: 'heavy' }, 'baggage'],
  ])('refuses the options %j', async (options, name) => {
    const response = await setUp().ask(options)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options/${name}` },
    })
  })
})

describe('tracing extension with OpenTelemetry', () => {
  const exporter = new InMemorySpanExporter()

  beforeEach(() => {
    exporter.reset()
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    )
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  })

  afterEach(() => {
    trace.disable()
    context.disable()
  })

  it('records a server span by the conventions for remote procedure calls', async () => {
    const response = await setUp({}).ask(undefined, {
      headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
    })
    const [span] = exporter.getFinishedSpans()
    expect(span).toMatchObject({
      name: 'orders.create',
      kind: SpanKind.SERVER,
      attributes: {
        'rpc.system.name': 'forrst',
        'rpc.method': 'orders.create',
        'forrst.function.version': '1.0.0',
      },
      parentSpanContext: { traceId: TRACE, spanId: PARENT, isRemote: true },
      status: { code: SpanStatusCode.UNSET },
    })
    const identity = span?.spanContext()
    expect(identity?.traceId).toBe(TRACE)
    expect(dataOf(response, URN)).toMatchObject({ trace_id: TRACE, span_id: identity?.spanId })
    expect(response.headers['traceresponse']).toBe(`00-${TRACE}-${identity?.spanId}-01`)
  })

  it('keeps the span active while the handler runs, also after it waited', async () => {
    const active: (string | undefined)[] = []
    const { ask } = setUp({}, async () => {
      active.push(trace.getActiveSpan()?.spanContext().spanId)
      await new Promise((resolve) => setImmediate(resolve))
      trace.getTracer('test').startSpan('query').end()
      return {}
    })
    const response = await ask({ trace_id: TRACE, span_id: PARENT })
    const [child, server] = exporter.getFinishedSpans()
    expect(active).toEqual([server?.spanContext().spanId])
    expect(child?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId)
    expect(dataOf(response, URN)?.['span_id']).toBe(server?.spanContext().spanId)
  })

  it('hangs its span under the one the host already opened for the request', async () => {
    const { ask } = setUp({})
    const host = trace.getTracer('http').startSpan('POST /forrst')
    const { traceId, spanId } = host.spanContext()
    await context.with(trace.setSpan(context.active(), host), () =>
      ask(undefined, { headers: { traceparent: `00-${traceId}-${PARENT}-01` } }),
    )
    expect(exporter.getFinishedSpans()[0]?.parentSpanContext?.spanId).toBe(spanId)
  })

  it('records its own failures as errors and the mistakes of callers as status codes', async () => {
    const failing = (code: string) =>
      setUp({}, () => {
        throw new CallError(code)
      }).ask({ trace_id: TRACE, span_id: PARENT })
    await failing('UNAVAILABLE')
    await failing('DEADLINE_EXCEEDED')
    await failing('NOT_FOUND')
    const seen = exporter.getFinishedSpans().map(({ attributes, status }) => ({
      code: attributes['rpc.response.status_code'],
      type: attributes['error.type'],
      status: status.code,
    }))
    expect(seen).toEqual([
      { code: 'UNAVAILABLE', type: 'UNAVAILABLE', status: SpanStatusCode.ERROR },
      { code: 'DEADLINE_EXCEEDED', type: 'DEADLINE_EXCEEDED', status: SpanStatusCode.ERROR },
      { code: 'NOT_FOUND', type: undefined, status: SpanStatusCode.UNSET },
    ])
  })

  it('echoes a trace id that is not of the W3C form and records under one that is', async () => {
    const response = await setUp({}).ask({ trace_id: 'tr_1', span_id: 'sp_1' })
    const identity = exporter.getFinishedSpans()[0]?.spanContext()
    expect(dataOf(response, URN)).toMatchObject({ trace_id: 'tr_1', span_id: identity?.spanId })
    expect(response.headers['traceresponse']).toContain(identity?.traceId)
  })

  it('makes identifiers of its own when no provider is there', async () => {
    trace.disable()
    const response = await setUp({}).ask(undefined, {
      headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
    })
    expect(dataOf(response, URN)).toMatchObject({ trace_id: TRACE, span_id: '0000000000000001' })
  })

  it('answers although recording fails', async () => {
    const broken = {
      trace: {
        getTracer() {
          throw new Error('no tracer today')
        },
      },
      context: { active: () => ({}) },
    } as unknown as OpenTelemetryApi
    const { ask, log } = setUp({ openTelemetry: broken })
    const response = await ask({ trace_id: 'tr_1', span_id: 'sp_1' })
    expect(response.status).toBe(200)
    expect(dataOf(response, URN)).toMatchObject({ trace_id: 'tr_1' })
    expect(log.lines).toMatchObject([{ message: 'a span could not be started' }])
  })
})
