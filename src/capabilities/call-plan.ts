import { isRecord } from '../core/json.ts'
import type { SchemaCheck } from '../core/json-schema.ts'
import { toText } from '../core/text.ts'
import type { ArgumentPlan, ArgumentSlot } from './call-arguments.ts'
import type { CallableTransport } from './model.ts'
import type { McpBinding, Operation, RestBinding } from './operations.ts'
import type { McpOperation, RestOperation } from './transport-document.ts'

/** Where a named argument goes in an HTTP request. */
interface ArgumentPlace {
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
  operation: Operation,
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
function wrapperNames({ service, capabilities, described }: Operation): readonly string[] {
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
  let check: SchemaCheck | undefined
  return {
    name,
    required,
    check: () => {
      check ??= compile()
      return check
    },
  }
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
