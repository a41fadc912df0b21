import type { Service } from '../core/service.ts'
import type { Store } from '../store/store.ts'

// Beside the service, not in it: the core knows nothing of stores.
const stores = new WeakMap<Service, Store>()

/** Remembers the store a service was made with. */
export function setStoreOf(service: Service, store: Store): void {
  stores.set(service, store)
}

/** Finds the store a service was made with, for surfaces that remember things too. */
export function storeOf(service: Service): Store | undefined {
  return stores.get(service)
}
