import type { ReplyEntry } from '../../core/index.ts'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import { toCallError } from '../errors.ts'
import { evaluateLink } from '../link.ts'
import {
  type BackgroundOperation,
  type FollowOptions,
  type OperationState,
  type StartOptions,
  startOperation,
} from '../operation.ts'
import type { CallOutcome } from '../outcome.ts'
import type { CallOptions } from '../retry.ts'
import { type RunCall, runCall } from '../run-call.ts'
import { type ClientOptions, resolveSettings } from '../settings.ts'
import { createCallStream, type StreamOptions } from '../stream.ts'
import { parseEndpoint } from '../transport.ts'
import { createQueryable } from './query.ts'

/** Why a call failed: a CallError. `code` tells the errors that a function declares apart, and types `details`. */
export interface MethodError<Code extends string = string, Details = unknown> extends Error {
  readonly code: Code
  readonly details: Details
  /** Every finding; the first is the one in `code`, `message` and `details`. */
  readonly errors: readonly [CallErrorShape, ...CallErrorShape[]]
}

/** What a call comes to; `declared` tells the errors of the function from everything else that can go wrong. */
export type MethodOutcome<Result, Declared> =
  | {
      readonly ok: true
      readonly result: Result
      /** What extensions answered, such as a dry run; its result is null. */
      readonly extensions?: readonly ReplyEntry[]
    }
  | { readonly ok: false; readonly declared: true; readonly error: Declared }
  | { readonly ok: false; readonly declared: false; readonly error: MethodError }

/** A function of a service. */
export interface Method<Parameters extends readonly unknown[], Result, Declared> {
  /** Gives the result, or throws a CallError. */
  (...parameters: Parameters): Promise<Result>
  /** Gives the result or the error, and throws nothing. */
  readonly safe: (...parameters: Parameters) => Promise<MethodOutcome<Result, Declared>>
}

/** The member of a method that answers in parts. */
export interface Streamable<Parameters extends readonly unknown[], Part, Result> {
  /** Gives the parts as they come; the generator returns the result. Throws a CallError. */
  readonly stream: (...parameters: Parameters) => AsyncGenerator<Part, Result, void>
}

/** The member of a method that can run in the background. */
export interface Startable<Parameters extends readonly unknown[], Result, Declared> {
  /** Starts the work and gives a handle to it. */
  readonly start: (...parameters: Parameters) => Promise<MethodOperation<Result, Declared>>
}

/** Work that goes on after its call was answered; one the service answered at once has no id. */
export interface MethodOperation<Result, Declared> {
  readonly id: string | undefined
  /** Asks how far it is; throws a CallError when the service cannot be asked. */
  readonly status: (options?: Pick<FollowOptions, 'signal'>) => Promise<OperationState>
  /** Cancels the work; false when it has ended already. */
  readonly cancel: () => Promise<boolean>
  /** Waits for the result; throws a CallError when it failed or was cancelled. */
  readonly wait: (options?: FollowOptions) => Promise<Result>
  /** Waits and throws nothing. */
  readonly settle: (options?: FollowOptions) => Promise<MethodOutcome<Result, Declared>>
}

/** One version of a function, as a generated client describes it. */
export interface MethodTarget {
  readonly function: string
  readonly version?: string
  /** True when it changes nothing, so that it may be repeated. */
  readonly readOnly?: boolean
  /** Codes it declares. */
  readonly codes?: readonly string[]
  /** It has `.query` and `.each`. */
  readonly query?: boolean
  /** It has `.stream`. */
  readonly stream?: boolean
  /** It has `.start`. */
  readonly start?: boolean
}

/** Makes the methods of a generated client; what they are typed as is for whoever asks to know. */
export interface MethodMaker {
  /** Makes a function callable; `members` are added to it, such as its older versions and its links. */
  readonly method: <Type>(target: MethodTarget, members?: object) => Type
  /** Makes a link of a description callable: it takes a result, and calls with `params` evaluated on it. */
  readonly link: <Type>(target: MethodTarget, params: Readonly<Record<string, unknown>>) => Type
  /** Makes the method that calls any function by its name. */
  readonly call: <Type>() => Type
}

