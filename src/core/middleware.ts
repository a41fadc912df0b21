import type { Call, Outcome } from './call.ts'
import type { Maybe } from './maybe.ts'
import type { Target } from './target.ts'

/** Code around every handler of a service: logging, metrics, transactions. */
export type Middleware = (
  call: Call,
  target: Target,
  next: (call: Call) => Maybe<Outcome>,
) => Maybe<Outcome>

/** Runs a call through middleware, first one outermost, and then through `last`. */
export function runMiddleware(
  middleware: readonly Middleware[],
  { call, target }: { readonly call: Call; readonly target: Target },
  last: (call: Call) => Maybe<Outcome>,
): Maybe<Outcome> {
  const step = (index: number, current: Call): Maybe<Outcome> => {
    const layer = middleware[index]
    return layer === undefined
      ? last(current)
      : layer(current, target, (next) => step(index + 1, next))
  }
  return step(0, call)
}
