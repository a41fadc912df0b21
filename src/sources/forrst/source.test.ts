import { describe, expect, it } from 'vitest'
import { createEventsService } from '../../../examples/events/main.ts'
import { front, start } from '../../../test/support/front.ts'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import type { Call } from '../../core/call.ts'
import { defineFunction, type FunctionDefinition } from '../../core/function.ts'
import { toToolName } from '../../core/tool-name.ts'
import { buildDocument } from '../../discovery/document.ts'
import { createClient } from '../../entries/client.ts'
import { CallError } from '../../errors/error.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'
import { createService } from '../../system/create-service.ts'
import { connectForrstSource } from './source.ts'

/** A service that keeps the calls it got. */
function witness(extra: readonly FunctionDefinition[] = []) {
  const seen: Call[] = []
  const probe = defineFunction({
    name: 'probe.run',
    version: '1.0.0',
    sideEffects: ['create'],
    input: { type: 'object', properties: { mode: { type: 'string' } } },
    errors: [{ code: 'PROBE_SOLD_OUT', message: 'Sold out', status: 410 }],
    handler: async ({ call, input, fail, signal }) => {
      seen.push(call)
      if (input['mode'] === 'sold-out') throw fail('PROBE_SOLD_OUT', { details: { left: 0 } })
      if (input['mode'] === 'bug') throw new Error('secret path /etc/far')
      if (input['mode'] === 'hang') {
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        )
      }
      return { language: call.facts.locale?.language ?? null }
    },
  })
  return {
    seen,
    service: createService({
      info: { title: 'Far', version: '1.0.0' },
      functions: [probe, ...extra],
      store: createMemoryStore(),
      log: createTestLogger(),
    }),
  }
}

const EVENT = 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3'

