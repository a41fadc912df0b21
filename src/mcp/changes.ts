import type { Service } from '../core/service.ts'

/** Tells whoever listens that something they may have read is old. */
export interface Changes {
  /** Functions came, went or changed state. */
  readonly onLists: (listener: () => void) => () => void
  /** The contents of a resource changed. */
  readonly onResource: (listener: (uri: string) => void) => () => void
  readonly close: () => void
}

/** Creates the place where changes are announced; many at once are announced as one. */
export function createChanges(
  service: Service,
  onResourceUpdate: ((listener: (uri: string) => void) => () => void) | undefined,
  dependentUris: () => readonly string[],
): Changes {
  const lists = new Set<() => void>()
  const resources = new Set<(uri: string) => void>()
  let announced = false

  const announceResource = (uri: string): void => {
    for (const listener of [...resources]) listener(uri)
  }
  const stopLists = service.registry.onChange(() => {
    if (announced || lists.size + resources.size === 0) return
    announced = true
    queueMicrotask(() => {
      announced = false
      for (const listener of [...lists]) listener()
      if (resources.size > 0) for (const uri of dependentUris()) announceResource(uri)
    })
  })
  const stopResources = onResourceUpdate?.(announceResource)
  return {
    onLists: (listener) => subscribe(lists, listener),
    onResource: (listener) => subscribe(resources, listener),
    close() {
      stopLists()
      stopResources?.()
      lists.clear()
      resources.clear()
    },
  }
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
