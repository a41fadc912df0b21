import { describe, expect, it } from 'vitest'
import { run } from '../../../test/openapi/import-document.ts'
import type { ToolDef } from '../tool-spec/types.ts'

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
