import { CallError, type CallErrorShape, resolveCode } from '../errors/index.ts'
import type { FilePlace, Problem, Validation } from '../schema/index.ts'
import {
  andThen,
  findNoJson,
  inspectJson,
  isPromise,
  type JsonObject,
  type Maybe,
  toMaybe,
} from '../values/index.ts'
import type { Call, Failure, Outcome, Principal, Success } from './call.ts'
import { settleFiles, toFiles, withoutStreams } from './files.ts'
import type { Invocation, QueryInvocation } from './function.ts'
import { type Middleware, runMiddleware } from './middleware.ts'
import type { QueryPlan } from './query-plan.ts'
import { boundErrors, isPrepared, resultTooLarge } from './result.ts'
import type { Logger } from './service.ts'
import { drain, isAsyncIterable } from './stream.ts'
import { createSuspects, type Suspects } from './suspects.ts'
import type { Target, TargetShape } from './target.ts'

/** Makes the step that takes a call from its arguments to its outcome; what it returns never throws. */
export function createInvoke(
  target: Target,
  middleware: readonly Middleware[],
  log: Logger,
  suspects: Suspects = createSuspects(),
): (call: Call) => Maybe<Outcome> {
  const seat = suspects.seat(target.name)
  const run = target.itemSchema === undefined ? runHandler : runStreamingHandler
  const handle =
    middleware.length === 0
      ? (call: Call, input: unknown) => run(target, call, input)
      : (call: Call, input: unknown) =>
          andThen(
            runMiddleware(middleware, { call, target }, (inner) => run(target, inner, input)),
            // Middleware may answer instead of the handler, or change what it answered.
            (outcome) => {
              if (outcome.ok) assertJson(target, outcome)
              return outcome
            },
          )

  const settle = (call: Call, checked: Validation): Maybe<Outcome> =>
    checked.ok ? handle(call, checked.value) : toInvalidArguments(checked.problems)

  const go = (call: Call): Maybe<Outcome> => {
    try {
      const checked = target.checkInput(call.arguments)
      const outcome = isPromise(checked)
        ? checked.then((ready) => settle(call, ready))
        : settle(call, checked)
      if (!isPromise(outcome)) return outcome
      seat.running += 1
      return outcome.then(
        (ready) => {
          seat.running -= 1
          return ready
        },
        (thrown: unknown) => {
          seat.running -= 1
          return toFailure(thrown, { call, target, log })
        },
      )
    } catch (thrown) {
      return toFailure(thrown, { call, target, log })
    }
  }
  return (call) => suspects.run(seat, go, call)
}

/** Turns anything thrown into a failure; only a CallError says more than INTERNAL_ERROR. */
export function toFailure(
  thrown: unknown,
  facts: {
    readonly call?: Call | undefined
    readonly target?: TargetShape
    readonly log: Logger
  },
): Failure {
  const known = knownError(thrown, facts.call)
  const wrong = known && findWrongDetails(known)
  if (known === undefined || wrong !== undefined) {
    facts.log.error('a handler failed unexpectedly', {
      function: facts.call?.function,
      request: facts.call?.id,
      error: wrong ?? thrown,
    })
    return { ok: false, errors: new CallError('INTERNAL_ERROR').errors }
  }
  if (saysMore(known)) {
    facts.log.warn('a call failed', {
      function: facts.call?.function,
      request: facts.call?.id,
      code: known.code,
      error: known,
      cause: known.cause,
    })
  }
  const declared = facts.target?.errors.get(known.code)?.status
  const status = isFailureStatus(known.status) ? known.status : declared
  const errors = isOfClient(known) ? ([toUnknownDependency(known.code)] as const) : known.errors
  return {
    ok: false,
    errors: boundErrors(errors),
    ...(status !== undefined && { status }),
    ...(known.challenge !== undefined && { challenge: known.challenge }),
  }
}

/** Why a call failed is for the log where its caller is not told. */
function saysMore({ code, cause, message, errors, status }: CallError): boolean {
  if (message !== errors[0].message || isOfClient({ code, status })) return true
  return cause !== undefined && (status ?? resolveCode(code).status) >= 500
}

/** A call to another service that a handler let pass: its message says where that service is. */
function isOfClient({ code, status }: Pick<CallError, 'code' | 'status'>): boolean {
  return status === 502 && code.startsWith('CLIENT_')
}

function toUnknownDependency(code: string): CallErrorShape {
  return { code, message: 'A service that this one depends on could not be called' }
}

function findWrongDetails(known: CallError): TypeError | undefined {
  for (const { code, details } of known.errors) {
    const noJson = details && findNoJson(details)
    if (noJson === undefined) continue
    const message = `the details of ${code} hold what JSON cannot, at "${noJson.pointer}": ${noJson.found}`
    return new TypeError(message, { cause: known })
  }
  return undefined
}

/** Hosts refuse to send an invalid status, such as the 0 of an upstream that did not answer. */
function isFailureStatus(status: number | undefined): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
}

/** Turns validation problems of the arguments into one error per finding. */
export function toInvalidArguments(problems: readonly [Problem, ...Problem[]]): Failure {
  const [first, ...rest] = problems
  return { ok: false, errors: boundErrors([toArgumentError(first), ...rest.map(toArgumentError)]) }
}

