import { type Problem, type Reference, requireAll, type SchemaCheck } from '../../schema/index.ts'
import { formatPointer, type JsonObject, once, toText } from '../../values/index.ts'
import type { CallableTransport } from '../model.ts'
import { schemaUrl } from '../negotiate/intersect.ts'
import type { CapabilityOperation } from '../negotiate/operations.ts'
import { formatAgentHeader } from './agent-header.ts'
import {
  type ArgumentPlace,
  type CallPlan,
  type CallPlanOptions,
  placeArguments,
} from './call-plan.ts'
import {
  createRequestSchemas,
  selectResponseCapabilities,
  toShapeReference,
} from './request-check.ts'
import type { SessionState } from './session.ts'

/** One request, ready to be sent. */
export interface PreparedRequest {
  readonly transport: CallableTransport
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Who calls, and the identifiers of this one call. */
export interface CallIdentity {
  /** The URL of the platform's profile. */
  readonly profile: string
  readonly requestId: string
  readonly idempotencyKey: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that was built, or what is wrong with the arguments. */
export type BuiltRequest =
  | { readonly ok: true; readonly request: PreparedRequest }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] }

/** Builds the one request that calls an operation; no I/O. */
export function prepareRequest(
  plan: CallPlan,
  args: JsonObject,
  identity: CallIdentity,
): BuiltRequest {
  const placed = placeArguments(plan.arguments, args)
  if (!placed.ok) return placed
  return plan.transport === 'rest'
    ? buildRest(plan, placed.named, placed.payload, identity)
    : { ok: true, request: buildMcp(plan, placed.named, placed.payload, identity) }
}

function buildRest(
  plan: CallPlan & { readonly transport: 'rest' },
  named: ReadonlyMap<string, unknown>,
  payload: unknown,
  identity: CallIdentity,
): BuiltRequest {
  const { binding, places } = plan
  const problems: Problem[] = []
  const path = binding.path.replace(/\{([^{}]*)\}/g, (_match, name: string) => {
    return encodeURIComponent(toText(named.get(name)))
  })
  // A whole segment of dots, or none at all, would lead to another route however it is escaped.
  for (const [index, segment] of binding.path.split('/').entries()) {
    const filled = path.split('/')[index] ?? ''
    const name = /\{([^{}]*)\}/.exec(segment)?.[1]
    if (name === undefined || !/^(?:\.{0,2})$/.test(filled)) continue
    problems.push({ pointer: `/${name}`, code: 'path', message: 'cannot be part of a path' })
  }
  const [first, ...others] = problems
  if (first) return { ok: false, problems: [first, ...others] }
  const placesIn = (part: string) => places.filter((place) => place.in === part)
  const query = toQuery(placesIn('query'), named)
  const headers = toHeaders(placesIn('header'), named)
  const body = payload === undefined ? undefined : JSON.stringify(payload)
  const mutates = binding.method !== 'GET' && binding.method !== 'HEAD'
  return {
    ok: true,
    request: {
      transport: 'rest',
      method: binding.method,
      url: binding.url.slice(0, binding.url.length - binding.path.length) + path + query,
      headers: {
        ...headers,
        ...identity.headers,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'ucp-agent': formatAgentHeader(identity.profile),
        'request-id': identity.requestId,
        ...(mutates && { 'idempotency-key': identity.idempotencyKey }),
      },
      body,
    },
  }
}

function toQuery(places: readonly ArgumentPlace[], named: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams()
  for (const { name } of places) {
    const value = named.get(name)
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, toText(item))
  }
  return query.size === 0 ? '' : `?${query}`
}

function toHeaders(
  places: readonly ArgumentPlace[],
  named: ReadonlyMap<string, unknown>,
): Readonly<Record<string, string>> {
  const given = places.filter(({ name }) => named.has(name))
  return Object.fromEntries(
    given.map(({ name }) => [name.toLowerCase(), toText(named.get(name)).replace(/[\r\n]/g, ' ')]),
  )
}

function buildMcp(
  plan: CallPlan & { readonly transport: 'mcp' },
  named: ReadonlyMap<string, unknown>,
  payload: unknown,
  { profile, requestId, idempotencyKey, headers }: CallIdentity,
): PreparedRequest {
  const { binding, legacy, keyed, arguments: slots } = plan
  const values: Record<string, unknown> = Object.fromEntries(named)
  if (slots.payload && payload !== undefined) values[slots.payload.name] = payload
  if (keyed) values['idempotency_key'] = idempotencyKey
  const meta = { 'ucp-agent': { profile }, 'idempotency-key': idempotencyKey }
  const message = legacy
    ? { method: binding.tool, params: { _meta: { ucp: { profile } }, ...values } }
    : { method: 'tools/call', params: { name: binding.tool, arguments: { meta, ...values } } }
  return {
    transport: 'mcp',
    method: 'POST',
    url: binding.endpoint,
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'ucp-agent': formatAgentHeader(profile),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: requestId, ...message }),
  }
}

/** Makes, per operation, what compiles the checks of its arguments. */
export function createPayloadCheck(
  state: Pick<SessionState, 'negotiation' | 'set' | 'loaded'>,
): (operation: CapabilityOperation) => CallPlanOptions {
  const { negotiation, set, loaded } = state
  const schemas = createRequestSchemas(loaded.files)

  return (operation) => {
    const verb = operation.id.split('_', 1)[0] ?? ''
    const compile = (schema: unknown, transport: CallableTransport): SchemaCheck =>
      tolerant(() => schemas.compile(schema, operation.described[transport]?.document ?? '', verb))
    return {
      protocolVersion: negotiation.protocolVersion ?? '',
      compile,
      compilePayload: (schema, transport) => {
        const added = extensionShapes(operation)
        return compile(
          added.length === 0 ? schema : requireAll([schema ?? true, ...added]),
          transport,
        )
      },
    }
  }

  // Each active extension adds the shape it has for the root that owns the operation.
  function extensionShapes(operation: CapabilityOperation): readonly Reference[] {
    const relevant = selectResponseCapabilities(negotiation, set, operation.id)
    return relevant.flatMap((name) => {
      const entry = negotiation.active.get(name)?.entry
      const platform = negotiation.parties?.platform
      const schema = entry && platform && schemaUrl(name, entry, platform)
      if (schema === undefined || operation.capabilities.includes(name)) return []
      return operation.capabilities
        .filter((root) => schemas.has(schema, formatPointer(['$defs', root])))
        .map((root) => toShapeReference(schema, root))
    })
  }
}

// A broken schema of the business must not keep a caller from calling it.
function tolerant(compile: () => SchemaCheck): SchemaCheck {
  const check = once(compile)
  return (value) => {
    try {
      return check()(value)
    } catch {
      return { ok: true, value }
    }
  }
}
