import { mayFit, tooLarge } from './response-limit.ts'

/** A result whose JSON text was made ahead of time. */
export interface Prepared {
  readonly [prepared]: true
  readonly json: string
}

// Shared by every copy of the package in a process: one may serve what another has prepared.
const prepared: unique symbol = Symbol.for('waymark.prepared')

/** Marks JSON text as the result of a call, so that no surface serialises it again. */
export function toPrepared(json: string): Prepared {
  return { [prepared]: true, json }
}

/** Tells whether a result is already JSON text. */
export function isPrepared(value: unknown): value is Prepared {
  return typeof value === 'object' && value !== null && prepared in value
}

/** Writes a result as JSON text, unless it is that already; one that cannot fit is refused before it is written. */
export function toResultText(result: unknown, maxBytes: number): string {
  if (isPrepared(result)) return result.json
  if (!mayFit(result, maxBytes)) throw tooLarge(maxBytes)
  return JSON.stringify(result) ?? 'null'
}

/** Creates a getter that builds and serialises a value once per state of its source. */
export function createPreparedResult(
  source: { readonly revision: () => number },
  build: () => unknown,
): () => Prepared {
  let revision = -1
  let result = toPrepared('null')
  return () => {
    if (source.revision() !== revision) {
      revision = source.revision()
      result = toPrepared(JSON.stringify(build()))
    }
    return result
  }
}
