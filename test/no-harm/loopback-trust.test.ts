import { createServer, request as sendRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve as serveHono } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { createClient, createLocalTransport } from '../../src/entries/client.ts'
import { createServiceToolApi } from '../../src/entries/tools.ts'
import { createTriggers, type Triggers } from '../../src/entries/triggers.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type App, type AppOptions, createApp } from '../../src/http/app.ts'
import { toExpressHandler } from '../../src/http/express.ts'
import { toFastifyPlugin } from '../../src/http/fastify.ts'
import { toFetchHandler } from '../../src/http/fetch.ts'
import { toHonoHandler } from '../../src/http/hono.ts'
import { toNodeListener } from '../../src/http/node.ts'
import { type ServeOptions, serve } from '../../src/http/serve.ts'
import type { ServiceOptions } from '../../src/system/create-service.ts'
import { toRequest } from '../support/forrst.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'

type Headers = Readonly<Record<string, string>>

const ship = defineFunction({
  name: 'orders.ship',
  version: '1.0.0',
  handler: () => 'shipped',
})

function openShop(options: Partial<ServiceOptions<[]>> = {}): {
  readonly service: Service
  readonly triggers: Triggers
} {
  const service = serviceOf([ship], options)
  const triggers = createTriggers({
    service,
    log: createTestLogger(),
    triggers: [
      {
        type: 'webhook',
        name: 'paid',
        description: 'Ships what is paid',
        tool: 'orders.ship',
        path: '/hook',
        wait: true,
      },
    ],
  })
  return { service, triggers }
}

