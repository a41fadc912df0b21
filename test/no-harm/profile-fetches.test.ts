import { describe, expect, it } from 'vitest'
import {
  createDocumentFetcher,
  type DocumentFetcherOptions,
} from '../../src/capabilities/documents/fetcher.ts'
import { defineFunction } from '../../src/core/function.ts'
import { CallError } from '../../src/errors/error.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type App, type AppOptions, createApp } from '../../src/http/app.ts'
import type { PublicFetch } from '../../src/net/public-address.ts'
import type { HttpRequest, HttpResponse } from '../../src/wire/http.ts'
import { createTestClock, type TestClock } from '../support/forrst.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'

const VERSION = '2026-04-08'
const CHECKOUT = 'com.example.shop.checkout'
const KNOWN = 'https://known.example/profile.json'

const entries = (url: string) => [{ version: VERSION, spec: url, schema: url }]
const PLATFORM = JSON.stringify({
  ucp: {
    version: VERSION,
    services: {
      'com.example.shop': [
        { version: VERSION, transport: 'rest', schema: 'https://example.com/openapi.json' },
        { version: VERSION, transport: 'mcp', schema: 'https://example.com/openrpc.json' },
      ],
    },
    capabilities: { [CHECKOUT]: entries(`https://example.com/${CHECKOUT}`) },
  },
})

interface Shop {
  readonly app: App
  readonly asked: string[]
  readonly clock: TestClock
}

/** A shop whose network knows the profiles of hosts that begin with `known`; all others do not exist. */
function openShop(
  options: {
    readonly fetcher?: DocumentFetcherOptions
    readonly app?: Partial<AppOptions>
    readonly service?: Parameters<typeof serviceOf>[1]
    readonly fetch?: PublicFetch
  } = {},
): Shop {
  const asked: string[] = []
  const clock = createTestClock()
  const fetch: PublicFetch = async (url, request) => {
    asked.push(url)
    if (options.fetch) return options.fetch(url, request)
    if (!new URL(url).hostname.startsWith('known')) {
      throw new CallError('DEPENDENCY_ERROR', { message: 'getaddrinfo ENOTFOUND' })
    }
    return { status: 200, url, body: Buffer.from(PLATFORM), header: () => undefined }
  }
  const service = serviceOf(
    [
      defineFunction({
        name: 'checkout.create',
        version: '1.0.0',
        capability: CHECKOUT,
        handler: () => ({ id: 'c_1' }),
      }),
    ],
    { log: createTestLogger(), ...options.service },
  )
  const app = createApp(service, {
    callerKey: ({ header }) => header('x-caller') ?? '',
    ...options.app,
    surfaces: allSurfaces({
      profile: {
        version: VERSION,
        origin: 'https://example.com',
        service: 'com.example.shop',
        capabilities: [{ name: CHECKOUT, schema: `https://example.com/${CHECKOUT}` }],
        fetcher: createDocumentFetcher({ fetch, clock, ...options.fetcher }),
      },
    }),
  })
  return { app, asked, clock }
}

function request(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): HttpRequest {
  const all: Readonly<Record<string, string>> = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return {
    method: 'POST',
    path,
    query: '',
    header: (name) => all[name],
    body: Buffer.from(JSON.stringify(body)),
    bodyTooLarge: false,
    signal: () => new AbortController().signal,
  }
}

