import { defineFunction, type FunctionDefinition, type Service } from '../core/index.ts'
import { formatTimestamp } from '../values/index.ts'
import { capabilitiesFunction } from './capabilities.ts'
import { describeFunction } from './describe.ts'
import { healthFunction } from './health.ts'

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

/** Lists the functions every service has, whatever extensions it enables. */
export function systemFunctions(service: Service): readonly FunctionDefinition[] {
  return [
    pingFunction(service),
    healthFunction(service),
    capabilitiesFunction(service),
    describeFunction(service),
  ]
}
