import { describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../../test/support/forrst.ts'
import { listen } from '../../../test/support/listen.ts'
import type { PublicFetch, PublicRequest } from '../../net/public-address.ts'
import { createDocumentFetcher, type DocumentFetcherOptions } from './fetcher.ts'

const URL_OF_PROFILE = 'https://shop.example/.well-known/ucp'

interface Answer {
  readonly status?: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

describe('createDocumentFetcher', () => {
  it.each([
    'http://shop.example/p.json',
    'ftp://shop.example/p.json',
    'https://u:p@shop.example/p.json',
    'p.json',
    '',
  ])('refuses %j without a request [UCP-22]', async (url) => {
    const { fetcher, requests } = setUp(() => ({ body: '{}' }))
    expect(await fetcher.get(url)).toMatchObject({ ok: false, code: 'url_refused' })
    expect(await fetcher.refresh(url)).toMatchObject({ ok: false, code: 'url_refused' })
    expect(requests).toEqual([])
  })

  it.each([301, 302, 303, 307, 308, 300])(
    'takes a redirect with %i for an error [UCP-23] [UCP-24]',
    async (status) => {
      const headers = { location: 'https://elsewhere.example/p.json' }
      const { fetcher, requests } = setUp(() => ({ status, headers, body: '{}' }))
      expect(await fetcher.get(URL_OF_PROFILE)).toMatchObject({
        ok: false,
        code: 'redirect_refused',
      })
      expect(requests).toHaveLength(1)
    },
  )

  it.each([undefined, 'no-store', 'private, no-cache, max-age=0', 'max-age=5', 'max-age=x'])(
    'remembers a document for a minute whatever Cache-Control %j says [UCP-25]',
    async (control) => {
      const headers = control === undefined ? {} : { 'cache-control': control }
      const { fetcher, requests, clock } = setUp(() => ({ body: '{"a":1}', headers }))
      await fetcher.get(URL_OF_PROFILE)
      clock.advance(59_000)
      expect(await fetcher.get(URL_OF_PROFILE)).toMatchObject({ ok: true, value: { a: 1 } })
      expect(requests).toHaveLength(1)
      clock.advance(2_000)
      await fetcher.get(URL_OF_PROFILE)
      expect(requests).toHaveLength(2)
    },
  )

  it('asks once for two lookups within max-age, also at the same time [UCP-26]', async () => {
    const headers = { 'cache-control': 'public, max-age=3600' }
    const { fetcher, requests, clock } = setUp(() => ({ body: '{}', headers }))
    await Promise.all([fetcher.get(URL_OF_PROFILE), fetcher.get(URL_OF_PROFILE)])
    clock.advance(3_599_000)
    await fetcher.get(URL_OF_PROFILE)
    expect(requests).toHaveLength(1)
    clock.advance(2_000)
    await fetcher.get(URL_OF_PROFILE)
    expect(requests).toHaveLength(2)
  })

  it('asks with the tag it knows and keeps the document on 304', async () => {
    const { fetcher, requests, clock } = setUp((request) =>
      request.headers?.['if-none-match'] === '"v1"'
        ? { status: 304 }
        : { body: '{"a":1}', headers: { etag: '"v1"' } },
    )
    await fetcher.get(URL_OF_PROFILE)
    clock.advance(61_000)
    expect(await fetcher.get(URL_OF_PROFILE)).toMatchObject({ ok: true, value: { a: 1 } })
    expect(requests).toHaveLength(2)
    clock.advance(59_000)
    await fetcher.get(URL_OF_PROFILE)
    expect(requests).toHaveLength(2)
  })

  it('waits longer after each failure before it asks again', async () => {
    const { fetcher, requests, clock } = setUp(() => ({ status: 500 }))
    const ask = async (wait: number): Promise<number> => {
      clock.advance(wait)
      await fetcher.get(URL_OF_PROFILE)
      return requests.length
    }
    expect([await ask(0), await ask(999), await ask(1), await ask(1_999), await ask(1)]).toEqual([
      1, 1, 2, 2, 3,
    ])
    expect(await fetcher.get(URL_OF_PROFILE)).toMatchObject({ code: 'unreachable' })
  })

  it('refreshes on demand at most once per minute and origin', async () => {
    const { fetcher, requests, clock } = setUp(() => ({ body: '{}' }))
    await fetcher.get(URL_OF_PROFILE)
    await fetcher.refresh(URL_OF_PROFILE)
    await fetcher.refresh(URL_OF_PROFILE)
    expect(requests).toHaveLength(2)
    clock.advance(60_000)
    await fetcher.refresh(URL_OF_PROFILE)
    expect(requests).toHaveLength(3)
  })

  it('forgets the document not used for the longest time', async () => {
    const { fetcher, requests } = setUp(() => ({ body: '{}' }), { maxDocuments: 2 })
    const ask = (name: string): Promise<unknown> => fetcher.get(`https://a.example/${name}`)
    await ask('1')
    await ask('2')
    await ask('1')
    await ask('3')
    await ask('1')
    expect(requests).toHaveLength(3)
    await ask('2')
    expect(requests).toHaveLength(4)
  })

  it('stops asking when too much is asked for within a minute', async () => {
    const { fetcher, requests, clock } = setUp(() => ({ body: '{}' }), { maxPerMinute: 2 })
    const codes = []
    for (const name of ['1', '2', '3']) {
      const fetched = await fetcher.get(`https://a.example/${name}`)
      codes.push(fetched.ok || fetched.code)
    }
    expect(codes).toEqual([true, true, 'rate_limited'])
    clock.advance(60_000)
    expect(await fetcher.get('https://a.example/3')).toMatchObject({ ok: true })
    expect(requests).toHaveLength(3)
  })

  it.each(['', 'text', '{"a":', `${'['.repeat(200)}${']'.repeat(200)}`])(
    'reports %.10j as malformed',
    async (body) => {
      const { fetcher } = setUp(() => ({ body }))
      expect(await fetcher.get(URL_OF_PROFILE)).toMatchObject({ ok: false, code: 'malformed' })
    },
  )

  it('reports bytes that are not UTF-8 as malformed', async () => {
    const port = await listen((_request, response) => response.end(Buffer.from([0x22, 0xff, 0x22])))
    const fetcher = createDocumentFetcher({ allowLoopback: true })
    expect(await fetcher.get(`http://127.0.0.1:${port}/`)).toMatchObject({ code: 'malformed' })
  })

  it('accepts a profile of 127 KiB and cuts off a body without an end [UCP-27]', async () => {
    const large = JSON.stringify({ filler: 'x'.repeat(127 * 1024 - 20) })
    const port = await listen((request, response) => {
      if (request.url === '/large') response.end(large)
      else {
        const timer = setInterval(() => response.write(' '.repeat(200_000)), 1)
        response.on('close', () => clearInterval(timer))
      }
    })
    const fetcher = createDocumentFetcher({ allowLoopback: true })
    expect(await fetcher.get(`http://127.0.0.1:${port}/large`)).toMatchObject({ ok: true })
    expect(await fetcher.get(`http://127.0.0.1:${port}/endless`)).toMatchObject({
      ok: false,
      code: 'unreachable',
      message: expect.stringContaining('more than'),
    })
  })

  it('reaches loopback addresses only when development allows it [UCP-28]', async () => {
    const port = await listen((_request, response) => response.end('{}'))
    const url = `http://127.0.0.1:${port}/`
    expect(await createDocumentFetcher().get(url)).toMatchObject({ code: 'url_refused' })
    expect(await createDocumentFetcher().get(`https://127.0.0.1:${port}/`)).toMatchObject({
      code: 'url_refused',
    })
    expect(await createDocumentFetcher({ allowLoopback: true }).get(url)).toMatchObject({
      ok: true,
    })
  })
})

function setUp(
  answer: (request: PublicRequest & { url: string }) => Answer,
  options: Partial<DocumentFetcherOptions> = {},
): {
  fetcher: ReturnType<typeof createDocumentFetcher>
  requests: string[]
  clock: TestClock
} {
  const requests: string[] = []
  const clock = createTestClock()
  const fetch: PublicFetch = async (url, request = {}) => {
    requests.push(url)
    const { status = 200, body = '', headers = {} } = answer({ ...request, url })
    return { status, url, body: Buffer.from(body), header: (name) => headers[name] }
  }
  return { fetcher: createDocumentFetcher({ fetch, clock, ...options }), requests, clock }
}
