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

/** Makes the function orders.get, which answers its version, changed as told. */
export function define(fields: Partial<FunctionDefinition>): FunctionDefinition {
  return {
    name: 'orders.get',
    version: '1.0.0',
    handler: () => fields.version ?? '1.0.0',
    ...fields,
  }
}

/** Makes several versions of orders.get. */
export function versions(...list: string[]): FunctionDefinition[] {
  return list.map((version) => define({ version }))
}
