export { type TracingExtensionOptions, tracingExtension } from './tracing.ts'
