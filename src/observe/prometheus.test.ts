import { readFileSync } from 'node:fs'
import { metrics as telemetry } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { describe, expect, it } from 'vitest'
import { define, serviceOf } from '../../test/support/service.ts'
import { defineFunction, type Service } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { type App, type AppOptions, createApp } from '../http/app.ts'
import { overload } from '../http/overload-guard.ts'
import { rest } from '../surfaces/rest/index.ts'
import { IN_PROCESS } from '../wire/index.ts'
import { createExposition } from './exposition.ts'
import { openTelemetryMetrics } from './open-telemetry.ts'
import { prometheus } from './prometheus.ts'

const FUNCTIONS = [
  define({}),
  defineFunction({
    name: 'orders.find',
    version: '1.0.0',
    handler: () => {
      throw new CallError('NOT_FOUND')
    },
  }),
]

function createMeasuredApp(options: Partial<AppOptions> = {}, service = serviceOf(FUNCTIONS)): App {
  return createApp(service, { surfaces: [rest()], metrics: prometheus(), ...options })
}

interface Asked {
  readonly method?: string
  readonly peer?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(app: App, path: string, { method = 'GET', peer, headers }: Asked = {}) {
  const known: Readonly<Record<string, string>> = {
    host: 'localhost',
    'content-type': 'application/json',
    ...headers,
  }
  const { status, body } = await app.handle({
    method,
    path,
    query: '',
    header: (name) => known[name],
    body: new TextEncoder().encode('{}'),
    bodyTooLarge: false,
    signal: () => new AbortController().signal,
    peerAddress: () => peer ?? IN_PROCESS,
  })
  return { status, text: String(body) }
}

const call = (app: App, name: string) => ask(app, `/api/${name}`, { method: 'POST' })

/** Reads the text format and refuses what Prometheus would refuse: a small promtool. */
function readExposition(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  expect(text.endsWith('\n')).toBe(true)
  let family = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const head = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (head) {
      const [, kind, name = '', rest = ''] = head
      if (kind === 'HELP') expect(types.has(name), `${name} appears once`).toBe(false)
      else {
        expect(rest).toMatch(/^(counter|gauge|histogram)$/)
        types.set(name, rest)
        family = name
      }
      continue
    }
    const sample =
      /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (NaN|[+-]Inf|-?\d[\d.e+-]*)$/.exec(
        line,
      )
    expect(sample, line).not.toBeNull()
    const [, name = '', labels = '', value = ''] = sample ?? []
    expect(name === family || name.startsWith(`${family}_`), line).toBe(true)
    if (types.get(family) === 'counter') expect(name).toMatch(/_total$/)
    expect(samples.has(`${name}${labels}`), `${line} appears once`).toBe(false)
    samples.set(`${name}${labels}`, Number(value.replace('Inf', 'Infinity')))
  }
  return samples
}

async function scrape(app: App): Promise<ReadonlyMap<string, number>> {
  const { status, text } = await ask(app, '/metrics')
  expect(status).toBe(200)
  return readExposition(text)
}

