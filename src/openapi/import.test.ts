import { describe, expect, it } from 'vitest'
import { checkToolSpec } from '../spec/parse.ts'
import type { FieldDef, ToolDef, ToolSpec } from '../spec/types.ts'
import { type ImportOptions, importOpenApi } from './import.ts'
import { listOperations } from './list.ts'
import { loadOpenApi } from './load.ts'

interface Imported {
  readonly spec: ToolSpec
  readonly codes: readonly string[]
  readonly messages: readonly string[]
}

/** Imports a document that must import, and checks that the spec is valid. */
function run(document: unknown, options: ImportOptions = {}): Imported {
  const result = importOpenApi(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const checked = checkToolSpec(result.spec)
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems))
  return {
    spec: result.spec,
    codes: [...new Set(result.warnings.map((warning) => warning.code))].sort(),
    messages: result.warnings.map(({ code, path, message }) => `${code} ${path} ${message}`),
  }
}

const V3 = {
  openapi: '3.0.3',
  info: { title: 'Orchard', version: '1' },
  servers: [{ url: 'https://a.example/api/' }],
}

/** A document with one operation. */
function withOperation(
  operation: object,
  extra: object = {},
  path = '/x',
  method = 'post',
): object {
  return {
    ...V3,
    ...extra,
    paths: {
      [path]: { [method]: { operationId: 'one', summary: 'Does one thing.', ...operation } },
    },
  }
}

function toolOf(operation: object, extra: object = {}, path = '/x', method = 'post'): ToolDef {
  const [tool] = run(withOperation(operation, extra, path, method)).spec.tools
  if (!tool) throw new Error('no tool')
  return tool
}

function json(schema: object): object {
  return { requestBody: { required: true, content: { 'application/json': { schema } } } }
}

/** The fields of a JSON body, by name. */
function bodyOf(schema: object, extra: object = {}): Record<string, FieldDef> {
  const { body = [] } = toolOf(json(schema), extra)
  return Object.fromEntries(body.map((field) => [field.name, field]))
}

/** The one field `a` of a body. */
function fieldOf(schema: object, extra: object = {}): FieldDef {
  const field = bodyOf(
    { type: 'object', properties: { a: { description: 'A.', ...schema } } },
    extra,
  )['a']
  if (!field) throw new Error('no field')
  return field
}

describe('formats', () => {
  const yaml =
    'openapi: 3.0.0\ninfo: { title: Orchard, version: 1.0.0 }\nservers: [{ url: https://a.example }]\npaths:\n  /trees:\n    get: { operationId: listTrees, summary: Lists trees. }\n'

  it('[TS-86] [TS-87] reads YAML and JSON alike', () => {
    const fromYaml = loadOpenApi(yaml)
    if (!fromYaml.ok) throw new Error('unreadable')
    const fromJson = loadOpenApi(JSON.stringify(fromYaml.document))
    expect(fromJson).toEqual(fromYaml)
    expect(run(fromYaml.document).spec.tools).toEqual([
      { name: 'list_trees', description: 'Lists trees.', method: 'GET', path: '/trees' },
    ])
  })

  it('refuses what is no API description, and versions it does not know', () => {
    expect(loadOpenApi('a: 1')).toMatchObject({ ok: false, problems: [{ code: 'E001' }] })
    expect(loadOpenApi('[]')).toMatchObject({ ok: false, problems: [{ code: 'E001' }] })
    expect(loadOpenApi('swagger: "1.2"')).toMatchObject({ ok: false, problems: [{ code: 'E100' }] })
    expect(loadOpenApi('a: [')).toMatchObject({ ok: false, problems: [{ code: 'E100', line: 1 }] })
    expect(importOpenApi({})).toMatchObject({ ok: false, problems: [{ code: 'E100' }] })
  })

  it('[TS-97] makes a tool of every operation, and a warning of every one it cannot', () => {
    const item = {
      get: {},
      put: {},
      post: {},
      delete: {},
      patch: {},
      head: {},
      options: {},
      trace: {},
    }
    const { spec, messages } = run({ ...V3, paths: { '/x': item } })
    expect(spec.tools.map((tool) => tool.method)).toEqual(['GET', 'PUT', 'POST', 'DELETE', 'PATCH'])
    expect(messages.filter((message) => message.startsWith('W100')).length).toBe(3)
    expect(
      listOperations({ ...V3, paths: { '/x': item } }).operations.filter((row) => row.skipped)
        .length,
    ).toBe(3)
  })

  it('honours x-mcp: false and x-forge', () => {
    const paths = {
      '/a': { get: { operationId: 'a', 'x-mcp': false } },
      '/b': { get: { operationId: 'b', 'x-forge': { skip: true } } },
      '/c': { get: { operationId: 'c', 'x-forge': { name: 'seeAll', description: 'Sees all.' } } },
    }
    expect(run({ ...V3, paths }).spec.tools).toMatchObject([
      { name: 'see_all', description: 'Sees all.' },
    ])
  })

  it('reports progress after each operation', () => {
    const seen: string[] = []
    run(
      { ...V3, paths: { '/a': { get: {} }, '/b': { get: {} } } },
      { onProgress: ({ done, total, tool }) => seen.push(`${done}/${total} ${tool}`) },
    )
    expect(seen).toEqual(['1/2 get_a', '2/2 get_b'])
  })
})

describe('domain', () => {
  const named = (title: string, options: ImportOptions = {}): string =>
    run({ ...V3, info: { title }, paths: { '/x': { get: {} } } }, options).spec.domain

  it('[TS-98] comes from file name and title, else the title, else the host', () => {
    expect(named('Zendesk Support API', { file: 'dir/zendesk-openapi.yaml' })).toBe('zendesk')
    expect(named('The Public Zendesk REST API v2', { file: 'api.yaml' })).toBe('zendesk')
    expect(named('Zendesk Support API')).toBe('zendesk_support')
    expect(named('API')).toBe('a')
    expect(named('日本語')).toBe('a')
    expect(named('A very long title that goes on and on and on and on')).toMatch(
      /^[a-z][a-z0-9_]{0,31}$/,
    )
    expect(named('Anything', { domain: 'helpdesk' })).toBe('helpdesk')
    expect(named('Anything', { domain: '../x' })).toBe('anything')
  })
})

