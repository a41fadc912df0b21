import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve as serveHono } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import type { App } from '../../src/http/app.ts'
import { toExpressHandler } from '../../src/http/express.ts'
import { toFastifyPlugin } from '../../src/http/fastify.ts'
import { toFetchHandler } from '../../src/http/fetch.ts'
import { toHonoHandler } from '../../src/http/hono.ts'
import { toNodeListener } from '../../src/http/node.ts'

/** An app on some host, reachable under a URL. */
export interface RunningHost {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Every host an app can run on; each test of the suite runs on all of them. */
export const HOSTS: Readonly<Record<string, (app: App) => Promise<RunningHost>>> = {
  'node:http': (app) => listen(createServer(toNodeListener(app))),
  'a web-standard fetch handler': (app) => listenFetch(toFetchHandler(app)),
  Express: (app) => listen(createServer(express().use(toExpressHandler(app)))),
  'Express behind express.json()': (app) =>
    listen(
      createServer(
        express()
          .use(express.json({ strict: false, limit: '10mb' }))
          .use('/rpc', toExpressHandler(app)),
      ),
      '/rpc',
    ),
  async Fastify(app) {
    const instance = fastify()
    await instance.register(toFastifyPlugin(app) as never, { prefix: '/rpc' })
    const url = await instance.listen({ port: 0, host: '127.0.0.1' })
    return { url: `${url}/rpc`, close: () => instance.close() as unknown as Promise<void> }
  },
  async Hono(app) {
    const hono = new Hono().all('/rpc/*', toHonoHandler(app, { prefix: '/rpc' }))
    const host = await listenFetch(async (request) => hono.fetch(request))
    return { ...host, url: `${host.url}/rpc` }
  },
}

async function listen(server: Server, prefix = ''): Promise<RunningHost> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listenFetch(fetch: (request: Request) => Promise<Response>): Promise<RunningHost> {
  return new Promise((resolve) => {
    const server = serveHono({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () => new Promise((done) => server.close(() => done())),
      }),
    )
  })
}