describe('a remote service on every surface', () => {
  it('describes the same functions as the service itself', async () => {
    const events = createEventsService({ database: ':memory:' })
    const { service } = await front(await start(events))
    const before = buildDocument(events)
    const after = buildDocument(service)
    const facts = (document: typeof before) =>
      document.functions.map(({ name, version, stability, summary, sideEffects, query }) => ({
        name,
        version,
        stability,
        summary,
        sideEffects,
        query,
      }))
    expect(facts(after)).toEqual(facts(before))
    expect(Object.keys(after.components?.schemas ?? {})).toContain('EventResource')
    const get = after.functions.find(({ name }) => name === 'events.get')
    expect(get?.errors).toEqual([
      expect.objectContaining({ code: 'NOT_FOUND' }),
      expect.objectContaining({ code: 'UNAUTHORIZED' }),
    ])
    expect(get?.links).toEqual([expect.objectContaining({ function: 'venues.get' })])
    expect(get?.examples).toHaveLength(1)
    expect(get?.extensions).toEqual([{ urn: 'urn:forrst:ext:caching', ttl: 60 }])
  })

  it('calls through over Forrst, REST, MCP and the tool API', async () => {
    const { near, client } = await front(await start(createEventsService({ database: ':memory:' })))
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`${near.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(body),
      })
      return response.text()
    }
    const outcome = await client.call('events.get', { id: EVENT })
    expect(outcome).toMatchObject({ ok: true, result: { id: EVENT } })
    expect(await post('/api/events.get', { id: EVENT })).toContain('Tech Conference 2024')
    expect(
      await post('/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: toToolName('events.get'), arguments: { id: EVENT } },
      }),
    ).toContain('Tech Conference 2024')
    expect(await post('/explorer/tools/events.get/call', { id: EVENT })).toContain(
      'Tech Conference 2024',
    )
  })

  it('plays simulations and rehearses dry runs of the remote service', async () => {
    const { client } = await front(await start(createEventsService({ database: ':memory:' })))
    const input = { name: 'X', starts_at: '2027-01-01T10:00:00Z' }
    const simulated = await client.call('events.create', input, {
      extensions: [{ urn: 'urn:forrst:ext:simulation', options: { enabled: true } }],
    })
    expect(simulated).toMatchObject({ ok: true, result: { id: 'evt_demo_001' } })
    const rehearsed = await client.call('events.create', input, {
      extensions: [
        { urn: 'urn:forrst:ext:dry-run', options: { enabled: true, include_diff: true } },
      ],
    })
    expect(rehearsed.extensions[0]?.data).toMatchObject({
      valid: true,
      would_affect: [{ type: 'event', count: 1, action: 'create' }],
      diff: { event: { after: { name: 'X' } } },
    })
  })

  it('passes queries on and pages with cursors that survive both services', async () => {
    const { client } = await front(await start(createEventsService({ database: ':memory:' })))
    const page = (cursor?: string) =>
      client.call(
        'events.list',
        {},
        {
          extensions: [
            {
              urn: 'urn:forrst:ext:query',
              options: {
                sorts: [{ attribute: 'name', direction: 'desc' }],
                pagination: { limit: 1, cursor: cursor ?? null },
              },
            },
          ],
        },
      )
    type Page = { data: { id: string }[]; meta: { pagination: { next_cursor: string } } }
    const first = await page()
    if (!first.ok) throw new Error(first.error.message)
    const { data, meta } = first.result as Page
    const second = await page(meta.pagination.next_cursor)
    if (!second.ok) throw new Error(second.error.message)
    expect((second.result as Page).data).toHaveLength(1)
    expect((second.result as Page).data[0]?.id).not.toBe(data[0]?.id)
  })
})

describe('what travels with a call', () => {
  it('passes on the rest of the deadline, the trace, the context and the locale', async () => {
    const far = witness()
    const { client } = await front(await start(far.service))
    const traceId = 'a'.repeat(32)
    const outcome = await client.call(
      'probe.run',
      {},
      {
        deadline: { value: 20, unit: 'second' },
        context: { tenant: 'acme' },
        idempotencyKey: 'key-1',
        extensions: [
          {
            urn: 'urn:forrst:ext:tracing',
            options: { trace_id: traceId, span_id: 'b'.repeat(16) },
          },
          { urn: 'urn:forrst:ext:locale', options: { language: 'en' } },
        ],
      },
    )
    expect(outcome).toMatchObject({ ok: true, result: { language: 'en' } })
    const [call] = far.seen
    expect(call?.context).toMatchObject({ tenant: 'acme', caller: 'front' })
    expect(call?.facts.trace?.traceId).toBe(traceId)
    expect(call?.facts.trace?.parentSpanId).toMatch(/^[0-9a-f]{16}$/)
    expect(call?.facts.trace?.parentSpanId).not.toBe('b'.repeat(16))
    expect(call?.facts.idempotencyKey).toBe('key-1')
    const left = (call?.facts.deadline ?? 0) - Date.now()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(20_000)
  })

  it('ends the remote call when the deadline passes and when the caller leaves', async () => {
    const far = witness()
    const { client } = await front(await start(far.service))
    const late = await client.call(
      'probe.run',
      { mode: 'hang' },
      { deadline: { value: 300, unit: 'millisecond' } },
    )
    expect(late).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } })
    const controller = new AbortController()
    const left = client.call('probe.run', { mode: 'hang' }, { signal: controller.signal })
    await expect.poll(() => far.seen.length, { timeout: 10_000 }).toBe(2)
    controller.abort()
    await left
    await expect.poll(() => far.seen[1]?.signal().aborted, { timeout: 10_000 }).toBe(true)
  })

  it('gives errors of the remote service with code, details and status, and hides its internals', async () => {
    const { near, client } = await front(await start(witness().service))
    const soldOut = await fetch(`${near.url}/api/probe.run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode: 'sold-out' }),
    })
    expect(soldOut.status).toBe(410)
    expect(await soldOut.text()).toContain('PROBE_SOLD_OUT')
    expect(await client.call('probe.run', { mode: 'sold-out' })).toMatchObject({
      error: { code: 'PROBE_SOLD_OUT', details: { left: 0 } },
    })
    const bug = await client.call('probe.run', { mode: 'bug' })
    expect(bug).toMatchObject({
      error: { code: 'DEPENDENCY_ERROR', details: { dependency_error: 'INTERNAL_ERROR' } },
    })
    expect(JSON.stringify(bug)).not.toContain('/etc/far')
  })

  it('answers UNAVAILABLE while the remote service is away and works when it is back', async () => {
    const far = await start(witness().service)
    const { client, near } = await front(far)
    expect(await client.call('probe.run', {})).toMatchObject({ ok: true })
    await far.close()
    expect(await client.call('probe.run', {})).toMatchObject({ error: { code: 'UNAVAILABLE' } })
    const health = await fetch(`${near.url}/health/ready`)
    expect(health.status).toBe(503)
    await start(witness().service, far.port)
    await expect
      .poll(async () => (await client.call('probe.run', {})).ok, { timeout: 10_000 })
      .toBe(true)
  })

  it('asks for nothing but the call itself while it serves calls', async () => {
    const far = await start(witness().service)
    const bodies: string[] = []
    const counting: typeof fetch = (url, init) => {
      bodies.push(String(init?.body))
      return fetch(url, init)
    }
    const { client } = await front(far, {
      client: createClient({ url: `${far.url}/forrst`, name: 'front', fetch: counting }),
    })
    bodies.length = 0
    await client.call('probe.run', {})
    await client.call('probe.run', {})
    expect(bodies.map((body) => JSON.parse(body).call.function)).toEqual(['probe.run', 'probe.run'])
  })
})

