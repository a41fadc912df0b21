import type { Answer, CallOptions, Connection, ErrorEntry, WireOptions } from './contract.ts'

/** Why a call failed: a code that the function declares, one of the protocol, or one starting with CLIENT_. */
export class ServiceError extends Error {
  readonly code: string
  readonly details: unknown
  /** Every finding; the first is the one in `code`, `message` and `details`. */
  readonly errors: readonly [ErrorEntry, ...ErrorEntry[]]

  constructor(errors: readonly [ErrorEntry, ...ErrorEntry[]], cause?: unknown) {
    super(errors[0].message, { cause })
    this.name = 'ServiceError'
    this.code = errors[0].code
    this.details = errors[0].details
    this.errors = errors
  }
}

/** Reads one error of an answer, whatever stands there. */
export function toEntry(value: unknown): ErrorEntry {
  const given: { readonly [member: string]: unknown } =
    typeof value === 'object' && value !== null ? { ...value } : {}
  const { code, message, details, source } = given
  return {
    code: typeof code === 'string' ? code : 'INTERNAL_ERROR',
    message: typeof message === 'string' ? message : 'The call failed',
    ...(details !== undefined && { details }),
    ...(source !== undefined && { source }),
  }
}

/** An error that a function declares: `code` tells which, `details` has its type. */
export interface DeclaredError<Code extends string, Details = unknown> extends ServiceError {
  readonly code: Code
  readonly details: Details
}

/** What a call comes to; `declared` tells the errors of the function from everything else that can go wrong. */
export type Outcome<Result, Declared> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly declared: true; readonly error: Declared }
  | { readonly ok: false; readonly declared: false; readonly error: ServiceError }

/** A function of the service. */
export interface Method<Parameters extends readonly unknown[], Result, Declared> {
  /** Gives the result, or throws a ServiceError. */
  (...parameters: Parameters): Promise<Result>
  /** Gives the result or the error, and throws nothing. */
  readonly safe: (...parameters: Parameters) => Promise<Outcome<Result, Declared>>
}

/** One version of a function, as it is called. */
export interface Target {
  readonly connection: Connection
  readonly function: string
  readonly version?: string
  /** True when it changes nothing, so that it may be repeated. */
  readonly readOnly?: boolean
  /** Codes it declares. */
  readonly codes: readonly string[]
}

/** Makes a function of the service callable, with further members. */
export function createMethod<Type>(
  target: Target,
  members: (target: Target) => Readonly<Record<string, unknown>> = () => ({}),
): Type {
  const run = (callArguments?: unknown, options?: CallOptions): Promise<Answer> =>
    target.connection.call(target.function, callArguments, toWireOptions(target, options))
  return toMethod(target, run, members(target))
}

/** Makes the member that calls any function by its name, such as those of the system. */
export function createAnyMethod<Type>(connection: Connection): Type {
  const run = (name: string, callArguments?: unknown, options: CallOptions = {}): Promise<Answer> =>
    connection.call(name, callArguments, options)
  return toMethod({ connection, function: '', codes: [] }, run)
}

/** Turns a way to call into a method that throws, with one beside it that does not. */
export function toMethod<Type>(
  target: Target,
  run: (...parameters: never[]) => Promise<Answer>,
  members: Readonly<Record<string, unknown>> = {},
): Type {
  const safe = async (...parameters: never[]): Promise<Outcome<unknown, ServiceError>> =>
    toOutcome(target, await run(...parameters))
  const method = async (...parameters: never[]): Promise<unknown> => {
    const outcome = await safe(...parameters)
    if (outcome.ok) return outcome.result
    throw outcome.error
  }
  return withMembers(method, { safe, ...members }) as Type
}

/** Adds members to a function, also those a plain assignment would refuse, such as `name`. */
export function withMembers(method: object, members: Readonly<Record<string, unknown>>): unknown {
  for (const [key, value] of Object.entries(members)) {
    Object.defineProperty(method, key, { value, enumerable: true, configurable: true })
  }
  return method
}

/** Completes the options of a call with what is known about the function. */
export function toWireOptions(
  { version, readOnly }: Target,
  options: CallOptions = {},
): WireOptions {
  return {
    ...(version !== undefined && { version }),
    ...(readOnly !== undefined && { readOnly }),
    ...options,
  }
}

/** Adds an extension to the options of a call; whatever its options are, they are JSON. */
export function withExtension(
  options: CallOptions,
  entry: { readonly urn: string; readonly options: object },
): CallOptions {
  return { ...options, extensions: [...(options.extensions ?? []), entry as never] }
}

/** Sorts an answer into result, declared error and other error. */
export function toOutcome({ codes }: Target, answer: Answer): Outcome<unknown, ServiceError> {
  if (answer.ok) return { ok: true, result: answer.result }
  const error = new ServiceError(answer.errors, answer.cause)
  return { ok: false, declared: codes.includes(error.code), error }
}

/** Tells whether something thrown is a ServiceError with one of these codes. */
export function hasCode(thrown: unknown, codes: readonly string[]): boolean {
  return thrown instanceof ServiceError && codes.includes(thrown.code)
}
