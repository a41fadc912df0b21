import { defineFunction, type FunctionDefinition, type Service } from '../core/index.ts'
import { formatTimestamp, type JsonObject } from '../values/index.ts'
import { capabilitiesFunction } from './capabilities.ts'
import { describeFunction } from './describe.ts'
import { healthFunction } from './health.ts'

/** Creates the function that answers at once: it asks no dependency, and tells what the newest checks found. */
export function pingFunction(service: Service): FunctionDefinition {
  return definePing('urn:cline:forrst:fn:ping', () => {
    const told = [...service.componentStates].flatMap(([name, { known }]) =>
      known && known.status !== 'healthy' ? [[name, known.status] as const] : [],
    )
    const timestamp = formatTimestamp(service.clock.now())
    if (told.length === 0) return { status: 'healthy', timestamp }
    // Who answers is not down: whether calls can be taken is for the health function to say.
    return { status: 'degraded', timestamp, details: Object.fromEntries(told) }
  })
}

/** Creates the ping of the diagnostics extension, whose status is always the same. */
export function plainPingFunction({ clock }: Service): FunctionDefinition {
  return definePing('urn:cline:forrst:ext:diagnostics:fn:ping', () => ({
    status: 'healthy',
    timestamp: formatTimestamp(clock.now()),
  }))
}

function definePing(name: string, handler: () => JsonObject): FunctionDefinition {
  return defineFunction({
    name,
    version: '1.0.0',
    summary: 'Simple connectivity check',
    sideEffects: [],
    discoverable: false,
    handler,
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
