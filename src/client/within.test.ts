import { afterEach, describe, expect, it, vi } from 'vitest'
import { type CallFacts, withFacts } from '../core/call.ts'
import type { Extension } from '../core/extension.ts'
import { defineFunction, type Invocation } from '../core/function.ts'
import {
  type CallOptions,
  createClient,
  createLocalTransport,
  findExtension,
} from '../entries/client.ts'
import { CallError } from '../errors/error.ts'
import { deadlineExtension } from '../extensions/deadline/deadline.ts'
import { tracingExtension } from '../extensions/tracing/tracing.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'
import { createService } from '../system/create-service.ts'
import type { JsonObject } from '../values/json.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const clock = { now: () => NOW, elapsed: () => 0 }
const log = { warn: () => {}, error: () => {} }

/** Brings the facts that deadline and tracing would find out, so that the test decides what they are. */
function knowing(facts: CallFacts): Extension {
  return {
    urn: 'urn:forrst:ext:example:facts',
    version: '1.0.0',
    joins: () => true,
    around: ({ call }, next) => next(withFacts(call, facts)),
  }
}

const inspect = defineFunction({
  name: 'stock.inspect',
  version: '1.0.0',
  handler: ({ call }) => ({
    context: call.context,
    extensions: call.extensions.map(({ urn, options }) => ({ urn, options })),
  }),
})

const refuse = defineFunction({
  name: 'stock.refuse',
  version: '1.0.0',
  handler: () => {
    throw new CallError('NOT_FOUND', { source: { pointer: '/call/arguments/sku' } })
  },
})

const wait = defineFunction({
  name: 'stock.wait',
  version: '1.0.0',
  handler: ({ signal }) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
})

const stock = createService({
  info: { title: 'Stock', version: '1.0.0' },
  functions: [inspect, refuse, wait],
  log,
})

/** Puts a service in front of the stock service, and calls it. */
async function callThrough(
  handler: (invocation: Invocation) => unknown,
  {
    facts = {},
    context,
    signal,
  }: { facts?: CallFacts; context?: JsonObject; signal?: AbortSignal } = {},
) {
  const orders = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [defineFunction({ name: 'orders.create', version: '1.0.0', handler })],
    extensions: [knowing(facts)],
    log,
  })
  const transport = createLocalTransport(createForrstHandler(orders))
  return createClient({ transport, name: 'shop' }).call('orders.create', {}, { context, signal })
}

const downstream = createClient<typeof stock>({
  transport: createLocalTransport(createForrstHandler(stock)),
  name: 'orders',
  target: 'stock',
  clock,
  createSpanId: () => '00000000000000cc',
})

const inspecting =
  (options: CallOptions<'1.0.0'> = {}) =>
  ({ call }: Invocation) =>
    downstream.callOrThrow('stock.inspect', {}, { within: call, ...options })

