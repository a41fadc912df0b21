import { CallError, type CallErrorOptions } from '../../errors/index.ts'
import type { ClientOptions } from '../settings.ts'
import { createMethods, hasErrorCode, type MethodError, type MethodMaker } from './method.ts'

/** What generated clients run on. */
export interface ClientRuntime {
  readonly CallError: new (code: string, options?: CallErrorOptions) => MethodError
  readonly createMethods: (options: ClientOptions) => MethodMaker
  readonly hasErrorCode: (thrown: unknown, codes: readonly string[]) => boolean
}

/** What a generated client carries when it does not import the package; a bundler starts here. */
export const clientRuntime: ClientRuntime = { CallError, createMethods, hasErrorCode }
