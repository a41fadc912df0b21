import { describe, expect, it } from 'vitest'
import { createService, serve } from 'waymark'
import { answering, connect, protocol } from '../../test/support/answering-server.ts'
import { createClient, type FetchTransportOptions } from '../entries/client.ts'

describe('something in front of the service', () => {
  it.each([
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [429, 'RATE_LIMITED'],
    [502, 'CLIENT_GATEWAY_ERROR'],
    [503, 'CLIENT_GATEWAY_ERROR'],
    [504, 'CLIENT_GATEWAY_ERROR'],
    [404, 'CLIENT_INVALID_RESPONSE'],
    [500, 'CLIENT_INVALID_RESPONSE'],
  ])('answers %i with a page of its own, which becomes %s', async (status, code) => {
    const { call } = await connect((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' })
      response.end('<h1>Please\u001b[31m come\nback later</h1>')
    })
    const outcome = await call()
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code,
        details: { http_status: status, body: '<h1>Please [31m come back later</h1>' },
      },
    })
    if (!outcome.ok) expect(outcome.error.message).toContain(`HTTP ${status}`)
  })

  it('says why it refuses, and how to authenticate', async () => {
    const { call } = await connect((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="orders"' })
      response.end('{"error":"invalid_token","error_description":"The token expired"}')
    })
    expect(await call()).toMatchObject({
      ok: false,
      error: {
        code: 'UNAUTHORIZED',
        message: expect.stringContaining('The token expired'),
        details: { www_authenticate: 'Bearer realm="orders"' },
      },
    })
  })

  it('redirects, and the credentials are not sent after it', async () => {
    const reached: string[] = []
    const other = await connect(({ incoming }, response) => {
      reached.push(incoming.headers.authorization ?? '')
      response.end('{}')
    })
    const { call } = await connect(
      (_request, response) => response.writeHead(307, { location: other.url }).end(),
      { headers: { Authorization: 'Bearer secret' } },
    )
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_REDIRECTED', details: { http_status: 307, location: other.url } },
    })
    expect(reached).toEqual([])
  })

  it('redirects, because it is the page of a service; the message names the endpoint', async () => {
    const service = createService({ info: { title: 'Any', version: '1.0.0' }, functions: [] })
    const server = await serve(service, { port: 0, graceMs: 100 })
    const outcome = await createClient({ url: server.url }).call('any.thing', {})
    await server.close()
    expect(outcome).toMatchObject({
      error: {
        code: 'CLIENT_REDIRECTED',
        message: expect.stringContaining(`a Waymark service answers at ${server.url}/forrst`),
      },
    })
  })
})

describe('a connection', () => {
  it('that cannot be made is CLIENT_UNREACHABLE', async () => {
    const { url, close } = await connect(() => {})
    await close()
    const outcome = await createClient({ url, retry: false }).call('orders.get')
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') },
    })
  })

  it.each([
    ['ENOTFOUND', 'CLIENT_UNREACHABLE'],
    ['EAI_AGAIN', 'CLIENT_UNREACHABLE'],
    ['UND_ERR_CONNECT_TIMEOUT', 'CLIENT_UNREACHABLE'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CLIENT_UNREACHABLE'],
    ['CERT_HAS_EXPIRED', 'CLIENT_UNREACHABLE'],
    ['ECONNRESET', 'CLIENT_CONNECTION_LOST'],
    ['UND_ERR_SOCKET', 'CLIENT_CONNECTION_LOST'],
    [undefined, 'CLIENT_CONNECTION_LOST'],
  ])(
    'that fails with %s is %s, and the message keeps the query of the URL to itself',
    async (reason, code) => {
      const cause = Object.assign(new Error('low level'), { code: reason })
      const outcome = await createClient({
        url: 'http://127.0.0.1/forrst?key=secret',
        retry: false,
        fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
      }).call('orders.get')
      expect(outcome).toMatchObject({ ok: false, error: { code } })
      if (!outcome.ok) expect(outcome.error.message).not.toContain('secret')
    },
  )

  it('that breaks before the answer is CLIENT_CONNECTION_LOST', async () => {
    const { call } = await connect((_request, response) => response.destroy())
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_CONNECTION_LOST' } })
  })

  it('that breaks in the middle of the answer is CLIENT_CONNECTION_LOST', async () => {
    const { call } = await connect((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{"protocol":', () => response.destroy())
    })
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_CONNECTION_LOST' } })
  })

  it('that stalls in the middle of the answer is CLIENT_TIMEOUT', async () => {
    const { call } = await connect(
      (_request, response) => {
        response.writeHead(200)
        response.write('{"protocol":')
      },
      { timeoutMs: 50 },
    )
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_TIMEOUT' } })
  })
})

describe('headers of a client', () => {
  it('are sent, and made anew for every call when they are a function', async () => {
    const seen: unknown[] = []
    let token = 0
    const { call } = await connect(
      ({ id, incoming }, response) => {
        seen.push(incoming.headers.authorization)
        response.end(JSON.stringify({ protocol, id, result: 1 }))
      },
      {
        headers: async () => {
          token += 1
          return { authorization: `Bearer ${token}` }
        },
      },
    )
    await call()
    await call()
    expect(seen).toEqual(['Bearer 1', 'Bearer 2'])
  })

  it.each<[string, NonNullable<FetchTransportOptions['headers']>]>([
    ['a function that fails', () => Promise.reject(new Error('no token'))],
    ['a value with a line break', { authorization: 'Bearer\r\nx: y' }],
  ])('answer CLIENT_INVALID_REQUEST when they are %s', async (_, headers) => {
    const { call } = await connect(
      answering((id) => ({ protocol, id, result: 1 })),
      { headers },
    )
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_INVALID_REQUEST' } })
  })
})
