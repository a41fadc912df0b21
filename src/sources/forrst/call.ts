import type {
  Call,
  DryRunReport,
  Invocation,
  QueryPlan,
  ResourceDocument,
} from '../../core/index.ts'
import type { FunctionObject } from '../../discovery/index.ts'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import { canonicalUrn, extensionUrn, isRecord, type JsonObject } from '../../values/index.ts'
import { markArguments } from '../tool-spec/index.ts'
import {
  type ForrstCallOptions,
  type ForrstClient,
  type ForrstOutcome,
  type ForrstStream,
  type Remote,
  toForrstCallError,
} from './client.ts'
import type { Behaviour } from './function.ts'

const CURSORS = { next_cursor: 'after', prev_cursor: 'before' } as const

/**
 * Puts the cursors of a remote page into cursors of our own. Ours are checked before a call is passed on, and those of
 * the remote service would not pass.
 */
export function wrapCursors(result: unknown, plan: QueryPlan): unknown {
  if (plan.pagination?.style !== 'cursor' || !isRecord(result)) return result
  const { meta } = result
  const pagination = isRecord(meta) ? meta['pagination'] : undefined
  if (!isRecord(meta) || !isRecord(pagination)) return result
  const { seal } = plan.pagination
  const wrapped = Object.entries(CURSORS).flatMap(([member, direction]): [string, string][] => {
    const cursor = pagination[member]
    return typeof cursor === 'string' ? [[member, seal({ direction, values: [cursor] })]] : []
  })
  return {
    ...result,
    meta: { ...meta, pagination: { ...pagination, ...Object.fromEntries(wrapped) } },
  }
}

/** Takes the remote service's cursor back out of ours. */
export function unwrapCursor(options: JsonObject, { pagination }: QueryPlan): JsonObject {
  if (pagination?.style !== 'cursor' || pagination.position === undefined) return options
  const [cursor] = pagination.position.values
  const given = isRecord(options['pagination']) ? options['pagination'] : {}
  return { ...options, pagination: { ...given, cursor: cursor ?? null } }
}

/** Which stream is passed on, and what its result means. */
export interface PassOptions {
  readonly object: FunctionObject
  readonly remote: Remote
  /** The remote service gathers the items for a repeated call, and its result is then the whole. */
  readonly keyed: boolean
}

/**
 * Passes the items of a remote function on, each when it is asked for, and then its result. Leaving the loop leaves
 * the remote stream, and a failure in its middle is ours too.
 */
export async function* passItems(
  stream: ForrstStream,
  { object, remote, keyed }: PassOptions,
): AsyncGenerator<unknown, unknown> {
  try {
    yield* stream
    const result = await stream.result()
    // On the wire a generator that returned nothing looks like one that returned null.
    return keyed ? result : (result ?? undefined)
  } catch (thrown) {
    const error = unwrap(thrown)
    throw error instanceof CallError ? toForrstCallError(error, object, remote) : error
  }
}

/** A client wraps what fails within a call that is served; what it wrapped is what the service said. */
function unwrap(thrown: unknown): unknown {
  const isWrapped = thrown instanceof CallError && thrown.code === 'DEPENDENCY_ERROR'
  return isWrapped && thrown.cause instanceof CallError ? thrown.cause : thrown
}

/** What calls to one remote service share. */
export interface ForwardOptions extends Remote {
  readonly client: ForrstClient
  /** Milliseconds for one answer when a call has no deadline. */
  readonly timeoutMs: number
  /** Extensions the remote service has. */
  readonly extensions: ReadonlySet<string>
}

const QUERY = extensionUrn('query')
const LOCALE = extensionUrn('locale')
const DRY_RUN = extensionUrn('dry-run')
const IDEMPOTENCY = extensionUrn('idempotency')
/** As long as a whole answer may be. */
const LONGEST_EVENT = 10_485_760

