import { describe, expect, it } from 'vitest'
import { fieldOf as field, requestOf } from '../../../test/codegen/call-spec.ts'
import { useRecordingServer } from '../../../test/codegen/recording-server.ts'
import type { ToolDef } from '../tool-spec/types.ts'

const server = useRecordingServer()

const sent = (tool: Partial<ToolDef>, args?: Record<string, unknown>) =>
  requestOf(server, tool, args)

describe('bodies', () => {
  it('[TS-35] [TS-36] fills in defaults, nested ones too', async () => {
    const request = await sent(
      {
        method: 'POST',
        params: [field('limit', { type: 'integer', default: 20 })],
        body: [
          field('tags', { type: 'array', default: ['a'], items: { type: 'string' } }),
          field('site', {
            type: 'object',
            properties: [field('row', { type: 'integer', default: 1 }), field('seat')],
          }),
        ],
      },
      { site: { seat: 'x' } },
    )
    expect(request.url).toBe('/things?limit=20')
    expect(JSON.parse(request.body)).toEqual({ tags: ['a'], site: { seat: 'x', row: 1 } })
  })

  it('[TS-170] leaves null out unless the field may be null', async () => {
    const body = [field('a'), field('b', { nullable: true }), field('c')]
    const request = await sent({ method: 'POST', body }, { a: null, b: null })
    expect(request.body).toBe('{"b":null}')
  })

  it('sends the members of a rest beside the fields, and none that is a field', async () => {
    const values = { type: 'integer', format: 'int64' } as const
    const body = [field('b', { arg: 'a' }), field('more', { type: 'object', rest: true, values })]
    const request = await sent(
      { method: 'POST', body },
      { a: 'x', more: { c: '9007199254740993' } },
    )
    expect(request.body).toBe('{"b":"x","c":9007199254740993}')
    await expect(sent({ method: 'POST', body }, { more: { b: 1 } })).rejects.toThrow(
      'more.b is the argument a; give it there',
    )
  })

  it('sends no body and no content type when nothing is supplied', async () => {
    const request = await sent({ method: 'POST', body: [field('a')] }, {})
    expect([request.body, request.headers['content-type']]).toEqual(['', undefined])
  })

  it.each([
    [{ type: 'array', items: { type: 'integer' } }, [1, 2], '[1,2]'],
    [{ type: 'string' }, 'text', '"text"'],
    [{ type: 'boolean' }, false, 'false'],
  ] as const)('[TS-159] sends %j as the whole body', async (root, value, expected) => {
    const request = await sent({ method: 'POST', body_root: root }, { body: value })
    expect([request.body, request.headers['content-type']]).toEqual([expected, 'application/json'])
  })

  it('sends strings of digits as numbers of any size', async () => {
    const id = { type: 'string', wire_type: 'integer', description: 'id' } as const
    const request = await sent(
      {
        method: 'POST',
        body: [
          { ...id, name: 'id' },
          field('lines', {
            type: 'array',
            items: { type: 'object', properties: [{ ...id, name: 'a/b' }, field('t')] },
          }),
        ],
      },
      { id: '9007199254740993', lines: [{ 'a/b': '18446744073709551615', t: '1' }] },
    )
    expect(request.body).toBe(
      '{"id":9007199254740993,"lines":[{"a/b":18446744073709551615,"t":"1"}]}',
    )
  })

  it('[TS-168] writes form bodies, nested with brackets', async () => {
    const request = await sent(
      {
        method: 'POST',
        content_type: 'form',
        body: [
          field('amount', { type: 'integer' }),
          field('card', { type: 'object' }),
          field('lines', { type: 'array' }),
          field('expand', { type: 'array', style: 'deepObject', explode: true }),
          field('to', { type: 'array' }),
        ],
      },
      {
        amount: 5,
        card: { no: 'a b', x: { y: 1 } },
        lines: [{ sku: 'q' }],
        expand: ['e'],
        to: ['1', '2'],
      },
    )
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(request.body)]).toEqual([
      ['amount', '5'],
      ['card[no]', 'a b'],
      ['card[x][y]', '1'],
      ['lines[0][sku]', 'q'],
      ['expand[0]', 'e'],
      ['to', '1'],
      ['to', '2'],
    ])
  })

  it('[TS-169] writes multipart with a file', async () => {
    const file = Buffer.from([0, 255, 1]).toString('base64')
    const request = await sent(
      {
        method: 'POST',
        content_type: 'multipart',
        body: [
          field('title'),
          field('meta', { type: 'object' }),
          field('file', { format: 'binary' }),
          field('more', { type: 'array', items: { type: 'string', format: 'binary' } }),
        ],
      },
      {
        title: 'T',
        meta: { a: 1 },
        file: `data:image/png;name=a%20b.png;base64,${file}`,
        more: [file],
      },
    )
    const type = request.headers['content-type'] ?? ''
    const form = await new Response(new Uint8Array(request.bytes), {
      headers: { 'content-type': type },
    }).formData()
    expect(form.get('title')).toBe('T')
    expect(request.body).toContain('Content-Type: application/json\r\n\r\n{"a":1}')
    const sentFile = form.get('file') as File
    expect([sentFile.name, sentFile.type]).toEqual(['a b.png', 'image/png'])
    expect([...new Uint8Array(await sentFile.arrayBuffer())]).toEqual([0, 255, 1])
    expect((form.get('more') as File).name).toBe('more')
  })

  it('refuses a file that is not base64', async () => {
    const body = [field('file', { format: 'binary' })]
    const call = sent({ method: 'POST', content_type: 'multipart', body }, { file: '§§' })
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
  })

  it('sends raw text and raw bytes with their media type', async () => {
    const text = await sent(
      {
        method: 'POST',
        content_type: 'raw',
        media_type: 'application/xml',
        body_root: { type: 'string' },
      },
      { body: '<a/>' },
    )
    expect([text.body, text.headers['content-type']]).toEqual(['<a/>', 'application/xml'])
    const bytes = await sent(
      { method: 'PUT', content_type: 'raw', body_root: { type: 'string', format: 'binary' } },
      { body: 'AAH/' },
    )
    expect([...bytes.bytes]).toEqual([0, 1, 255])
    expect(bytes.headers['content-type']).toBe('application/octet-stream')
  })

  it('sends a form whose fields are not known in advance', async () => {
    const request = await sent(
      { method: 'POST', content_type: 'form', body_root: { type: 'object' } },
      { body: { a: 1, b: ['x', 'y'] } },
    )
    expect(request.body).toBe('a=1&b=x&b=y')
  })
})
