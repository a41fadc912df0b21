import { type Contract, createContracts } from '../../contract/index.ts'
import {
  EVERYTHING,
  isReference,
  resolveReference,
  type Service,
  type Target,
  type View,
} from '../../core/index.ts'
import { createSchemaCollection } from '../../discovery/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import { ASYNC } from '../rest/index.ts'
import { describeProblem, HEADERS, PARAMETERS, toOperation } from './operation.ts'
import { describeOperations, OPERATION_SCHEMAS } from './operations.ts'

/** An OpenAPI 3.1 document, as far as this module builds one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
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
  const paths: Record<string, Record<string, object>> = {}
  for (const contract of contracts) {
    const tags = tagsOf(service, contract.target)
    for (const address of contract.http) {
      const path = `${prefix}${address.path}`
      const operation = toOperation(contract, address, tags, schemas.move)
      paths[path] = { ...paths[path], [address.method.toLowerCase()]: operation }
    }
  }
  Object.assign(paths, describeOperations(service, prefix, describeProblem))
  const secured = service.authenticate !== undefined
  return {
    openapi: '3.1.0',
    info: toInfo(service),
    servers: [{ url: '/' }],
    security: secured ? [{ bearer: [] }] : [],
    tags: [
      ...listTags(service, contracts),
      ...(service.supports(ASYNC)
        ? [{ name: 'operations', description: 'Calls that go on in the background' }]
        : []),
    ],
    paths,
    components: {
      schemas: {
        ...schemas.collected(),
        Problem: PROBLEM,
        ...pickUsed('schemas', { ExtensionAnswers: EXTENSION_ANSWERS }, paths),
        ...(service.supports(ASYNC) && OPERATION_SCHEMAS),
      },
      parameters: pickUsed('parameters', PARAMETERS, paths),
      headers: pickUsed('headers', HEADERS, paths),
      ...(secured && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
    },
  }
}

/** Linters find fault with what nobody refers to. */
function pickUsed(
  kind: string,
  components: Readonly<Record<string, object>>,
  paths: object,
): Readonly<Record<string, object>> {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  )
}

function toInfo({ info }: Service): object {
  const { contact, license, ...rest } = info
  return {
    ...rest,
    ...(contact && { contact }),
    license: license ?? { name: 'Unspecified', identifier: 'LicenseRef-unspecified' },
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
      if (!described.has(name))
        described.set(name, { name, description: `The functions of ${name}` })
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
