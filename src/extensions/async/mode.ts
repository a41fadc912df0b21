import type { Target } from '../../core/index.ts'
import { extensionUrn } from '../../values/index.ts'

/** URN of the async extension. */
export const ASYNC_URN: string = extensionUrn('async')

/**
 * When a function goes on in the background. `never`: it is quick, and always answers itself. `preferred`: when the
 * caller prefers it. `always`: whenever the caller declares the extension and does not say `preferred: false`.
 */
export type AsyncMode = 'never' | 'preferred' | 'always'

const MODES: readonly unknown[] = ['never', 'preferred', 'always'] satisfies AsyncMode[]

/** Reads the mode that a function declares: `extensions: [{ urn: 'urn:forrst:ext:async', mode: 'never' }]`. */
export function readAsyncMode({
  name,
  definition,
  system,
}: Pick<Target, 'name' | 'definition' | 'system'>): AsyncMode {
  if (system) return 'never'
  const declared = definition.extensions?.find(({ urn }) => urn === ASYNC_URN)
  const mode = declared?.['mode'] ?? 'preferred'
  if (MODES.includes(mode)) return mode as AsyncMode
  throw new TypeError(
    `${name}: extensions of ${ASYNC_URN}: mode must be never, preferred or always; got ${JSON.stringify(mode)}`,
  )
}
