import { type Logger, requireMilliseconds, toSeconds } from '../../core/index.ts'
import { type OnStoreFailure, type Store, storeKey, storePrefix } from '../../store/index.ts'
import {
  type Clock,
  type Duration,
  type Json,
  type Maybe,
  toMilliseconds,
} from '../../values/index.ts'

/** A time in which the service, or one function, takes no calls. */
export interface MaintenanceWindow {
  /** Only this function; the whole service when absent. */
  readonly function?: string
  readonly reason: string
  /** Epoch milliseconds; now when absent. A later moment schedules the window. */
  readonly startsAt?: number
  /** Epoch milliseconds of the expected end; left out when nobody knows. The window stays until it is ended. */
  readonly until?: number
  /** When callers should come back; what is left until `until`, or one minute, when absent. */
  readonly retryAfter?: Duration
}

/** A window as it is kept. */
export interface StoredWindow extends MaintenanceWindow {
  readonly startsAt: number
}

const DEFAULT_RETRY_MS = 60_000
const PAGE = 1_000

/** Starts or schedules maintenance in all processes of a store. */
export async function startMaintenance(
  store: Store,
  window: MaintenanceWindow,
  now: number = Date.now(),
): Promise<void> {
  if (typeof window.reason !== 'string' || window.reason === '') {
    throw new TypeError('maintenance: reason must be a text')
  }
  if (window.retryAfter !== undefined && toMilliseconds(window.retryAfter) === undefined) {
    throw new TypeError('maintenance: retryAfter must be a duration')
  }
  const stored: StoredWindow = { ...window, startsAt: window.startsAt ?? now }
  await store.put(toKey(window.function), stored as unknown as Json, { ttl: null })
}

/** Ends maintenance of one function or, without a name, of the whole service; tells whether there was any. */
export function endMaintenance(store: Store, name?: string): Promise<boolean> {
  return store.delete(toKey(name))
}

/** Reads every window, of the service and of functions. */
export async function readMaintenance(store: Store): Promise<readonly StoredWindow[]> {
  const windows: StoredWindow[] = []
  let cursor: string | undefined
  do {
    const page = await store.listByPrefix(storePrefix('maintenance'), {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    })
    windows.push(...page.entries.map(({ value }) => value as unknown as StoredWindow))
    cursor = page.cursor
  } while (cursor !== undefined)
  return windows
}

/** Says when callers of a window should come back, in whole seconds. */
export function toRetryAfter(
  { retryAfter, until }: StoredWindow,
  now: number,
): { value: number; unit: 'second' } {
  const wished = retryAfter && toMilliseconds(retryAfter)
  if (wished !== undefined) return toSeconds(wished)
  return toSeconds(until !== undefined && until > now ? until - now : DEFAULT_RETRY_MS)
}

function toKey(name: string | undefined): string {
  return name === undefined
    ? storeKey('maintenance', 'server')
    : storeKey('maintenance', 'function', name)
}

/** What a process knows about maintenance; the store is asked now and then, not with every call. */
export interface MaintenanceView {
  readonly windows: () => readonly StoredWindow[]
  /** Waits only where what is known is too old to be trusted. */
  readonly refresh: (asking: Asking) => Maybe<void>
}

interface Asking {
  readonly clock: Clock
  readonly log: Logger | undefined
}

/** Creates a view that knows nothing yet. */
export function createMaintenanceView(options: {
  readonly store: Store
  readonly refresh?: Duration
  readonly onStoreFailure?: OnStoreFailure
}): MaintenanceView {
  const { store, refresh = { value: 1, unit: 'second' }, onStoreFailure = 'proceed' } = options
  const refreshMs = refresh.value === 0 ? 0 : requireMilliseconds('maintenance: refresh', refresh)
  let known: readonly StoredWindow[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read({ clock, log }: Asking): Promise<void> {
    const asked = clock.elapsed()
    try {
      known = await readMaintenance(store)
    } catch (thrown) {
      if (onStoreFailure === 'refuse') throw thrown
      log?.warn('whether there is maintenance is not known: the store is away', { error: thrown })
    } finally {
      reading = undefined
    }
    readAt = asked
  }

  return {
    windows: () => known,
    refresh(asking) {
      const age = asking.clock.elapsed() - readAt
      if (age < refreshMs / 2) return
      reading ??= read(asking)
      // Not yet too old serves while the store is asked: under load calls do not queue up behind it.
      if (age < refreshMs && onStoreFailure === 'proceed') {
        reading.catch(() => {})
        return
      }
      return reading
    },
  }
}
