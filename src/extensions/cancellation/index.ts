export { type CancellationExtensionOptions, cancellationExtension } from './cancellation.ts'
