import type { Stream, StreamOptions } from './contract.ts'
import { type Target, toWireOptions } from './method.ts'

/** The member of a method that answers in parts. */
export interface Streamable<Parameters extends readonly unknown[], Part, Result> {
  /** Gives the parts as they come; the generator returns the result. Throws a ServiceError. */
  readonly stream: (...parameters: Parameters) => AsyncGenerator<Part, Result, void>
}

/** Makes the member of a method that answers in parts. */
export function createStreamable(
  target: Target,
  stream: Stream,
): Readonly<Record<string, unknown>> {
  return {
    stream: (callArguments?: unknown, options: StreamOptions = {}) =>
      stream(target.function, callArguments, {
        ...toWireOptions(target, options),
        onProgress: options.onProgress,
      }),
  }
}
