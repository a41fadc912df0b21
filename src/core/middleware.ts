import type { Maybe } from '../values/index.ts'
import type { Call, Outcome } from './call.ts'
import type { Target } from './target.ts'

declare const adds: unique symbol

/** The outcome of a call that was passed on with `Added`. */
export type Passed<Added> = Outcome & { readonly [adds]?: Added }

/** What a middleware gets. */
export interface MiddlewareStep<Locals = Readonly<Record<string, unknown>>> {
  readonly call: Call
  readonly target: Target
  /** What middleware before this one added. */
  readonly locals: Locals
  /** Goes on with the call; what is given is added to `locals`. Throws what the handler throws. */
  next<Added extends object = object>(added?: Added, call?: Call): Maybe<Passed<Added>>
}

/** Code around handlers: logging, metrics, a transaction per call. */
export interface Middleware<Added extends object = object> {
  (step: MiddlewareStep): Maybe<Outcome>
  /** Middleware that this one builds on; it runs before, and once. */
  readonly use?: readonly Middleware[]
  readonly [adds]?: Added
}

/** Everything that a list of middleware adds to `locals`. */
export type LocalsOf<Use extends readonly Middleware[]> = readonly Middleware[] extends Use
  ? Readonly<Record<string, unknown>>
  : (
        Use[number] extends infer Layer
          ? Layer extends Middleware<infer Added>
            ? (added: Added) => void
            : never
          : never
      ) extends (added: infer All) => void
    ? Readonly<All>
    : never

/** Defines code around handlers; what it hands to `next` is typed in the `locals` of functions that `use` it. */
export function defineMiddleware<
  Added extends object = object,
  const Use extends readonly Middleware[] = readonly [],
>(
  run: (step: MiddlewareStep<LocalsOf<Use>>) => Maybe<Passed<Added>>,
  options: { readonly use?: Use } = {},
): Middleware<Added> {
  return Object.assign(
    (step: MiddlewareStep) => run(step as MiddlewareStep<LocalsOf<Use>>),
    options,
  )
}

/** Lists middleware with what each builds on before it, each once. */
export function flattenMiddleware(layers: readonly Middleware[]): readonly Middleware[] {
  const flat = new Set<Middleware>()
  const add = (layer: Middleware): void => {
    for (const inner of layer.use ?? []) add(inner)
    flat.add(layer)
  }
  for (const layer of layers) add(layer)
  return [...flat]
}

/** Runs a call through middleware, first one outermost, and then through `last`. */
export function runMiddleware(
  middleware: readonly Middleware[],
  { call, target }: { readonly call: Call; readonly target: Target },
  last: (call: Call) => Maybe<Outcome>,
): Maybe<Outcome> {
  const step = (index: number, current: Call): Maybe<Outcome> => {
    const layer = middleware[index]
    if (layer === undefined) return last(current)
    const next = (added?: object, changed: Call = current) =>
      step(index + 1, added ? { ...changed, locals: { ...changed.locals, ...added } } : changed)
    return layer({ call: current, target, locals: current.locals ?? {}, next })
  }
  return step(0, call)
}
