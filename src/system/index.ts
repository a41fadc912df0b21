export { authenticateByToken } from './authenticate-by-token.ts'
export { listDiscoverable } from './capabilities.ts'
export {
  type CallbackOptions,
  createService,
  jsonLogger,
  type ServiceOptions,
} from './create-service.ts'
export {
  checkDeclarations,
  type DefaultExtensionOptions,
  defaultExtensions,
} from './default-extensions.ts'
export { encodeHealth, type HealthReport, reportHealth } from './health.ts'
export {
  type StatefulExtensionOptions,
  type StatefulSettings,
  statefulExtensions,
} from './stateful-extensions.ts'
export { storeOf } from './store-of.ts'