describe('filters', () => {
  const document = {
    ...V3,
    paths: {
      '/api/v2/tickets': {
        get: { operationId: 'listTickets', tags: ['Tickets'] },
        post: { operationId: 'createTicket', tags: ['Tickets', 'Write'] },
      },
      '/api/v2/tickets/{id}': { delete: { operationId: 'deleteTicket', deprecated: true } },
      '/api/v2/users': { get: { operationId: 'listUsers', tags: ['users'] } },
    },
  }
  const names = (options: ImportOptions): string[] =>
    run(document, options).spec.tools.map((tool) => tool.name)

  it('[TS-93] [TS-149] pick keeps exactly the named ones, in either spelling, and wildcards', () => {
    expect(names({ pick: ['createTicket', 'list_users'] })).toEqual(['create_ticket', 'list_users'])
    expect(names({ pick: ['CREATE_TICKET'] })).toEqual(['create_ticket'])
    expect(names({ pick: ['list*'] })).toEqual(['list_tickets', 'list_users'])
    expect(names({ pick: ['*ticket'] })).toEqual(['create_ticket', 'delete_ticket'])
    expect(names({ pick: ['POST /api/v2/tickets'] })).toEqual(['create_ticket'])
  })

  it('[TS-94] [TS-96] path prefixes match whole segments', () => {
    expect(names({ pick: ['/api/v2/tickets'] })).toEqual([
      'list_tickets',
      'create_ticket',
      'delete_ticket',
    ])
    expect(names({ pathPrefix: ['/api/v2/users/'] })).toEqual(['list_users'])
    expect(importOpenApi(document, { pathPrefix: ['/api/v2/tick'] })).toMatchObject({
      ok: false,
      problems: [{ code: 'E103' }],
    })
  })

  it('[TS-95] tag keeps tagged operations; lists are OR, filters are AND', () => {
    expect(names({ tag: ['tickets'] })).toEqual(['list_tickets', 'create_ticket'])
    expect(names({ tag: ['tickets', 'users'], method: ['get'] })).toEqual([
      'list_tickets',
      'list_users',
    ])
    expect(names({ readOnly: true })).toEqual(['list_tickets', 'list_users'])
    expect(names({ noDeprecated: true, exclude: ['list*'] })).toEqual(['create_ticket'])
  })

  it('[TS-150] a pick that matches nothing suggests near names', () => {
    expect(importOpenApi(document, { pick: ['listTicket', 'zzz'] })).toMatchObject({
      ok: false,
      problems: [{ code: 'E084', hint: expect.stringContaining('list_tickets') }, { code: 'E084' }],
    })
  })

  it('names do not depend on the filter', () => {
    const clashing = {
      ...V3,
      paths: { '/a': { get: { operationId: 'do' } }, '/b': { post: { operationId: 'do' } } },
    }
    expect(run(clashing, { method: ['get'] }).spec.tools[0]?.name).toBe('do_get')
  })
})

describe('base URL', () => {
  const base = (servers: unknown, options: ImportOptions = {}): string | undefined =>
    run({ ...V3, servers, paths: { '/x': { get: {} } } }, options).spec.base_url

  it('is the first server without its slash, variables at their defaults', () => {
    expect(base([{ url: 'https://a.example/api/' }, { url: 'https://b.example' }])).toBe(
      'https://a.example/api',
    )
    expect(
      base([
        {
          url: 'https://{tenant}.a.example/{v}',
          variables: { tenant: { default: 'demo' }, v: { default: 'v2' } },
        },
      ]),
    ).toBe('https://demo.a.example/v2')
    expect(base([{ url: 'https://{tenant}.a.example' }])).toBe(
      'https://\u0024{ORCHARD_TENANT}.a.example',
    )
    expect(base([{ url: 'ws://a.example' }, { url: 'http://b.example' }])).toBe('http://b.example')
    expect(base([{ url: '//a.example/x' }])).toBe('https://a.example/x')
    expect(base([{ url: 'a.example/x' }])).toBe('https://a.example/x')
    expect(base([{ url: 'http://a.example' }, { url: 'https://a.example' }])).toBe(
      'https://a.example',
    )
  })

  it('joins a relative server to where the document came from, else to a variable', () => {
    expect(base([{ url: '/v1' }], { url: 'https://c.example/docs/openapi.json' })).toBe(
      'https://c.example/v1',
    )
    expect(base([{ url: '/v1' }])).toBe('\u0024{ORCHARD_BASE_URL}/v1')
    expect(base(undefined)).toBe('\u0024{ORCHARD_BASE_URL}')
    expect(base([{ url: 'not a url at all' }, 5, null])).toMatch(/ORCHARD_BASE_URL/)
  })

  it('never takes a text of the document for a reference to the environment', () => {
    expect(base([{ url: 'https://a.example/\u0024{SECRET}' }])).toBe(
      'https://a.example/\u0024\u0024{SECRET}',
    )
  })

  it('[TS-167] operation beats path beats document; the most frequent goes to the top', () => {
    const paths = {
      '/a': { get: {}, servers: [{ url: 'https://path.example' }] },
      '/b': {
        servers: [{ url: 'https://path.example' }],
        get: { servers: [{ url: 'https://operation.example' }] },
      },
      '/c': { get: {} },
      '/d': { get: {} },
    }
    const { spec } = run({ ...V3, paths })
    expect(spec.base_url).toBe('https://a.example/api')
    expect(spec.tools.map((tool) => tool.base_url)).toEqual([
      'https://path.example',
      'https://operation.example',
      undefined,
      undefined,
    ])
  })
})

