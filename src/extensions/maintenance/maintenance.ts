import type {
  Call,
  Extension,
  ExtensionCall,
  FunctionHealth,
  Logger,
  Outcome,
  ServiceHealth,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import type { OnStoreFailure, Store } from '../../store/index.ts'
import {
  type Clock,
  type Duration,
  extensionUrn,
  formatTimestamp,
  isPromise,
  type JsonObject,
  type Maybe,
  systemClock,
} from '../../values/index.ts'
import {
  createMaintenanceView,
  type MaintenanceView,
  type StoredWindow,
  toRetryAfter,
} from './state.ts'

/** How maintenance is noticed. */
export interface MaintenanceExtensionOptions {
  readonly store: Store
  /** How old what a process knows may be; one second when absent, zero asks the store before every call. */
  readonly refresh?: Duration
  /** Lets some calls through, those of an operator who looks whether all is well. */
  readonly bypass?: (call: Call) => boolean
  /** Pages for people: `{ status_url, schedule_url }` in capabilities. */
  readonly pages?: JsonObject
  /** `proceed` when absent: what was known last stays true while the store is away. */
  readonly onStoreFailure?: OnStoreFailure
}

/** What stays reachable: whoever looks after the service has to see how it is. */
const REACHABLE = new Set([
  'urn:cline:forrst:fn:ping',
  'urn:cline:forrst:fn:health',
  'urn:cline:forrst:ext:diagnostics:fn:ping',
  'urn:cline:forrst:ext:diagnostics:fn:health',
])

/** Creates the extension that refuses calls while the service, or their function, is down for maintenance. */
export function maintenanceExtension(options: MaintenanceExtensionOptions): Extension {
  const { bypass = () => false, pages } = options
  const view = createMaintenanceView(options)
  let home: { readonly clock: Clock; readonly log: Logger | undefined } = {
    clock: systemClock,
    log: undefined,
  }
  return {
    urn: extensionUrn('maintenance'),
    version: '1.0.0',
    phase: 'admit',
    order: -30,
    ...(pages && { details: { maintenance: pages } }),
    joins(target, service) {
      home = service
      return !REACHABLE.has(target.name)
    },
    around(exchange, next) {
      const { call, service } = exchange
      const pass = (): Maybe<Outcome> => {
        const window = findWindow(view, exchange)
        if (window !== undefined && !bypass(call)) throw refuse(exchange, window)
        return next(call)
      }
      const refreshed = view.refresh(service)
      return isPromise(refreshed) ? refreshed.then(pass) : pass()
    },
    async health() {
      await view.refresh(home)
      return toHealth(view.windows(), home.clock.now())
    },
  }
}

function findWindow(view: MaintenanceView, exchange: ExtensionCall): StoredWindow | undefined {
  const windows = view.windows()
  if (windows.length === 0) return undefined
  const now = exchange.service.clock.now()
  const active = windows.filter(({ startsAt }) => startsAt <= now)
  return (
    active.find((window) => window.function === undefined) ??
    active.find((window) => window.function === exchange.target.name)
  )
}

function refuse({ service, answer }: ExtensionCall, window: StoredWindow): CallError {
  const { function: name, reason, startsAt, until } = window
  const details: JsonObject = {
    ...(name !== undefined && { function: name }),
    reason,
    started_at: formatTimestamp(startsAt),
    ...(until !== undefined && { until: formatTimestamp(until) }),
    retry_after: toRetryAfter(window, service.clock.now()),
  }
  answer({ scope: name === undefined ? 'server' : 'function', ...details })
  const code = name === undefined ? 'SERVER_MAINTENANCE' : 'FUNCTION_MAINTENANCE'
  return new CallError(code, { details })
}

function toHealth(windows: readonly StoredWindow[], now: number): ServiceHealth {
  const active = windows.filter(({ startsAt }) => startsAt <= now)
  const server = active.find((window) => window.function === undefined)
  const functions = active.flatMap((window) =>
    window.function === undefined
      ? []
      : [[window.function, toFunctionHealth(window, now)] as const],
  )
  return {
    ...(server && { maintenance: { reason: server.reason, ...encodeUntil(server) } }),
    functions: Object.fromEntries(functions),
  }
}

function toFunctionHealth(window: StoredWindow, now: number): FunctionHealth {
  return {
    status: 'maintenance',
    message: window.reason,
    ...encodeUntil(window),
    retryAfter: toRetryAfter(window, now),
  }
}

function encodeUntil({ until }: StoredWindow): { readonly until?: string } {
  return until === undefined ? {} : { until: formatTimestamp(until) }
}
