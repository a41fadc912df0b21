import { useEffect, useState } from 'preact/hooks'

/** A value that tells when it changes. */
export interface Cell<Value> {
  readonly get: () => Value
  readonly set: (next: Value) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Makes a cell. */
export function createCell<Value>(initial: Value): Cell<Value> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(next) {
      if (Object.is(next, current)) return
      current = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Reads a cell in a component, and again whenever it changes. */
export function useCell<Value>(cell: Cell<Value>): Value {
  const [, redraw] = useState<unknown>()
  useEffect(() => cell.subscribe(() => redraw({})), [cell])
  return cell.get()
}