describe('parameters', () => {
  const params = (list: object[], path = '/x/{id}'): Record<string, FieldDef> => {
    const { params: fields = [] } = toolOf({ parameters: list }, {}, path, 'get')
    return Object.fromEntries(fields.map((field) => [field.arg ?? field.name, field]))
  }

  it('takes path, query, header and cookie parameters', () => {
    const fields = params([
      { name: 'id', in: 'path', schema: { type: 'integer' }, description: 'Id.' },
      { name: 'q', in: 'query', required: true, schema: { type: 'string' }, description: 'Q.' },
      { name: 'X-Trace', in: 'header', schema: { type: 'string' }, description: 'T.' },
      { name: 'sid', in: 'cookie', schema: { type: 'string' }, description: 'S.' },
    ])
    expect(fields).toEqual({
      id: { name: 'id', type: 'integer', required: true, description: 'Id.' },
      q: { name: 'q', type: 'string', required: true, description: 'Q.' },
      'X-Trace': { name: 'X-Trace', type: 'string', description: 'T.', in: 'header' },
      sid: { name: 'sid', type: 'string', description: 'S.', in: 'cookie' },
    })
  })

  it('[TS-162] invents a parameter for an undeclared placeholder', () => {
    const { spec, messages } = run(withOperation({}, {}, '/x/{id}', 'get'))
    expect(spec.tools[0]?.params).toEqual([
      { name: 'id', type: 'string', required: true, description: 'id in the path.' },
    ])
    expect(messages.join()).toContain('W101 one.params.id')
  })

  it('matches a path parameter that is spelled differently, and drops one without a place', () => {
    expect(Object.keys(params([{ name: 'ID', in: 'path', schema: { type: 'string' } }]))).toEqual([
      'id',
    ])
    const { codes } = run(
      withOperation({ parameters: [{ name: 'zzz', in: 'path', schema: {} }] }, {}, '/x', 'get'),
    )
    expect(codes).toContain('W101')
  })

  it('operation parameters win over those of the path', () => {
    const item = {
      parameters: [
        { name: 'q', in: 'query', description: 'Of the path.', schema: { type: 'string' } },
      ],
      get: {
        parameters: [
          { name: 'q', in: 'query', description: 'Of the operation.', schema: { type: 'string' } },
        ],
      },
    }
    const { spec } = run({ ...V3, paths: { '/x': item } })
    expect(spec.tools[0]?.params).toEqual([
      { name: 'q', type: 'string', description: 'Of the operation.' },
    ])
  })

  it('keeps styles that change the request and no others', () => {
    const list = { type: 'array', items: { type: 'string' } }
    const style = (extra: object, schema: object = list): unknown => {
      const field = params([{ name: 'a', in: 'query', schema, description: 'A.', ...extra }])['a']
      return { style: field?.style, explode: field?.explode }
    }
    expect(style({})).toEqual({})
    expect(style({ style: 'form', explode: true })).toEqual({})
    expect(style({ style: 'form', explode: false })).toEqual({ explode: false })
    expect(style({ style: 'pipeDelimited' })).toEqual({ style: 'pipeDelimited' })
    expect(style({ style: 'spaceDelimited', explode: false })).toEqual({ style: 'spaceDelimited' })
    expect(style({ style: 'deepObject', explode: true }, { type: 'object' })).toEqual({
      style: 'deepObject',
    })
    expect(style({ style: 'form', explode: false }, { type: 'string' })).toEqual({})
  })

  it('serialises a parameter with content as that content', () => {
    const field = params([
      {
        name: 'f',
        in: 'query',
        description: 'F.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    ])['f']
    expect(field).toEqual({
      name: 'f',
      type: 'object',
      description: 'F.',
      content_type: 'application/json',
    })
  })

  it('[TS-163] makes auth of credentials in headers and drops what HTTP needs itself', () => {
    const header = (name: string, extra: object = {}): object => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
      ...extra,
    })
    const { spec, codes } = run(
      withOperation(
        {
          parameters: [
            header('Accept'),
            header('Authorization'),
            header('Content-Type'),
            header('X-Amz-Date'),
            header('X-Amz-Target', { schema: { type: 'string', enum: ['A.B'] } }),
            header('Secret'),
            header('X-Api-Key'),
            header('If-Match'),
          ],
        },
        {},
        '/x',
        'get',
      ),
    )
    expect(codes).toContain('W111')
    expect(
      spec.tools[0]?.params?.map((field) => [field.name, field.required, field.default]),
    ).toEqual([
      ['X-Amz-Target', undefined, 'A.B'],
      ['If-Match', true, undefined],
    ])
    expect(spec.auth).toEqual({
      type: 'api_key',
      env: 'ORCHARD_SECRET',
      header: 'Secret',
      also: [{ type: 'api_key', env: 'ORCHARD_X_API_KEY', header: 'X-Api-Key' }],
    })
  })

  it('drops a parameter that auth sends, in query and cookie too', () => {
    const components = { securitySchemes: { k: { type: 'apiKey', in: 'cookie', name: 'sid' } } }
    const parameters = [
      { name: 'SID', in: 'cookie', schema: { type: 'string' } },
      { name: 'sid', in: 'query', schema: { type: 'string' } },
    ]
    const { spec, codes } = run(
      withOperation({ parameters, security: [{ k: [] }] }, { components }, '/x', 'get'),
    )
    expect(spec.tools[0]?.params?.map((field) => [field.name, field.in])).toEqual([
      ['sid', undefined],
    ])
    expect(codes).toContain('W111')
  })

  it('takes query and fragment out of the path', () => {
    const [first] = run({
      ...V3,
      paths: { '/b/{id}?acl&v=2#frag': { get: { operationId: 'one' } } },
    }).spec.tools
    expect(first?.path).toBe('/b/{id}')
    expect(first?.params?.map((field) => [field.name, field.default])).toEqual([
      ['id', undefined],
      ['acl', ''],
      ['v', '2'],
    ])
  })

  it('gives arguments names that models accept', () => {
    const fields = params([
      { name: 'filter[status]', in: 'query', schema: { type: 'string' } },
      { name: '$top', in: 'query', schema: { type: 'integer' } },
      { name: '__proto__', in: 'query', schema: { type: 'string' } },
    ])
    expect(Object.keys(fields)).toEqual(['filter_status', 'top', 'proto', 'id'])
    expect(fields['filter_status']?.name).toBe('filter[status]')
  })
})

describe('bodies', () => {
  const bodyless = { type: 'object', properties: { a: { type: 'string' } } }

  it('makes a field of each property; required follows the schema', () => {
    expect(
      bodyOf({
        type: 'object',
        required: ['a'],
        properties: {
          a: { type: 'string', description: 'A.' },
          b: { type: 'integer', description: 'B.' },
        },
      }),
    ).toEqual({
      a: { name: 'a', type: 'string', required: true, description: 'A.' },
      b: { name: 'b', type: 'integer', description: 'B.' },
    })
    const optional = {
      requestBody: {
        required: false,
        content: { 'application/json': { schema: { ...bodyless, required: ['a'] } } },
      },
    }
    expect(toolOf(optional).body?.[0]?.required).toBeUndefined()
  })

  it('[TS-158] leaves read-only properties out, also of required', () => {
    const schema = {
      type: 'object',
      required: ['id', 'a'],
      properties: {
        id: { type: 'string', readOnly: true },
        a: { type: 'object', properties: { id: { readOnly: true }, b: { type: 'string' } } },
      },
    }
    expect(Object.keys(bodyOf(schema))).toEqual(['a'])
    expect(bodyOf(schema)['a']?.properties?.map((field) => field.name)).toEqual(['b'])
  })

  it('[TS-159] sends arrays, scalars, maps and free-form objects as one argument', () => {
    expect(
      toolOf(json({ type: 'array', description: 'All.', items: { type: 'string' } })),
    ).toMatchObject({
      body_root: { type: 'array', required: true, description: 'All.', items: { type: 'string' } },
    })
    expect(toolOf(json({ type: 'integer' })).body_root).toMatchObject({
      type: 'integer',
      required: true,
    })
    expect(toolOf(json({ type: 'object' })).body_root).toMatchObject({ type: 'object' })
    expect(
      toolOf(
        json({
          type: 'object',
          properties: { a: { type: 'string' } },
          additionalProperties: { type: 'string' },
        }),
      ).body_root?.properties,
    ).toHaveLength(1)
  })

  it('chooses the content type in a fixed order', () => {
    const kind = (...types: string[]): unknown => {
      const content = Object.fromEntries(types.map((type) => [type, { schema: bodyless }]))
      const { content_type, media_type, body } = toolOf({ requestBody: { content } })
      return { content_type, media_type, fields: body?.length }
    }
    expect(kind('application/xml', 'application/json')).toEqual({ fields: 1 })
    expect(kind('text/plain', 'application/vnd.api+json')).toEqual({
      media_type: 'application/vnd.api+json',
      fields: 1,
    })
    expect(kind('multipart/form-data', 'application/x-www-form-urlencoded')).toEqual({
      content_type: 'form',
      fields: 1,
    })
    expect(kind('application/octet-stream', 'multipart/form-data')).toEqual({
      content_type: 'multipart',
      fields: 1,
    })
    expect(kind('application/json; charset=utf-8')).toEqual({ fields: 1 })
    expect(kind('*/*')).toEqual({ fields: 1 })
  })

  it('keeps other content types raw, with a warning', () => {
    const { spec, codes } = run(
      withOperation({ requestBody: { content: { 'application/xml': { schema: bodyless } } } }),
    )
    expect(spec.tools[0]).toMatchObject({
      content_type: 'raw',
      media_type: 'application/xml',
      body_root: { type: 'string' },
    })
    expect(codes).toContain('W108')
    expect(
      toolOf({ requestBody: { content: { 'application/octet-stream': {} } } }).body_root,
    ).toMatchObject({ type: 'string', format: 'binary' })
  })

  it('keeps files and part types of multipart bodies', () => {
    const media = {
      schema: {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary' }, meta: { type: 'object' } },
      },
      encoding: { meta: { contentType: 'application/json' } },
    }
    expect(toolOf({ requestBody: { content: { 'multipart/form-data': media } } })).toMatchObject({
      content_type: 'multipart',
      body: [
        { name: 'file', format: 'binary' },
        { name: 'meta', content_type: 'application/json' },
      ],
    })
  })

  it('gives GET no body, and says what is lost', () => {
    const { spec, messages } = run(withOperation(json(bodyless), {}, '/x', 'get'))
    expect(spec.tools[0]?.body).toBeUndefined()
    expect(messages.join()).toContain('its fields a are left out')
    const empty = run(withOperation(json({ type: 'object', properties: {} }), {}, '/x', 'get'))
    expect(empty.messages.filter((message) => message.includes('body'))).toEqual([])
  })

  it('[TS-161] keeps both values when a path parameter and a body field share a name', () => {
    const tool = toolOf(
      {
        parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
        ...json({ type: 'object', properties: { id: { type: 'string' } } }),
      },
      {},
      '/x/{id}',
    )
    expect(tool.params?.[0]).toMatchObject({ name: 'id', arg: 'id_path' })
    expect(tool.body?.[0]?.arg).toBeUndefined()
  })
})

describe('schemas', () => {
  it('keeps type, format, bounds and examples', () => {
    expect(
      fieldOf({ type: 'integer', format: 'int32', minimum: 1, maximum: 9, default: 3, example: 5 }),
    ).toEqual({
      name: 'a',
      type: 'integer',
      description: 'A. Format: int32. Example: 5',
      default: 3,
      format: 'int32',
      minimum: 1,
      maximum: 9,
    })
    expect(fieldOf({ type: 'string', format: 'byte' }).description).toBe('A. Base64')
    expect(fieldOf({ type: 'number', minimum: 1, exclusiveMinimum: true })).toMatchObject({
      exclusive_minimum: 1,
    })
    expect(fieldOf({ type: 'number', exclusiveMinimum: 2 })).toMatchObject({ exclusive_minimum: 2 })
  })

  it('[TS-160] keeps enums of texts, numbers and booleans; const is an enum of one', () => {
    expect(fieldOf({ type: 'integer', enum: [1, 2, 2, null] })).toMatchObject({
      enum: [1, 2],
      nullable: true,
    })
    expect(fieldOf({ enum: [true] })).toMatchObject({ type: 'boolean', enum: [true] })
    expect(fieldOf({ type: 'string', enum: [1, true, 'x'] }).enum).toEqual(['1', 'true', 'x'])
    expect(fieldOf({ const: 'x' })).toMatchObject({ type: 'string', enum: ['x'] })
  })

  it('[TS-157] takes the three spellings of nullable as one, and nullable: false as nothing', () => {
    const one = fieldOf({ type: 'string', nullable: true })
    expect(one).toEqual({ name: 'a', type: 'string', description: 'A.', nullable: true })
    expect(fieldOf({ type: ['string', 'null'] })).toEqual(one)
    expect(fieldOf({ type: 'string', 'x-nullable': true })).toEqual(one)
    expect(fieldOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual(one)
    expect(fieldOf({ type: 'string', nullable: false })).toEqual({
      name: 'a',
      type: 'string',
      description: 'A.',
    })
  })

  it('infers a type that is not written', () => {
    expect(fieldOf({ properties: { b: { type: 'string' } } }).type).toBe('object')
    expect(fieldOf({ items: { type: 'string' } }).type).toBe('array')
    expect(fieldOf({ minLength: 1 }).type).toBe('string')
    expect(fieldOf({ maximum: 1 }).type).toBe('number')
    expect(fieldOf({})).toMatchObject({
      type: 'string',
      any_of: [
        { type: 'string' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'object' },
        { type: 'array' },
      ],
    })
  })

  it('[TS-155] allOf merges properties and required, the outer description wins', () => {
    const components = {
      schemas: {
        Base: {
          type: 'object',
          description: 'Base.',
          required: ['b'],
          properties: { b: { type: 'string' } },
        },
      },
    }
    const field = fieldOf(
      {
        description: 'Outer.',
        allOf: [
          { $ref: '#/components/schemas/Base' },
          { properties: { c: { type: 'integer' } }, required: ['c'] },
        ],
      },
      { components },
    )
    expect(field).toMatchObject({
      type: 'object',
      description: 'Outer.',
      properties: [
        { name: 'b', type: 'string', required: true },
        { name: 'c', type: 'integer', required: true },
      ],
    })
  })

  it('[TS-156] oneOf with a discriminator becomes one object with an enum, exact forms beside it', () => {
    const pet = (own: string): object => ({
      type: 'object',
      required: ['kind', own],
      properties: { kind: { type: 'string' }, [own]: { type: 'string' } },
    })
    const components = { schemas: { Cat: pet('meow'), Dog: pet('bark') } }
    const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
    const field = fieldOf({ oneOf, discriminator: { propertyName: 'kind' } }, { components })
    expect(field).toMatchObject({
      type: 'object',
      any_of: [{ type: 'object' }, { type: 'object' }],
    })
    expect(field.properties).toMatchObject([
      { name: 'kind', required: true, enum: ['Cat', 'Dog'] },
      { name: 'meow' },
      { name: 'bark' },
    ])
    expect(field.properties?.map((property) => property.required)).toEqual([
      true,
      undefined,
      undefined,
    ])
    expect(field.description).toContain('Cat (needs kind, meow); Dog (needs kind, bark)')
    const mapped = fieldOf(
      {
        oneOf,
        discriminator: {
          propertyName: 'kind',
          mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' },
        },
      },
      { components },
    )
    expect(mapped.properties?.[0]?.enum).toEqual(['cat', 'dog'])
  })

  it('merges the subtypes that a discriminator stands for, named or not', () => {
    const base = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } }
    const sub = (own: string): object => ({
      allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { [own]: { type: 'string' } } }],
    })
    const schemas = { Cat: sub('meow'), Dog: sub('bark') }
    const implicit = { Pet: { ...base, discriminator: { propertyName: 'kind' } }, ...schemas }
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    const named = { Pet: { ...base, discriminator: { propertyName: 'kind', mapping } }, ...schemas }
    const body = (known: object): unknown =>
      Object.values(
        bodyOf({ $ref: '#/components/schemas/Pet' }, { components: { schemas: known } }),
      )
    expect(body(implicit)).toMatchObject([
      { name: 'kind', required: true, enum: ['Cat', 'Dog'] },
      { name: 'meow' },
      { name: 'bark' },
    ])
    expect(body(named)).toMatchObject([
      { enum: ['cat', 'dog'] },
      { name: 'meow' },
      { name: 'bark' },
    ])
    expect(
      bodyOf({ $ref: '#/components/schemas/Cat' }, { components: { schemas: implicit } }),
    ).not.toHaveProperty('bark')
  })

  it('takes any fields when the subtypes are too many to list', () => {
    const many = Array.from({ length: 60 }, (_, index) => [
      `Sub${index}`,
      {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { properties: { [`own${index}`]: { type: 'string' } } },
        ],
      },
    ])
    const Pet = {
      type: 'object',
      discriminator: { propertyName: 'kind' },
      properties: { kind: { type: 'string' } },
    }
    const components = { schemas: { Pet, ...Object.fromEntries(many) } }
    const tool = toolOf(json({ $ref: '#/components/schemas/Pet' }), { components })
    expect(tool.body_root).toMatchObject({ type: 'object', properties: [{ name: 'kind' }] })
  })

  it('folds scalar alternatives into their type, mixed ones into text with a warning', () => {
    expect(fieldOf({ anyOf: [{ type: 'integer' }, { type: 'number' }] })).toEqual({
      name: 'a',
      type: 'number',
      description: 'A.',
    })
    expect(fieldOf({ anyOf: [{ enum: ['x'] }, { enum: ['y'] }] }).enum).toEqual(['x', 'y'])
    const mixed = run(
      withOperation(
        json({
          type: 'object',
          properties: {
            a: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          },
        }),
      ),
    )
    expect(mixed.spec.tools[0]?.body?.[0]).toMatchObject({
      type: 'string',
      any_of: [{ type: 'string' }, { type: 'array' }],
    })
    expect(mixed.codes).toContain('W101')
    expect(fieldOf({ type: ['string', 'integer'] })).toMatchObject({
      type: 'string',
      any_of: [{ type: 'string' }, { type: 'integer' }],
    })
  })

  it('[TS-151] cuts self-, mutual and array recursion', () => {
    const components = {
      schemas: {
        Node: {
          type: 'object',
          properties: {
            next: { $ref: '#/components/schemas/Node' },
            all: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
            other: { $ref: '#/components/schemas/Other' },
          },
        },
        Other: { type: 'object', properties: { node: { $ref: '#/components/schemas/Node' } } },
        Loop: {
          allOf: [{ $ref: '#/components/schemas/Loop' }],
          properties: { b: { type: 'string' } },
        },
        Self: { $ref: '#/components/schemas/Self' },
      },
    }
    const { spec, codes } = run(
      withOperation(json({ $ref: '#/components/schemas/Node' }), { components }),
    )
    expect(codes).toContain('W102')
    expect(spec.tools[0]?.body).toMatchObject([
      { name: 'next', type: 'object' },
      { name: 'all', type: 'array', items: { type: 'object' } },
      { name: 'other', type: 'object', properties: [{ name: 'node', type: 'object' }] },
    ])
    expect(spec.tools[0]?.body?.[0]?.properties).toBeUndefined()
    expect(JSON.stringify(spec)).toContain('Contains Node again')
    expect(
      fieldOf({ $ref: '#/components/schemas/Loop' }, { components }).properties?.[0]?.name,
    ).toBe('b')
    expect(
      run(withOperation(json({ $ref: '#/components/schemas/Self' }), { components })).codes,
    ).toContain('W112')
  })

  it('[TS-152] expands two uses of one schema both', () => {
    const components = {
      schemas: { Place: { type: 'object', properties: { row: { type: 'integer' } } } },
    }
    const ref = { $ref: '#/components/schemas/Place' }
    const body = bodyOf({ type: 'object', properties: { from: ref, to: ref } }, { components })
    expect(body['from']?.properties).toEqual(body['to']?.properties)
    expect(body['to']?.properties).toHaveLength(1)
  })

  it('cuts nesting at the depth asked for', () => {
    const nest = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nest(levels - 1) } }
    const deep = (spec: ToolSpec): number => {
      let count = 0
      for (let at: FieldDef | undefined = spec.tools[0]?.body?.[0]; at; at = at.properties?.[0])
        count += 1
      return count
    }
    const document = withOperation(json(nest(30)))
    expect(deep(run(document).spec)).toBe(6)
    expect(deep(run(document, { maxDepth: 3 }).spec)).toBe(3)
    expect(run(document).codes).toContain('W102')
  })

  it('keeps a tool near the size asked for by leaving deep optional parts free-form', () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `field_${index}`,
          { type: 'string', description: 'x'.repeat(90) },
        ]),
      ),
    }
    const { spec, codes } = run(
      withOperation(
        json({
          type: 'object',
          properties: { small: { type: 'object', properties: { b: { type: 'string' } } }, wide },
        }),
      ),
    )
    const [small, big] = spec.tools[0]?.body ?? []
    expect(small?.properties).toHaveLength(1)
    expect(big).toMatchObject({
      type: 'object',
      description: expect.stringContaining('Free-form object with field_0'),
    })
    expect(codes).toContain('W101')
    expect(JSON.stringify(spec).length).toBeLessThan(9000)
  })

  it('keeps every parameter of an operation with hundreds of them', () => {
    const parameters = Array.from({ length: 582 }, (_, index) => ({
      name: `p${index}`,
      in: 'query',
      schema: { type: 'string' },
      description: 'x'.repeat(50),
    }))
    expect(toolOf({ parameters }, {}, '/x', 'get').params).toHaveLength(582)
  })

  it('drops what no value can meet, each with a warning', () => {
    const odd = {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '(', default: 5, enum: ['x'] },
        b: { type: 'integer', minimum: 5, maximum: 1 },
        c: { type: 'integer', default: '9223372036854775807' },
        d: { type: 'array', enum: ['x'] },
      },
    }
    const { spec, messages } = run(withOperation(json(odd)))
    expect(spec.tools[0]?.body).toMatchObject([
      { name: 'a', enum: ['x'] },
      { name: 'b' },
      { name: 'c', type: 'string', wire_type: 'integer' },
      { name: 'd' },
    ])
    expect(messages.filter((message) => message.startsWith('W101')).length).toBeGreaterThanOrEqual(
      5,
    )
  })

  it('says which keywords it ignores', () => {
    const { messages } = run(
      withOperation(
        json({
          type: 'object',
          properties: { a: { type: 'object', not: {}, patternProperties: {}, minProperties: 1 } },
        }),
      ),
    )
    for (const keyword of ['not', 'patternProperties', 'minProperties'])
      expect(messages.join()).toContain(`"${keyword}"`)
  })

  it('uses the keywords beside a reference in 3.1', () => {
    const components = { schemas: { T: { type: 'string', description: 'T.' } } }
    const document = withOperation(
      json({
        type: 'object',
        properties: { a: { $ref: '#/components/schemas/T', maxLength: 3, description: 'Mine.' } },
      }),
      { components },
    )
    expect(run({ ...document, openapi: '3.1.0' }).spec.tools[0]?.body?.[0]).toMatchObject({
      description: 'Mine.',
      max_length: 3,
    })
    expect(run(document).spec.tools[0]?.body?.[0]).toEqual({
      name: 'a',
      type: 'string',
      description: 'Mine.',
    })
  })
})

