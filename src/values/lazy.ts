/** Makes a value when it is first asked for, and keeps it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Lets the process end before a timer does, where there is a process that could. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref: release } = timer as { readonly unref?: () => unknown }
  release?.call(timer)
  return timer
}
