import type { Problem, SchemaCheck } from '../../schema/index.ts'
import { formatPointer, isRecord, type JsonObject, once, toText } from '../../values/index.ts'
import type { McpOperation, RestOperation } from '../documents/transport.ts'
import type { CallableTransport } from '../model.ts'
import type { CapabilityOperation, McpBinding, RestBinding } from '../negotiate/operations.ts'

/** One argument of an operation, wherever the transport puts it. */
export interface ArgumentSlot {
  readonly name: string
  readonly required: boolean
  readonly check: () => SchemaCheck
}

/** The arguments an operation takes: named ones, and at most one payload. */
export interface ArgumentPlan {
  readonly named: readonly ArgumentSlot[]
  readonly payload: ArgumentSlot | undefined
  /** Names under which a caller may hand in the payload as a whole. */
  readonly wrappers: readonly string[]
}

/** Arguments put where they belong, or what is wrong with them. */
export type PlacedArguments =
  | { readonly ok: true; readonly named: ReadonlyMap<string, unknown>; readonly payload: unknown }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] }

/**
 * Puts arguments where they belong and checks them.
 * The transports disagree about the payload: REST has it at the top, MCP under a name. Here both ways
 * of writing it are right on both transports.
 */
export function placeArguments(plan: ArgumentPlan, args: JsonObject): PlacedArguments {
  const named = new Map<string, unknown>()
  const problems: Problem[] = []
  for (const slot of plan.named) {
    const value = Object.hasOwn(args, slot.name) ? args[slot.name] : undefined
    if (value !== undefined) named.set(slot.name, value)
    problems.push(...judge(slot, value, [slot.name]))
  }
  const names = new Set(plan.named.map(({ name }) => name))
  const rest = Object.entries(args).filter(([key, value]) => !names.has(key) && value !== undefined)
  const { payload, path, unknown } = takePayload(plan, rest)
  if (plan.payload) problems.push(...judge(plan.payload, payload, path))
  for (const key of unknown) {
    problems.push({ pointer: formatPointer([key]), code: 'unknown', message: 'is not an argument' })
  }
  const [first, ...others] = problems
  return first ? { ok: false, problems: [first, ...others] } : { ok: true, named, payload }
}

function takePayload(
  plan: ArgumentPlan,
  rest: readonly (readonly [string, unknown])[],
): { payload: unknown; path: readonly string[]; unknown: readonly string[] } {
  if (plan.payload === undefined) {
    return { payload: undefined, path: [], unknown: rest.map(([key]) => key) }
  }
  const wrapped = rest.find(([key, value]) => plan.wrappers.includes(key) && isRecord(value))
  if (wrapped === undefined) {
    const payload = rest.length === 0 ? undefined : Object.fromEntries(rest)
    return { payload, path: rest.length === 0 ? [plan.payload.name] : [], unknown: [] }
  }
  const unknown = rest.map(([key]) => key).filter((key) => key !== wrapped[0])
  return { payload: wrapped[1], path: [wrapped[0]], unknown }
}

function judge(slot: ArgumentSlot, value: unknown, path: readonly string[]): readonly Problem[] {
  const prefix = formatPointer(path)
  if (value === undefined) {
    return slot.required ? [{ pointer: prefix, code: 'required', message: 'is required' }] : []
  }
  const validation = slot.check()(value)
  if (validation.ok) return []
  return validation.problems.map((problem) => ({ ...problem, pointer: prefix + problem.pointer }))
}

/** Where a named argument goes in an HTTP request. */
export interface ArgumentPlace {
  readonly name: string
  readonly in: string
}

/** Everything needed to build the request of an operation on one transport. */
export type CallPlan =
  | {
      readonly transport: 'rest'
      readonly binding: RestBinding
      readonly arguments: ArgumentPlan
      readonly places: readonly ArgumentPlace[]
    }
  | {
      readonly transport: 'mcp'
      readonly binding: McpBinding
      readonly arguments: ArgumentPlan
      /** The dialect of 2026-01-11: the method is called directly. */
      readonly legacy: boolean
      /** January's tools take the idempotency key as a parameter of its own. */
      readonly keyed: boolean
    }

/** What a plan is made with. */
export interface CallPlanOptions {
  readonly protocolVersion: string
  /** Compiles the check of a schema of the transport document. */
  readonly compile: (schema: unknown, transport: CallableTransport) => SchemaCheck
  /** Compiles the check of the payload, with what active extensions add. */
  readonly compilePayload: (schema: unknown, transport: CallableTransport) => SchemaCheck
}

