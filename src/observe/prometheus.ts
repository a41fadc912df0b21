import type { CallObserver, ComponentReport, Service } from '../core/index.ts'
import { isSameSecret } from '../net/index.ts'
import { isPromise, type Maybe } from '../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse, JudgeLocal } from '../wire/index.ts'
import { createExposition, formatFamily } from './exposition.ts'
import { createProcessGauges } from './process-gauges.ts'

/** The triggers of a service, as far as metrics look at them. */
export interface MeasuredTriggers {
  list(): Promise<readonly { readonly name: string; readonly state: string }[]>
  deliveries(query: { readonly limit: number }): Promise<{
    readonly deliveries: readonly { readonly state: string }[]
  }>
}

/** What is measured, and who may read it. */
export interface PrometheusOptions {
  /** Lets whoever sends it as `Authorization: Bearer …` read the metrics from another machine. */
  readonly token?: string
  /** Whose deliveries are counted by state, among the newest hundred. */
  readonly triggers?: MeasuredTriggers
  /** So many functions have numbers of their own, in the order of their first call; the rest is `other`. 200 when absent. */
  readonly maxFunctions?: number
}

/** What an app tells its metrics. */
export interface MeasuredApp {
  readonly load: () =>
    | { readonly running: number; readonly waiting: number; readonly refused: number }
    | undefined
  readonly health: () => Promise<Readonly<Record<string, ComponentReport>>>
}

/** Metrics of one app. */
export interface AttachedMetrics {
  readonly handler: HttpHandler
  /** Counts an answer of the app by the path it is mounted at. */
  readonly count: (mount: string, status: number) => void
}

/** A way to publish the metrics of an app, such as `prometheus()`. */
export interface MetricsOption {
  readonly path: string
  readonly attach: (service: Service, app: MeasuredApp) => AttachedMetrics
}

/** Seconds; from a call that only computes to one that waits for somebody. */
const BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
const SCOPE = 'metrics:read'

/**
 * Publishes metrics at `GET /metrics` in the text format of Prometheus, for callers on this machine, with the token, or
 * with the scope `metrics:read`.
 *
 * @example
 * createApp(service, { surfaces: [rest()], metrics: prometheus() })
 */
export function prometheus(options: PrometheusOptions = {}): MetricsOption {
  return {
    path: '/metrics',
    attach(service, app) {
      const { observer, count, write } = createCallMetrics(options.maxFunctions ?? 200)
      const gauges = createProcessGauges()
      service.observers.push(observer)
      const render = async (): Promise<string> => {
        const parts = [formatLoad(app), formatHealth(app), formatTriggers(options.triggers)]
        return [write(), gauges(), ...(await Promise.all(parts))].join('')
      }
      return { count, handler: createHandler(service, options.token, render) }
    },
  }
}

function createCallMetrics(maxFunctions: number): {
  readonly observer: CallObserver
  readonly count: AttachedMetrics['count']
  readonly write: () => string
} {
  const { counter, histogram, write } = createExposition()
  const calls = counter('waymark_calls_total', 'Calls that have ended.', [
    ...['function', 'surface', 'outcome'],
  ])
  const errors = counter('waymark_errors_total', 'Failed calls by error code.', [
    'function',
    'code',
  ])
  const durations = histogram(
    'waymark_call_duration_seconds',
    'Time from the arrival of a call to its outcome.',
    ['function', 'surface'],
    BUCKETS,
  )
  const cache = counter('waymark_cache_total', 'Answers of the caching extension.', ['result'])
  const responses = counter('waymark_http_responses_total', 'HTTP answers by mount and status.', [
    ...['mount', 'status'],
  ])
  const running = new Map<string, number>()
  const names = new Set<string>()
  const toLabel = (name: string | undefined): string => {
    // A name that only the caller made up is not a label.
    if (name === undefined) return 'unknown'
    if (names.size < maxFunctions) names.add(name)
    return names.has(name) ? name : 'other'
  }
  const observer: CallObserver = {
    begin: (surface) => void running.set(surface, (running.get(surface) ?? 0) + 1),
    end({ call, surface, target, code, durationMs }) {
      running.set(surface, (running.get(surface) ?? 1) - 1)
      const label = toLabel(target?.name)
      calls.add([label, surface, code === undefined ? 'ok' : 'error'])
      if (code !== undefined) errors.add([label, code])
      durations.observe([label, surface], durationMs / 1_000)
      for (const { urn, data } of call.reply.extensions ?? []) {
        const status = urn.endsWith('caching') ? data?.['cache_status'] : undefined
        if (typeof status === 'string') cache.add([status])
      }
    },
  }
  const formatRunning = () =>
    formatFamily(
      {
        name: 'waymark_calls_in_flight',
        help: 'Calls that run now; of surface operation those in the background.',
        type: 'gauge',
        labels: ['surface'],
      },
      [...running].map(([surface, count]) => [[surface], count]),
    )
  return {
    observer,
    count: (mount, status) => responses.add([mount, String(status)]),
    write: () => `${write()}${formatRunning()}`,
  }
}

