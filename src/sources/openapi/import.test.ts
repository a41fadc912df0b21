import { describe, expect, it } from 'vitest'
import { fieldOf, json, run, V3 } from '../../../test/openapi/import-document.ts'
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

  it('refuses what is not an API description, and versions it does not know', () => {
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
  it('refuses a domain that is not a file name and a variable that is none', () => {
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
