import { type Contract, type ContractError, createContracts } from '../../contract/index.ts'
import {
  EVERYTHING,
  isReference,
  resolveReference,
  type Service,
  type Target,
  type View,
} from '../../core/index.ts'
import { createSchemaCollection } from '../../discovery/index.ts'
import { hasReference, type JsonSchema, listLocalInPlace, toReference } from '../../schema/index.ts'
import { extensionUrn, isRecord } from '../../values/index.ts'
import { EXTENSIONS_TYPE } from './encode.ts'

/** An OpenAPI 3.1 document, as far as this module builds one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: object
  readonly servers: readonly object[]
  readonly paths: Readonly<Record<string, object>>
  readonly [member: string]: unknown
}

/** Builds the OpenAPI document of the REST binding; `operationId` is the name agents know the function by. */
export function buildOpenApi(
  service: Service,
  prefix = '/api',
  view: View = EVERYTHING,
): OpenApiDocument {
  const shared = service.components.schemas ?? {}
  const schemas = createSchemaCollection(shared, (schema) => schema, view)
  const contracts = createContracts(service).list({ view })
  const paths = Object.fromEntries(
    contracts.map((contract) => [
      `${prefix}${contract.http.path}`,
      toPathItem(service, contract, schemas.move),
    ]),
  )
  const secured = service.authenticate !== undefined
  return {
    openapi: '3.1.1',
    info: toInfo(service),
    servers: [{ url: '/' }],
    security: secured ? [{ bearer: [] }] : [],
    tags: listTags(service, contracts),
    paths,
    components: {
      schemas: { ...schemas.collected(), Problem: PROBLEM, ExtensionAnswers: EXTENSION_ANSWERS },
      ...(secured && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
    },
  }
}

function toInfo({ info }: Service): object {
  const { contact, license, ...rest } = info
  return {
    ...rest,
    ...(contact && { contact }),
    license: license ?? { name: 'Unspecified', identifier: 'LicenseRef-unspecified' },
  }
}

type Move = (schema: JsonSchema) => JsonSchema

function toPathItem(service: Service, contract: Contract, move: Move): object {
  const { http, target } = contract
  const operation = toOperation(service, contract, move)
  const query = toQueryParameters(contract, move)
  const options = toHeaderParameters(contract)
  const { inputSchema } = target
  return {
    ...(http.methods.includes('GET') && {
      get: {
        ...operation,
        operationId: `${http.operationId}_get`,
        parameters: [...toArgumentParameters(inputSchema, move), ...query, ...options],
      },
    }),
    post: {
      ...operation,
      operationId: http.operationId,
      parameters: [...query, ...options],
      requestBody: {
        required: Array.isArray(inputSchema['required']) && inputSchema['required'].length > 0,
        content: { 'application/json': { schema: move(inputSchema) } },
      },
    },
  }
}

function toOperation(service: Service, contract: Contract, move: Move): object {
  const { target, results } = contract
  const { definition } = target
  return {
    summary: definition.summary ?? target.name,
    ...(definition.description !== undefined && { description: definition.description }),
    ...(definition.deprecated && { deprecated: true }),
    tags: tagsOf(service, target),
    responses: {
      '200': {
        description: 'The result',
        content: {
          'application/json': { schema: results.whole ? move(results.whole) : {} },
          ...(mayBeReplaced(contract) && {
            [EXTENSIONS_TYPE]: { schema: toReference('#/components/schemas/ExtensionAnswers') },
          }),
          ...toStreamContent(contract, move),
        },
      },
      ...(contract.options.some(({ header }) => header === 'if-none-match') && {
        '304': { description: 'The result is the one that If-None-Match names' },
      }),
      ...toErrorResponses(contract),
      '4XX': problemResponse('The call was refused'),
      '5XX': problemResponse('The call failed'),
    },
    // OpenAPI 3.1 lets any scheme name the roles that an operation needs.
    ...(contract.scopes.length > 0 && { security: [{ bearer: contract.scopes }] }),
    ...(target.sideEffects && { 'x-side-effects': target.sideEffects }),
  }
}

function mayBeReplaced({ options, modes, target }: Contract): boolean {
  const takes = (name: string) => options.some(({ urn }) => urn === extensionUrn(name))
  const isSimulated = target.definition.simulations !== undefined && takes('simulation')
  return isSimulated || takes('dry-run') || modes.includes('background')
}

/** Arguments of a GET request, each a parameter; objects are written as `name[member]`. */
function toArgumentParameters(inputSchema: JsonSchema, move: Move): readonly object[] {
  const { properties, required, $defs, definitions } = inputSchema
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const own = isRecord(schema) ? schema : {}
    const whole = {
      ...own,
      ...(isRecord($defs) && { $defs }),
      ...(isRecord(definitions) && { definitions }),
    }
    const isObject = own['type'] === 'object' || hasReference(own)
    return {
      name,
      in: 'query',
      required: needed.includes(name),
      ...(isObject && { style: 'deepObject', explode: true }),
      schema: move(whole),
    }
  })
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

function toHeaderParameters({ options }: Contract): readonly object[] {
  return options
    .filter(({ offered }) => !offered)
    .map(({ header, summary }) => ({
      name: header,
      in: 'header',
      description: summary,
      schema: { type: 'string' },
    }))
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

function listTags(service: Service, contracts: readonly Contract[]): readonly object[] {
  const described = new Map<string, object>()
  for (const { target } of contracts) {
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

const EXTENSION_ANSWERS: JsonSchema = {
  type: 'object',
  description: 'What extensions answered in place of the function, such as a dry run',
  required: ['extensions'],
  properties: {
    extensions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['urn'],
        properties: { urn: { type: 'string' }, data: { type: 'object' } },
      },
    },
  },
}

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