describe('references', () => {
  const paths = {
    '/good': { get: { operationId: 'good', summary: 'Good.' } },
    '/bad': {
      post: { operationId: 'bad', summary: 'Bad.', ...json({ $ref: '#/components/schemas/Gone' }) },
    },
    '/far': {
      post: {
        operationId: 'far',
        summary: 'Far.',
        ...json({ $ref: 'https://other.example/schemas.yaml#/Far' }),
      },
    },
  }

  it('[TS-153] dangling ones matter only to the operations that use them', () => {
    expect(run({ ...V3, paths }, { pick: ['good'] }).codes).toEqual([])
    expect(importOpenApi({ ...V3, paths }, { pick: ['bad'] })).toMatchObject({
      ok: false,
      problems: [{ code: 'E101', path: 'bad.body' }],
    })
    const { spec, codes } = run({ ...V3, paths })
    expect(spec.tools.map((tool) => tool.name)).toEqual(['good', 'bad', 'far'])
    expect(codes).toEqual(expect.arrayContaining(['W112', 'W114']))
  })

  it('[TS-154] external ones are refused, and named', () => {
    const result = importOpenApi({ ...V3, paths }, { pick: ['far'] })
    expect(result).toMatchObject({
      ok: false,
      problems: [{ code: 'E102', hint: expect.stringContaining('--allow-external-refs') }],
    })
    expect(result.wanted).toEqual(['https://other.example/schemas.yaml'])
  })

  it('follows odd but clear pointers', () => {
    const components = {
      schemas: { 'a/b c~d': { type: 'integer' }, Anchor: { $anchor: 'here', type: 'boolean' } },
    }
    const type = ($ref: string): string => fieldOf({ $ref }, { components }).type
    expect(type('#/components/schemas/a~1b c~0d')).toBe('integer')
    expect(type('#/components/schemas/a~1b%20c~0d')).toBe('integer')
    expect(type('#here')).toBe('boolean')
    expect(type('Anchor')).toBe('boolean')
  })
})

