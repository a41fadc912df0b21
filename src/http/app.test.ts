import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toRequest } from '../../test/support/forrst.ts'
import { closedPort } from '../../test/support/listen.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createTriggers } from '../entries/triggers.ts'
import { forrst } from '../surfaces/forrst/index.ts'
import { rest } from '../surfaces/rest/index.ts'
import { allSurfaces } from './all-surfaces.ts'
import { createApp } from './app.ts'
import { serve } from './serve.ts'

const echo = defineFunction({
  name: 'orders.echo',
  version: '1.0.0',
  handler: ({ input }) => input,
})
const get = (path: string) => toRequest('', { method: 'GET', path, headers: { host: 'localhost' } })

describe('one port for every surface', () => {
  const app = createApp(serviceOf([echo]), { surfaces: allSurfaces() })

  it.each([
    ['/explorer/', 200],
    ['/explorer/tools', 200],
    ['/openapi.json', 200],
    ['/openrpc.json', 200],
    ['/llms.txt', 200],
    ['/health/live', 200],
    ['/health/ready', 200],
    ['/forrst', 405],
    ['/api/orders.echo', 405],
    ['/.well-known/ucp', 404],
    ['/nope', 404],
  ])('answers GET %s with %i', async (path, status) => {
    expect((await app.handle(get(path))).status).toBe(status)
  })

  it.each(['/health/live', '/health/ready'])('lets nobody keep the answer of %s', async (path) => {
    expect((await app.handle(get(path))).headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  it('sends people from the root to the explorer', async () => {
    expect(await app.handle(get('/'))).toMatchObject({
      status: 302,
      headers: { location: '/explorer/' },
    })
  })

  it('speaks MCP', async () => {
    const request = toRequest(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      },
      {
        path: '/mcp',
        headers: { host: 'localhost', accept: 'application/json, text/event-stream' },
      },
    )
    expect((await app.handle(request)).status).toBe(200)
  })

  it('lets pages of an allowed origin use MCP', async () => {
    const open = createApp(serviceOf([echo]), {
      allowedOrigins: ['https://app.example.com'],
      surfaces: allSurfaces(),
    })
    const headers = {
      host: 'localhost',
      origin: 'https://app.example.com',
      'access-control-request-method': 'POST',
    }
    const preflight = await open.handle(toRequest('', { method: 'OPTIONS', path: '/mcp', headers }))
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-headers': expect.stringContaining('mcp-session-id'),
        'access-control-allow-methods': expect.stringContaining('DELETE'),
      },
    })
  })

  it('refuses a mount at the path of a surface', () => {
    const handler = () => ({ status: 200, headers: {}, body: '' })
    const mounts = [{ path: '/forrst', match: 'exact' as const, handler }]
    expect(() => createApp(serviceOf([echo]), { mounts, surfaces: allSurfaces() })).toThrow(
      '/forrst is served already; mount it at another path',
    )
  })

  it('serves the surfaces it is given, and the probes', async () => {
    const bare = createApp(serviceOf([echo]), { surfaces: [forrst({ path: '/rpc' }), rest()] })
    const absent = [
      '/',
      '/explorer/',
      '/mcp',
      '/forrst',
      '/.well-known/ucp',
      '/.well-known/api-catalog',
    ]
    for (const path of [
      ...absent,
      '/openapi.json',
      '/openrpc.json',
      '/discovery.json',
      '/llms.txt',
    ]) {
      expect((await bare.handle(get(path))).status, path).toBe(404)
    }
    for (const path of ['/health/live', '/health/ready']) {
      expect((await bare.handle(get(path))).status, path).toBe(200)
    }
    expect((await bare.handle(get('/rpc'))).status).toBe(405)
  })

  it.each([
    [
      undefined,
      'createApp needs the surfaces to serve: createApp(service, { surfaces: [forrst(), rest()] })',
    ],
    [{ bind: '127.0.0.1' }, 'createApp needs the surfaces to serve'],
    [
      { mcp: false },
      'createApp: mcp is an option of its surface; write surfaces: [mcp({ … }), or leave mcp() out',
    ],
    [
      { surfaces: [], forrstPath: '/rpc' },
      "forrstPath is an option of its surface; write surfaces: [forrst({ path: '/…' })",
    ],
    [
      { surfaces: [forrst(), rest] },
      'createApp: surfaces[1] is not a surface; call it: surfaces: [forrst()]',
    ],
    [{ surfaces: ['forrst'] }, 'createApp: surfaces[0] is not a surface'],
  ])('says how surfaces are written when it gets %j', (options, message) => {
    expect(() => createApp(serviceOf([echo]), options as never)).toThrow(message)
  })
})

