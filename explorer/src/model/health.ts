import { isRecord, ownMember, toText } from '../../../src/values/json.ts'
import { type Cell, createCell } from './cell.ts'
import { type Forrst, FUNCTIONS } from './forrst.ts'

/** One component at one moment. */
export interface ComponentSample {
  readonly status: string
  /** Milliseconds; undefined when the service did not say. */
  readonly latency: number | undefined
  readonly message: string | undefined
}

/** The whole service at one moment. */
export interface HealthSample {
  readonly at: number
  readonly status: string
  readonly version: string | undefined
  readonly components: ReadonlyMap<string, ComponentSample>
  readonly functions: ReadonlyMap<string, ComponentSample>
}

/** What is known about the health of the service, newest last. */
export interface HealthMonitor {
  readonly samples: Cell<readonly HealthSample[]>
  readonly problem: Cell<string | undefined>
  readonly read: () => Promise<boolean>
  /** Reads again and again while the page is seen; returns what stops it. */
  readonly watch: (everyMs: number) => () => void
}

const MAX_SAMPLES = 180
const UNITS: Readonly<Record<string, number>> = { millisecond: 1, second: 1000, minute: 60_000 }

/** Makes the monitor of the service beside this page. */
export function createHealthMonitor(forrst: Forrst): HealthMonitor {
  const samples = createCell<readonly HealthSample[]>([])
  const problem = createCell<string | undefined>(undefined)

  async function read(): Promise<boolean> {
    try {
      const { body, status } = await forrst.call({ function: FUNCTIONS.health })
      const result = isRecord(body) ? body['result'] : undefined
      if (!isRecord(result)) {
        problem.set(`The service answered ${status} without its health.`)
        return false
      }
      samples.set([...samples.get(), toHealthSample(result, Date.now())].slice(-MAX_SAMPLES))
      problem.set(undefined)
      return true
    } catch {
      problem.set('The service does not answer.')
      return false
    }
  }

  return {
    samples,
    problem,
    read,
    watch(everyMs) {
      const timer = setInterval(() => {
        if (!document.hidden) void read()
      }, everyMs)
      return () => clearInterval(timer)
    },
  }
}

/** Reads the answer of the health function. */
function toHealthSample(result: Record<string, unknown>, at: number): HealthSample {
  return {
    at,
    status: toText(result['status'] ?? 'unknown'),
    version: typeof result['version'] === 'string' ? result['version'] : undefined,
    components: toComponents(result['components']),
    functions: toComponents(result['functions']),
  }
}

function toComponents(value: unknown): ReadonlyMap<string, ComponentSample> {
  const entries = Object.entries(isRecord(value) ? value : {})
  return new Map(entries.map(([name, component]) => [name, toComponent(component)]))
}

function toComponent(component: unknown): ComponentSample {
  const { status, latency, message } = isRecord(component) ? component : {}
  return {
    status: toText(status ?? 'unknown'),
    latency: toMilliseconds(latency),
    message: typeof message === 'string' ? message : undefined,
  }
}

function toMilliseconds(duration: unknown): number | undefined {
  if (!isRecord(duration) || typeof duration['value'] !== 'number') return undefined
  return duration['value'] * (ownMember(UNITS, toText(duration['unit'])) ?? 1)
}
