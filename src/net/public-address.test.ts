import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { closedPort, listen } from '../../test/support/listen.ts'
import { CallError } from '../errors/error.ts'
import { addressKind } from './address-range.ts'
import { createPublicFetch, isReachable, type PublicFetchOptions } from './public-address.ts'

describe('addressKind', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['1.1.1.1', 'public'],
    ['100.63.255.255', 'public'],
    ['172.32.0.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::808:808', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['fd00::1', 'private'],
    ['fec0::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['0.0.0.0', 'reserved'],
    ['169.254.169.254', 'reserved'],
    ['::ffff:169.254.169.254', 'reserved'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.10', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'reserved'],
    ['fe80::1', 'reserved'],
    ['fe80::1%eth0', 'reserved'],
    ['ff02::1', 'reserved'],
    ['100::1', 'reserved'],
    ['2001::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['64:ff9b:1::1', 'reserved'],
    ['localhost', 'reserved'],
    ['', 'reserved'],
  ])('puts %s into %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind)
  })

  it('never allows link-local addresses, whatever is permitted', () => {
    const allow = { allowLoopback: true, allowPrivate: true }
    expect(isReachable('169.254.169.254', allow)).toBe(false)
    expect(isReachable('10.0.0.1', allow)).toBe(true)
    expect(isReachable('127.0.0.1', allow)).toBe(true)
  })
})

describe('createPublicFetch refuses [UCP-28]', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
  ])('the literal %s', async (url) => {
    expect(await reasonOf(fetchWith()(url))).toBe('address_refused')
  })

  it.each(['169.254.169.254', '127.0.0.1', '10.0.0.1', 'fd12::1', '::ffff:192.168.0.1'])(
    'a host resolving to %s',
    async (address) => {
      const fetch = fetchWith({ lookup: async () => [{ address, family: 4 }] })
      expect(await reasonOf(fetch('https://shop.example/'))).toBe('address_refused')
    },
  )

  it('a host with one public and one private address', async () => {
    const fetch = fetchWith({
      lookup: async () => [
        { address: '8.8.8.8', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    })
    expect(await reasonOf(fetch('https://shop.example/'))).toBe('address_refused')
  })

  it.each(['ftp://shop.example/', 'file:///etc/passwd', 'javascript:alert(1)', 'not a url', '//x'])(
    'the URL %s',
    async (url) => {
      expect(await reasonOf(fetchWith()(url))).toBe('url_invalid')
    },
  )

  it('a URL with credentials in it', async () => {
    expect(await reasonOf(fetchWith()('https://user:pass@shop.example/'))).toBe('url_invalid')
  })

  it('http to a public address when https is required', async () => {
    const fetch = fetchWith({
      requireHttps: true,
      lookup: async () => [{ address: '8.8.8.8', family: 4 }],
    })
    expect(await reasonOf(fetch('http://shop.example/'))).toBe('https_required')
  })

  it('a name without addresses', async () => {
    const fetch = fetchWith({ lookup: async () => [] })
    expect(await reasonOf(fetch('https://shop.example/'))).toBe('host_unknown')
  })
})

