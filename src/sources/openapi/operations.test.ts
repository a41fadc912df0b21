import { describe, expect, it } from 'vitest'
import { importOpenApi } from './import.ts'
import { listOperations } from './list.ts'
import { loadOpenApi } from './load.ts'

const HEAD = {
  openapi: '3.1.0',
  info: { title: 'Orchard', version: '1' },
  servers: [{ url: 'https://api.orchard.example' }],
}

function importPaths(paths: object, rest: object = {}) {
  const result = importOpenApi({ ...HEAD, paths, ...rest })
  if (!result.ok) throw new TypeError(JSON.stringify(result.problems))
  return {
    tools: result.spec.tools.map(({ name }) => name),
    warnings: result.warnings.map(({ code, message }) => `${code} ${message}`),
    spec: result.spec,
  }
}

describe('operations of a document', () => {
  it('keeps what stands beside the reference of a path, and prefers it', () => {
    const { tools, spec } = importPaths(
      {
        '/trees': {
          $ref: '#/components/pathItems/Trees',
          get: { operationId: 'listTrees', summary: 'Mine.' },
        },
      },
      {
        components: {
          pathItems: {
            Trees: {
              get: { operationId: 'other', summary: 'Theirs.' },
              post: { operationId: 'plantTree', summary: 'Plants.' },
            },
          },
        },
      },
    )
    expect(tools.sort()).toEqual(['list_trees', 'plant_tree'])
    expect(spec.tools.find(({ name }) => name === 'list_trees')?.description).toBe('Mine.')
  })

  it('keeps what stands beside a reference that leads nowhere, and says so', () => {
    const { tools, warnings, spec } = importPaths({
      '/trees': { $ref: 'trees.yaml', get: { operationId: 'listTrees', summary: 'Lists.' } },
      '/plots': { get: { $ref: '#/nope', operationId: 'listPlots', summary: 'Plots.' } },
    })
    expect(tools).toEqual(['list_trees', 'list_plots'])
    expect(warnings.filter((warning) => warning.startsWith('W112'))).toHaveLength(2)
    expect(spec.tools[1]?.description).toBe('Plots.')
  })

  it('lists operations of methods that no tool can have, as skipped', () => {
    const paths = {
      '/trees': {
        get: { operationId: 'listTrees', summary: 'Lists.' },
        COPY: { operationId: 'copyTree', responses: {} },
        link: { responses: {} },
        summary: 'Trees.',
        'x-note': { responses: {} },
        parameters: [],
      },
    }
    const { operations } = listOperations({ ...HEAD, paths })
    expect(operations.map(({ method, skipped }) => [method, skipped !== undefined])).toEqual([
      ['GET', false],
      ['COPY', true],
      ['LINK', true],
    ])
    const { warnings } = importPaths(paths)
    expect(warnings.filter((warning) => warning.startsWith('W100'))).toHaveLength(2)
  })

  it('reads a file that ends with an empty second document', () => {
    const loaded = loadOpenApi('---\nopenapi: 3.0.0\npaths: {}\n---\n')
    expect(loaded.ok && loaded.document).toEqual({ openapi: '3.0.0', paths: {} })
    expect(loadOpenApi('openapi: 3.0.0\n---\nopenapi: 3.0.1\n').ok).toBe(false)
  })
})