describe('GET /metrics', () => {
  it('is not there unless asked for, and nothing watches calls then', async () => {
    const service = serviceOf(FUNCTIONS)
    const app = createApp(service, { surfaces: [rest()] })
    expect((await ask(app, '/metrics')).status).toBe(404)
    expect(service.observers).toEqual([])
  })

  it('counts calls by function, surface and outcome, errors by code, and how long they took', async () => {
    const app = createMeasuredApp()
    await call(app, 'orders.get')
    await call(app, 'orders.get')
    await call(app, 'orders.find')
    const samples = await scrape(app)
    const labels = 'function="orders.get",surface="rest"'
    expect(samples.get(`waymark_calls_total{${labels},outcome="ok"}`)).toBe(2)
    expect(
      samples.get('waymark_calls_total{function="orders.find",surface="rest",outcome="error"}'),
    ).toBe(1)
    expect(samples.get('waymark_errors_total{function="orders.find",code="NOT_FOUND"}')).toBe(1)
    expect(samples.get(`waymark_call_duration_seconds_bucket{${labels},le="+Inf"}`)).toBe(2)
    expect(samples.get(`waymark_call_duration_seconds_count{${labels}}`)).toBe(2)
    expect(samples.get('waymark_calls_in_flight{surface="rest"}')).toBe(0)
    expect(samples.get('waymark_http_responses_total{mount="/api",status="200"}')).toBe(2)
    expect(samples.get('waymark_event_loop_delay_seconds{stat="p99"}')).toBeGreaterThanOrEqual(0)
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  })

  it('shows calls that have not ended', async () => {
    let finish: (value: null) => void = () => {}
    const hang = defineFunction({
      name: 'orders.wait',
      version: '1.0.0',
      handler: () => new Promise<null>((resolve) => (finish = resolve)),
    })
    const app = createMeasuredApp({}, serviceOf([hang]))
    const waiting = call(app, 'orders.wait')
    expect((await scrape(app)).get('waymark_calls_in_flight{surface="rest"}')).toBe(1)
    finish(null)
    await waiting
    expect((await scrape(app)).get('waymark_calls_in_flight{surface="rest"}')).toBe(0)
  })

  it('shows components with the time their check took', async () => {
    const service = serviceOf(FUNCTIONS, {
      health: {
        database: { check: () => ({ status: 'unhealthy' }) },
        cache: { check: () => undefined },
      },
    })
    const samples = await scrape(createMeasuredApp({}, service))
    expect(samples.get('waymark_component_health{component="database"}')).toBe(0)
    expect(samples.get('waymark_component_health{component="cache"}')).toBe(1)
    expect(
      samples.get('waymark_component_latency_seconds{component="cache"}'),
    ).toBeGreaterThanOrEqual(0)
  })

  it('counts functions beyond the limit together, and names that nobody has not at all', async () => {
    const many = ['a', 'b', 'c', 'd'].map((name) => define({ name: `many.${name}` }))
    const service = serviceOf(many)
    const app = createMeasuredApp({ metrics: prometheus({ maxFunctions: 2 }) }, service)
    for (const { name } of many) await call(app, name)
    await expect(async () => service.dispatch({ ...CALL, function: 'made.up' })).rejects.toThrow()
    const samples = await scrape(app)
    const of = (name: string, rest: string) =>
      samples.get(`waymark_calls_total{function="${name}",${rest}}`)
    expect(of('many.a', 'surface="rest",outcome="ok"')).toBe(1)
    expect(of('many.c', 'surface="rest",outcome="ok"')).toBeUndefined()
    expect(of('other', 'surface="rest",outcome="ok"')).toBe(2)
    expect(of('unknown', 'surface="code",outcome="error"')).toBe(1)
  })

  it('counts triggers and their newest deliveries by state', async () => {
    const triggers = {
      list: async () => [
        { name: 'nightly', state: 'running' },
        { name: 'inbox', state: 'trouble' },
      ],
      deliveries: async () => ({
        deliveries: [{ state: 'dead' }, { state: 'done' }, { state: 'dead' }],
      }),
    }
    const samples = await scrape(createMeasuredApp({ metrics: prometheus({ triggers }) }))
    expect(samples.get('waymark_trigger_up{trigger="inbox"}')).toBe(0)
    expect(samples.get('waymark_deliveries_recent{state="dead"}')).toBe(2)
  })

  it('counts requests that are shed, also before their body is read, and is answered meanwhile', async () => {
    const hang = defineFunction({
      name: 'orders.wait',
      version: '1.0.0',
      handler: () => new Promise<null>(() => {}),
    })
    const app = createMeasuredApp({ overload: overload({ maxInFlight: 1 }) }, serviceOf([hang]))
    void call(app, 'orders.wait')
    expect((await call(app, 'orders.wait')).status).toBe(503)
    expect(app.refuseEarly?.('/api/orders.wait')?.status).toBe(503)
    expect(app.refuseEarly?.('/metrics')).toBeUndefined()
    const samples = await scrape(app)
    expect(samples.get('waymark_calls_shed_total')).toBe(2)
    expect(samples.get('waymark_http_responses_total{mount="/api",status="503"}')).toBe(2)
  })
})

