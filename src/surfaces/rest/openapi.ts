import {
  type ErrorDefinition,
  isReference,
  resolveReference,
  type Service,
  type Target,
  toToolName,
} from '../../core/index.ts'
import { createSchemaCollection, listTargets } from '../../discovery/index.ts'
import { resolveCode } from '../../errors/index.ts'
import { type JsonSchema, toReference } from '../../schema/index.ts'

/** An OpenAPI 3.1 document, as far as this module builds one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: object
  readonly servers: readonly object[]
  readonly paths: Readonly<Record<string, object>>
  readonly [member: string]: unknown
}

/** Builds the OpenAPI document of the REST binding; `operationId` is the name agents know the function by. */
export function buildOpenApi(service: Service, prefix = '/api'): OpenApiDocument {
  const schemas = createSchemaCollection(service.components.schemas ?? {}, (schema) => schema)
  const targets = listTargets(service, {})
  const paths = Object.fromEntries(
    targets.map((target) => [
      pathOf(service, target, prefix),
      { post: toOperation(service, target, schemas.move) },
    ]),
  )
  const secured = service.authenticate !== undefined
  return {
    openapi: '3.1.1',
    info: toInfo(service),
    servers: [{ url: '/' }],
    security: secured ? [{ bearer: [] }] : [],
    tags: listTags(service, targets),
    paths,
    components: {
      schemas: { ...schemas.collected(), Problem: PROBLEM },
      ...(secured && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
    },
  }
}

function pathOf({ registry }: Service, { name, version }: Target, prefix: string): string {
  const latest = registry.find(name)?.latest?.version
  return version === latest ? `${prefix}/${name}` : `${prefix}/${name}/${version}`
}

function toInfo({ info }: Service): object {
  const { contact, license, ...rest } = info
  return {
    ...rest,
    ...(contact && { contact }),
    license: license ?? { name: 'Unspecified', identifier: 'LicenseRef-unspecified' },
  }
}

function toOperation(
  service: Service,
  target: Target,
  move: (schema: JsonSchema) => JsonSchema,
): object {
  const { definition, inputSchema, outputSchema } = target
  const latest = service.registry.find(target.name)?.latest === target
  const name = toToolName(target.name)
  return {
    operationId: latest ? name : `${name}_v${target.version.replace(/[^0-9A-Za-z]+/g, '_')}`,
    summary: definition.summary ?? target.name,
    ...(definition.description !== undefined && { description: definition.description }),
    ...(definition.deprecated && { deprecated: true }),
    tags: tagsOf(service, target),
    requestBody: {
      required: Array.isArray(inputSchema['required']) && inputSchema['required'].length > 0,
      content: { 'application/json': { schema: move(inputSchema) } },
    },
    responses: {
      '200': {
        description: 'The result',
        content: {
          'application/json': { schema: outputSchema ? move(outputSchema) : {} },
          ...toStreamContent(target, move),
        },
      },
      ...toErrorResponses(target),
      '4XX': problemResponse('The call was refused'),
      '5XX': problemResponse('The call failed'),
    },
    ...(target.sideEffects && { 'x-side-effects': target.sideEffects }),
  }
}

/** OpenAPI 3.1 has no word for the parts of a stream; the schema is that of one line. */
function toStreamContent(
  { streams, itemSchema, outputSchema }: Target,
  move: (schema: JsonSchema) => JsonSchema,
): Record<string, object> {
  if (!streams || itemSchema === undefined) return {}
  const toLine = (name: string, schema: JsonSchema): JsonSchema => ({
    type: 'object',
    required: [name],
    properties: { [name]: schema },
  })
  const lines = [
    toLine('item', move(itemSchema)),
    toLine('progress', PROGRESS),
    toLine('result', outputSchema ? move(outputSchema) : {}),
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

function toErrorResponses({ errors }: Target): Record<string, object> {
  const byStatus = new Map<number, ErrorDefinition[]>()
  for (const error of errors.values()) {
    const status = error.status ?? resolveCode(error.code).status
    byStatus.set(status, [...(byStatus.get(status) ?? []), error])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      String(status),
      problemResponse(list.map(({ code, message }) => `${code}: ${message}`).join('\n')),
    ]),
  )
}

function problemResponse(description: string): object {
  return {
    description,
    content: { 'application/problem+json': { schema: toReference(PROBLEM_ADDRESS) } },
  }
}

function tagsOf(service: Service, { name, definition }: Target): readonly string[] {
  const tags = (definition.tags ?? []).flatMap(
    (tag) => resolveReference(tag, service.components, 'tags')?.name ?? [],
  )
  return tags.length > 0 ? tags : [name.split('.')[0] ?? name]
}

function listTags(service: Service, targets: readonly Target[]): readonly object[] {
  const described = new Map<string, object>()
  for (const target of targets) {
    for (const name of tagsOf(service, target))
      if (!described.has(name)) described.set(name, { name })
    for (const tag of target.definition.tags ?? []) {
      const resolved = isReference(tag) ? resolveReference(tag, service.components, 'tags') : tag
      if (resolved) {
        const { name, summary, description, externalDocs } = resolved as {
          name: string
          summary?: string
          description?: string
          externalDocs?: object
        }
        const text = description ?? summary
        described.set(name, {
          name,
          ...(text && { description: text }),
          ...(externalDocs && { externalDocs }),
        })
      }
    }
  }
  return [...described.values()]
}

const PROBLEM_ADDRESS = '#/components/schemas/Problem'

const PROBLEM: JsonSchema = {
  type: 'object',
  required: ['title', 'status'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'Machine-readable code; decide by this' },
    details: { type: 'object' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string' },
          message: { type: 'string' },
          pointer: { type: 'string', description: 'JSON Pointer into the arguments' },
          details: { type: 'object' },
        },
      },
    },
  },
}
