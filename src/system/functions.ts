import type { FunctionDefinition } from '../core/function.ts'
import type { Service } from '../core/service.ts'
import { capabilitiesFunction } from './capabilities.ts'
import { describeFunction } from './describe.ts'
import { healthFunction } from './health-function.ts'
import { pingFunction } from './ping.ts'

/** Lists the functions every service has, whatever extensions it enables. */
export function systemFunctions(service: Service): readonly FunctionDefinition[] {
  return [
    pingFunction(service),
    healthFunction(service),
    capabilitiesFunction(service),
    describeFunction(service),
  ]
}