function runHandler(target: Target, call: Call, input: unknown): Maybe<Outcome> {
  const { definition } = target
  const invocation = toInvocation(target, call, input)
  const given: unknown =
    call.facts.query === undefined
      ? definition.handler(invocation)
      : definition.resources?.(invocation)
  const result = toMaybe(given)
  return isPromise(result)
    ? result.then((value) => checkResult(target, call, value))
    : checkResult(target, call, result)
}

async function runStreamingHandler(target: Target, call: Call, input: unknown): Promise<Outcome> {
  if (call.facts.query !== undefined) return runHandler(target, call, input)
  const given: unknown = await target.definition.handler(toInvocation(target, call, input))
  if (!isAsyncIterable(given)) return checkResult(target, call, given)
  const { result, items } = await drain(target, call, given)
  // Whoever has read the items has the result; what nobody gathered cannot be checked as a whole.
  if (result === undefined && items === undefined) return { ok: true, result: null }
  return checkResult(target, call, result === undefined ? items : result)
}

/** Builds what a handler sees of a call. */
export function toInvocation(target: Target, call: Call, input: unknown): QueryInvocation<never> {
  return new CallInvocation(target, call, input as never)
}

/** A class, because its getters cost nothing until a handler asks; closures and a signal per call would. */
class CallInvocation implements QueryInvocation<never> {
  readonly #target: Target
  readonly call: Call
  readonly input: never

  constructor(target: Target, call: Call, input: never) {
    this.#target = target
    this.call = call
    this.input = input
  }

  get signal(): AbortSignal {
    return this.call.signal()
  }

  get context(): JsonObject {
    return this.call.context ?? {}
  }

  get locals(): Readonly<Record<string, unknown>> {
    return this.call.locals ?? {}
  }

  /** Only `resources` is typed to ask, and it is called with a query alone. */
  get plan(): QueryPlan {
    return this.call.facts.query as QueryPlan
  }

  get principal(): Principal | undefined {
    return this.call.principal
  }

  get fail(): Invocation['fail'] {
    const { errors } = this.#target
    return (code, options) =>
      new CallError(code, { message: errors.get(code)?.message, ...options })
  }

  get progress(): Invocation['progress'] {
    return this.call.facts.progress ?? ignoreProgress
  }
}

function checkResult(target: Target, call: Call, result: unknown): Maybe<Outcome> {
  // A query asks for resources instead of what the output schema says; its extension checks those.
  const asResources = call.facts.query !== undefined
  if (target.outputFiles !== undefined && !asResources) return checkFiles(target, call, result)
  const outcome: Success = { ok: true, result }
  const fits = assertJson(target, outcome)
  if (target.checkOutput === undefined || asResources) return outcome
  // Checking millions of items that nobody will be sent would stop every other call.
  if (!fits) throw resultTooLarge(target.maxResultBytes)
  return andThen(target.checkOutput(result ?? null), (checked) => {
    assertResult(target, checked)
    return outcome
  })
}

function assertResult({ name, version }: Target, checked: Validation): void {
  if (checked.ok) return
  const [problem] = checked.problems
  throw new TypeError(
    `${name}@${version} answered a result that its output schema refuses at "${problem.pointer}": ${problem.message}`,
  )
}

/** Files are checked as files, and leave as text or as streams. */
async function checkFiles(target: Target, call: Call, result: unknown): Promise<Outcome> {
  const place = target.outputFiles as FilePlace
  const given = toFiles(result, place)
  if (target.checkOutput) assertResult(target, await target.checkOutput(given ?? null))
  const outcome: Success = { ok: true, result: await settleFiles(target, call, given) }
  if (!assertJson(target, outcome)) throw resultTooLarge(target.maxResultBytes)
  return outcome
}

/** Throws for what JSON cannot hold; tells whether the result may be as short as an answer has to be. */
function assertJson(target: Target, { result }: Success): boolean {
  if (isPrepared(result)) return true
  const { outputFiles } = target
  const plain = outputFiles === undefined ? result : withoutStreams(result, outputFiles)
  const found = inspectJson(plain ?? null, target.maxResultBytes)
  if (found === undefined || found === 'too long') return found === undefined
  throw new TypeError(
    `${target.name}@${target.version} answered what JSON cannot hold at "${found.pointer}": ${found.found}`,
  )
}

function toArgumentError(problem: Problem): CallErrorShape {
  const field = problem.pointer.slice(1).replaceAll('/', '.')
  return {
    code: 'INVALID_ARGUMENTS',
    message: field === '' ? `Arguments: ${problem.message}` : `${field}: ${problem.message}`,
    source: { pointer: `/call/arguments${problem.pointer}` },
    details: { constraint: problem.code },
  }
}

function knownError(thrown: unknown, call: Call | undefined): CallError | undefined {
  if (thrown instanceof CallError) return thrown
  const signal = call?.signal()
  if (!signal?.aborted) return undefined
  // A handler that passes its signal on fails with the signal's reason: the deadline or the cancellation.
  return signal.reason instanceof CallError ? signal.reason : new CallError('CANCELLED')
}

function ignoreProgress(): void {}
