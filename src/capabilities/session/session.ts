import { CallError, type CallErrorShape } from '../../errors/index.ts'
import type { PublicFetch } from '../../net/index.ts'
import { defined, isRecord, type JsonObject, toReason } from '../../values/index.ts'
import type { CallableTransport, TransportName } from '../model.ts'
import type { Negotiation } from '../negotiate/negotiate.ts'
import { type CapabilityOperation, isCallable, type OperationSet } from '../negotiate/operations.ts'
import { type CallPlan, planCall } from './call-plan.ts'
import type { Session } from './connect.ts'
import { readMcpAnswer, readRestAnswer } from './incoming.ts'
import type { LoadedDocuments } from './load.ts'
import { createPayloadCheck, type PreparedRequest, prepareRequest } from './outgoing.ts'

/** How one call differs from others. */
export interface SessionCallOptions {
  /** Needed only when several services have the operation. */
  readonly service?: string
  /** The caller's order of preference decides when absent. */
  readonly transport?: CallableTransport
  /** Repeat it to repeat a call safely; made up when absent. */
  readonly idempotencyKey?: string
  /** Further headers, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A request that was built without being sent, or why it could not be. */
export type PreparedCall =
  | {
      readonly ok: true
      readonly operation: CapabilityOperation
      readonly request: PreparedRequest
      readonly id: string
    }
  | { readonly ok: false; readonly error: CallErrorShape }

/** Everything a call needs; replaced as a whole when the profile changes. */
export interface SessionState {
  readonly negotiation: Negotiation
  readonly set: OperationSet
  readonly loaded: LoadedDocuments
  /** The URL of the platform's profile. */
  readonly profile: string
  readonly transports: readonly TransportName[]
  /** When the business profile is no longer fresh, in milliseconds since the epoch. */
  readonly freshUntil: number
}

/** Prepares and sends calls on one state, which never changes; nothing but the call itself goes over the network. */
export function createSessionCaller(
  state: SessionState,
  { fetch, randomId }: { readonly fetch: PublicFetch; readonly randomId: () => string },
): Pick<Session, 'prepare' | 'call'> {
  const plans = new Map<string, CallPlan | undefined>()
  const payloads = createPayloadCheck(state)

  function planFor(
    operation: CapabilityOperation,
    transport: CallableTransport,
  ): CallPlan | undefined {
    const key = `${transport} ${operation.service} ${operation.id}`
    if (!plans.has(key)) plans.set(key, planCall(operation, transport, payloads(operation)))
    return plans.get(key)
  }

  function prepare(
    id: string,
    args: JsonObject = {},
    options: SessionCallOptions = {},
  ): PreparedCall {
    const lookup = state.set.lookup(id, options.service)
    if (!lookup.found) return refuse(notOffered(state, id, lookup.services))
    if (!isRecord(args))
      return refuse(invalidArguments([{ pointer: '', message: 'must be an object' }]))
    const { operation } = lookup
    const transport =
      options.transport ??
      state.transports.filter(isCallable).find((name) => operation.bindings[name] !== undefined)
    const plan = transport && planFor(operation, transport)
    if (plan === undefined) return refuse(noTransport(operation, transport))
    const requestId = randomId()
    const built = prepareRequest(plan, args, {
      profile: state.profile,
      requestId,
      idempotencyKey: options.idempotencyKey ?? randomId(),
      ...(options.headers && { headers: options.headers }),
    })
    if (!built.ok) return refuse(invalidArguments(built.problems))
    return { ok: true, operation, request: built.request, id: requestId }
  }

  return {
    prepare,
    call: async (id, args, options) => {
      const prepared = prepare(id, args, options)
      if (!prepared.ok) return prepared
      const { transport, method, url, headers, body } = prepared.request
      try {
        const sent = defined({ body, signal: options?.signal })
        const response = await fetch(url, { method, headers, ...sent })
        if (transport === 'rest') return readRestAnswer(response)
        return readMcpAnswer(response, prepared.id)
      } catch (thrown) {
        return refuse(toShape(thrown))
      }
    },
  }
}

function notOffered(
  { negotiation, set }: SessionState,
  operation: string,
  services: readonly string[],
): CallErrorShape {
  if (services.length > 1) {
    const message = `several services have ${operation}; say which one`
    return { code: 'INVALID_ARGUMENTS', message, details: { operation, services } }
  }
  const inactive = set.owners(operation).filter((name) => !negotiation.active.has(name))
  if (inactive.length > 0) {
    const reasons = inactive.map((name) => `${name}: ${negotiation.excluded.get(name)}`)
    const message = `${operation} was not negotiated (${reasons.join(', ')})`
    const details = { operation, capabilities: inactive }
    return { code: 'CAPABILITY_NOT_OFFERED', message, details }
  }
  const unresolved = set.unresolved.find((item) => item.operation === operation)
  const why = unresolved ? ` (${unresolved.reason})` : ''
  const message = `${operation} is not among the operations of this session${why}`
  return { code: 'OPERATION_NOT_OFFERED', message, details: { operation } }
}

function noTransport(
  operation: CapabilityOperation,
  asked: CallableTransport | undefined,
): CallErrorShape {
  const offered = Object.keys(operation.bindings)
  const message = `${operation.id} is not available over ${asked ?? 'the transports supported here'}`
  return { code: 'NO_COMPATIBLE_TRANSPORT', message, details: { operation: operation.id, offered } }
}

function invalidArguments(
  problems: readonly { readonly pointer: string; readonly message: string }[],
): CallErrorShape {
  const [first] = problems
  return {
    code: 'INVALID_ARGUMENTS',
    message: `${first?.pointer || 'the arguments'} ${first?.message}`,
    details: { problems: problems.map((problem) => ({ ...problem })) },
  }
}

function refuse(error: CallErrorShape): { readonly ok: false; readonly error: CallErrorShape } {
  return { ok: false, error }
}

function toShape(thrown: unknown): CallErrorShape {
  if (thrown instanceof CallError) return thrown.errors[0]
  return { code: 'DEPENDENCY_ERROR', message: toReason(thrown) }
}