describe('serve', () => {
  it('says where the options of a surface are written now', async () => {
    const options = { port: 0, explorer: { allowExecute: true } }
    await expect(serve(serviceOf([echo]), options as never)).rejects.toThrow(
      'serve: explorer is an option of its surface; write surfaces: [explorer({ … })',
    )
  })

  const execute = async (host: string, authenticate?: () => { id: string }) => {
    const log = createTestLogger()
    const server = await serve(serviceOf([echo], { log, ...(authenticate && { authenticate }) }), {
      port: 0,
      host,
      allowedHosts: '*',
      surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    })
    const response = await fetch(
      `http://127.0.0.1:${server.port}/explorer/tools/orders.echo/call`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      },
    )
    await server.close()
    return { status: response.status, warnings: log.lines.map(({ message }) => message) }
  }

  it('runs functions from the page when asked to, on loopback', async () => {
    expect((await execute('127.0.0.1')).status).toBe(200)
  })

  it('refuses to run them for the whole network unless it knows who calls', async () => {
    const { status, warnings } = await execute('0.0.0.0')
    expect(status).toBe(403)
    expect(warnings[0]).toContain('the explorer does not execute functions')
    expect((await execute('0.0.0.0', () => ({ id: 'ada' }))).status).toBe(200)
  })

  it('says nothing about the length of an answer that has no body', async () => {
    const origin = 'https://page.example'
    const server = await serve(serviceOf([echo]), { port: 0, allowedOrigins: [origin] })
    onTestFinished(() => server.close())
    const preflight = await fetch(`${server.url}/mcp`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.has('content-length')).toBe(false)
    const live = await fetch(`${server.url}/health/live`)
    expect(Number(live.headers.get('content-length'))).toBeGreaterThan(0)
  })

  it('listens no more when its triggers cannot start', async () => {
    const port = await closedPort()
    const service = serviceOf([echo])
    const triggers = createTriggers({
      service,
      env: {},
      triggers: [
        {
          type: 'webhook',
          name: 'hook',
          description: 'Something happened.',
          path: '/hook',
          secret_env: 'HOOK_SECRET',
          tool: 'orders.echo',
        },
      ],
    })
    await expect(serve(service, { port, triggers })).rejects.toThrow('HOOK_SECRET')
    await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow()
  })

  it('does not wait for a connection on which nobody said anything', async () => {
    const server = await serve(serviceOf([echo]), { port: 0, graceMs: 60_000 })
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    const ended = once(socket, 'close')
    await server.close()
    await ended
  })

  it('cuts off a call that does not end within the grace', async () => {
    let begin: () => void
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const endless = defineFunction({
      name: 'orders.endless',
      version: '1.0.0',
      handler: () => new Promise<never>(() => begin()),
    })
    const server = await serve(serviceOf([endless]), { port: 0, graceMs: 50 })
    const answer = fetch(`${server.url}/api/orders.endless`, { method: 'POST' })
    const cut = expect(answer).rejects.toThrow()
    await begun
    await server.close()
    await cut
  })

  it('lets a running call finish before it closes, and waits for nothing else', async () => {
    let release: ((value: string) => void) | undefined
    const slow = defineFunction({
      name: 'orders.slow',
      version: '1.0.0',
      handler: () =>
        new Promise<string>((resolve) => {
          release = resolve
        }),
    })
    const server = await serve(serviceOf([slow]), { port: 0, graceMs: 60_000 })
    const answer = fetch(`${server.url}/api/orders.slow`, { method: 'POST' })
    while (release === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    const closing = server.close()
    release('done')
    expect(await (await answer).json()).toBe('done')
    await closing
    await expect(fetch(`${server.url}/health/live`)).rejects.toThrow()
  })
})
