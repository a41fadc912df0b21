/** What a generated client carries when it does not import the package; a bundler starts here. */
export { CallError } from '../../errors/index.ts'
export { createMethods, hasErrorCode } from './method.ts'
