import { formatTimestamp } from '../core/clock.ts'
import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import type { Service } from '../core/service.ts'

/** Creates the function that answers at once, without asking any dependency. */
export function pingFunction(
  { clock }: Service,
  name = 'urn:cline:forrst:fn:ping',
): FunctionDefinition {
  return defineFunction({
    name,
    version: '1.0.0',
    summary: 'Simple connectivity check',
    sideEffects: [],
    discoverable: false,
    handler: () => ({ status: 'healthy', timestamp: formatTimestamp(clock.now()) }),
  })
}
