import type { Target } from '../core/index.ts'
import { allowAny, type JsonSchema } from '../schema/index.ts'
import type { Parameters } from './parameters.ts'

/** What a function may answer with. */
export interface Results {
  /** What it says it gives; undefined when it does not say. */
  readonly value: JsonSchema | undefined
  /** A resource document, to callers whose call is a query. */
  readonly document: JsonSchema | undefined
  /** Each partial result of a function that streams. */
  readonly item: JsonSchema | undefined
  /** Everything the function may answer with in one piece; undefined when it does not say. */
  readonly whole: JsonSchema | undefined
}

/** Derives the results of a function. */
export function toResults({ outputSchema, itemSchema }: Target, { query }: Parameters): Results {
  const document = query && DOCUMENT
  return {
    value: outputSchema,
    document,
    item: itemSchema,
    whole: outputSchema && document ? toUnion(outputSchema, document) : outputSchema,
  }
}

/** Definitions stay where references look for them: at the root. */
function toUnion(value: JsonSchema, document: JsonSchema): JsonSchema {
  const { $defs, definitions, $schema, ...own } = value
  return {
    ...($schema !== undefined && { $schema }),
    ...(allowAny([own, document]) as JsonSchema),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

const RESOURCE: JsonSchema = {
  type: 'object',
  required: ['type', 'id'],
  properties: {
    type: { type: 'string' },
    id: { type: 'string' },
    attributes: { type: 'object' },
    relationships: { type: 'object' },
    meta: { type: 'object' },
  },
  additionalProperties: false,
}

const DOCUMENT: JsonSchema = {
  type: 'object',
  description: 'The answer to a query: resources, related ones, and the page in meta.pagination',
  required: ['data'],
  properties: {
    data: allowAny([{ type: 'array', items: RESOURCE }, RESOURCE, { type: 'null' }]),
    included: { type: 'array', items: RESOURCE },
    meta: { type: 'object' },
  },
  additionalProperties: false,
}