type Ask = (
  shop: Shop,
  profile: string,
  caller?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<HttpResponse>

const askRest: Ask = async ({ app }, profile, caller = 'a', headers = {}) =>
  app.handle(
    request(
      '/api/checkout.create',
      { 'ucp-agent': `profile="${profile}"`, 'x-caller': caller, ...headers },
      {},
    ),
  )

const askMcp: Ask = async ({ app }, profile, caller = 'a', headers = {}) =>
  app.handle(
    request(
      '/mcp',
      {
        'x-caller': caller,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'checkout__create',
        ...headers,
      },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'checkout__create',
          arguments: { meta: { 'ucp-agent': { profile } } },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    ),
  )

const SURFACES: readonly (readonly [string, Ask])[] = [
  ['REST', askRest],
  ['MCP', askMcp],
]

const body = ({ body: text }: HttpResponse) => String(text)

describe('as reported', () => {
  it.each(SURFACES)(
    '620 made-up profiles do not lock out a known platform on %s',
    async (_name, ask) => {
      const shop = openShop()
      expect(body(await ask(shop, KNOWN))).toContain('c_1')
      for (let count = 0; count < 620; count += 1) {
        await ask(shop, `https://made-up-${count}.example/p.json`, 'b')
      }
      // Fresh, and when its minute is over.
      expect(body(await ask(shop, KNOWN))).toContain('c_1')
      shop.clock.advance(59_999)
      for (let count = 0; count < 620; count += 1) {
        await ask(shop, `https://made-up-too-${count}.example/p.json`, `caller ${count}`)
      }
      shop.clock.advance(2)
      expect(body(await ask(shop, KNOWN))).toContain('c_1')
      expect(shop.asked.filter((url) => url === KNOWN)).toHaveLength(2)
    },
  )

  it.each(SURFACES)(
    'failures have a budget of their own, per caller, on %s',
    async (_name, ask) => {
      const shop = openShop()
      for (let count = 0; count < 620; count += 1) {
        await ask(shop, `https://made-up-${count}.example/p.json`, 'flood')
      }
      expect(shop.asked).toHaveLength(60)
      // A platform that was never seen, from a caller that made nothing up.
      expect(body(await ask(shop, 'https://known-new.example/p.json', 'honest'))).toContain('c_1')
    },
  )

  it('refuses with 503 and Retry-After on REST', async () => {
    const shop = openShop({ fetcher: { maxPerMinuteAndCaller: 1 } })
    await askRest(shop, 'https://made-up-1.example/p.json')
    shop.clock.advance(15_000)
    const refused = await askRest(shop, 'https://made-up-2.example/p.json')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '45'])
    expect(body(refused)).toContain('try again later')
    shop.clock.advance(45_000)
    expect((await askRest(shop, 'https://known-2.example/p.json')).status).toBe(200)
  })

  it('refuses with 503 and Retry-After on MCP, and tells it in the error as well', async () => {
    const shop = openShop({ fetcher: { maxPerMinuteAndCaller: 1 } })
    await askMcp(shop, 'https://made-up-1.example/p.json')
    const refused = await askMcp(shop, 'https://made-up-2.example/p.json')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60'])
    expect(JSON.parse(body(refused)).error).toMatchObject({
      code: -32000,
      data: { retry_after: 60 },
    })
  })

  it.each(SURFACES)('authenticate runs before anything is fetched on %s', async (_name, ask) => {
    const shop = openShop({
      service: {
        authenticate({ header }) {
          if (header('authorization') !== 'Bearer s3cret') throw new CallError('UNAUTHORIZED')
          return { id: 'ada' }
        },
      },
    })
    expect((await ask(shop, KNOWN)).status).toBe(401)
    expect(shop.asked).toEqual([])
    const headers = { authorization: 'Bearer s3cret' }
    expect(body(await ask(shop, KNOWN, 'a', headers))).toContain('c_1')
    expect(shop.asked).toEqual([KNOWN])
  })

  it('a failure is remembered: the same made-up profile is asked for once', async () => {
    const shop = openShop()
    const url = 'https://made-up.example/p.json'
    expect((await askRest(shop, url)).status).toBe(424)
    expect((await askRest(shop, url)).status).toBe(424)
    expect(shop.asked).toEqual([url])
  })
})

