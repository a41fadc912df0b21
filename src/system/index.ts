export { authenticateByToken } from './authenticate-by-token.ts'
export { listDiscoverable } from './capabilities.ts'
export {
  type BareServiceOptions,
  createBareService,
  createService,
  type KnownOptions,
  type ServiceOptions,
  type UnknownOption,
} from './create-service.ts'
export {
  checkDeclarations,
  type DefaultExtensionOptions,
} from './default-extensions.ts'
export { diagnosticsExtension } from './diagnostics-extension.ts'
export { discoveryExtension } from './discovery-extension.ts'
export { encodeHealth, type HealthReport, reportHealth } from './health.ts'
export type { CallbackOptions, ServiceExtensionOptions } from './service-extensions.ts'
export {
  type StatefulExtensionOptions,
  type StatefulSettings,
  statefulExtensions,
} from './stateful-extensions.ts'
