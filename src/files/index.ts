export { fromBase64, toBase64 } from './base64.ts'
export {
  assumeSize,
  type CreateFileOptions,
  createFile,
  type FileSource,
  findFault,
  formatFile,
  isStreamed,
  joinBytes,
  limitBytes,
  parseFile,
  readRange,
  readWithin,
  splitFile,
  toDataUrl,
} from './file.ts'
export { type Form, readForm } from './form.ts'
export {
  type FileRule,
  formatDisposition,
  isOneOf,
  parseDisposition,
  toMediaType,
  toSafeName,
} from './name.ts'