/** Where a request goes, besides what it says. */
interface Door {
  readonly port?: number
  readonly host?: string
  readonly socketPath?: string
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends with any Host header, which fetch does not allow. */
function post(door: Door, path: string, headers: Headers, body = '{}'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      {
        ...door,
        path,
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => {
          text += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const LIST = JSON.stringify({
  protocol: { name: 'forrst', version: '0.1.0' },
  id: 'r1',
  call: { function: 'urn:waymark:forrst:ext:triggers:fn:deliveries' },
})

/** Every rule that trusts this machine, asked over the network. */
const RULES: Readonly<Record<string, (door: Door, headers?: Headers) => Promise<Answer>>> = {
  'an unsigned webhook': (door, headers = {}) => post(door, '/hook', headers),
  'execution from the explorer': (door, headers = {}) =>
    post(door, '/explorer/tools/orders.ship/call', headers),
  'the list of deliveries': (door, headers = {}) => post(door, '/forrst', headers, LIST),
}

const each = Object.entries(RULES)

async function open(options: ServeOptions = {}): Promise<Door> {
  const { service, triggers } = openShop()
  const server = await serve(service, {
    port: 0,
    allowedHosts: '*',
    ...options,
    triggers,
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  })
  onTestFinished(() => server.close())
  return { port: server.port, host: '127.0.0.1' }
}

describe('as reported: a reverse proxy on the same machine', () => {
  it.each(each)('%s is open to this machine', async (_, ask) => {
    expect((await ask(await open())).status).toBe(200)
  })

  it.each(each)('%s is closed to a Host that is not loopback', async (_, ask) => {
    const answer = await ask(await open(), { host: 'api.example.com' })
    expect(answer).toMatchObject({
      status: 403,
      body: expect.stringMatching(/Host \W*api\.example\.com\W*, which is not a loopback name/),
    })
  })

  it.each(each)('%s is closed to a request with a forwarded header', async (_, ask) => {
    const door = await open()
    for (const [name, value] of [
      ['x-forwarded-for', '203.0.113.9'],
      ['forwarded', 'for=203.0.113.9'],
      ['x-real-ip', '203.0.113.9'],
      ['via', '1.1 proxy'],
    ] as const) {
      expect(await ask(door, { [name]: value })).toMatchObject({
        status: 403,
        body: expect.stringContaining(`it has the header ${name}`),
      })
    }
  })

  it.each(each)('%s is closed where the service is public', async (_, ask) => {
    const door = await open({ publicUrl: 'https://api.example.com' })
    const answer = await ask(door)
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('public at https://api.example.com (publicUrl)')
  })

  it.each(each)('%s is closed on an address that is not loopback', async (_, ask) => {
    const answer = await ask(await open({ host: '0.0.0.0' }))
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('listens on 0.0.0.0')
  })

  it.each([
    [{ host: '0.0.0.0' }, 'the server listens on 0.0.0.0, which is not a loopback address'],
    [
      { publicUrl: 'https://api.example.com' },
      'the service is public at https://api.example.com (publicUrl)',
    ],
  ])('says at start why execution is off: %j', async (options, reason) => {
    const log = createTestLogger()
    const { service } = openShop({ log })
    const server = await serve(service, {
      port: 0,
      ...options,
      surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    })
    onTestFinished(() => server.close())
    expect(log.lines.map(({ message }) => message)).toContain(
      `the explorer does not execute functions: ${reason}, and the service has no authenticate hook`,
    )
  })
})

/** The same app in servers of other people, once as they are by default and once told all there is to know. */
const FOREIGN: Readonly<
  Record<string, (app: App) => Promise<{ readonly port: number; readonly prefix?: string }>>
> = {
  'node:http': (app) => listen(createServer(toNodeListener(app))),
  Express: (app) => listen(createServer(express().use(toExpressHandler(app)))),
  async Fastify(app) {
    const instance = fastify()
    await instance.register(toFastifyPlugin(app) as never)
    await instance.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => instance.close() as unknown as Promise<void>)
    return { port: (instance.server.address() as AddressInfo).port }
  },
}

/** Hosts of web-standard requests, which do not say who calls. */
type Told = 'told the peer' | 'not told the peer'
const FETCHES: Readonly<Record<string, (app: App, told: Told) => Promise<number>>> = {
  fetch: (app, told) =>
    listenFetch(
      toFetchHandler<[NodeBindings]>(
        app,
        told === 'told the peer' ? { peerOf: (_, env) => env.incoming.socket.remoteAddress } : {},
      ),
    ),
  Hono: (app, told) => {
    const hono = new Hono<{ Bindings: NodeBindings }>()
    hono.all(
      '/*',
      toHonoHandler(
        app,
        told === 'told the peer'
          ? {
              peerOf: (context: { req: { raw: Request }; env: NodeBindings }) =>
                context.env.incoming.socket.remoteAddress,
            }
          : {},
      ),
    )
    return listenFetch((request, env) => hono.fetch(request, env) as Promise<Response>)
  },
}

interface NodeBindings {
  readonly incoming: { readonly socket: { readonly remoteAddress?: string } }
}

function listenFetch(
  fetch: (request: Request, env: NodeBindings) => Promise<Response>,
): Promise<number> {
  return new Promise((resolve) => {
    const server = serveHono(
      { fetch: fetch as never, port: 0, hostname: '127.0.0.1' },
      ({ port }) => resolve(port),
    )
    onTestFinished(() => new Promise<void>((done) => void server.close(() => done())))
  })
}

async function listen(server: ReturnType<typeof createServer>): Promise<{ readonly port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0 }
}

async function mount(options: Partial<AppOptions> = {}): Promise<App> {
  const { service, triggers } = openShop()
  await triggers.start()
  onTestFinished(() => triggers.stop(100))
  return createApp(service, {
    mounts: triggers.mounts,
    ...options,
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  })
}

const UNKNOWN_BIND = 'it is not known which address the server listens on (createApp: bind)'

describe('beside it: servers of other people', () => {
  it.each(Object.entries(FOREIGN))(
    '%s: nothing is trusted unless bind is given',
    async (_, run) => {
      const { port } = await run(await mount())
      for (const ask of Object.values(RULES)) {
        const answer = await ask({ port, host: '127.0.0.1' })
        expect(answer).toMatchObject({ status: 403, body: expect.stringContaining(UNKNOWN_BIND) })
      }
    },
  )

  it.each(Object.entries(FOREIGN))('%s: bind opens it to this machine alone', async (_, run) => {
    const { port } = await run(await mount({ bind: '127.0.0.1', allowedHosts: '*' }))
    const door = { port, host: '127.0.0.1' }
    for (const ask of Object.values(RULES)) {
      expect((await ask(door)).status).toBe(200)
      expect((await ask(door, { host: 'api.example.com' })).status).toBe(403)
      expect((await ask(door, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(403)
    }
  })

  it.each(Object.entries(FETCHES))('%s: bind is not enough without the peer', async (_, run) => {
    const app = await mount({ bind: '127.0.0.1' })
    const told = { port: await run(app, 'told the peer'), host: '127.0.0.1' }
    const untold = { port: await run(app, 'not told the peer'), host: '127.0.0.1' }
    for (const ask of Object.values(RULES)) {
      expect((await ask(told)).status).toBe(200)
      expect(await ask(untold)).toMatchObject({
        status: 403,
        body: expect.stringContaining('the address of the caller is not known'),
      })
    }
  })

  it('a Unix socket does not say who is at its other end', async () => {
    const socketPath = join(tmpdir(), `waymark-${process.pid}-${Date.now()}.sock`)
    const server = createServer(toNodeListener(await mount({ bind: '127.0.0.1' })))
    await new Promise<void>((resolve) => server.listen(socketPath, resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
    for (const ask of Object.values(RULES)) {
      expect(await ask({ socketPath }, { host: 'localhost' })).toMatchObject({
        status: 403,
        body: expect.stringContaining('the address of the caller is not known'),
      })
    }
  })

  it('a service tool API that is mounted alone trusts nobody unless bind is given', async () => {
    const ask = async (bind?: string) => {
      const api = createServiceToolApi(serviceOf([ship]), {
        allowExecute: true,
        ...(bind !== undefined && { bind }),
      })
      const { port } = await listen(createServer(toNodeListener(api)))
      return RULES['execution from the explorer']?.({ port, host: '127.0.0.1' })
    }
    expect(await ask()).toMatchObject({ status: 403, body: expect.stringContaining('bind') })
    expect(await ask('127.0.0.1')).toMatchObject({ status: 200 })
  })

  it('a webhook source without an app trusts nobody', async () => {
    const { triggers } = openShop()
    await triggers.start()
    onTestFinished(() => triggers.stop(100))
    const [hook] = triggers.mounts
    const answer = await hook?.handler(toRequest('{}', { headers: { host: 'localhost' } }))
    expect(answer).toMatchObject({
      status: 403,
      body: expect.stringContaining('not mounted in an app'),
    })
  })
})

describe('beside it: who is known needs no address', () => {
  it('execution and deliveries are open through a proxy to callers who authenticate', async () => {
    const { service, triggers } = openShop({ authenticate: () => ({ id: 'ada' }) })
    const server = await serve(service, {
      port: 0,
      publicUrl: 'https://api.example.com',
      triggers,
      surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    })
    onTestFinished(() => server.close())
    const door = { port: server.port, host: '127.0.0.1' }
    const headers = { host: 'api.example.com', 'x-forwarded-for': '203.0.113.9' }
    for (const name of ['execution from the explorer', 'the list of deliveries']) {
      expect((await RULES[name]?.(door, headers))?.status).toBe(200)
    }
  })
})

describe('beside it: requests of this process', () => {
  const deliveries = 'urn:waymark:forrst:ext:triggers:fn:deliveries'

  it.each([
    [{}, 'ok'],
    [{ host: 'api.example.com' }, 'FORBIDDEN'],
    [{ 'x-forwarded-for': '203.0.113.9' }, 'FORBIDDEN'],
  ])(
    'are trusted wherever the app stands, unless they pass something on: %j',
    async (headers, expected) => {
      const app = await mount({ publicUrl: 'https://api.example.com' })
      const transport = createLocalTransport(app.handle, { headers: headers as Headers })
      const outcome = await createClient({ transport }).call(deliveries)
      expect(outcome.ok ? 'ok' : outcome.error.code).toBe(expected)
    },
  )
})

describe('beside it: HTTP/1.0', () => {
  it('does not trust a request that names no Host', async () => {
    const { port } = await open()
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port ?? 0, '127.0.0.1', () =>
        socket.end('POST /hook HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}'),
      )
      let all = ''
      socket.on('data', (chunk) => {
        all += String(chunk)
      })
      socket.on('end', () => resolve(all)).on('error', reject)
    })
    expect(text).toContain('403')
    expect(text).toContain('the request has no Host header')
  })
})
