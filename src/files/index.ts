export { fromBase64, toBase64 } from './base64.ts'
export {
  assumeSize,
  type CreateFileOptions,
  createFile,
  defaultType,
  type FileSource,
  findFault,
  formatFile,
  isStreamed,
  limitBytes,
  parseFile,
  readRange,
  readWithin,
  toDataUrl,
} from './file.ts'
export { type Form, type FormField, type FormFile, readForm } from './form.ts'
export {
  ANY_BYTES,
  type FileRule,
  formatDisposition,
  isOneOf,
  parseDisposition,
  toMediaType,
  toSafeName,
} from './name.ts'