/** How a method makes its call; its parameters are known to the generated types only. */
export type MethodRun = (...parameters: never[]) => Promise<CallOutcome>

/** Connects to a service for a generated client. */
export function createMethods(options: ClientOptions): MethodMaker {
  const settings = resolveSettings(options)
  const host = options.target ?? (options.url && parseEndpoint(options.url).host) ?? 'the service'
  const run: RunCall = (name, callArguments, given = {}) =>
    runCall(settings, { function: name, arguments: callArguments, options: given })
  const bind =
    (target: MethodTarget) =>
    (callArguments?: unknown, given?: CallOptions): Promise<CallOutcome> =>
      run(target.function, callArguments, { ...toKnown(target), ...given })

  async function* stream(target: MethodTarget, callArguments: unknown, given?: StreamOptions) {
    const call = { function: target.function, arguments: callArguments }
    const items = createCallStream(
      settings,
      { ...call, options: { ...toKnown(target), ...given } },
      host,
    )
    for await (const item of items) yield item
    return items.result()
  }

  async function start(target: MethodTarget, callArguments: unknown, given?: StartOptions) {
    const call = { function: target.function, arguments: callArguments }
    const around = { run, sleep: settings.sleep }
    return toOperation(target, await startOperation(around, call, { ...toKnown(target), ...given }))
  }

  return {
    method: (target, members) =>
      toMethod(target, bind(target), {
        ...(target.query && createQueryable((own) => toMethod(target, own), bind(target))),
        ...(target.stream && { stream: stream.bind(undefined, target) }),
        ...(target.start && { start: start.bind(undefined, target) }),
        ...members,
      }),
    link: (target, params) =>
      toMethod(target, (result: unknown, given?: CallOptions) => {
        const link = evaluateLink({ name: target.function, params }, result)
        return bind(target)(link.arguments, given)
      }),
    call: () => toMethod({ function: '' }, run),
  }
}

/** Tells whether something thrown is a failure with one of these codes. */
export function hasErrorCode(thrown: unknown, codes: readonly string[]): boolean {
  return thrown instanceof CallError && codes.includes(thrown.code)
}

/** Completes the options of a call with what is known about the function. */
function toKnown({ version, readOnly }: MethodTarget): CallOptions {
  return { ...(version !== undefined && { version }), ...(readOnly && { readOnly }) }
}

/** Turns a way to call into a method that throws, with one beside it that does not. */
function toMethod<Type>(target: MethodTarget, run: MethodRun, members: object = {}): Type {
  const safe = async (...parameters: never[]) => toOutcome(target, await run(...parameters))
  const method = async (...parameters: never[]) => toResult(await safe(...parameters))
  // Also members that a plain assignment would refuse, such as `name`.
  for (const [key, value] of Object.entries({ safe, ...members })) {
    Object.defineProperty(method, key, { value, enumerable: true, configurable: true })
  }
  return method as Type
}

function toOperation(
  target: MethodTarget,
  { id, status, cancel, result }: BackgroundOperation,
): MethodOperation<unknown, MethodError> {
  const settle = async (options?: FollowOptions) => toOutcome(target, await result(options))
  return { id, status, cancel, settle, wait: async (options) => toResult(await settle(options)) }
}

/** Sorts an outcome into result, declared error and other error. */
function toOutcome(
  { codes = [] }: MethodTarget,
  outcome: CallOutcome,
): MethodOutcome<unknown, MethodError> {
  if (outcome.ok) {
    const { result, extensions } = outcome
    return { ok: true, result, ...(extensions.length > 0 && { extensions }) }
  }
  const error = toCallError(outcome)
  return { ok: false, declared: codes.includes(error.code), error }
}

function toResult(outcome: MethodOutcome<unknown, MethodError>): unknown {
  if (outcome.ok) return outcome.result
  throw outcome.error
}