describe('createPublicFetch', () => {
  it('connects to the address it checked and asks for the name only once', async () => {
    const port = await listen((request, response) => response.end(request.headers.host))
    const asked: string[] = []
    const answers = ['127.0.0.1', '169.254.169.254']
    const fetch = fetchWith({
      allowLoopback: true,
      lookup: async (name) => {
        asked.push(name)
        return [{ address: answers[asked.length - 1] ?? '10.0.0.1', family: 4 }]
      },
    })
    const url = `http://rebind.example:${port}/`
    const response = await fetch(url)
    expect(Buffer.from(response.body).toString()).toBe(`rebind.example:${port}`)
    expect(asked).toEqual(['rebind.example'])
    expect(await reasonOf(fetch(url))).toBe('address_refused')
  })

  it('sends method, headers and body and gives status, headers and body back', async () => {
    const port = await listen((request, response) => {
      request.on('data', (chunk) => {
        response.writeHead(201, { 'x-echo': String(request.headers['x-one']) })
        response.end(`${request.method} ${chunk}`)
      })
    })
    const response = await fetchWith({ allowLoopback: true })(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'x-one': 'two' },
      body: 'hello',
    })
    expect(response.status).toBe(201)
    expect(response.header('x-echo')).toBe('two')
    expect(Buffer.from(response.body).toString()).toBe('POST hello')
  })

  it('refuses every redirect unless told to follow', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    const fetch = fetchWith({ allowLoopback: true })
    expect(await reasonOf(fetch(`http://127.0.0.1:${port}/`))).toBe('redirect_refused')
  })

  it('follows a redirect and stops after the permitted number', async () => {
    const port = await listen((request, response) => {
      if (request.url === '/end') response.end('there')
      else response.writeHead(302, { location: request.url === '/one' ? '/end' : '/one' }).end()
    })
    const start = `http://127.0.0.1:${port}/two`
    const twice = fetchWith({ allowLoopback: true, redirects: { follow: 2 } })
    expect((await twice(start)).url).toBe(`http://127.0.0.1:${port}/end`)
    const once = fetchWith({ allowLoopback: true, redirects: { follow: 1 } })
    expect(await reasonOf(once(start))).toBe('redirect_refused')
  })

  it('refuses a redirect to the metadata address', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end()
    })
    const fetch = fetchWith({ allowLoopback: true, allowPrivate: true, redirects: { follow: 3 } })
    expect(await reasonOf(fetch(`http://127.0.0.1:${port}/`))).toBe('address_refused')
  })

  it('keeps credentials from another origin and turns a POST into a GET on 303', async () => {
    const seen: unknown[] = []
    const second = await listen((request, response) => {
      seen.push(request.method, request.headers.authorization, request.headers['x-kept'])
      response.end()
    })
    const first = await listen((_request, response) => {
      response.writeHead(303, { location: `http://127.0.0.1:${second}/` }).end()
    })
    await fetchWith({ allowLoopback: true, redirects: { follow: 1 } })(
      `http://127.0.0.1:${first}/`,
      {
        method: 'POST',
        headers: { Authorization: 'Bearer secret', 'x-kept': 'yes' },
        body: 'x',
      },
    )
    expect(seen).toEqual(['GET', undefined, 'yes'])
  })

  it('cuts off a body that never ends', async () => {
    const port = await listen((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1)
      response.on('close', () => clearInterval(timer))
    })
    const fetch = fetchWith({ allowLoopback: true, maxBytes: 50_000 })
    expect(await reasonOf(fetch(`http://127.0.0.1:${port}/`))).toBe('body_too_large')
  })

  it('counts bytes after decompression', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('0'.repeat(200_000)))
    })
    const url = `http://127.0.0.1:${port}/`
    const small = fetchWith({ allowLoopback: true, maxBytes: 100_000 })
    expect(await reasonOf(small(url))).toBe('body_too_large')
    const large = fetchWith({ allowLoopback: true, maxBytes: 200_000 })
    expect((await large(url)).body.byteLength).toBe(200_000)
  })

  it('refuses an encoding it cannot read', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'zip' }).end('x')
    })
    const fetch = fetchWith({ allowLoopback: true })
    expect(await reasonOf(fetch(`http://127.0.0.1:${port}/`))).toBe('encoding_unknown')
  })

  it('gives up when the server does not answer in time', async () => {
    const port = await listen(() => {})
    const fetch = fetchWith({ allowLoopback: true, timeoutMs: 50 })
    expect(await reasonOf(fetch(`http://127.0.0.1:${port}/`))).toBe('timeout')
  })

  it('gives up when the name lookup does not answer in time', async () => {
    const fetch = fetchWith({ timeoutMs: 50, lookup: () => new Promise(() => {}) })
    expect(await reasonOf(fetch('https://slow.example/'))).toBe('timeout')
  })

  it('stops when the caller gives up', async () => {
    const port = await listen(() => {})
    const controller = new AbortController()
    const pending = fetchWith({ allowLoopback: true })(`http://127.0.0.1:${port}/`, {
      signal: controller.signal,
    })
    controller.abort()
    expect(await reasonOf(pending)).toBe('cancelled')
  })

  it('reports a port nobody listens on as unreachable', async () => {
    const port = await closedPort()
    const fetch = fetchWith({ allowLoopback: true })
    expect(await reasonOf(fetch(`http://127.0.0.1:${port}/`))).toBe('unreachable')
  })
})

function fetchWith(
  options: Partial<PublicFetchOptions> = {},
): ReturnType<typeof createPublicFetch> {
  return createPublicFetch({
    maxBytes: 1_000_000,
    timeoutMs: 5_000,
    redirects: 'refuse',
    ...options,
  })
}

async function reasonOf(pending: Promise<unknown>): Promise<unknown> {
  const error = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof CallError ? error.errors[0].details?.['reason'] : error
}