describe('auth', () => {
  const authOf = (schemes: object, security: unknown, options: ImportOptions = {}) =>
    run(
      { ...V3, components: { securitySchemes: schemes }, security, paths: { '/x': { get: {} } } },
      options,
    )

  it('[TS-100] [TS-101] [TS-102] [TS-103] maps schemes to auth and variables', () => {
    const one = (scheme: object): unknown => authOf({ s: scheme }, [{ s: [] }]).spec.auth
    expect(one({ type: 'http', scheme: 'bearer' })).toEqual({
      type: 'bearer',
      env: 'ORCHARD_API_TOKEN',
    })
    expect(one({ type: 'apiKey', in: 'header', name: 'X-Key' })).toEqual({
      type: 'api_key',
      env: 'ORCHARD_API_KEY',
      header: 'X-Key',
    })
    expect(one({ type: 'http', scheme: 'Basic' })).toEqual({
      type: 'basic',
      env: 'ORCHARD_USERNAME',
    })
    expect(
      one({
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://a.example/t', scopes: {} } },
      }),
    ).toEqual({
      type: 'oauth2',
      env: 'ORCHARD_CLIENT_ID',
      token_url: 'https://a.example/t',
      flow: 'client_credentials',
    })
    expect(one({ type: 'apiKey', in: 'query', name: 'key' })).toEqual({
      type: 'api_key',
      env: 'ORCHARD_API_KEY',
      in: 'query',
      name: 'key',
    })
    expect(
      one({
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'Value: Bearer <token>',
      }),
    ).toEqual({ type: 'bearer', env: 'ORCHARD_API_TOKEN' })
    expect(
      one({
        type: 'openIdConnect',
        openIdConnectUrl: 'https://a.example/.well-known/openid-configuration',
      }),
    ).toMatchObject({
      type: 'oauth2',
      discovery_url: 'https://a.example/.well-known/openid-configuration',
    })
  })

  it('takes the first alternative it can express, and combines what belongs together', () => {
    const schemes = {
      d: { type: 'http', scheme: 'digest' },
      k: { type: 'apiKey', in: 'header', name: 'K' },
      t: { type: 'apiKey', in: 'query', name: 't' },
    }
    const { spec, codes } = authOf(schemes, [{ d: [] }, { k: [], t: [] }, { k: [] }])
    expect(spec.auth).toEqual({
      type: 'api_key',
      env: 'ORCHARD_API_KEY',
      header: 'K',
      also: [{ type: 'api_key', env: 'ORCHARD_T_API_KEY', in: 'query', name: 't' }],
    })
    expect(codes).toContain('W106')
    expect(authOf(schemes, [{ d: [] }])).toMatchObject({ codes: expect.arrayContaining(['W105']) })
  })

  it('puts the most frequent auth at the top and none where the document says so', () => {
    const paths = {
      '/a': { get: {} },
      '/b': { get: {} },
      '/c': { get: { security: [] } },
      '/d': { get: { security: [{}] } },
    }
    const { spec } = run({
      ...V3,
      components: { securitySchemes: { s: { type: 'http', scheme: 'bearer' } } },
      security: [{ s: [] }],
      paths: { ...paths, '/e': { get: {} } },
    })
    expect(spec.auth?.type).toBe('bearer')
    expect(spec.tools.map((tool) => tool.auth?.type)).toEqual([
      undefined,
      undefined,
      'none',
      'none',
      undefined,
    ])
  })

  it('[TS-104] can be overridden', () => {
    const schemes = { s: { type: 'http', scheme: 'bearer' } }
    expect(authOf(schemes, [{ s: [] }], { authType: 'basic' }).spec.auth).toEqual({
      type: 'basic',
      env: 'ORCHARD_USERNAME',
    })
    expect(
      authOf(schemes, [{ s: [] }], { authType: 'api_key', authEnv: 'MY_KEY' }).spec.auth,
    ).toEqual({ type: 'api_key', env: 'MY_KEY' })
    expect(authOf(schemes, [{ s: [] }], { authEnv: 'MY_TOKEN' }).spec.auth).toEqual({
      type: 'bearer',
      env: 'MY_TOKEN',
    })
  })
})

