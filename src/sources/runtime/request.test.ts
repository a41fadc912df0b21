// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in a base URL are written like that
import { describe, expect, it } from 'vitest'
import { callSpec, fieldOf as field, oneTool, requestOf } from '../../../test/codegen/call-spec.ts'
import { useRecordingServer } from '../../../test/codegen/recording-server.ts'
import type { FieldDef, ToolDef } from '../tool-spec/types.ts'

const server = useRecordingServer()

const sent = (tool: Partial<ToolDef>, args?: Record<string, unknown>) =>
  requestOf(server, tool, args)

describe('where arguments travel', () => {
  it('[TS-21] [TS-22] [TS-42] puts {id} into the path below the base URL, numbers too', async () => {
    const params = [field('id', { type: 'number', required: true })]
    const request = await sent({ path: '/tickets/{id}', params }, { id: 42 })
    expect(request).toMatchObject({ method: 'GET', url: '/tickets/42' })
  })

  it('[TS-166] [TS-6] keeps the path of the base URL', async () => {
    await callSpec(oneTool(`${server.url}/api/v2/`, { path: '/p' }))
    expect(server.requests[0]?.url).toBe('/api/v2/p')
  })

  it('[TS-7] takes ${X} in the base URL from the environment, with a fallback', async () => {
    const params = [field('x')]
    const spec = oneTool('${SHOP_URL}/${STAGE:-live}', { path: '/p', params })
    await callSpec(spec, {}, { env: { SHOP_URL: server.url } })
    expect(server.requests[0]?.url).toBe('/live/p')
  })

  it('[TS-176] names a variable of the base URL that is not set and sends nothing', async () => {
    const call = callSpec(oneTool('${SHOP_URL}', {}), {}, { env: {} })
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(call).rejects.toThrow(/E120.*SHOP_URL/)
    expect(server.requests).toEqual([])
  })

  it('[TS-23] [TS-26] sends the other params in the query and nothing in the body', async () => {
    const params = [field('q'), field('limit', { type: 'integer' })]
    const request = await sent({ method: 'DELETE', params }, { q: 'a b&c', limit: 5 })
    expect(request).toMatchObject({ url: '/things?q=a%20b%26c&limit=5', body: '' })
    expect(request.headers['content-type']).toBeUndefined()
  })

  it('[TS-24] [TS-25] sends body fields as JSON beside query and path', async () => {
    const request = await sent(
      {
        method: 'PATCH',
        path: '/t/{id}',
        params: [field('id', { required: true }), field('dry')],
        body: [field('title'), field('count', { type: 'integer' })],
      },
      { id: 'a', dry: 'yes', title: 'T', count: 2 },
    )
    expect(request).toMatchObject({ method: 'PATCH', url: '/t/a?dry=yes' })
    expect(request.headers['content-type']).toBe('application/json')
    expect(JSON.parse(request.body)).toEqual({ title: 'T', count: 2 })
  })

  it('sends header and cookie parameters where they belong', async () => {
    const params = [
      field('X-Trace', { in: 'header', arg: 'trace' }),
      field('X-List', { in: 'header', arg: 'list', type: 'array' }),
      field('sid', { in: 'cookie' }),
    ]
    const request = await sent({ params }, { trace: 't 1', list: [1, 2], sid: 'a;b' })
    expect(request.headers['x-trace']).toBe('t 1')
    expect(request.headers['x-list']).toBe('1,2')
    expect(request.headers['cookie']).toBe('sid=a%3Bb')
  })

  it.each(['Host', 'Content-Length', 'Authorization', 'Cookie', 'Transfer-Encoding'])(
    'refuses an argument that would set the header %s',
    async (name) => {
      const call = sent({ params: [field(name, { in: 'header', arg: 'x' })] }, { x: '1' })
      await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
      expect(server.requests).toEqual([])
    },
  )

  it('refuses a header value with a line break', async () => {
    const call = sent({ params: [field('X-A', { in: 'header' })] }, { 'X-A': 'a\r\nX-Evil: 1' })
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
  })

  it('[TS-161] keeps both values when a path and a body field share a wire name', async () => {
    const request = await sent(
      {
        method: 'PUT',
        path: '/x/{id}',
        params: [field('id', { arg: 'id_path', required: true })],
        body: [field('id')],
      },
      { id_path: 'one', id: 'two' },
    )
    expect([request.url, JSON.parse(request.body)]).toEqual(['/x/one', { id: 'two' }])
  })

  it('fills placeholders in a query that is part of the path, and drops a fragment', async () => {
    const params = [field('b', { in: 'path', required: true }), field('q')]
    const request = await sent({ path: '/x?acl={b}#Y', params }, { b: '1', q: '2' })
    expect(request.url).toBe('/x?acl=1&q=2')
  })
})

