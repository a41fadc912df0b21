import { describe, expect, it } from 'vitest'
import { run, V3 } from '../../../test/openapi/import-document.ts'

const V2 = {
  swagger: '2.0',
  info: { title: 'Orchard', version: '1' },
  host: 'a.example',
  schemes: ['https'],
}
const NAME = { type: 'object', properties: { name: { type: 'string', description: 'Name.' } } }
const POST = { operationId: 'plant', summary: 'Plants a tree.' }

describe('documents that mix the versions of the format', () => {
  it('takes a body parameter of 2.0 in an OpenAPI 3 document', () => {
    const parameters = [{ in: 'body', name: 'tree', required: true, schema: NAME }]
    const { spec, messages } = run({ ...V3, paths: { '/t': { post: { ...POST, parameters } } } })
    expect(spec.tools[0]?.body).toMatchObject([{ name: 'name', type: 'string' }])
    expect(messages.join()).toContain('W101 plant.body a body of Swagger 2.0')
  })

  it('takes form parameters of 2.0 in an OpenAPI 3 document', () => {
    const parameters = [
      { in: 'formData', name: 'photo', type: 'file', required: true, description: 'Photo.' },
      { in: 'query', name: 'row', schema: { type: 'integer' }, description: 'Row.' },
    ]
    const { spec } = run({ ...V3, paths: { '/t': { post: { ...POST, parameters } } } })
    expect(spec.tools[0]).toMatchObject({
      content_type: 'multipart',
      params: [{ name: 'row', type: 'integer' }],
      body: [{ name: 'photo', format: 'binary', required: true }],
    })
  })

  it('prefers the request body that belongs to the version, and says what is left out', () => {
    const requestBody = { content: { 'application/json': { schema: NAME } } }
    const parameters = [{ in: 'body', name: 'other', schema: { type: 'string' } }]
    const post = { ...POST, parameters, requestBody }
    const { spec, messages } = run({ ...V3, paths: { '/t': { post } } })
    expect(spec.tools[0]?.body).toMatchObject([{ name: 'name' }])
    expect(messages.join()).toContain('W101 plant.params.other a parameter in "body" is ignored')
  })

  it('takes a requestBody in a Swagger 2.0 document', () => {
    const requestBody = { content: { 'application/json': { schema: NAME } } }
    const { spec, messages } = run({ ...V2, paths: { '/t': { post: { ...POST, requestBody } } } })
    expect(spec.tools[0]?.body).toMatchObject([{ name: 'name' }])
    expect(messages.join()).toContain('W101 plant.body a body of OpenAPI 3')
  })

  it('finds security schemes where the other version keeps them', () => {
    const basic = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } }
    const paths = { '/t': { get: { ...POST, security: [{ key: [] }] } } }
    const expected = { type: 'api_key', header: 'X-Key' }
    const old = run({ ...V2, components: { securitySchemes: basic }, paths })
    expect(old.spec.auth).toMatchObject(expected)
    expect(run({ ...V3, securityDefinitions: basic, paths }).spec.auth).toMatchObject(expected)
  })

  it('finds servers where the other version keeps them', () => {
    const paths = { '/t': { get: POST } }
    const { servers: _, ...bare } = V3 as { servers: unknown }
    expect(run({ ...bare, host: 'b.example', basePath: '/v1', paths }).spec.base_url).toBe(
      'https://b.example/v1',
    )
    const { host: __, ...old } = V2
    const servers = [{ url: 'https://c.example/v2' }]
    expect(run({ ...old, servers, paths }).spec.base_url).toBe('https://c.example/v2')
  })

  it('reads the place of a parameter in any case', () => {
    const parameters = [
      { in: 'Path', name: 'id', required: true, schema: { type: 'integer' }, description: 'Id.' },
      { in: 'QUERY', name: 'row', schema: { type: 'integer' }, description: 'Row.' },
    ]
    const { spec } = run({ ...V3, paths: { '/t/{id}': { get: { ...POST, parameters } } } })
    expect(spec.tools[0]?.params).toMatchObject([
      { name: 'id', type: 'integer' },
      { name: 'row', type: 'integer' },
    ])
  })
})
