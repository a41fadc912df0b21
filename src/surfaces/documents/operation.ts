import type { Contract, ContractError, HttpAddress, ParameterPlace } from '../../contract/index.ts'
import { hasReference, type JsonSchema, listLocalInPlace, toReference } from '../../schema/index.ts'
import { extensionUrn, isRecord } from '../../values/index.ts'
import { EXTENSIONS_TYPE } from '../rest/index.ts'
import { toFileBodies, toFileResults, toPart } from './file-operation.ts'

/** Places the references of a schema. */
export type Move = (schema: JsonSchema) => JsonSchema

/** Describes a function at one of its addresses. */
export function toOperation(
  contract: Contract,
  address: HttpAddress,
  tags: readonly string[],
  move: Move,
): object {
  const { target, results } = contract
  const { definition, inputSchema } = target
  const isRead = address.method === 'GET'
  const body = toBodySchema(inputSchema, address)
  const isBinary = results.kinds.includes('binary')
  const isCached = isRead && takes(contract, 'caching') && !isBinary
  return {
    operationId: address.operationId,
    summary: definition.summary ?? target.name,
    ...(definition.description !== undefined && { description: definition.description }),
    ...(definition.deprecated && { deprecated: true }),
    tags,
    parameters: [
      ...toArgumentParameters(inputSchema, address, move),
      ...toQueryParameters(contract, move),
      ...toHeaderParameters(contract, isRead),
    ],
    ...(body && {
      requestBody: {
        required: Array.isArray(body['required']) && body['required'].length > 0,
        content: {
          'application/json': { schema: move(body) },
          ...toFileBodies(contract, body, move),
        },
      },
    }),
    responses: {
      '200': {
        description: 'The result',
        headers: toHeaders(['RequestId', ...(isCached ? ['ETag', 'CacheControl'] : [])]),
        content: {
          ...(toFileResults(contract) ?? {
            'application/json': { schema: results.whole ? move(results.whole) : {} },
          }),
          ...(mayBeReplaced(contract) && {
            [EXTENSIONS_TYPE]: { schema: toReference('#/components/schemas/ExtensionAnswers') },
          }),
          ...toStreamContent(contract, move),
        },
      },
      ...(contract.modes.includes('background') && { '202': STARTED }),
      ...(isRead &&
        isBinary && {
          '206': toPart(contract),
          '416': { description: 'The file ends before the range' },
        }),
      ...(isCached && {
        '304': { description: 'The result is the one that If-None-Match names' },
      }),
      ...toErrorResponses(contract),
      '4XX': describeProblem('The call was refused'),
      '5XX': describeProblem('The call failed'),
    },
    // OpenAPI 3.1 lets any scheme name the roles that an operation needs.
    ...(contract.scopes.length > 0 && { security: [{ bearer: contract.scopes }] }),
    ...(target.sideEffects && { 'x-side-effects': target.sideEffects }),
  }
}

function takes({ options }: Contract, name: string): boolean {
  return options.some(({ urn }) => urn === extensionUrn(name))
}

function mayBeReplaced(contract: Contract): boolean {
  const isSimulated = contract.target.definition.simulations !== undefined
  return (isSimulated && takes(contract, 'simulation')) || takes(contract, 'dry-run')
}

/** What of the arguments is in the body; undefined when nothing is. */
function toBodySchema(inputSchema: JsonSchema, address: HttpAddress): JsonSchema | undefined {
  // One whose name stands nowhere is where the others are.
  if (address.placeOf('') !== 'body') return undefined
  const { properties, required } = inputSchema
  if (!isRecord(properties)) return inputSchema
  const inBody = (name: unknown) => typeof name === 'string' && address.placeOf(name) === 'body'
  const own = Object.entries(properties).filter(([name]) => inBody(name))
  if (own.length === Object.keys(properties).length) return inputSchema
  if (own.length === 0) return undefined
  return {
    ...inputSchema,
    properties: Object.fromEntries(own),
    ...(Array.isArray(required) && { required: required.filter(inBody) }),
  }
}

/** Arguments that are not in the body, each a parameter; objects are written as `name[member]`. */
function toArgumentParameters(
  { properties, required, $defs, definitions }: JsonSchema,
  { placeOf, headers }: HttpAddress,
  move: Move,
): readonly object[] {
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, schema]) => {
    const place = placeOf(name)
    if (place === 'body') return []
    const own = isRecord(schema) ? schema : {}
    const whole = {
      ...own,
      ...(isRecord($defs) && { $defs }),
      ...(isRecord(definitions) && { definitions }),
    }
    return [
      {
        name: headers[name] ?? name,
        in: place,
        required: place === 'path' || needed.includes(name),
        ...(typeof own['description'] === 'string' && { description: own['description'] }),
        ...toStyle(own, place),
        schema: move(whole),
      },
    ]
  })
}

function toStyle(schema: JsonSchema, place: ParameterPlace): object {
  const isObject = schema['type'] === 'object' || hasReference(schema)
  return isObject && place === 'query' ? { style: 'deepObject', explode: true } : {}
}

