import { request as sendRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type AppOptions, createApp } from '../../src/http/app.ts'
import { serve } from '../../src/http/serve.ts'
import { toRequest } from '../support/forrst.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { serviceOf } from '../support/service.ts'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'

const echo = defineFunction({ name: 'orders.echo', version: '1.0.0', handler: () => 'ok' })

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

/** One request to every surface, reading and calling. */
const REQUESTS: readonly (readonly [string, string, string, unknown])[] = [
  ['REST', 'POST', '/api/orders.echo', {}],
  [
    'Forrst',
    'POST',
    '/forrst',
    {
      protocol: { name: 'forrst', version: '0.1.0' },
      id: 'r1',
      call: { function: 'orders.echo', version: '1.0.0' },
    },
  ],
  ['MCP', 'POST', '/mcp', INITIALIZE],
  ['the list of tools', 'GET', '/explorer/tools', ''],
  ['validation in the explorer', 'POST', '/explorer/tools/orders__echo/validate', {}],
  ['OpenAPI', 'GET', '/openapi.json', ''],
]

async function ask(
  options: Partial<AppOptions>,
  headers: Readonly<Record<string, string>>,
  [, method, path, body]: (typeof REQUESTS)[number] = REQUESTS[0] as never,
) {
  const app = createApp(serviceOf([echo]), { surfaces: allSurfaces(), ...options })
  onTestFinished(() => app.close?.())
  const accept = 'application/json, text/event-stream'
  const response = await app.handle(
    toRequest(body, {
      method,
      path,
      headers: { 'content-type': 'application/json', accept, ...headers },
    }),
  )
  return { status: response.status, text: String(response.body) }
}

const publicUrl = 'https://api.example.com'

describe('as reported: createApp({ publicUrl }, { surfaces: allSurfaces() }) accepts its own host', () => {
  it.each(REQUESTS)('on %s', async (...request) => {
    expect((await ask({ publicUrl }, { host: 'api.example.com' }, request)).status).toBe(200)
  })

  it.each(REQUESTS)('and no other, on %s', async (...request) => {
    const { status, text } = await ask({ publicUrl }, { host: 'evil.example.com' }, request)
    expect(status).toBe(403)
    expect(text).toContain('evil.example.com')
    expect(text).toContain('--public-url')
  })

  it('through a server', async () => {
    const server = await serve(serviceOf([echo]), { port: 0, publicUrl })
    onTestFinished(() => server.close())
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'api.example.com', 'content-type': 'application/json' }
      const target = { port: server.port, host: '127.0.0.1', path: '/api/orders.echo' }
      const sent = sendRequest({ ...target, method: 'POST', headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject)
      sent.end('{}')
    })
    expect(status).toBe(200)
  })
})

