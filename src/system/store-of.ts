import type { Service } from '../core/index.ts'
import type { Store } from '../store/index.ts'

// Beside the members of a service: the core knows nothing of stores. Shared by every copy of the package in a process.
const key: unique symbol = Symbol.for('waymark.store')

/** Remembers the store a service was made with. */
export function setStoreOf(service: Service, store: Store): void {
  Object.defineProperty(service, key, { value: store })
}

/** Finds the store a service was made with, for surfaces that remember things too. */
export function storeOf(service: Service & { readonly [key]?: Store }): Store | undefined {
  return service[key]
}
