import type { HttpAddress } from '../../contract/index.ts'
import type { Outcome, Reply, Service } from '../../core/index.ts'
import { type JsonSchema, toReference } from '../../schema/index.ts'
import { extensionUrn, isRecord } from '../../values/index.ts'
import type { HttpResponse } from '../../wire/index.ts'

/** Where operations in the background are, below the mount. */
const OPERATIONS = '/operations'

/** The extension that makes operations. */
export const ASYNC: string = extensionUrn('async')

function toAddress(method: 'GET' | 'DELETE', path: string, operationId: string): HttpAddress {
  const inPath = (name: string) => path.includes(`{${name}}`)
  return {
    method,
    path,
    operationId,
    headers: {},
    placeOf: (name) => (inPath(name) ? 'path' : 'query'),
  }
}

const ONE = `${OPERATIONS}/{operation_id}`

/** The functions that look after operations, as resources. */
export const OPERATION_ADDRESSES: readonly {
  readonly name: string
  readonly address: HttpAddress
}[] = [
  {
    name: 'urn:cline:forrst:ext:async:fn:list',
    address: toAddress('GET', OPERATIONS, 'listOperations'),
  },
  {
    name: 'urn:cline:forrst:ext:async:fn:status',
    address: toAddress('GET', ONE, 'getOperation'),
  },
  {
    name: 'urn:cline:forrst:ext:async:fn:cancel',
    address: toAddress('DELETE', ONE, 'cancelOperation'),
  },
]

/** Seconds after which it is worth asking again how an operation stands. */
const ASK_AGAIN = '1'

/** Answers a call that goes on in the background: 202, and where to look. */
export function encodeStarted(
  { disposition, extensions = [], headers }: Reply,
  prefix: string,
): HttpResponse | undefined {
  if (disposition !== 'started') return undefined
  const { data } = extensions.find(({ urn }) => urn.endsWith(':ext:async')) ?? {}
  if (data === undefined || typeof data['operation_id'] !== 'string') return undefined
  const { operation_id: id, status, started_at, retry_after: wait } = data
  const seconds =
    isRecord(wait) && typeof wait['value'] === 'number' ? `${wait['value']}` : ASK_AGAIN
  return {
    status: 202,
    headers: {
      'content-type': 'application/json',
      ...headers,
      location: `${prefix}${OPERATIONS}/${id}`,
      'retry-after': seconds,
      'preference-applied': 'respond-async',
    },
    body: JSON.stringify({ operation_id: id, status, started_at }),
  }
}

/** Tells how an operation stands; that it failed is how it stands, not a failure to tell. */
export function toStanding(outcome: Outcome): Outcome {
  return outcome.ok ? outcome : toFailed(outcome)
}

/** Headers of an answer that tells how an operation stands. */
export function standingHeaders(result: unknown): Readonly<Record<string, string>> {
  const status = isRecord(result) ? result['status'] : undefined
  const goesOn = status === 'pending' || status === 'processing'
  return { 'cache-control': 'no-store', ...(goesOn && { 'retry-after': ASK_AGAIN }) }
}

function toFailed(outcome: Extract<Outcome, { ok: false }>): Outcome {
  const [{ code, details }] = outcome.errors
  if (code !== 'ASYNC_OPERATION_FAILED') return outcome
  const { operation_id, failed_at, errors } = details ?? {}
  return {
    ok: true,
    result: { operation_id, status: 'failed', completed_at: failed_at, errors: errors ?? [] },
  }
}

/** Describes the paths of operations; none where nothing goes on in the background. */
export function describeOperations(
  service: Service,
  prefix: string,
  problem: (description: string) => object,
): Readonly<Record<string, object>> {
  if (!service.supports(ASYNC)) return {}
  const describe = (operationId: string, summary: string, schema: string, more: object = {}) => ({
    operationId,
    summary,
    tags: ['operations'],
    ...more,
    responses: {
      '200': {
        description: 'How it stands',
        headers: { 'Retry-After': toReference('#/components/headers/RetryAfter') },
        content: {
          'application/json': { schema: toReference(`#/components/schemas/${schema}`) },
        },
      },
      '4XX': problem('Refused: unknown, of somebody else, or ended already'),
      '5XX': problem('The service cannot tell'),
    },
  })
  const id = { name: 'operation_id', in: 'path', required: true, schema: { type: 'string' } }
  return {
    [`${prefix}${OPERATIONS}`]: {
      get: describe('listOperations', 'Your operations, the newest first', 'OperationList', {
        parameters: LIST_PARAMETERS,
      }),
    },
    [`${prefix}${ONE}`]: {
      parameters: [id],
      get: describe('getOperation', 'How an operation stands', 'Operation'),
      delete: describe('cancelOperation', 'Cancel an operation', 'Operation'),
    },
  }
}

const LIST_PARAMETERS = [
  ['status', { type: 'string' }],
  ['function', { type: 'string' }],
  ['limit', { type: 'integer', minimum: 1, maximum: 100 }],
  ['cursor', { type: 'string' }],
].map(([name, schema]) => ({ name, in: 'query', schema }))

const OPERATION_SCHEMA = {
  type: 'object',
  description:
    'Work that goes on after its call was answered; `result` is what the function gave, when it is completed',
  required: ['operation_id', 'status'],
  properties: {
    operation_id: { type: 'string' },
    function: { type: 'string' },
    version: { type: 'string' },
    status: {
      type: 'string',
      enum: ['pending', 'processing', 'completed', 'failed', 'cancelled'],
    },
    progress: { type: 'number', minimum: 0, maximum: 1 },
    message: { type: 'string' },
    started_at: { type: 'string', format: 'date-time' },
    completed_at: { type: 'string', format: 'date-time' },
    cancelled_at: { type: 'string', format: 'date-time' },
    // Generators take a schema without type for anything only when it is empty.
    result: {},
    errors: {
      type: 'array',
      description: 'What went wrong, when it failed',
      items: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

/** The schemas of operations, for the OpenAPI document. */
export const OPERATION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Operation: OPERATION_SCHEMA,
  OperationList: {
    type: 'object',
    required: ['operations', 'next_cursor'],
    properties: {
      operations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'status'],
          properties: {
            id: { type: 'string' },
            function: { type: 'string' },
            version: { type: 'string' },
            status: { type: 'string' },
            started_at: { type: 'string', format: 'date-time' },
          },
        },
      },
      next_cursor: { type: ['string', 'null'] },
    },
  },
}
