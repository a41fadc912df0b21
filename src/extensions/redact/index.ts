export { REDACTED_FIELDS, type RedactExtensionOptions, redactExtension } from './redact.ts'
export { FULL_MASK, normalizeName, type PartialMask } from './redactor.ts'
