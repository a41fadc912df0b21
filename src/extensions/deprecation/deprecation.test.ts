import { describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import type { Deprecated, ExtensionDeclaration } from '../../core/description.ts'
import { defineFunction, type FunctionDefinition } from '../../core/function.ts'
import { CallError } from '../../errors/error.ts'
import { jsonSchema } from '../../schema/schema.ts'
import { createService } from '../../system/create-service.ts'
import { deprecationExtension } from './deprecation.ts'

const URN = 'urn:forrst:ext:deprecation'

function list(version: string, deprecated?: Deprecated, declaration?: object): FunctionDefinition {
  return defineFunction({
    name: 'users.list',
    version,
    ...(deprecated && { deprecated }),
    ...(declaration && { extensions: [{ urn: URN, ...declaration } as ExtensionDeclaration] }),
    handler: () => ({ users: [] }),
  })
}

const report = defineFunction({
  name: 'reports.generate',
  version: '1.0.0',
  input: jsonSchema<Record<string, unknown>>({
    type: 'object',
    properties: {
      format: { type: 'string', deprecated: true, description: "Use 'output.format' instead." },
      output: {
        type: 'object',
        properties: { dpi: { type: 'integer', deprecated: true }, format: { type: 'string' } },
      },
      pages: { type: 'array', items: { $ref: '#/$defs/page' } },
      fail: { type: 'boolean' },
    },
    $defs: { page: { type: 'object', properties: { zoom: { deprecated: true } } } },
  }),
  output: jsonSchema<Record<string, unknown>>({
    type: 'object',
    properties: { url: { type: 'string' }, deleted: { type: 'boolean', deprecated: true } },
  }),
  extensions: [
    {
      urn: 'urn:cline:forrst:ext:deprecation',
      arguments: { format: { sunset: '2024-04-15', replacement: { argument: 'output.format' } } },
    },
  ],
  handler({ input }) {
    if (input['fail']) throw new CallError('CONFLICT')
    return { url: 'https://example.com', deleted: true }
  },
})

function setUp(functions: readonly FunctionDefinition[]) {
  const clock = createTestClock()
  const service = createService({
    info: { title: 'Users', version: '1.0.0' },
    functions,
    extensions: [deprecationExtension()],
    clock,
    log: createTestLog(),
  })
  return {
    service,
    ask: (
      name: string,
      version: string,
      { input = {}, declared }: { readonly input?: unknown; readonly declared?: unknown } = {},
    ) =>
      call(service, {
        function: name,
        version,
        arguments: input,
        ...(declared !== undefined && { extensions: [{ urn: URN, options: declared }] }),
      }),
  }
}

const OLD: Deprecated = { reason: 'Please migrate to version 2.', sunset: '2024-06-01' }

describe('deprecation extension', () => {
  it('[F-208][F-70] answers a deprecated version normally and warns without being asked', async () => {
    const { ask } = setUp([list('1.0.0', OLD), list('2.0.0')])
    const response = await ask('users.list', '1.0.0')
    expect(response.status).toBe(200)
    expect(response.body.result).toEqual({ users: [] })
    expect(dataOf(response, URN)).toEqual({
      warnings: [
        {
          urn: 'deprecation:users.list:v1.0.0',
          type: 'version',
          target: 'users.list@1.0.0',
          message: 'Please migrate to version 2.',
          sunset_date: '2024-06-01',
          replacement: { function: 'users.list', version: '2.0.0' },
        },
      ],
    })
  })

  it('[F-208] warns of the function when no version of it is left', async () => {
    const { ask } = setUp([list('1.0.0', {}), list('2.0.0', OLD)])
    expect(dataOf(await ask('users.list', '2.0.0'), URN)).toMatchObject({
      warnings: [{ urn: 'deprecation:users.list', type: 'function', target: 'users.list' }],
    })
    expect(dataOf(await ask('users.list', '1.0.0'), URN)?.['warnings']).toEqual([
      {
        urn: 'deprecation:users.list',
        type: 'function',
        target: 'users.list',
        message: 'users.list@1.0.0 is deprecated',
      },
    ])
  })

  it('[F-74] repeats it in meta.deprecated and in the headers of RFC 9745 and RFC 8594', async () => {
    const { ask } = setUp([
      list('1.0.0', OLD, {
        since: '2023-12-01',
        documentation: 'https://example.com/move?to=2<',
        replacement: { function: 'people.list', version: '1.0.0' },
      }),
      list('2.0.0'),
    ])
    const response = await ask('users.list', '1.0.0')
    expect(response.body.meta).toEqual({ deprecated: OLD })
    expect(response.headers).toMatchObject({
      deprecation: `@${Date.parse('2023-12-01') / 1000}`,
      sunset: 'Sat, 01 Jun 2024 00:00:00 GMT',
      link: '<https://example.com/move?to=2%3C>; rel="deprecation"',
    })
    expect(dataOf(response, URN)?.['warnings']).toMatchObject([
      {
        replacement: { function: 'people.list', version: '1.0.0' },
        documentation: 'https://example.com/move?to=2<',
      },
    ])
  })

  it('dates the header to the first warning when nobody said since when, never after the sunset', async () => {
    const { ask } = setUp([list('1.0.0', { sunset: '2020-01-01' }), list('2.0.0', {})])
    expect((await ask('users.list', '2.0.0')).headers).toMatchObject({
      deprecation: `@${Date.parse('2024-01-15T10:30:00Z') / 1000}`,
    })
    expect((await ask('users.list', '1.0.0')).headers).toMatchObject({
      deprecation: `@${Date.parse('2020-01-01') / 1000}`,
      sunset: 'Wed, 01 Jan 2020 00:00:00 GMT',
    })
  })

  it('[F-209] leaves out the warnings a caller acknowledged', async () => {
    const { ask } = setUp([list('1.0.0', OLD), list('2.0.0')])
    const declared = { acknowledge: ['deprecation:users.list:v1.0.0', 'deprecation:other'] }
    const response = await ask('users.list', '1.0.0', { declared })
    expect(response.status).toBe(200)
    expect(dataOf(response, URN)).toEqual({ warnings: [] })
  })

  it('answers an empty list to a caller who asked about nothing deprecated', async () => {
    const { ask } = setUp([list('1.0.0', OLD), list('2.0.0')])
    expect(dataOf(await ask('users.list', '2.0.0', { declared: {} }), URN)).toEqual({
      warnings: [],
    })
    const silent = await ask('users.list', '2.0.0')
    expect(silent.body.extensions).toBeUndefined()
    expect(silent.body.meta).toBeUndefined()
    expect(silent.headers).not.toHaveProperty('deprecation')
  })

  it('warns of a deprecated argument when it is used', async () => {
    const { ask } = setUp([report])
    const used = await ask('reports.generate', '1.0.0', {
      input: { format: 'pdf', output: { dpi: 300 }, pages: [{}, { zoom: 2 }] },
    })
    expect(used.headers).not.toHaveProperty('deprecation')
    expect(dataOf(used, URN)).toEqual({
      warnings: [
        {
          urn: 'deprecation:reports.generate:v1.0.0:arguments.format',
          type: 'argument',
          target: 'reports.generate:arguments.format',
          message: "Use 'output.format' instead.",
          sunset_date: '2024-04-15',
          replacement: { argument: 'output.format' },
        },
        {
          urn: 'deprecation:reports.generate:v1.0.0:arguments.output.dpi',
          type: 'argument',
          target: 'reports.generate:arguments.output.dpi',
          message: "The 'output.dpi' argument of reports.generate is deprecated",
        },
        {
          urn: 'deprecation:reports.generate:v1.0.0:arguments.pages.zoom',
          type: 'argument',
          target: 'reports.generate:arguments.pages.zoom',
          message: "The 'pages.zoom' argument of reports.generate is deprecated",
        },
      ],
    })
    const unused = await ask('reports.generate', '1.0.0', { input: { output: { format: 'pdf' } } })
    expect(unused.body.extensions).toBeUndefined()
  })

  it('warns of an argument that only the list of arguments marks', async () => {
    const { ask } = setUp([
      defineFunction({
        name: 'users.find',
        version: '1.0.0',
        arguments: [{ name: 'q', schema: { type: 'string' }, deprecated: true }],
        handler: () => ({}),
      }),
    ])
    expect(
      dataOf(await ask('users.find', '1.0.0', { input: { q: 'x' } }), URN)?.['warnings'],
    ).toMatchObject([{ type: 'argument', target: 'users.find:arguments.q' }])
  })

  it('warns of deprecated members of the result only a caller who asks for warnings', async () => {
    const { ask } = setUp([report])
    const declared = await ask('reports.generate', '1.0.0', { declared: {} })
    expect(dataOf(declared, URN)).toEqual({
      warnings: [
        {
          urn: 'deprecation:reports.generate:v1.0.0:result.deleted',
          type: 'field',
          target: 'result.deleted',
          message: "The 'deleted' field of reports.generate is deprecated",
        },
      ],
    })
    expect((await ask('reports.generate', '1.0.0')).body.extensions).toBeUndefined()
  })

  it('warns on failures as well', async () => {
    const { ask } = setUp([report])
    const response = await ask('reports.generate', '1.0.0', {
      input: { format: 'pdf', fail: true },
    })
    expect(response.status).toBe(409)
    expect(dataOf(response, URN)?.['warnings']).toHaveLength(1)
  })

  it.each([
    [{ acknowledge: 'all' }, 'acknowledge'],
    [{ acknowledge: [1] }, 'acknowledge/0'],
  ])('refuses the options %j', async (declared, path) => {
    const { ask } = setUp([list('1.0.0', OLD)])
    expect((await ask('users.list', '1.0.0', { declared })).body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options/${path}` },
    })
  })

  it.each([
    [{ since: 'long ago' }, /users\.list.*since/],
    [{ documentation: 'the wiki' }, /users\.list.*documentation/],
    [{ replacement: 'users.find' }, /users\.list.*replacement/],
  ])('refuses the declaration %j at start', (declaration, message) => {
    expect(() => setUp([list('1.0.0', OLD, declaration)])).toThrow(message)
  })
})
