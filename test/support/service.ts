import type { FunctionDefinition } from '../../src/core/function.ts'
import type { Logger, Service } from '../../src/core/service.ts'
import { createService, type ServiceOptions } from '../../src/system/create-service.ts'

/** A logger that remembers what was written. */
export interface TestLogger extends Logger {
  readonly lines: { readonly level: string; readonly message: string; readonly facts: unknown }[]
}

/** Creates a logger that remembers what was written. */
export function createTestLogger(): TestLogger {
  const lines: TestLogger['lines'] = []
  const log = (level: string) => (message: string, facts?: unknown) => {
    lines.push({ level, message, facts })
  }
  return { lines, warn: log('warn'), error: log('error') }
}

/** Creates a service of some functions, silent unless a test listens. */
export function serviceOf(
  functions: readonly FunctionDefinition[],
  options: Partial<ServiceOptions<readonly FunctionDefinition[]>> = {},
): Service {
  return createService({
    info: { title: 'Orders API', version: '1.0.0' },
    log: createTestLogger(),
    ...options,
    functions,
  })
}