describe('Swagger 2.0', () => {
  const V2 = {
    swagger: '2.0',
    info: { title: 'Orchard', version: '1' },
    host: 'a.example',
    basePath: '/v1/',
    schemes: ['http', 'https'],
    consumes: ['application/json'],
  }
  const first = (document: object): ToolDef => run(document).spec.tools[0] as ToolDef

  it('[TS-88] is read: host, definitions, body through a reference, security', () => {
    const document = {
      ...V2,
      securityDefinitions: { b: { type: 'basic' } },
      security: [{ b: [] }],
      parameters: {
        Tree: { name: 'tree', in: 'body', required: true, schema: { $ref: '#/definitions/Tree' } },
      },
      definitions: {
        Tree: {
          type: 'object',
          required: ['kind'],
          properties: { kind: { type: 'string', 'x-nullable': true, description: 'Kind.' } },
        },
      },
      paths: {
        '/trees': {
          post: {
            operationId: 'plant',
            summary: 'Plants.',
            parameters: [{ $ref: '#/parameters/Tree' }],
          },
        },
      },
    }
    expect(run(document).spec).toEqual({
      domain: 'orchard',
      version: '1',
      base_url: 'https://a.example/v1',
      auth: { type: 'basic', env: 'ORCHARD_USERNAME' },
      tools: [
        {
          name: 'plant',
          description: 'Plants.',
          method: 'POST',
          path: '/trees',
          body: [
            { name: 'kind', type: 'string', required: true, description: 'Kind.', nullable: true },
          ],
        },
      ],
    })
  })

  it('turns form fields into a form or multipart body', () => {
    const form = (type: string, consumes: string[]): ToolDef =>
      first({
        ...V2,
        paths: {
          '/x': {
            post: { consumes, parameters: [{ name: 'f', in: 'formData', type, required: true }] },
          },
        },
      })
    expect(form('string', ['application/x-www-form-urlencoded'])).toMatchObject({
      content_type: 'form',
      body: [{ name: 'f', required: true }],
    })
    expect(form('file', [])).toMatchObject({
      content_type: 'multipart',
      body: [{ name: 'f', type: 'string', format: 'binary' }],
    })
    expect(form('string', ['multipart/form-data'])).toMatchObject({ content_type: 'multipart' })
  })

  it('turns list formats into styles', () => {
    const style = (collectionFormat?: string, place = 'query'): unknown => {
      const parameter = {
        name: 'a',
        in: place,
        required: true,
        type: 'array',
        items: { type: 'string' },
        collectionFormat,
      }
      const field = first({
        ...V2,
        paths: {
          '/x/{a}': {
            get: { parameters: [{ ...parameter, ...(place === 'query' && { name: 'b' }) }] },
          },
        },
      }).params?.find((one) => one.type === 'array')
      return { style: field?.style, explode: field?.explode }
    }
    expect(style()).toEqual({ explode: false })
    expect(style('csv')).toEqual({ explode: false })
    expect(style('multi')).toEqual({})
    expect(style('ssv')).toEqual({ style: 'spaceDelimited' })
    expect(style('pipes')).toEqual({ style: 'pipeDelimited' })
    expect(style('csv', 'path')).toEqual({})
  })

  it('maps oauth2 flows', () => {
    const auth = (flow: string): unknown =>
      run({
        ...V2,
        securityDefinitions: {
          o: { type: 'oauth2', flow, tokenUrl: 'https://a.example/t', scopes: { r: 'Read' } },
        },
        security: [{ o: ['r'] }],
        paths: { '/x': { get: {} } },
      }).spec.auth
    expect(auth('accessCode')).toEqual({
      type: 'oauth2',
      env: 'ORCHARD_CLIENT_ID',
      scopes: ['r'],
      token_url: 'https://a.example/t',
      flow: 'authorization_code',
    })
    expect(auth('application')).toMatchObject({ flow: 'client_credentials' })
  })

  it('without a host is relative', () => {
    const { host: _, ...relative } = V2
    expect(run({ ...relative, paths: { '/x': { get: {} } } }).spec.base_url).toBe(
      '\u0024{ORCHARD_BASE_URL}/v1',
    )
  })
})

