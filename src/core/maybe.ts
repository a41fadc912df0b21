/** A value that is there now, or later: what lets a call without waiting stay synchronous. */
export type Maybe<Value> = Value | Promise<Value>

/** Tells whether a value has to be awaited. */
export function isPromise<Value>(value: Maybe<Value>): value is Promise<Value> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

/** Continues with a value, at once when it is there, later when it is a promise. */
export function andThen<Value, Next>(
  value: Maybe<Value>,
  next: (value: Value) => Maybe<Next>,
): Maybe<Next> {
  return isPromise(value) ? value.then(next) : next(value)
}
