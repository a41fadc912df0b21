import { describe, expect, it } from 'vitest'
import { bodyOf, json, run, toolOf, withOperation } from '../../../test/openapi/import-document.ts'

describe('bodies', () => {
  const bodyless = { type: 'object', properties: { a: { type: 'string' } } }

  it('makes a field of each property; required follows the schema', () => {
    expect(
      bodyOf({
        type: 'object',
        required: ['a'],
        properties: {
          a: { type: 'string', description: 'A.' },
          b: { type: 'integer', description: 'B.' },
        },
      }),
    ).toEqual({
      a: { name: 'a', type: 'string', required: true, description: 'A.' },
      b: { name: 'b', type: 'integer', description: 'B.' },
    })
    const optional = {
      requestBody: {
        required: false,
        content: { 'application/json': { schema: { ...bodyless, required: ['a'] } } },
      },
    }
    expect(toolOf(optional).body?.[0]?.required).toBeUndefined()
  })

  it('[TS-158] leaves read-only properties out, also of required', () => {
    const schema = {
      type: 'object',
      required: ['id', 'a'],
      properties: {
        id: { type: 'string', readOnly: true },
        a: { type: 'object', properties: { id: { readOnly: true }, b: { type: 'string' } } },
      },
    }
    expect(Object.keys(bodyOf(schema))).toEqual(['a'])
    expect(bodyOf(schema)['a']?.properties?.map((field) => field.name)).toEqual(['b'])
  })

  it('[TS-159] sends arrays, scalars, maps and free-form objects as one argument', () => {
    expect(
      toolOf(json({ type: 'array', description: 'All.', items: { type: 'string' } })),
    ).toMatchObject({
      body_root: { type: 'array', required: true, description: 'All.', items: { type: 'string' } },
    })
    expect(toolOf(json({ type: 'integer' })).body_root).toMatchObject({
      type: 'integer',
      required: true,
    })
    expect(toolOf(json({ type: 'object' })).body_root).toMatchObject({ type: 'object' })
    expect(
      toolOf(
        json({
          type: 'object',
          properties: { a: { type: 'string' } },
          additionalProperties: { type: 'string' },
        }),
      ).body_root?.properties,
    ).toHaveLength(1)
  })

  it('chooses the content type in a fixed order', () => {
    const kind = (...types: string[]): unknown => {
      const content = Object.fromEntries(types.map((type) => [type, { schema: bodyless }]))
      const { content_type, media_type, body } = toolOf({ requestBody: { content } })
      return { content_type, media_type, fields: body?.length }
    }
    expect(kind('application/xml', 'application/json')).toEqual({ fields: 1 })
    expect(kind('text/plain', 'application/vnd.api+json')).toEqual({
      media_type: 'application/vnd.api+json',
      fields: 1,
    })
    expect(kind('multipart/form-data', 'application/x-www-form-urlencoded')).toEqual({
      content_type: 'form',
      fields: 1,
    })
    expect(kind('application/octet-stream', 'multipart/form-data')).toEqual({
      content_type: 'multipart',
      fields: 1,
    })
    expect(kind('application/json; charset=utf-8')).toEqual({ fields: 1 })
    expect(kind('*/*')).toEqual({ fields: 1 })
  })

  it('keeps other content types raw, with a warning', () => {
    const { spec, codes } = run(
      withOperation({ requestBody: { content: { 'application/xml': { schema: bodyless } } } }),
    )
    expect(spec.tools[0]).toMatchObject({
      content_type: 'raw',
      media_type: 'application/xml',
      body_root: { type: 'string' },
    })
    expect(codes).toContain('W108')
    expect(
      toolOf({ requestBody: { content: { 'application/octet-stream': {} } } }).body_root,
    ).toMatchObject({ type: 'string', format: 'binary' })
  })

  it('keeps files and part types of multipart bodies', () => {
    const media = {
      schema: {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary' }, meta: { type: 'object' } },
      },
      encoding: { meta: { contentType: 'application/json' } },
    }
    expect(toolOf({ requestBody: { content: { 'multipart/form-data': media } } })).toMatchObject({
      content_type: 'multipart',
      body: [
        { name: 'file', format: 'binary' },
        { name: 'meta', content_type: 'application/json' },
      ],
    })
  })

  it('gives GET no body, and says what is lost', () => {
    const { spec, messages } = run(withOperation(json(bodyless), {}, '/x', 'get'))
    expect(spec.tools[0]?.body).toBeUndefined()
    expect(messages.join()).toContain('its fields a are left out')
    const empty = run(withOperation(json({ type: 'object', properties: {} }), {}, '/x', 'get'))
    expect(empty.messages.filter((message) => message.includes('body'))).toEqual([])
  })

  it('[TS-161] keeps both values when a path parameter and a body field share a name', () => {
    const tool = toolOf(
      {
        parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
        ...json({ type: 'object', properties: { id: { type: 'string' } } }),
      },
      {},
      '/x/{id}',
    )
    expect(tool.params?.[0]).toMatchObject({ name: 'id', arg: 'id_path' })
    expect(tool.body?.[0]?.arg).toBeUndefined()
  })
})
