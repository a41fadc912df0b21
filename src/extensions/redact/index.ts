export { type RedactExtensionOptions, redactExtension } from './redact.ts'
export type { PartialMask } from './redactor.ts'