describe('the dashboard', () => {
  it('asks only for metrics that exist', async () => {
    const triggers = {
      list: async () => [{ name: 'nightly', state: 'running' }],
      deliveries: async () => ({ deliveries: [{ state: 'dead' }] }),
    }
    const service = serviceOf(FUNCTIONS, { health: { cache: { check: () => undefined } } })
    const app = createMeasuredApp(
      { metrics: prometheus({ triggers }), overload: overload() },
      service,
    )
    await call(app, 'orders.find')
    const names = new Set([...(await scrape(app)).keys()].map((key) => key.replace(/\{.*/, '')))
    const dashboard = readFileSync(
      new URL('../../deploy/grafana/waymark.json', import.meta.url),
      'utf8',
    )
    const asked = new Set(dashboard.match(/\b(?:waymark|process|nodejs)_\w+/g))
    // Counted when a function is cached, which none is here.
    asked.delete('waymark_cache_total')
    expect([...asked].filter((name) => !names.has(name))).toEqual([])
    expect(asked.size).toBeGreaterThan(10)
  })
})

describe('who may read metrics', () => {
  const far = { peer: '203.0.113.7' }
  it('nobody from elsewhere', async () => {
    expect((await ask(createMeasuredApp(), '/metrics', far)).status).toBe(403)
  })

  it('a caller from elsewhere with the token', async () => {
    const app = createMeasuredApp({ metrics: prometheus({ token: 's3cret' }) })
    const read = (authorization: string) =>
      ask(app, '/metrics', { ...far, headers: { authorization } })
    expect((await read('Bearer s3cret')).status).toBe(200)
    expect((await read('Bearer other')).status).toBe(403)
  })

  it('a principal with the scope metrics:read', async () => {
    const authenticate: NonNullable<Service['authenticate']> = ({ header }) => {
      if (header('authorization') === undefined) throw new CallError('UNAUTHORIZED')
      return { id: 'ops', scopes: [header('authorization') ?? ''] }
    }
    const app = createMeasuredApp({}, serviceOf(FUNCTIONS, { authenticate }))
    const read = (headers: Record<string, string>) => ask(app, '/metrics', { ...far, headers })
    expect((await read({ authorization: 'metrics:read' })).status).toBe(200)
    expect((await read({ authorization: 'orders:read' })).status).toBe(403)
    expect((await read({})).status).toBe(403)
  })

  it('only with GET', async () => {
    expect((await ask(createMeasuredApp(), '/metrics', { method: 'POST' })).status).toBe(405)
  })
})

describe('an exposition', () => {
  it('escapes what a label may hold', () => {
    const { counter, write } = createExposition()
    counter('odd_total', 'back\\slash\nline', ['name']).add(['a"b\\c\nd'])
    expect(readExposition(write()).get('odd_total{name="a\\"b\\\\c\\nd"}')).toBe(1)
  })

  it('keeps a thousand series of a family and counts the rest together', () => {
    const { counter, write } = createExposition()
    const many = counter('many_total', 'Many.', ['name'])
    for (let at = 0; at < 5_000; at += 1) many.add([`n${at}`])
    const samples = readExposition(write())
    expect(samples.size).toBe(1_000)
    expect(samples.get('many_total{name="other"}')).toBe(4_001)
  })
})

describe('openTelemetryMetrics', () => {
  it('reports calls and errors through the API of OpenTelemetry', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
    const provider = new MeterProvider({ readers: [reader] })
    telemetry.setGlobalMeterProvider(provider)
    const service = serviceOf(FUNCTIONS)
    service.observers.push(openTelemetryMetrics(telemetry.getMeter('waymark')))
    const app = createApp(service, { surfaces: [rest()] })
    await call(app, 'orders.get')
    await call(app, 'orders.find')
    await reader.forceFlush()
    const points = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({ name: descriptor.name, attributes, value })),
      )
    await provider.shutdown()
    expect(points).toContainEqual({
      name: 'waymark.errors',
      attributes: {
        'rpc.system.name': 'rest',
        'rpc.method': 'orders.find',
        'error.type': 'NOT_FOUND',
      },
      value: 1,
    })
    expect(points).toContainEqual({
      name: 'rpc.server.call.duration',
      attributes: { 'rpc.system.name': 'rest', 'rpc.method': 'orders.get' },
      value: expect.objectContaining({ count: 1 }),
    })
  })
})

const CALL = {
  id: '1',
  version: undefined,
  arguments: {},
  context: undefined,
  extensions: [],
  principal: undefined,
  signal: () => new AbortController().signal,
  facts: {},
  startedAt: 0,
  reply: { extensions: undefined, meta: undefined, disposition: undefined, headers: undefined },
}