describe('beside it: its pages are its own', () => {
  it.each(REQUESTS)('behind a proxy that ends TLS, on %s', async (...request) => {
    const origin = publicUrl
    for (const host of ['api.example.com', 'api.example.com:443', '127.0.0.1:4000']) {
      expect((await ask({ publicUrl }, { host, origin }, request)).status).toBe(200)
    }
  })

  it.each([
    ['https://evil.example.com', undefined],
    ['http://api.example.com:8080', undefined],
    ['https://api.example.com.evil.com', undefined],
    ['null', undefined],
    // A browser that says so itself is believed: this page is not on the address it asks.
    ['https://api.example.com', 'cross-site'],
  ])('a page of %s (%s) is not', async (origin, site) => {
    const headers = { host: '127.0.0.1:4000', origin, ...(site && { 'sec-fetch-site': site }) }
    expect((await ask({ publicUrl }, headers)).status).toBe(403)
  })

  it('a page of the public URL gets no CORS headers: it needs none', async () => {
    const app = createApp(serviceOf([echo]), { publicUrl, surfaces: allSurfaces() })
    const headers = {
      host: 'api.example.com',
      origin: publicUrl,
      'content-type': 'application/json',
    }
    const answer = await app.handle(toRequest({}, { path: '/api/orders.echo', headers }))
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('HTTP/2 names the host in a field of its own', async () => {
    const headers = { ':authority': 'api.example.com', origin: 'http://api.example.com' }
    expect((await ask({ publicUrl }, headers)).status).toBe(200)
  })
})

describe('beside it: spellings', () => {
  it.each([
    ['https://api.example.com:8443', 'api.example.com:8443'],
    ['https://api.example.com:8443', 'api.example.com'],
    ['https://api.example.com/orders/v1?x=1#y', 'api.example.com'],
    ['https://API.Example.COM', 'api.example.com'],
    ['https://api.example.com', 'API.EXAMPLE.COM'],
    ['https://api.example.com.', 'api.example.com'],
    ['https://api.example.com', 'api.example.com.:443'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['https://user:secret@api.example.com', 'api.example.com'],
    ['http://[2001:db8::1]:4000', '[2001:db8::1]:4000'],
    ['http://[2001:DB8:0::1]', '[2001:db8::1]'],
    ['http://my-server:4000', 'my-server:4000'],
  ])('%s is reached as %s', async (address, host) => {
    expect((await ask({ publicUrl: address }, { host })).status).toBe(200)
  })

  it('allowedHosts adds to it', async () => {
    const options = { publicUrl, allowedHosts: ['Other.Example.com.', 'third.example.com:8080'] }
    for (const host of ['api.example.com', 'other.example.com', 'third.example.com']) {
      expect((await ask(options, { host })).status).toBe(200)
    }
    expect((await ask(options, { host: 'example.com' })).status).toBe(403)
  })

  it.each(['api.example.com', 'ftp://api.example.com', 'https://', '/orders', ''])(
    'says at start that "%s" is not a public URL',
    (wrong) => {
      expect(() =>
        createApp(serviceOf([echo]), { publicUrl: wrong, surfaces: allSurfaces() }),
      ).toThrow(
        /publicUrl: must be an http or https URL such as https:\/\/api\.example\.com, not "/,
      )
    },
  )

  it('an MCP request still needs a Host', async () => {
    const { status } = await ask({ publicUrl }, {}, ['MCP', 'POST', '/mcp', PING])
    expect(status).toBe(403)
  })
})

let served: WaymarkProcess
beforeAll(async () => {
  const publicUrl = ['--public-url', 'https://api.example.com', '--allow-execute']
  served = await startWaymark(['test/no-harm/faulty-service.ts', ...publicUrl])
}, 60_000)
afterAll(() => served.stop())

const post = (path: string, host: string, ...more: readonly string[]) =>
  sendRaw(
    served.port,
    rawRequest(
      `POST ${path} HTTP/1.1`,
      [`Host: ${host}`, 'Content-Type: application/json', 'Connection: close', ...more],
      '{}',
    ),
  )

const OWN = 'api.example.com'
const REASON = 'https://api.example.com'

describe('as reported: waymark serve --public-url', () => {
  it('accepts its own host, and no other', async () => {
    expect((await post('/api/tests.fine', OWN)).status).toBe(200)
    const refused = await post('/api/tests.fine', 'evil.example.com')
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('--public-url') })
  })

  it.each([OWN, '127.0.0.1', 'localhost'])(
    'executes nothing from the explorer for %s, and the log says why',
    async (host) => {
      const { status, text } = await post('/explorer/tools/tests.fine/call', host)
      expect([status, text]).toEqual([403, expect.stringContaining('xecut')])
      expect(served.errors()).toContain(`the explorer does not execute functions`)
      expect(served.errors()).toContain(REASON)
    },
  )

  it.each([OWN, '127.0.0.1', 'localhost'])(
    'takes no unsigned webhook for %s, and says why',
    async (host) => {
      const { status, text } = await post('/webhooks/told', host)
      expect([status, text]).toEqual([403, expect.stringContaining(REASON)])
    },
  )
})

describe('beside it', () => {
  it('a page of its own may call it', async () => {
    const answer = await post('/api/tests.fine', OWN, 'Origin: https://api.example.com')
    expect(answer.status).toBe(200)
    const foreign = await post('/api/tests.fine', OWN, 'Origin: https://evil.example.com')
    expect(foreign.status).toBe(403)
  })
})
