export { authenticateByToken } from './authenticate-by-token.ts'
export { listDiscoverable } from './capabilities.ts'
export {
  createService,
  jsonLogger,
  type ServiceOptions,
} from './create-service.ts'
export {
  checkDeclarations,
  type DefaultExtensionOptions,
} from './default-extensions.ts'
export { encodeHealth, type HealthReport, reportHealth } from './health.ts'
export type { CallbackOptions, ServiceExtensionOptions } from './service-extensions.ts'
export {
  type StatefulExtensionOptions,
  type StatefulSettings,
  statefulExtensions,
} from './stateful-extensions.ts'