describe('beside it', () => {
  it('failures never push a document out of the memory', async () => {
    const shop = openShop({ fetcher: { maxDocuments: 2, maxPerMinute: 10_000 } })
    await askRest(shop, KNOWN)
    for (let count = 0; count < 50; count += 1) {
      await askRest(shop, `https://made-up-${count}.example/p.json`)
    }
    await askRest(shop, KNOWN)
    expect(shop.asked.filter((url) => url === KNOWN)).toHaveLength(1)
  })

  it('genuine profiles of one caller do not push out those of others', async () => {
    const shop = openShop({ fetcher: { maxDocuments: 10 } })
    await askRest(shop, KNOWN, 'honest')
    for (let count = 0; count < 40; count += 1) {
      await askRest(shop, `https://known-${count}.example/p.json`, 'flood')
    }
    await askRest(shop, KNOWN, 'honest')
    expect(shop.asked.filter((url) => url === KNOWN)).toHaveLength(1)
  })

  it('documents are bounded in bytes, not only in number', async () => {
    const large = JSON.stringify({ filler: 'x'.repeat(10_000) })
    const asked: string[] = []
    const fetcher = createDocumentFetcher({
      maxBytes: 100_000,
      fetch: async (url) => {
        asked.push(url)
        return { status: 200, url, body: Buffer.from(large), header: () => undefined }
      },
    })
    for (const name of ['1', '2', '3', '1']) await fetcher.get(`https://a.example/${name}`)
    expect(asked).toHaveLength(4)
  })

  it('a known platform whose host was down for a while is still known afterwards', async () => {
    let down = false
    const shop = openShop({
      fetcher: { maxPerMinute: 1 },
      fetch: async (url) => ({
        status: down ? 500 : 200,
        url,
        body: Buffer.from(PLATFORM),
        header: () => undefined,
      }),
    })
    await askRest(shop, KNOWN)
    down = true
    shop.clock.advance(61_000)
    await askRest(shop, 'https://other.example/p.json')
    expect((await askRest(shop, KNOWN)).status).toBe(424)
    down = false
    shop.clock.advance(1_000)
    expect(body(await askRest(shop, KNOWN))).toContain('c_1')
  })

  it('a caller has a tenth of the requests that may run at one time', async () => {
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const shop = openShop({
      fetcher: { maxConcurrent: 20 },
      fetch: async (url) => {
        await gate
        return { status: 200, url, body: Buffer.from(PLATFORM), header: () => undefined }
      },
    })
    const first = askRest(shop, 'https://known-1.example/p.json', 'slow')
    const second = askRest(shop, 'https://known-2.example/p.json', 'slow')
    const third = await askRest(shop, 'https://known-3.example/p.json', 'slow')
    expect([third.status, third.headers['retry-after']]).toEqual([503, '1'])
    const other = askRest(shop, 'https://known-4.example/p.json', 'other')
    release()
    for (const answer of [first, second, other]) expect((await answer).status).toBe(200)
  })

  it('counts by the principal when there is one, by the connection otherwise', async () => {
    const service = {
      authenticate: ({ header }: { header: (name: string) => string | undefined }) => ({
        id: header('authorization') ?? '',
      }),
    }
    const shop = openShop({
      service,
      fetcher: { maxPerMinuteAndCaller: 1 },
      app: { callerKey: (_request, principal) => principal?.id ?? '' },
    })
    const as = (id: string) => ({ authorization: id })
    await askRest(shop, 'https://made-up-1.example/p.json', '', as('eve'))
    expect((await askRest(shop, 'https://x.example/p.json', '', as('eve'))).status).toBe(503)
    expect((await askRest(shop, 'https://x.example/p.json', '', as('ada'))).status).toBe(424)
  })

  it.each(SURFACES)('a URL of any length is not remembered on %s', async (_name, ask) => {
    const shop = openShop()
    const refused = await ask(shop, `https://known.example/${'x'.repeat(3_000)}`)
    expect(body(refused)).toContain('longer than 2048 characters')
    expect(shop.asked).toEqual([])
  })

  it('what the process fetches for itself does not count for a caller', async () => {
    const asked: string[] = []
    const fetcher = createDocumentFetcher({
      maxPerMinuteAndCaller: 1,
      fetch: async (url) => {
        asked.push(url)
        return { status: 200, url, body: Buffer.from('{}'), header: () => undefined }
      },
    })
    for (const name of ['1', '2', '3']) {
      expect(await fetcher.get(`https://a.example/${name}`)).toMatchObject({ ok: true })
    }
  })
})