describe('triggers', () => {
  const event = {
    post: {
      summary: 'A tree fell.',
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string', readOnly: true, description: 'Id.' } },
            },
          },
        },
      },
    },
  }

  it('[TS-193] come from webhooks and x-webhooks', () => {
    const { spec } = run({
      ...V3,
      openapi: '3.1.0',
      paths: { '/x': { get: {} } },
      webhooks: { 'tree.fell': event },
      'x-webhooks': { treeFell: event },
    })
    expect(spec.triggers).toEqual([
      {
        type: 'webhook',
        name: 'on_tree_fell',
        description: 'A tree fell.',
        path: '/webhooks/orchard/tree-fell',
        event: 'tree.fell',
        secret_env: 'ORCHARD_WEBHOOK_SECRET',
        payload: [{ name: 'id', type: 'string', required: true, description: 'Id.' }],
      },
      expect.objectContaining({ name: 'on_tree_fell_2', path: '/webhooks/orchard/tree-fell-2' }),
    ])
  })

  it('come from callbacks, and the tool says which URL to give', () => {
    const callbacks = { onFell: { '{$request.body#/callbackUrl}': event } }
    const { spec } = run(withOperation({ callbacks }))
    expect(spec.triggers).toMatchObject([
      { name: 'on_one_on_fell', event: 'onFell', 'x-expression': '{$request.body#/callbackUrl}' },
    ])
    expect(spec.tools[0]?.description).toBe(
      'Does one thing. Calls back (onFell) at the URL in callbackUrl',
    )
  })

  it('a document may hold nothing but webhooks', () => {
    expect(run({ ...V3, openapi: '3.1.0', webhooks: { fell: event } }).spec).toMatchObject({
      tools: [],
      triggers: [{ name: 'on_fell' }],
    })
  })
})