describe('a call within another', () => {
  it('[F-75] passes custom fields of the context on unchanged', async () => {
    const context = { tenant_id: 't_1', 'acme.flags': { beta: [true, null] }, caller: 'shop' }
    const outcome = await callThrough(inspecting(), { context })
    expect(outcome).toMatchObject({
      ok: true,
      result: { context: { tenant_id: 't_1', 'acme.flags': { beta: [true, null] } } },
    })
  })

  it('[F-76] replaces the caller by its own name', async () => {
    const outcome = await callThrough(inspecting())
    expect(outcome).toMatchObject({ ok: true, result: { context: { caller: 'orders' } } })
  })

  it('[F-76] passes no foreign caller on when it has no name of its own', async () => {
    const nameless = createClient<typeof stock>({
      transport: createLocalTransport(createForrstHandler(stock)),
    })
    const outcome = await callThrough(
      ({ call }) => nameless.callOrThrow('stock.inspect', {}, { within: call }),
      { context: { tenant_id: 't_1' } },
    )
    expect(outcome).toMatchObject({ ok: true, result: { context: { tenant_id: 't_1' } } })
    expect(outcome).not.toHaveProperty('result.context.caller')
  })

  it('adds fields of its own to the context', async () => {
    const options = { context: { region: 'eu', tenant_id: 't_2' } }
    const outcome = await callThrough(inspecting(options), { context: { tenant_id: 't_1', a: 1 } })
    expect(outcome).toMatchObject({
      ok: true,
      result: { context: { region: 'eu', tenant_id: 't_2', a: 1, caller: 'orders' } },
    })
  })

  it('sends what is left of the deadline', async () => {
    const outcome = await callThrough(inspecting(), { facts: { deadline: NOW + 1500 } })
    expect(outcome).toHaveProperty('result.extensions', [
      { urn: 'urn:forrst:ext:deadline', options: { value: 1500, unit: 'millisecond' } },
    ])
  })

  it.each([
    [1, 1000],
    [9, 1500],
  ])('sends the shorter of its own deadline (%i s) and the rest', async (value, expected) => {
    const options = { deadline: { value, unit: 'second' } as const }
    const supporting = createService({
      info: { title: 'Stock', version: '1.0.0' },
      functions: [inspect],
      extensions: [{ urn: 'urn:forrst:ext:deadline', version: '1.0.0' }],
      log,
    })
    const transport = createLocalTransport(createForrstHandler(supporting))
    const client = createClient<typeof supporting>({ transport, clock })
    const outcome = await callThrough(
      ({ call }) => client.callOrThrow('stock.inspect', {}, { within: call, ...options }),
      { facts: { deadline: NOW + 1500 } },
    )
    expect(outcome).toHaveProperty('result.extensions.0.options.value', expected)
  })

  it('sends nothing when the deadline has passed', async () => {
    let sent = 0
    const counting = createClient({
      transport: (request) => {
        sent += 1
        return createLocalTransport(createForrstHandler(stock))(request)
      },
      clock,
    })
    const outcome = await callThrough(
      ({ call }) => counting.callOrThrow('stock.inspect', {}, { within: call }),
      { facts: { deadline: NOW } },
    )
    expect(outcome).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } })
    expect(sent).toBe(0)
  })

  it('continues the trace with the span of the service as parent', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers: Record<string, string> = {}
    const spying = createClient<typeof stock>({
      transport: async (request) => {
        Object.assign(headers, request.headers)
        return createLocalTransport(createForrstHandler(stock))(request)
      },
      createSpanId: () => '00000000000000cc',
    })
    const trace = { traceId, spanId: '00f067aa0ba902b7', state: 'v=1', baggage: { user: 'u' } }
    const outcome = await callThrough(
      ({ call }) => spying.callOrThrow('stock.inspect', {}, { within: call }),
      { facts: { trace } },
    )
    expect(outcome).toHaveProperty('result.extensions.0', {
      urn: 'urn:forrst:ext:tracing',
      options: {
        trace_id: traceId,
        span_id: '00000000000000cc',
        parent_span_id: '00f067aa0ba902b7',
        baggage: { user: 'u' },
      },
    })
    expect(headers).toMatchObject({
      'x-forrst-trace-id': traceId,
      'x-forrst-span-id': '00000000000000cc',
      'x-forrst-parent-span-id': '00f067aa0ba902b7',
      traceparent: `00-${traceId}-00000000000000cc-01`,
      tracestate: 'v=1',
    })
  })

  it('carries trace and deadline through two services that know both extensions', async () => {
    const both = {
      extensions: [deadlineExtension(), tracingExtension({ openTelemetry: false })],
      log,
    }
    const show = defineFunction({
      name: 'stock.show',
      version: '1.0.0',
      handler: ({ call: { facts } }) => ({ ...facts.trace, deadline: facts.deadline }),
    })
    const last = createService({
      info: { title: 'Stock', version: '1.0.0' },
      functions: [show],
      ...both,
    })
    const toLast = createClient<typeof last>({
      transport: createLocalTransport(createForrstHandler(last)),
      createSpanId: () => '00000000000000cc',
    })
    const first = createService({
      info: { title: 'Orders', version: '1.0.0' },
      functions: [
        defineFunction({
          name: 'orders.show',
          version: '1.0.0',
          handler: async ({ call }) => ({
            here: { ...call.facts.trace, deadline: call.facts.deadline },
            there: await toLast.callOrThrow('stock.show', {}, { within: call }),
          }),
        }),
      ],
      ...both,
    })
    const client = createClient({ transport: createLocalTransport(createForrstHandler(first)) })
    const tracing = {
      urn: 'urn:forrst:ext:tracing',
      options: { trace_id: 'tr_1', span_id: 'sp_1' },
    }
    const outcome = await client.call(
      'orders.show',
      {},
      { deadline: { value: 1, unit: 'minute' }, extensions: [tracing] },
    )
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        here: { traceId: 'tr_1', parentSpanId: 'sp_1' },
        there: { traceId: 'tr_1', parentSpanId: '00000000000000cc' },
      },
    })
    const { here, there } = (outcome as { result: Record<string, { deadline: number }> }).result
    // Both ends are the same moment, give or take what rounding to whole milliseconds and clocks add.
    expect(Math.abs((here?.deadline ?? 0) - (there?.deadline ?? 1e9))).toBeLessThan(60_000)
    expect(findExtension(outcome, 'urn:cline:forrst:ext:tracing')?.data).toMatchObject({
      trace_id: 'tr_1',
    })
  })

  it('ends when the call it is part of ends', async () => {
    const controller = new AbortController()
    let seen: unknown
    const handler = async ({ call }: Invocation) => {
      setTimeout(() => controller.abort(), 5)
      seen = await downstream.call('stock.wait', {}, { within: call })
      return seen
    }
    await callThrough(handler, { signal: controller.signal })
    await vi.waitFor(() => expect(seen).toMatchObject({ ok: false, error: { code: 'CANCELLED' } }))
  })

  it('throws DEPENDENCY_ERROR, so that the pointers of one request do not end in the answer to another', async () => {
    const outcome = await callThrough(({ call }) =>
      downstream.callOrThrow('stock.refuse', {}, { within: call }),
    )
    expect(outcome).toMatchObject({
      ok: false,
      errors: [
        {
          code: 'DEPENDENCY_ERROR',
          details: { dependency: 'stock', dependency_error: 'NOT_FOUND' },
        },
      ],
    })
    expect(outcome).not.toHaveProperty('error.source')
  })

  it('gives the failure itself as a value', async () => {
    const outcome = await callThrough(async ({ call }) => {
      const inner = await downstream.call('stock.refuse', {}, { within: call })
      return inner.ok ? null : inner.error.code
    })
    expect(outcome).toMatchObject({ ok: true, result: 'NOT_FOUND' })
  })
})

