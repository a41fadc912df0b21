/** A value that is there now, or later: what lets a call without waiting stay synchronous. */
export type Maybe<Value> = Value | Promise<Value>

/** Tells whether a value has to be awaited. */
export function isPromise<Value>(value: Maybe<Value>): value is Promise<Value> {
  return value instanceof Promise
}

/** Takes anything awaitable as a promise: query builders and promises of other realms only look like one. */
export function toMaybe<Value>(value: Value | PromiseLike<Value>): Maybe<Value> {
  return isThenable(value) ? Promise.resolve(value) : value
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { readonly then?: unknown }).then === 'function'
  )
}

/** Continues with a value, at once when it is there, later when it is a promise. */
export function andThen<Value, Next>(
  value: Maybe<Value>,
  next: (value: Value) => Maybe<Next>,
): Maybe<Next> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Makes a value when it is first asked for, and keeps it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
