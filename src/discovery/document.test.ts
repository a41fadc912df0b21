import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import type { ContentDescriptor } from '../core/description.ts'
import type { Service } from '../core/service.ts'
import { compileSchema } from '../schema/compile.ts'
import { resolvePointer } from '../values/json.ts'
import type { DiscoveryDocument, FunctionObject } from './decode.ts'

const DESCRIBE = 'urn:cline:forrst:ext:discovery:fn:describe'
const ask = (service: Service, input: object = {}) =>
  call(service, { function: DESCRIBE, arguments: input })
const documentOf = async (service: Service) =>
  (await ask(service)).body as unknown as DiscoveryDocument

const service = serviceOf(
  [
    {
      name: 'events.get',
      version: '1.0.0',
      summary: 'Get an event',
      description: 'All of it',
      arguments: [{ $ref: '#/components/contentDescriptors/EventId' }],
      result: { $ref: '#/components/contentDescriptors/Event' },
      errors: [
        { $ref: '#/components/errors/NotFound' },
        { code: 'EVENTS_LOCKED', message: 'Locked', data: { type: 'object' }, status: 423 },
      ],
      tags: [{ $ref: '#/components/tags/Events' }],
      links: [{ $ref: '#/components/links/Venue' }],
      examples: [{ $ref: '#/components/examplePairings/Get' }],
      sideEffects: [],
      extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }, { urn: 'urn:forrst:ext:discovery' }],
      externalDocs: { url: 'https://example.com/docs' },
      query: {
        filters: { allowed: ['id'], related: { venue: ['id'] } },
        sorts: { allowed: ['id'], default: { field: 'id', direction: 'desc' } },
        pagination: { strategies: ['offset', 'keyset'], defaultStrategy: 'offset', maxSize: 10 },
      },
      handler: () => ({ id: 'e' }),
      resources: () => ({ data: [] }),
    },
    {
      name: 'events.create',
      version: '1.0.0-beta.1',
      writes: ['create'],
      input: z.object({
        name: z.string().describe('Shown to everybody'),
        at: z.tuple([z.number(), z.number()]).optional(),
      }),
      output: z.object({ id: z.string() }).meta({ id: 'Created' }),
      simulations: [{ name: 'ok', input: { name: 'x' }, output: { id: '1' } }],
      handler: () => ({ id: '1' }),
    },
    {
      name: 'events.old',
      version: '1.0.0',
      deprecated: { reason: 'Use events.get', sunset: '2027-06-30' },
      input: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/Same' } },
        $defs: { Same: { type: 'string' } },
      },
      handler: () => null,
    },
    {
      name: 'events.other',
      version: '1.0.0',
      input: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/Same' } },
        $defs: { Same: { type: 'number' } },
      },
      handler: () => null,
    },
    { name: 'events.hidden', version: '1.0.0', discoverable: false, handler: () => null },
  ],
  {
    info: { title: 'Events', version: '2.1.0', license: { name: 'MIT' } },
    servers: [
      {
        name: 'production',
        url: 'https://{region}.example.com/forrst',
        variables: { region: { default: 'eu' } },
        extensions: [{ urn: 'urn:forrst:ext:caching', version: '1.2.0' }],
      },
    ],
    components: {
      schemas: {
        Event: {
          type: 'object',
          properties: { id: { type: 'string' }, parent: { $ref: '#/components/schemas/Event' } },
        },
      },
      contentDescriptors: {
        EventId: { name: 'id', required: true, schema: { type: 'string' } },
        Event: { name: 'event', schema: { $ref: '#/components/schemas/Event' } },
      },
      errors: { NotFound: { code: 'NOT_FOUND', message: 'Not there', status: 404 } },
      examples: { Id: { name: 'an id', value: 'e' } },
      examplePairings: { Get: { name: 'Get', params: [{ $ref: '#/components/examples/Id' }] } },
      links: { Venue: { name: 'Venue', function: 'events.get', params: { id: '$result.id' } } },
      tags: { Events: { name: 'Events', externalDocs: { url: 'https://example.com' } } },
      resources: {
        events: {
          type: 'events',
          attributes: { id: { schema: { type: 'string' }, filterable: true, sparse: false } },
          relationships: { venue: { resource: 'venues', cardinality: 'one' } },
        },
      },
    },
  },
)
const functionOf = (document: DiscoveryDocument, name: string) =>
  document.functions.find((entry) => entry.name === name) as FunctionObject

