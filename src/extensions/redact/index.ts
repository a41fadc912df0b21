export { type RedactExtensionOptions, redactExtension } from './redact.ts'