describe('the time a client waits', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const deadline = { value: 5, unit: 'second' } as const

  it('[F-59] exceeds the deadline by a second', async () => {
    vi.useFakeTimers()
    let settled: unknown
    const client = createClient({ transport: () => new Promise(() => {}), clock })
    client.call('stock.inspect', {}, { deadline }).then((outcome) => {
      settled = outcome
    })
    await vi.advanceTimersByTimeAsync(5999)
    expect(settled).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toMatchObject({ ok: false, error: { code: 'CLIENT_TIMEOUT' } })
  })

  it('[F-59] leaves the service time to say DEADLINE_EXCEEDED itself', async () => {
    vi.useFakeTimers()
    const late = defineFunction({
      name: 'stock.late',
      version: '1.0.0',
      handler: () =>
        new Promise((_, reject) => {
          setTimeout(() => reject(new CallError('DEADLINE_EXCEEDED')), 5050)
        }),
    })
    const service = createService({
      info: { title: 'Stock', version: '1.0.0' },
      functions: [late],
      extensions: [{ urn: 'urn:forrst:ext:deadline', version: '1.0.0' }],
      log,
    })
    const transport = createLocalTransport(createForrstHandler(service))
    const pending = createClient({ transport }).call('stock.late', {}, { deadline })
    await vi.advanceTimersByTimeAsync(5100)
    expect(await pending).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } })
  })

  it('is 30 seconds without a deadline', async () => {
    vi.useFakeTimers()
    const client = createClient({ transport: () => new Promise(() => {}), retry: false })
    const pending = client.call('stock.inspect')
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await pending).toMatchObject({ ok: false, error: { code: 'CLIENT_TIMEOUT' } })
  })

  it('does not overflow when the deadline is a year away', async () => {
    const local = createLocalTransport(createForrstHandler(stock))
    const client = createClient({
      transport: async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return local(request)
      },
    })
    const deadline = { value: 365, unit: 'day' } as const
    expect(await client.call('stock.inspect', {}, { deadline })).toMatchObject({ ok: true })
  })
})