/** Each family of a query, one parameter per member: `filter[total][greater_than]`. */
function toQueryParameters({ parameters }: Contract, move: Move): readonly object[] {
  return Object.entries(parameters.query?.properties ?? {}).flatMap(([name, schema]) =>
    flatten(name, schema).map(([path, leaf]) => ({
      name: path,
      in: 'query',
      ...(leaf['type'] === 'array' && { style: 'form', explode: false }),
      ...(typeof leaf['description'] === 'string' && { description: leaf['description'] }),
      schema: move(leaf),
    })),
  )
}

function flatten(path: string, schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const [whole, ...choices] = listLocalInPlace([schema], schema)
  if (choices.length > 0) return choices.flatMap((choice) => flatten(path, choice))
  const { properties } = whole ?? {}
  if (!isRecord(properties)) return [[path, schema]]
  return Object.entries(properties).flatMap(([name, member]) =>
    flatten(`${path}[${name}]`, member as JsonSchema),
  )
}

/** Header parameters that every operation may have. */
export const PARAMETERS: Readonly<Record<string, object>> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Id of the call in logs and traces; the answer repeats it',
    schema: { type: 'string', maxLength: 255 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'One outcome per key, however often the call is repeated',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`respond-async`: the call goes on in the background, and is answered with 202',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the result that the caller has; 304 when it is still the same',
    schema: { type: 'string' },
  },
}

/** Headers of answers. */
export const HEADERS: Readonly<Record<string, object>> = {
  RequestId: {
    description: 'The X-Request-Id of the request; of failures always',
    schema: { type: 'string' },
  },
  Location: { description: 'Where the operation is', schema: { type: 'string' } },
  ETag: { description: 'Tells this result from others', schema: { type: 'string' } },
  CacheControl: {
    description: 'How long the result may be used again',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before asking again',
    schema: { type: 'integer' },
  },
}

const HEADER_NAMES: Readonly<Record<string, string>> = {
  RequestId: 'X-Request-Id',
  CacheControl: 'Cache-Control',
  RetryAfter: 'Retry-After',
}

function toHeaders(names: readonly string[]): object {
  return Object.fromEntries(
    names.map((name) => [HEADER_NAMES[name] ?? name, toReference(`#/components/headers/${name}`)]),
  )
}

/** What a call that goes on in the background is answered with. */
const STARTED = {
  description: 'The call goes on in the background',
  headers: toHeaders(['Location', 'RetryAfter', 'RequestId']),
  content: {
    'application/json': { schema: toReference('#/components/schemas/Operation') },
  },
}

function toHeaderParameters(contract: Contract, isRead: boolean): readonly object[] {
  const shared = [
    ...(takes(contract, 'idempotency') && !contract.readsOnly ? ['IdempotencyKey'] : []),
    ...(takes(contract, 'caching') && isRead ? ['IfNoneMatch'] : []),
    ...(contract.modes.includes('background') ? ['Prefer'] : []),
    'RequestId',
  ]
  const own = contract.options
    .filter(({ offered }) => !offered)
    .map(({ header, summary }) => ({
      name: header,
      in: 'header',
      description: summary,
      schema: { type: 'string' },
    }))
  return [...own, ...shared.map((name) => toReference(`#/components/parameters/${name}`))]
}

/** OpenAPI 3.1 has no word for the parts of a stream; the schema is that of one line. */
function toStreamContent({ modes, results }: Contract, move: Move): Record<string, object> {
  if (!modes.includes('stream') || results.item === undefined) return {}
  const toLine = (name: string, schema: JsonSchema): JsonSchema => ({
    type: 'object',
    required: [name],
    properties: { [name]: schema },
  })
  const lines = [
    toLine('item', move(results.item)),
    toLine('progress', PROGRESS),
    toLine('result', results.value ? move(results.value) : {}),
    toLine('error', toReference(PROBLEM_ADDRESS)),
  ]
  return {
    'application/jsonl': {
      schema: {
        description: 'One line; items and progress first, then one result or error',
        oneOf: lines,
      },
    },
    'text/event-stream': {
      schema: { type: 'string', description: 'Events item, progress, result and error' },
    },
  }
}

const PROGRESS: JsonSchema = {
  type: 'object',
  required: ['current', 'total', 'percent'],
  properties: {
    current: { type: 'integer' },
    total: { type: 'integer' },
    percent: { type: 'integer' },
    message: { type: 'string' },
  },
}

function toErrorResponses({ errors }: Contract): Record<string, object> {
  const byStatus = new Map<number, ContractError[]>()
  for (const error of errors) {
    byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      String(status),
      describeProblem(list.map(({ code, message }) => `${code}: ${message}`).join('\n')),
    ]),
  )
}

/** Describes an answer with problem details. */
export function describeProblem(description: string): object {
  return {
    description,
    content: { 'application/problem+json': { schema: toReference(PROBLEM_ADDRESS) } },
  }
}

const PROBLEM_ADDRESS = '#/components/schemas/Problem'