describe('descriptions', () => {
  const described = (operation: object): string =>
    toolOf(operation, {}, '/plots/{id}/trees', 'get').description

  it('join summary and description, strip HTML and collapse white space', () => {
    expect(
      described({
        summary: 'Lists trees',
        description: '<p>All of&nbsp;them,\n\n <b>newest</b> first.</p>',
      }),
    ).toBe('Lists trees. All of them, newest first.')
    expect(described({ summary: 'Lists trees', description: 'Lists trees of a plot.' })).toBe(
      'Lists trees of a plot.',
    )
    expect(described({ summary: '', description: '&#10024; New &lt;b&gt;' })).toBe('✨ New <b>')
  })

  it('are made from method and path when the document has none', () => {
    const { spec, codes } = run(
      withOperation({ summary: undefined }, {}, '/plots/{id}/trees', 'get'),
    )
    expect(spec.tools[0]?.description).toBe('GET plots by id trees')
    expect(codes).toContain('W107')
  })

  it('are cut at a sentence after 1,024 characters', () => {
    const { spec, codes } = run(
      withOperation({ summary: undefined, description: 'One sentence here. '.repeat(100) }),
    )
    const text = spec.tools[0]?.description ?? ''
    expect(text.length).toBeLessThanOrEqual(1024)
    expect(text).toMatch(/here\.$/)
    expect(codes).toContain('W110')
  })

  it('say what comes back and what is deprecated', () => {
    expect(
      described({
        summary: 'Lists trees.',
        deprecated: true,
        responses: { 200: { description: 'The trees of the plot' } },
      }),
    ).toBe('Deprecated: Lists trees. Returns: The trees of the plot')
  })

  it('[TS-196] more than 40 tools warn about the cost', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 41 }, (_, index) => [`/p${index}`, { get: {} }]),
    )
    const { messages } = run({ ...V3, paths })
    expect(messages.join()).toMatch(/W109 tools 41 tools cost a model about \d+ tokens/)
    expect(run({ ...V3, paths: { '/x': { get: {} } } }).codes).not.toContain('W109')
  })
})
