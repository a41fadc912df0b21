import type { Clock } from '../core/clock.ts'
import type { Duration } from '../core/json.ts'
import type { Maybe } from '../core/maybe.ts'
import type { Logger } from '../core/service.ts'
import type { Store } from '../store/store.ts'
import { readMaintenance, type StoredWindow } from './maintenance-state.ts'
import { requireMilliseconds } from './option-values.ts'
import type { OnStoreFailure } from './store-guard.ts'

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
      if (age < refreshMs) return
      reading ??= read(asking)
      // A little too old still serves while the store is asked; calls do not queue up behind it.
      if (age < refreshMs * 2 && onStoreFailure === 'proceed') {
        reading.catch(() => {})
        return
      }
      return reading
    },
  }
}
