import { describe, expect, it } from 'vitest'
import { run, V3 } from '../../../test/openapi/import-document.ts'
import { buildDocument, buildLlmsText } from '../../discovery/index.ts'
import { createService } from '../../system/index.ts'
import { createToolFunctions } from '../runtime/index.ts'
import { importOpenApi } from './import.ts'

const TICKETS = {
  ...V3,
  tags: [
    {
      name: 'tickets',
      description: 'Everything about <b>tickets</b>.',
      'x-displayName': 'Tickets',
    },
    { name: 'unused', description: 'Nothing.' },
    { name: 'people' },
  ],
  paths: {
    '/tickets': {
      get: { summary: 'List tickets', tags: ['tickets'], description: 'All of them.' },
    },
    '/people': { get: { summary: 'List people', tags: ['people'] } },
    '/long': { get: { summary: 'x'.repeat(200), tags: ['people'] } },
  },
}

describe('groups and titles of a document', () => {
  const { spec } = run(TICKETS)

  it('are kept in the tool spec', () => {
    expect(spec.groups).toEqual([
      { name: 'tickets', title: 'Tickets', description: 'Everything about tickets.' },
    ])
    expect(spec.tools.map(({ title, tags }) => [title, tags])).toEqual([
      ['List tickets', ['tickets']],
      [undefined, ['people']],
      [undefined, ['people']],
    ])
  })

  it('head the sections of llms.txt', async () => {
    const service = createService({
      info: { title: 'Orchard', version: '1.0.0' },
      functions: createToolFunctions(spec),
    })
    const text = buildLlmsText(buildDocument(service))
    await service.close()
    expect(text).toContain('## orchard: Tickets\n\nEverything about tickets.\n\n- `orchard.')
    expect(text).toContain('## orchard: people\n')
    expect(text).toContain(': List tickets.')
  })
})

describe('an import that leaves nothing', () => {
  const why = (document: unknown, options = {}): string => {
    const result = importOpenApi(document, options)
    return result.ok ? 'ok' : (result.problems[0]?.message ?? '')
  }

  it('says where the operations went', () => {
    const only = (item: unknown, path = '/x') => ({ ...V3, paths: { [path]: item } })
    expect(why({ ...V3, paths: {} })).toContain('has no operations')
    expect(why(only({ head: {}, trace: {} }))).toMatch(/1 skipped: .*HEAD.*; 1 skipped: .*TRACE/)
    expect(why(only({ get: {} }), { method: ['POST'] })).toContain('1 of 1 do not match')
    expect(why(only({ get: {} }, '/a/../x'))).toContain('".." segment')
    expect(why(only({ $ref: '#/nowhere' }))).toContain('none of its 1 paths can be read')
  })
})

describe('addresses of a document', () => {
  const oauth = (tokenUrl: string) =>
    run({
      ...V3,
      components: {
        securitySchemes: {
          o: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
        },
      },
      security: [{ o: [] }],
      paths: { '/x': { get: {} } },
    }).spec.auth?.token_url

  it('keeps a token URL that is https or on this machine, and no other', () => {
    expect(oauth('http://127.0.0.1:9000/token')).toBe('http://127.0.0.1:9000/token')
    expect(oauth('http://localhost/token')).toBe('http://localhost/token')
    expect(oauth('https://a.example/token')).toBe('https://a.example/token')
    expect(oauth('http://a.example/token')).toBeUndefined()
  })

  it('writes a brace without a partner as what it is', () => {
    const { spec } = run({ ...V3, paths: { '/a/{id/b': { get: {} } } })
    expect(spec.tools[0]?.path).toBe('/a/%7Bid/b')
  })
})
