import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createService, serve } from 'waymark'
import { type ClientOptions, createClient, type FetchTransportOptions } from './index.ts'

type Respond = (
  request: { id: string; incoming: IncomingMessage },
  response: ServerResponse,
) => void

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

/** Starts a server that answers as told, and creates a client of it. */
async function connect(respond: Respond, options: Partial<ClientOptions> = {}) {
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.on('data', (chunk) => {
      text += chunk
    })
    incoming.on('end', () => respond({ id: JSON.parse(text).id, incoming }, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/forrst`
  const client = createClient({ url, retry: false, ...options } as ClientOptions)
  return { url, call: () => client.call('orders.get', { id: 'o_1' }) }
}

/** Answers a JSON document made for the id of the request. */
function answering(build: (id: string) => unknown, status = 200): Respond {
  return ({ id }, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(build(id)))
  }
}

const protocol = { name: 'forrst', version: '0.1.0' }

describe('an answer that keeps to the protocol in its own way', () => {
  it('[F-49] is a failure when it has errors, whatever the status says', async () => {
    const errors = [{ code: 'NOT_FOUND', message: 'No such order' }]
    const { call } = await connect(answering((id) => ({ protocol, id, result: null, errors })))
    expect(await call()).toMatchObject({ ok: false, error: errors[0] })
  })

  it('[F-49] is a failure when it has both a result and errors', async () => {
    const errors = [{ code: 'CONFLICT', message: 'Changed' }]
    const { call } = await connect(answering((id) => ({ protocol, id, result: {}, errors })))
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CONFLICT' } })
  })

  it('[F-49] is a success when it has none, whatever the status says', async () => {
    const { call } = await connect(answering((id) => ({ protocol, id, result: 1 }), 503))
    expect(await call()).toMatchObject({ ok: true, result: 1 })
  })

  it('may leave out the result of a failure, the message and everything unknown', async () => {
    const errors = [{ code: 'GONE', source: { pointer: 7 }, details: 'none', extra: 1 }]
    const { call } = await connect(answering((id) => ({ protocol, id, errors, more: true }), 410))
    const outcome = await call()
    expect(outcome).toMatchObject({ ok: false })
    if (!outcome.ok)
      expect(outcome.errors).toEqual([{ code: 'GONE', message: 'The resource is gone' }])
  })

  it('may have an empty list of errors beside its result', async () => {
    const { call } = await connect(answering((id) => ({ protocol, id, result: 2, errors: [] })))
    expect(await call()).toMatchObject({ ok: true, result: 2 })
  })

  it('may carry extension entries nobody asked for, and meta', async () => {
    const extensions = [
      { urn: 'urn:forrst:ext:never-heard-of', data: { a: 1 } },
      { urn: 'urn:x:y' },
    ]
    const meta = { node: 'orders-2' }
    const { call } = await connect(
      answering((id) => ({ protocol, id, result: 3, extensions, meta })),
    )
    expect(await call()).toMatchObject({ ok: true, result: 3, extensions, meta })
  })

  it('may come from any minor version of the same major', async () => {
    const newer = { name: 'forrst', version: '0.9.3', features: ['x'] }
    const { call } = await connect(answering((id) => ({ protocol: newer, id, result: 4 })))
    expect(await call()).toMatchObject({ ok: true, result: 4 })
  })

  it('may be an error under id null, as when the service could not read the request', async () => {
    const errors = [{ code: 'PARSE_ERROR', message: 'No JSON', source: { position: 0 } }]
    const { call } = await connect(answering(() => ({ protocol, id: null, errors }), 400))
    expect(await call()).toMatchObject({ ok: false, error: errors[0] })
  })

  it('may say in the words of another major that ours is not supported', async () => {
    const next = { name: 'forrst', version: '2.0.0' }
    const errors = [{ code: 'INVALID_PROTOCOL_VERSION', message: 'Use 2' }]
    const { call } = await connect(answering((id) => ({ protocol: next, id, errors }), 400))
    expect(await call()).toMatchObject({ ok: false, error: errors[0] })
  })
})

describe('an answer that breaks the protocol', () => {
  it.each<[string, (id: string) => unknown, string]>([
    ['an array', (id) => [{ protocol, id, result: 1 }], 'JSON array'],
    ['a string', () => 'hello', 'single JSON value'],
    ['null', () => null, 'single JSON value'],
    ['an object without protocol', (id) => ({ id, result: 1 }), 'protocol'],
    [
      'a protocol that is a string',
      (id) => ({ protocol: 'forrst/0.1', id, result: 1 }),
      'protocol',
    ],
    ['a JSON-RPC answer', (id) => ({ jsonrpc: '2.0', id, result: 1 }), 'protocol'],
    ['another protocol', (id) => ({ protocol: { name: 'x' }, id, result: 1 }), 'protocol.name'],
    [
      'another major',
      (id) => ({ protocol: { ...protocol, version: '1.0.0' }, id, result: 1 }),
      'protocol.version',
    ],
    [
      'a version that is a number',
      (id) => ({ protocol: { ...protocol, version: 0.1 }, id, result: 1 }),
      'protocol.version',
    ],
    ['neither result nor errors', (id) => ({ protocol, id }), 'neither result nor errors'],
    [
      'errors that are no array',
      (id) => ({ protocol, id, errors: { code: 'X' } }),
      'errors must be an array',
    ],
    [
      'an error without a code',
      (id) => ({ protocol, id, errors: [{ message: 'x' }] }),
      'errors[0].code',
    ],
    ['an error that is a string', (id) => ({ protocol, id, errors: ['x'] }), 'errors[0].code'],
    [
      'extensions that are no array',
      (id) => ({ protocol, id, result: 1, extensions: {} }),
      'extensions',
    ],
    [
      'an entry without a urn',
      (id) => ({ protocol, id, result: 1, extensions: [{}] }),
      'extensions[0].urn',
    ],
    ['meta that is a list', (id) => ({ protocol, id, result: 1, meta: [] }), 'meta'],
  ])('is CLIENT_INVALID_RESPONSE and named: %s', async (_, build, mentioned) => {
    const { call } = await connect(answering(build))
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', message: expect.stringContaining(mentioned) },
    })
  })

  it.each<[string, unknown]>([
    ['another id', 'req_of_somebody_else'],
    ['null with a result', null],
    ['a number', 7],
    ['no id', undefined],
  ])('[F-254] is CLIENT_INVALID_RESPONSE when its id is %s', async (_, wrong) => {
    const { call } = await connect(answering(() => ({ protocol, id: wrong, result: 1 })))
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', details: { field: '/id' } },
    })
  })

  it('[F-254] is CLIENT_INVALID_RESPONSE when it is an error for another id', async () => {
    const errors = [{ code: 'NOT_FOUND', message: 'x' }]
    const { call } = await connect(answering(() => ({ protocol, id: 'other', errors })))
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_INVALID_RESPONSE' } })
  })

  it.each<[string, string | Uint8Array, string]>([
    ['truncated JSON', '{"protocol":{"name":"forr', 'character 20'],
    ['no body at all', '', 'is empty'],
    ['HTML', '<!doctype html><h1>Welcome</h1>', 'is not JSON'],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xff, 0xfe), 'UTF-8'],
    ['200,000 levels of nesting', '['.repeat(200_000) + ']'.repeat(200_000), 'nests deeper'],
    ['200,000 levels left open', '['.repeat(200_000), 'is not JSON'],
    ['a member named __proto__', '{"result":{"__proto__":{"admin":true}}}', '__proto__'],
    ['two documents', '{} {}', 'nothing more'],
  ])('is CLIENT_INVALID_RESPONSE: %s', async (_, body, mentioned) => {
    const { call } = await connect((_request, response) => response.end(body))
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', message: expect.stringContaining(mentioned) },
    })
  })
})

describe('an answer that is too large', () => {
  it('is refused by its declared length before it is read', async () => {
    const { call } = await connect((_request, response) => {
      response.writeHead(200, { 'content-length': 104_857_600 })
      response.write('{')
    })
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_RESPONSE_TOO_LARGE', details: { max_response_bytes: 10_485_760 } },
    })
  })

  it('is refused while 100 MB stream in, without reading them to the end', async () => {
    let sent = 0
    const chunk = Buffer.alloc(65_536, 0x20)
    const { call } = await connect((_request, response) => {
      const push = () => {
        while (sent < 104_857_600 && !response.destroyed) {
          sent += chunk.byteLength
          if (!response.write(chunk)) {
            response.once('drain', push)
            return
          }
        }
      }
      push()
    })
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_RESPONSE_TOO_LARGE' } })
    expect(sent).toBeLessThan(104_857_600)
  })

  it('obeys the limit the client was given', async () => {
    const respond = answering((id) => ({ protocol, id, result: 'x'.repeat(2000) }))
    const small = await connect(respond, { maxResponseBytes: 1000 })
    const large = await connect(respond, { maxResponseBytes: 4000 })
    expect(await small.call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_RESPONSE_TOO_LARGE' },
    })
    expect(await large.call()).toMatchObject({ ok: true })
  })
})

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
    const { url } = await connect(() => {})
    await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
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