/** Plans the call of an operation on one transport; undefined when it is not there. */
export function planCall(
  operation: CapabilityOperation,
  transport: CallableTransport,
  options: CallPlanOptions,
): CallPlan | undefined {
  const { bindings, described } = operation
  const wrappers = wrapperNames(operation)
  if (transport === 'rest') {
    if (!bindings.rest || !described.rest) return undefined
    return planRest(bindings.rest, described.rest, wrappers, options)
  }
  if (!bindings.mcp || !described.mcp) return undefined
  return planMcp(bindings.mcp, described.mcp, wrappers, options)
}

// Over MCP the payload has a name: the document says it, otherwise it is that of the capability.
function wrapperNames({
  service,
  capabilities,
  described,
}: CapabilityOperation): readonly string[] {
  const overMcp = described.mcp && findPayload(described.mcp)?.['name']
  const [owner = ''] = capabilities
  const [noun = ''] = owner.slice(service.length + 1).split('.')
  return [...new Set(['body', typeof overMcp === 'string' ? overMcp : noun])]
}

// The payload is an object of its own kind; the other parameters are plain identifiers.
function findPayload(operation: McpOperation): Record<string, unknown> | undefined {
  return operation
    .params()
    .find(
      ({ name, schema }) =>
        !OWN_PARAMS.has(toText(name)) && isRecord(schema) && !SCALARS.has(toText(schema['type'])),
    )
}

// What a call fills in by itself.
const OWN_PARAMS: ReadonlySet<string> = new Set(['meta', 'idempotency_key'])

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean'])

// Headers that a call always or never carries: they are not arguments.
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'content-digest',
  'content-type',
  'idempotency-key',
  'request-id',
  'signature',
  'signature-input',
  'ucp-agent',
  'user-agent',
  'x-api-key',
])

function planRest(
  binding: RestBinding,
  operation: RestOperation,
  wrappers: readonly string[],
  { compile, compilePayload }: CallPlanOptions,
): CallPlan {
  const parameters = operation.parameters().filter(isOwnParameter)
  const body = operation.requestBody()
  const places = parameters.map((parameter) => ({
    name: toText(parameter['name']),
    in: toText(parameter['in']),
  }))
  // A path without a declared parameter still has to be filled.
  const declared = new Set(places.map(({ name }) => name))
  const undeclared = [...binding.path.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !declared.has(name))
  const named = parameters.map((parameter) =>
    slot(toText(parameter['name']), isRequired(parameter), () =>
      compile(parameter['schema'], 'rest'),
    ),
  )
  const schema = bodySchema(body)
  return {
    transport: 'rest',
    binding,
    places: [...places, ...undeclared.map((name) => ({ name, in: 'path' }))],
    arguments: {
      named: [...named, ...undeclared.map((name) => slot(name, true, () => compile(true, 'rest')))],
      payload: isRecord(body)
        ? slot('body', body['required'] === true, () => compilePayload(schema, 'rest'))
        : undefined,
      wrappers,
    },
  }
}

function planMcp(
  binding: McpBinding,
  operation: McpOperation,
  wrappers: readonly string[],
  { protocolVersion, compile, compilePayload }: CallPlanOptions,
): CallPlan {
  const all = operation.params().filter(({ name }) => typeof name === 'string')
  const params = all.filter(({ name }) => !OWN_PARAMS.has(toText(name)))
  const described = findPayload(operation)
  const payload = params.find(({ name }) => name === described?.['name'])
  const toSlot = (param: Record<string, unknown>): ArgumentSlot =>
    slot(toText(param['name']), param['required'] === true, () =>
      (param === payload ? compilePayload : compile)(param['schema'], 'mcp'),
    )
  return {
    transport: 'mcp',
    binding,
    legacy: protocolVersion < '2026-01-23',
    keyed: operation.params().some(({ name }) => name === 'idempotency_key'),
    arguments: {
      named: params.filter((param) => param !== payload).map(toSlot),
      payload: payload && toSlot(payload),
      wrappers,
    },
  }
}

function slot(name: string, required: boolean, compile: () => SchemaCheck): ArgumentSlot {
  return { name, required, check: once(compile) }
}

function isOwnParameter(parameter: Record<string, unknown>): boolean {
  if (typeof parameter['name'] !== 'string') return false
  return parameter['in'] !== 'header' || !OWN_HEADERS.has(parameter['name'].toLowerCase())
}

function isRequired(parameter: Record<string, unknown>): boolean {
  return parameter['required'] === true || parameter['in'] === 'path'
}

function bodySchema(body: unknown): unknown {
  const content = isRecord(body) && isRecord(body['content']) ? body['content'] : {}
  const media = content['application/json'] ?? Object.values(content)[0]
  return isRecord(media) ? media['schema'] : undefined
}