describe('the discovery document', () => {
  it('[F-142][F-143][F-144][F-145] is the bare body, with info and functions', async () => {
    const { status, headers, body } = await ask(service)
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    expect(Object.keys(body)).toEqual([
      'forrst',
      'discovery',
      'info',
      'servers',
      'functions',
      'components',
    ])
    expect(body).toMatchObject({
      forrst: '0.1.0',
      discovery: '0.1',
      info: { title: 'Events', version: '2.1.0', license: { name: 'MIT' } },
    })
  })

  it('[F-146][F-147][F-171] prints servers with their variables and extension versions', async () => {
    const { servers } = await documentOf(service)
    expect(servers).toEqual([
      {
        name: 'production',
        url: 'https://{region}.example.com/forrst',
        variables: { region: { default: 'eu' } },
        extensions: [{ urn: 'urn:forrst:ext:caching', version: '1.2.0' }],
      },
    ])
  })

  it('[F-149][F-150] gives every function name, version and one of three stabilities', async () => {
    const { functions } = await documentOf(service)
    expect(functions.map(({ name, version, stability }) => [name, version, stability])).toEqual([
      ['events.get', '1.0.0', 'stable'],
      ['events.create', '1.0.0-beta.1', 'experimental'],
      ['events.old', '1.0.0', 'deprecated'],
      ['events.other', '1.0.0', 'stable'],
    ])
  })

  it('[F-155][F-163][F-167][F-172] keeps references, links and configuration as they were defined', async () => {
    expect(functionOf(await documentOf(service), 'events.get')).toEqual({
      name: 'events.get',
      version: '1.0.0',
      stability: 'stable',
      summary: 'Get an event',
      description: 'All of it',
      tags: [{ $ref: '#/components/tags/Events' }],
      arguments: [{ $ref: '#/components/contentDescriptors/EventId' }],
      result: { $ref: '#/components/contentDescriptors/Event' },
      errors: [
        { $ref: '#/components/errors/NotFound' },
        { code: 'EVENTS_LOCKED', message: 'Locked', data: { type: 'object' } },
      ],
      links: [{ $ref: '#/components/links/Venue' }],
      examples: [{ $ref: '#/components/examplePairings/Get' }],
      query: {
        filters: { allowed: ['id'] },
        sorts: { allowed: ['id'], default: { field: 'id', direction: 'desc' } },
        pagination: { strategies: ['offset'], maxSize: 10 },
      },
      sideEffects: [],
      extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }, { urn: 'urn:forrst:ext:discovery' }],
      externalDocs: { url: 'https://example.com/docs' },
    })
  })

  it('[F-151][F-173] derives one content descriptor per argument, and shares named schemas', async () => {
    const document = await documentOf(service)
    const { arguments: described, result } = functionOf(document, 'events.create')
    expect(described).toMatchObject([
      {
        name: 'name',
        required: true,
        description: 'Shown to everybody',
        schema: { type: 'string' },
      },
      { name: 'at', required: false },
    ])
    expect(result).toMatchObject({ name: 'result' })
    expect(document.components?.schemas).toHaveProperty('Created')
  })

  it('gives two schemas of one name different names', async () => {
    const document = await documentOf(service)
    const schemaOf = (name: string) =>
      (functionOf(document, name).arguments?.[0] as ContentDescriptor).schema['$ref'] as string
    const [first, second] = [schemaOf('events.old'), schemaOf('events.other')]
    expect(resolvePointer(document, first.slice(1))).toEqual({ type: 'string' })
    expect(resolvePointer(document, second.slice(1))).toEqual({ type: 'number' })
  })

  it('[F-164] prints schemas as draft 7', async () => {
    const document = await documentOf(service)
    const { schema } = functionOf(document, 'events.create').arguments?.[1] as {
      schema: Record<string, unknown>
    }
    expect(schema).toMatchObject({ items: [{ type: 'number' }, { type: 'number' }] })
    expect(schema).not.toHaveProperty('prefixItems')
    expect(JSON.stringify(document)).not.toMatch(/"\$defs"|"prefixItems"/)
  })

  it('[F-162] resolves every reference inside the document', async () => {
    const document = await documentOf(service)
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(5)
    for (const [, pointer = ''] of references) {
      expect(resolvePointer(document, pointer), pointer).toBeDefined()
    }
  })

  it('[F-152][F-153][F-154][F-157][F-158][F-159][F-160][F-161] carries components of all eight kinds', async () => {
    const { components } = await documentOf(service)
    expect(Object.keys(components ?? {}).sort()).toEqual([
      'contentDescriptors',
      'errors',
      'examplePairings',
      'examples',
      'links',
      'resources',
      'schemas',
      'tags',
    ])
    expect(components?.errors).toEqual({ NotFound: { code: 'NOT_FOUND', message: 'Not there' } })
    expect(components?.resources).toEqual(service.components.resources)
  })

  it('[F-165][F-168][F-169][F-170] prints deprecation, query and simulations in the words of the seed', async () => {
    const document = await documentOf(service)
    expect(functionOf(document, 'events.old').deprecated).toEqual({
      reason: 'Use events.get',
      sunset: '2027-06-30',
    })
    expect(functionOf(document, 'events.create').simulations).toEqual([
      { name: 'ok', input: { name: 'x' }, output: { id: '1' } },
    ])
    expect(functionOf(document, 'events.get').query?.sorts?.default).toEqual({
      field: 'id',
      direction: 'desc',
    })
  })

  it('is prepared once and made anew when functions change', async () => {
    const changing = serviceOf([{ name: 'a.b', version: '1.0.0', handler: () => null }])
    expect((await documentOf(changing)).functions).toHaveLength(1)
    changing.registry.add({ name: 'a.c', version: '1.0.0', handler: () => null })
    expect((await documentOf(changing)).functions).toHaveLength(2)
  })
})

