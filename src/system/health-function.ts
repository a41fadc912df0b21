import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import { jsonSchema } from '../core/schema.ts'
import type { Service } from '../core/service.ts'
import { encodeHealth, reportHealth } from './health.ts'

/** The arguments of both health functions. */
export const HEALTH_INPUT: ReturnType<
  typeof jsonSchema<{ component?: string; include_details?: boolean }>
> = jsonSchema({
  type: 'object',
  properties: {
    component: { type: 'string', description: 'Check this component only; "self" is the process' },
    include_details: { type: 'boolean', default: true },
  },
})

/** Creates the function that looks at every component and every function state. */
export function healthFunction(service: Service): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:fn:health',
    version: '1.0.0',
    summary: 'Comprehensive health check with component-level status',
    sideEffects: [],
    discoverable: false,
    input: HEALTH_INPUT,
    async handler({ input, call, signal }) {
      const report = await reportHealth(service, { component: input.component, signal })
      if (report.status === 'unhealthy') call.reply.disposition = 'unavailable'
      return encodeHealth(report, input.include_details ?? true)
    },
  })
}
