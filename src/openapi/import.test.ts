import { describe, expect, it } from 'vitest'
import {
  fieldOf,
  json,
  run,
  toolOf,
  V3,
  withOperation,
} from '../../test/openapi/import-document.ts'
import { type ImportOptions, importOpenApi } from './import.ts'
import { listOperations } from './list.ts'
import { loadOpenApi } from './load.ts'

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
  })
})

describe('options', () => {
  it('refuses a domain that is no file name and a variable that is none', () => {
    const document = { ...V3, paths: { '/x': { get: {} } } }
    expect(
      importOpenApi(document, { domain: '../x', authEnv: 'sk-live-1234567890abcdef' }),
    ).toMatchObject({
      ok: false,
      problems: [
        { code: 'E011' },
        { code: 'E066', message: expect.not.stringContaining('1234567890') },
      ],
    })
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
    const circular = { tenant: { default: '{tenant}' } }
    expect(base([{ url: 'https://{tenant}.a.example', variables: circular }])).toBe(
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
    expect(
      one({
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://a.example/login',
            tokenUrl: 'https://a.example/t',
            scopes: {},
          },
        },
      }),
    ).toMatchObject({
      authorization_url: 'https://a.example/login',
      flow: 'authorization_code',
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
