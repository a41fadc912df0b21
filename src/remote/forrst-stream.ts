import { CallError } from '../core/error.ts'
import type { FunctionObject } from '../discovery/types.ts'
import type { ForrstStream } from './forrst-client.ts'
import { type Remote, toCallError } from './forrst-error.ts'

/** Which stream is passed on, and what its result means. */
export interface PassOptions {
  readonly object: FunctionObject
  readonly remote: Remote
  /** The remote service gathers the items for a repeated call, and its result is then the whole. */
  readonly keyed: boolean
}

/**
 * Passes the items of a remote function on, each when it is asked for, and then its result. Leaving the loop leaves
 * the remote stream, and a failure in its middle is ours too.
 */
export async function* passItems(
  stream: ForrstStream,
  { object, remote, keyed }: PassOptions,
): AsyncGenerator<unknown, unknown> {
  try {
    yield* stream
    const result = await stream.result()
    // On the wire a generator that returned nothing looks like one that returned null.
    return keyed ? result : (result ?? undefined)
  } catch (thrown) {
    const error = unwrap(thrown)
    throw error instanceof CallError ? toCallError(error, object, remote) : error
  }
}

/** A client wraps what fails within a call that is served; what it wrapped is what the service said. */
function unwrap(thrown: unknown): unknown {
  const isWrapped = thrown instanceof CallError && thrown.code === 'DEPENDENCY_ERROR'
  return isWrapped && thrown.cause instanceof CallError ? thrown.cause : thrown
}
