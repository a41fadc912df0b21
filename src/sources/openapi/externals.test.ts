import { describe, expect, it } from 'vitest'
import { allowSameFolder, importWithExternals } from './externals.ts'

const FILES: Record<string, string> = {
  'https://a.example/schemas/tree.yaml':
    'Tree:\n  type: object\n  properties:\n    kind: { $ref: "#/Kind" }\n    site: { $ref: "../site.json" }\nKind: { type: string, enum: [apple] }\n',
  'https://a.example/site.json': '{"type":"object","properties":{"row":{"type":"integer"}}}',
  'https://a.example/paths/trees.yaml': 'get: { operationId: listTrees, summary: Lists trees. }',
}

function document(ref: string): unknown {
  const requestBody = { content: { 'application/json': { schema: { $ref: ref } } } }
  return {
    openapi: '3.0.3',
    info: { title: 'Orchard', version: '1' },
    servers: [{ url: 'https://a.example' }],
    paths: {
      '/x': { post: { operationId: 'one', summary: 'One.', requestBody } },
      '/trees': { $ref: 'paths/trees.yaml' },
    },
  }
}

function reader(asked: string[]) {
  return async (address: string): Promise<string> => {
    asked.push(address)
    const text = FILES[address]
    if (text === undefined) throw new Error('not there')
    return text
  }
}

describe('external references', () => {
  it('are fetched when allowed, relative to the document that holds them, each once', async () => {
    const asked: string[] = []
    const result = await importWithExternals(document('schemas/tree.yaml#/Tree'), {
      url: 'https://a.example/openapi.yaml',
      fetchDocument: reader(asked),
    })
    expect(asked.sort()).toEqual(Object.keys(FILES).sort())
    expect(result.ok && result.spec.tools).toMatchObject([
      {
        name: 'one',
        body: [
          { name: 'kind', enum: ['apple'] },
          { name: 'site', properties: [{ name: 'row' }] },
        ],
      },
      { name: 'list_trees' },
    ])
  })

  it('asks only for what the filter needs and the caller allows', async () => {
    const asked: string[] = []
    await importWithExternals(document('https://b.example/other.yaml'), {
      url: 'https://a.example/openapi.yaml',
      fetchDocument: reader(asked),
      allow: (address) => address.startsWith('https://a.example/'),
    })
    expect(asked).toEqual(['https://a.example/paths/trees.yaml'])
  })

  it('warns about documents that cannot be read and goes on', async () => {
    const result = await importWithExternals(document('gone.yaml#/Tree'), {
      url: 'https://a.example/openapi.yaml',
      fetchDocument: reader([]),
    })
    expect(result.ok && result.spec.tools.map((tool) => tool.name)).toEqual(['one', 'list_trees'])
    expect(result.ok && result.warnings.map((warning) => warning.code)).toContain('W114')
  })

  it('stops after the number of documents allowed', async () => {
    let count = 0
    const result = await importWithExternals(document('0.yaml'), {
      url: 'https://a.example/openapi.yaml',
      maxDocuments: 5,
      fetchDocument: async () => {
        count += 1
        return `$ref: ${count}.yaml`
      },
    })
    expect(result.ok).toBe(true)
    expect(count).toBe(5)
  })

  it('allows files beside the document or below, and nothing else', () => {
    const ask = (url: string, address: string): boolean => allowSameFolder(url)(address)
    for (const address of ['apis/schemas.yaml', 'apis/sub/tree.yaml']) {
      expect(ask('apis/openapi.yaml', address)).toBe(true)
    }
    for (const address of [
      'other.yaml',
      '../x.yaml',
      'apis/../x.yaml',
      'apis/..%2Fx',
      '/etc/passwd',
      'https://a.example/apis/x',
      'file:///etc/passwd',
    ]) {
      expect(ask('apis/openapi.yaml', address)).toBe(false)
    }
    expect(ask('openapi.yaml', 'tree.yaml')).toBe(true)
    expect(ask('openapi.yaml', '/etc/passwd')).toBe(false)
    expect(ask('openapi.yaml', '../tree.yaml')).toBe(false)
    expect(ask('file:///srv/a/openapi.yaml', 'file:///srv/a/tree.yaml')).toBe(true)
    expect(ask('file:///srv/a/openapi.yaml', 'file:///srv/b.yaml')).toBe(false)
  })
})