function formatLoad({ load }: MeasuredApp): string {
  const { waiting, refused } = load() ?? {}
  if (waiting === undefined || refused === undefined) return ''
  const gauge = { type: 'gauge', labels: [] } as const
  return [
    formatFamily(
      { ...gauge, name: 'waymark_calls_waiting', help: 'Requests that wait for their turn.' },
      [[[], waiting]],
    ),
    formatFamily(
      {
        name: 'waymark_calls_shed_total',
        help: 'Requests refused because the process is overloaded.',
        type: 'counter',
        labels: [],
      },
      [[[], refused]],
    ),
  ].join('')
}

const HEALTH = { healthy: 1, degraded: 0.5, unhealthy: 0 } as const

async function formatHealth({ health }: MeasuredApp): Promise<string> {
  const components = Object.entries(await health())
  const gauge = { type: 'gauge', labels: ['component'] } as const
  return [
    formatFamily(
      {
        ...gauge,
        name: 'waymark_component_health',
        help: 'State of a component: 1 healthy, 0.5 degraded, 0 unhealthy.',
      },
      components.map(([name, { status }]) => [[name], HEALTH[status]]),
    ),
    formatFamily(
      {
        ...gauge,
        name: 'waymark_component_latency_seconds',
        help: 'How long the newest check of a component took; of store, a write and a read.',
      },
      components.map(([name, { latencyMs }]) => [[name], latencyMs / 1_000]),
    ),
  ].join('')
}

const NEWEST = 100

async function formatTriggers(triggers: MeasuredTriggers | undefined): Promise<string> {
  if (triggers === undefined) return ''
  try {
    const [listed, { deliveries }] = await Promise.all([
      triggers.list(),
      triggers.deliveries({ limit: NEWEST }),
    ])
    const states = new Map<string, number>()
    for (const { state } of deliveries) states.set(state, (states.get(state) ?? 0) + 1)
    return [
      formatFamily(
        {
          name: 'waymark_trigger_up',
          help: 'Whether a trigger listens.',
          type: 'gauge',
          labels: ['trigger'],
        },
        listed.map(({ name, state }) => [[name], state === 'running' ? 1 : 0]),
      ),
      formatFamily(
        {
          name: 'waymark_deliveries_recent',
          help: `Deliveries by state, among the newest ${NEWEST}.`,
          type: 'gauge',
          labels: ['state'],
        },
        [...states].map(([state, count]) => [[state], count]),
      ),
    ].join('')
  } catch {
    // The store is away: its own metric says so, and the others are needed now.
    return ''
  }
}

function createHandler(
  service: Service,
  token: string | undefined,
  render: () => Promise<string>,
): HttpHandler {
  let running: Promise<string> | undefined
  return async (request, judgeLocal) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(405, 'Metrics are read with GET', { allow: 'GET, HEAD' })
    }
    if (!(await mayRead(service, token, request, judgeLocal))) {
      return refuse(
        403,
        `Metrics are for callers on this machine, with the token of the metrics, or with the scope ${SCOPE}`,
      )
    }
    running ??= render().finally(() => {
      running = undefined
    })
    return {
      status: 200,
      headers: {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
      },
      body: await running,
    }
  }
}

async function mayRead(
  { authenticate }: Service,
  token: string | undefined,
  request: HttpRequest,
  judgeLocal: JudgeLocal | undefined,
): Promise<boolean> {
  if (judgeLocal?.(request) === undefined && judgeLocal !== undefined) return true
  const given = /^Bearer +(.+)$/i.exec(request.header('authorization') ?? '')?.[1]
  if (token !== undefined && given !== undefined && isSameSecret(given, token)) return true
  if (authenticate === undefined) return false
  try {
    const asked: Maybe<{ readonly scopes?: readonly string[] } | undefined> = authenticate({
      header: request.header,
      surface: 'metrics',
    })
    const principal = isPromise(asked) ? await asked : asked
    return principal?.scopes?.includes(SCOPE) === true
  } catch {
    return false
  }
}

function refuse(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: 'about:blank', status, detail }),
  }
}
