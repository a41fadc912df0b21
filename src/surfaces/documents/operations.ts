import type { Service } from '../../core/index.ts'
import { type JsonSchema, toReference } from '../../schema/index.ts'
import { ASYNC, ONE_OPERATION, OPERATIONS } from '../rest/index.ts'

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
    [`${prefix}${ONE_OPERATION}`]: {
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
  description: 'Work that goes on after its call was answered',
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
    result: { description: 'What the function gave, when it is completed' },
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