describe('path values', () => {
  const params = [field('id', { required: true })]

  it('[TS-171] escapes what is not a name', async () => {
    const request = await sent({ path: '/a/{id}/b', params }, { id: '../x y?#%/é\ud800' })
    expect(request.url).toBe('/a/..%2Fx%20y%3F%23%25%2F%C3%A9%EF%BF%BD/b')
  })

  it.each(['..', '.', ''])('[TS-171] refuses %j before anything is sent', async (id) => {
    await expect(sent({ path: '/a/{id}/b', params }, { id })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    })
    expect(server.requests).toEqual([])
  })

  it('refuses a dot segment that two values make together', async () => {
    const two = [field('a', { required: true }), field('b', { required: true })]
    const call = sent({ path: '/x/{a}{b}/y', params: two }, { a: '.', b: '.' })
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
  })

  it.each([
    ['simple', false, '3,4,5', 'role,admin,n,1'],
    ['simple', true, '3,4,5', 'role=admin,n=1'],
    ['label', false, '.3,4,5', '.role,admin,n,1'],
    ['label', true, '.3.4.5', '.role=admin.n=1'],
    ['matrix', false, ';id=3,4,5', ';id=role,admin,n,1'],
    ['matrix', true, ';id=3;id=4;id=5', ';role=admin;n=1'],
  ] as const)(
    'writes style %s, explode %s as RFC 6570 does',
    async (style, explode, list, object) => {
      const styled = [field('id', { required: true, style, explode })]
      const first = await sent({ path: '/u/{id}', params: styled }, { id: [3, 4, 5] })
      expect(first.url).toBe(`/u/${list}`)
      const second = await sent(
        { path: '/u/{id}', params: styled },
        { id: { role: 'admin', n: 1 } },
      )
      expect(second.url).toBe(`/u/${object}`)
    },
  )
})

describe('query values', () => {
  async function query(more: Partial<FieldDef>, value: unknown): Promise<string | undefined> {
    const request = await sent({ params: [field('a', more)] }, { a: value })
    return request.url.split('?')[1]
  }

  it.each([
    [{}, [1, 2], 'a=1&a=2'],
    [{ explode: false }, [1, 2], 'a=1,2'],
    [{ style: 'spaceDelimited' }, [1, 2], 'a=1%202'],
    [{ style: 'pipeDelimited' }, [1, 2], 'a=1%7C2'],
    [{ style: 'pipeDelimited', explode: true }, [1, 2], 'a=1&a=2'],
    [{ explode: false }, ['x,y', 'z'], 'a=x%2Cy,z'],
    [{}, [], undefined],
  ] as const)('[TS-164] writes a list with %j: %j', async (more, value, expected) => {
    expect(await query(more, value)).toBe(expected)
  })

  it.each([
    [{}, { x: 1, y: 'b' }, 'x=1&y=b'],
    [{ explode: false }, { x: 1, y: 'b' }, 'a=x,1,y,b'],
    [
      { style: 'deepObject' },
      { x: 1, y: { z: [2, 3] } },
      'a%5Bx%5D=1&a%5By%5D%5Bz%5D%5B0%5D=2&a%5By%5D%5Bz%5D%5B1%5D=3',
    ],
  ] as const)('[TS-165] writes an object with %j: %j', async (more, value, expected) => {
    expect(await query(more, value)).toBe(expected)
  })

  it.each([
    [true, 'a=true'],
    [false, 'a=false'],
    [0, 'a=0'],
    [1e21, 'a=1000000000000000000000'],
    [1e-7, 'a=0.0000001'],
    ['', 'a='],
  ])('writes %j plainly', async (value, expected) => {
    expect(await query({}, value)).toBe(expected)
  })

  it('[TS-170] leaves out null and what is absent', async () => {
    expect(await query({}, null)).toBeUndefined()
    expect(await query({}, undefined)).toBeUndefined()
  })

  it('leaves reserved characters alone where allowed, but never those that end the value', async () => {
    expect(await query({ allow_reserved: true }, 'a/b:c&d#e+f')).toBe('a=a/b:c%26d%23e%2Bf')
  })

  it('writes a parameter with a media type as JSON', async () => {
    const text = await query({ content_type: 'application/json' }, { x: [1] })
    expect(text).toBe(`a=${encodeURIComponent('{"x":[1]}')}`)
  })

  it('writes a parameter with another media type as text', async () => {
    expect(await query({ content_type: 'text/plain' }, 'a b')).toBe('a=a%20b')
  })

  it('does not find inherited members for arguments named like them', async () => {
    const params = [field('constructor'), field('toString'), field('__proto__')]
    expect((await sent({ params }, {})).url).toBe('/things')
  })
})

describe('base URLs', () => {
  it.each(['ftp://h', 'https://user:pw@h', 'https://h?x=1', 'nonsense'])(
    'refuses %s without repeating it',
    async (url) => {
      const call = callSpec(oneTool(url, {}))
      await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await expect(call).rejects.not.toThrow(/pw@/)
    },
  )

  it('[TS-167] prefers the base URL of the tool', async () => {
    await callSpec(oneTool('http://127.0.0.1:9', { base_url: `${server.url}/own` }))
    expect(server.requests[0]?.url).toBe('/own/things')
  })
})