/** Creates what passes calls of one function on to the service that has it. */
export function createForward(
  object: FunctionObject,
  schema: JsonSchema,
  options: ForwardOptions,
): Behaviour {
  const toArguments = (input: unknown) => markArguments(schema, input) as JsonObject
  const send = async (invocation: Invocation, extra: ForrstCallOptions['extensions'] = []) => {
    const outcome = await options.client.call(object.name, toArguments(invocation.input), {
      ...toCallOptions(object, invocation.call, options),
      extensions: [...toEntries(invocation.call), ...extra],
    })
    if (outcome.ok) return outcome
    throw toForrstCallError(outcome, object, options)
  }
  const stream = ({ call, input, progress }: Invocation): ForrstStream =>
    options.client.stream(object.name, toArguments(input), {
      ...toCallOptions(object, call, options),
      extensions: toEntries(call),
      maxEventLength: LONGEST_EVENT,
      onProgress: ({ percent, message }) => progress(percent / 100, message),
    })
  const passesKey = options.extensions.has(IDEMPOTENCY)
  return {
    handler: async (invocation) => {
      const { outlet, idempotencyKey } = invocation.call.facts
      if (outlet === undefined) return (await send(invocation)).result
      const keyed = passesKey && idempotencyKey !== undefined
      return passItems(stream(invocation), { object, remote: options, keyed })
    },
    ...(object.query !== undefined && {
      // What the remote service answered is checked by the extension, as every answer to a query.
      resources: async (invocation) =>
        wrapCursors((await send(invocation)).result, invocation.plan) as ResourceDocument,
    }),
    ...(options.extensions.has(DRY_RUN) &&
      (object.sideEffects?.length ?? 0) > 0 && {
        dryRun: async (invocation) => {
          const entry = { urn: DRY_RUN, options: { enabled: true, include_diff: true } }
          return toDryRunReport(await send(invocation, [entry]))
        },
      }),
  }
}

function toCallOptions(
  { version, sideEffects }: FunctionObject,
  call: Call,
  { timeoutMs, extensions }: ForwardOptions,
): ForrstCallOptions {
  const { idempotencyKey } = call.facts
  return {
    version,
    within: call,
    timeoutMs,
    ...(sideEffects?.length === 0 && { readOnly: true }),
    ...(idempotencyKey !== undefined && extensions.has(IDEMPOTENCY) && { idempotencyKey }),
  }
}

/** What the caller asked of the answer itself: the remote service has to know it too. */
function toEntries(call: Call): NonNullable<ForrstCallOptions['extensions']> {
  return call.extensions.flatMap(({ urn, options, implicit }) => {
    const canonical = canonicalUrn(urn)
    if (canonical === QUERY && call.facts.query) {
      return [{ urn: QUERY, options: unwrapCursor(options, call.facts.query) }]
    }
    if (canonical !== LOCALE) return []
    const language = implicit ? firstLanguage(options['accept_language']) : undefined
    if (implicit && language === undefined) return []
    return [{ urn: LOCALE, options: language ? { language } : options, required: false }]
  })
}

function firstLanguage(header: unknown): string | undefined {
  const [first = ''] = typeof header === 'string' ? header.split(/[,;]/, 1) : []
  return /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(first.trim()) ? first.trim() : undefined
}

function toDryRunReport(outcome: Extract<ForrstOutcome, { readonly ok: true }>): DryRunReport {
  const data = outcome.extensions.find(({ urn }) => canonicalUrn(urn) === DRY_RUN)?.data ?? {}
  if (data['valid'] === false) throw toRefusal(data['validation_errors'])
  const { would_affect: wouldAffect, diff, side_effects: sideEffects } = data
  return {
    ...(Array.isArray(wouldAffect) && { wouldAffect: wouldAffect.filter(isObject) }),
    ...(isObject(diff) && { diff }),
    ...(Array.isArray(sideEffects) && { sideEffects: sideEffects.filter(isObject) }),
  }
}

function toRefusal(findings: unknown): CallError {
  const errors = (Array.isArray(findings) ? findings : []).filter(isObject).map(toFinding)
  const [first, ...rest] = errors
  return first === undefined ? new CallError('INVALID_ARGUMENTS') : CallError.all([first, ...rest])
}

function toFinding({ field, code, message }: JsonObject): CallErrorShape {
  return {
    code: typeof code === 'string' ? code : 'INVALID_ARGUMENTS',
    message: typeof message === 'string' ? message : 'The remote service refuses it',
    ...(typeof field === 'string' && {
      source: { pointer: `/call/arguments/${field.replaceAll('.', '/')}` },
    }),
  }
}

function isObject(value: unknown): value is JsonObject {
  return isRecord(value)
}
