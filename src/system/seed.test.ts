import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { HAS_SEEDS, readJsonObjects, readSeed } from '../../test/support/seeds.ts'
import { serviceOf } from '../../test/support/service.ts'

const handler = () => null

/** The result objects that seed 001 prints for the function that describes. */
function printedDescriptions(): readonly Record<string, unknown>[] {
  return readJsonObjects(readSeed('001'))
    .map(({ result }) => result as Record<string, unknown> | undefined)
    .filter((result) => result !== undefined && 'versions' in result) as Record<string, unknown>[]
}

describe.skipIf(!HAS_SEEDS)('what seed 001 prints for describe (needs ../shared)', () => {
  const printed = HAS_SEEDS ? printedDescriptions() : []
  const ask = async (service: Parameters<typeof call>[0], name: string) =>
    (
      await call(service, {
        function: 'urn:cline:forrst:fn:describe',
        arguments: { function: name },
      })
    ).body.result

  it('is what an orders service with three versions answers', async () => {
    const [wanted] = printed
    const [, current] = wanted?.['versions'] as { schema: Record<string, object> }[]
    const { arguments: input, returns: output, definitions } = current?.schema ?? {}
    const service = serviceOf([
      {
        name: 'orders.create',
        version: '1.0.0',
        description: 'Original version',
        sideEffects: ['create'],
        deprecated: { reason: 'Use version 2.0.0 for improved validation', sunset: '2025-06-01' },
        handler,
      },
      {
        name: 'orders.create',
        version: '2.0.0',
        description: 'Current version with improved validation',
        sideEffects: ['create'],
        input: { ...input, definitions },
        // The seed prints an arguments object that is not closed.
        unknownArguments: 'ignore',
        output: { ...output },
        handler,
      },
      {
        name: 'orders.create',
        version: '3.0.0',
        stability: 'beta',
        description: 'Beta with async support',
        handler,
      },
    ])
    const { description: _wanted, ...rest } = wanted as { description: string }
    const { description: _found, ...answer } = (await ask(service, 'orders.create')) as {
      description: string
    }
    expect(answer).toEqual(rest)
  })

  it('is what a list with pagination and query capabilities answers', async () => {
    const [, pagination, query] = printed as {
      description?: string
      versions: Record<string, Record<string, unknown>>[]
    }[]
    const page = pagination?.versions[0]?.['pagination'] ?? {}
    const capabilities = query?.versions[0]?.['capabilities'] as {
      filters: { self: string[]; customer: string[] }
      sorts: string[]
      fields: { self: string[]; customer: string[] }
      relationships: string[]
    }
    const service = serviceOf([
      {
        name: 'orders.list',
        version: '1.0.0',
        description: 'List orders with filtering and pagination',
        sideEffects: [],
        query: {
          filters: {
            allowed: capabilities.filters.self,
            related: { customer: capabilities.filters.customer },
          },
          sorts: { allowed: capabilities.sorts },
          fields: {
            allowed: capabilities.fields.self,
            related: { customer: capabilities.fields.customer },
          },
          relationships: { allowed: capabilities.relationships },
          pagination: { strategies: ['cursor', 'offset'], defaultSize: 50, maxSize: 100 },
        },
        handler,
        resources: () => ({ data: [] }),
      },
    ])
    expect(await ask(service, 'orders.list')).toMatchObject({
      function: 'orders.list',
      description: 'List orders with filtering and pagination',
      side_effects: [],
      versions: [{ version: '1.0.0', stability: 'stable', pagination: page, capabilities }],
      recommended_version: '1.0.0',
    })
  })

  it('is what functions that accept some extensions, or refuse some, answer', async () => {
    const lists = printed.flatMap(({ versions }) =>
      (versions as { extensions?: object }[]).flatMap(({ extensions }) => extensions ?? []),
    )
    expect(lists).toHaveLength(2)
    for (const accepts of lists) {
      const service = serviceOf([
        { name: 'orders.any', version: '1.0.0', accepts: accepts as never, handler },
      ])
      expect(await ask(service, 'orders.any')).toMatchObject({
        versions: [{ extensions: accepts }],
      })
    }
  })
})
