import { describe, expect, it } from 'vitest'
import { run, toolOf, V3, withOperation } from '../../../test/openapi/import-document.ts'
import type { FieldDef } from '../tool-spec/types.ts'

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
      spec.tools[0]?.params?.map((field) => [field.name, field.required, field.const]),
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
    expect(first?.params?.map((field) => [field.name, field.const])).toEqual([
      ['id', undefined],
      ['acl', ''],
      ['v', '2'],
    ])
  })

  it('reads URI templates', () => {
    const paths = {
      '/a{/b}/c{?q,r}': { get: { operationId: 'one' } },
      '/v/{+name}:run': { get: {} },
    }
    const tools = run({ ...V3, paths }).spec.tools
    expect(tools.map((tool) => tool.path)).toEqual(['/a{b}/c', '/v/{name}:run'])
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