describe('one function of the document', () => {
  const one = async (input: object) =>
    (await ask(service, input)).body as unknown as Record<string, unknown>

  it('[F-174] stands alone: every reference is resolved, extension versions are inherited', async () => {
    const object = await one({ function: 'events.get' })
    expect(object).toMatchObject({
      name: 'events.get',
      arguments: [{ name: 'id', required: true, schema: { type: 'string' } }],
      errors: [{ code: 'NOT_FOUND', message: 'Not there' }, { code: 'EVENTS_LOCKED' }],
      tags: [{ name: 'Events' }],
      links: [{ name: 'Venue' }],
      examples: [{ name: 'Get', params: [{ name: 'an id', value: 'e' }] }],
      extensions: [
        { urn: 'urn:forrst:ext:caching', ttl: 60, version: '1.2.0' },
        { urn: 'urn:forrst:ext:discovery', version: '1.0.0' },
      ],
    })
    expect(JSON.stringify(object)).not.toContain('#/components/')
  })

  it('keeps a schema that refers to itself usable', async () => {
    const { result } = (await one({ function: 'events.get' })) as {
      result: { schema: Record<string, unknown> }
    }
    const check = compileSchema({
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...result.schema,
    })
    expect(check({ id: 'a', parent: { id: 'b', parent: { id: 'c' } } }).ok).toBe(true)
    expect(check({ id: 'a', parent: { id: 'b', parent: { id: 7 } } }).ok).toBe(false)
  })

  it('reaches a version by name, and the latest without', async () => {
    expect(await one({ function: 'events.create' })).toMatchObject({ version: '1.0.0-beta.1' })
    expect(await one({ function: 'events.old', version: '1.0.0' })).toMatchObject({
      version: '1.0.0',
    })
  })

  it.each([
    [{ function: 'no.such' }, 404, 'FUNCTION_NOT_FOUND', '/call/arguments/function'],
    [{ function: 'events.hidden' }, 404, 'FUNCTION_NOT_FOUND', '/call/arguments/function'],
    [
      { function: 'events.get', version: '9.0.0' },
      404,
      'VERSION_NOT_FOUND',
      '/call/arguments/version',
    ],
    [{ version: '1.0.0' }, 400, 'INVALID_ARGUMENTS', '/call/arguments/version'],
  ])('answers %j with an ordinary error envelope', async (input, status, code, pointer) => {
    const response = await ask(service, input)
    expect(response.status).toBe(status)
    expect(response.body.errors).toMatchObject([{ code, source: { pointer } }])
    expect(response.body.id).toBe('req_1')
  })
})