describe('a remote document that changes', () => {
  it('adds and removes functions when the document is read again', async () => {
    const far = witness()
    const { client, source, service } = await front(await start(far.service))
    far.service.registry.add(
      defineFunction({ name: 'later.run', version: '1.0.0', handler: () => 'here' }),
    )
    far.service.registry.remove('probe.run')
    expect(await source.refresh()).toBe(true)
    expect(await client.call('later.run', {})).toMatchObject({ ok: true, result: 'here' })
    expect(service.registry.find('probe.run')).toBeUndefined()
  })
})

describe('a document that means harm', () => {
  const connect = (document: unknown, log = createTestLogger()) =>
    connectForrstSource({
      client: {
        call: () => Promise.reject(new CallError('UNAVAILABLE')),
        stream: () => {
          throw new CallError('UNAVAILABLE')
        },
        supports: async () => false,
        discover: async () => ({ ok: true, result: document, extensions: [] }),
      },
      log,
      refreshMs: 0,
    })
  const plain = { name: 'good.run', version: '1.0.0', stability: 'stable' }

  it.each([
    ['a reserved name', { ...plain, name: 'urn:cline:forrst:fn:ping' }],
    ['no version', { name: 'bad.run' }],
    [
      'a schema that is too long',
      { ...plain, name: 'bad.run', description: 'x'.repeat(1_000_001) },
    ],
    ['no object', 7],
  ])('leaves a function with %s out and keeps the others', async (_, hostile) => {
    const log = createTestLogger()
    const source = await connect({ functions: [hostile, plain], components: {} }, log)
    expect(source.functions().map(({ name }) => name)).toEqual(['good.run'])
    expect(JSON.stringify(log.lines)).toContain('left out')
  })

  it('keeps a function whose schemas refer to themselves, and one whose examples lie', async () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    const source = await connect({
      functions: [
        { ...plain, result: { name: 'x', schema: { $ref: '#/components/schemas/Node' } } },
        { ...plain, name: 'bad.ref', result: { $ref: '#/components/nowhere' } },
        {
          ...plain,
          name: 'bad.example',
          arguments: [{ name: 'a', schema: { type: 'number' } }],
          examples: [{ name: 'lie', params: [{ value: 'text' }] }],
        },
      ],
      components: { schemas: { Node: node } },
    })
    expect(source.functions().map(({ name }) => name)).toEqual(['good.run', 'bad.example'])
    expect(serviceOf(source.functions()).registry.find('good.run')).toBeDefined()
  })

  it('keeps a function whose stream makes no sense, without the stream', async () => {
    const log = createTestLogger()
    const stream = { urn: 'urn:forrst:ext:stream', item: { $ref: '#/components/schemas/None' } }
    const source = await connect({ functions: [{ ...plain, extensions: [stream] }] }, log)
    const [kept] = source.functions()
    expect(kept).toMatchObject({ name: 'good.run' })
    expect(kept).not.toHaveProperty('item')
    expect(kept).not.toHaveProperty('extensions')
    expect(JSON.stringify(log.lines)).toContain('taken over in part')
  })

  it('takes ten thousand functions over and no more', async () => {
    const functions = Array.from({ length: 10_001 }, (_, index) => ({
      ...plain,
      name: `many.f${index}`,
    }))
    const log = createTestLogger()
    const source = await connect({ functions }, log)
    expect(source.functions()).toHaveLength(10_000)
    expect(JSON.stringify(log.lines)).toContain('only the first 10000 of 10001')
  })

  it.each([[null], [[]], [{ functions: 'many' }]])('refuses %j', async (document) => {
    await expect(connect(document)).rejects.toThrow('not a discovery document')
  })
})
