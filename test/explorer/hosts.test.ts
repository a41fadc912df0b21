import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  toExpressHandler,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toNodeListener,
} from 'waymark'
import { createToolApi, type ToolApi } from '../../src/entries/tools.ts'

type Send = (path: string, init?: RequestInit) => Promise<Response>

interface Host {
  readonly send: Send
  readonly close: () => unknown
}

function api(prefix?: string): ToolApi {
  return createToolApi({
    tools: [{ name: 'echo', description: 'Says it again.', inputSchema: { required: ['text'] } }],
    call: (name, args) => [[{ type: 'text', text: `${name} ${JSON.stringify(args)}` }], false],
    allowExecute: true,
    maxBodyBytes: 1000,
    ...(prefix !== undefined && { prefix }),
  })
}

async function listen(server: Server): Promise<Host> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    send: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const HOSTS: Readonly<Record<string, () => Promise<Host>>> = {
  'node:http': () => listen(createServer(toNodeListener(api()))),
  express: () => listen(createServer(express().use(toExpressHandler(api())))),
  'express behind express.json()': () =>
    listen(createServer(express().use(express.json()).use(toExpressHandler(api())))),
  'express at a mount path': () =>
    listen(createServer(express().use('/explorer', toExpressHandler(api(''))))),
  fastify: async () => {
    const app = fastify()
    await app.register(toFastifyPlugin(api('')) as never, { prefix: '/explorer' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    return {
      send: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
      close: () => app.close(),
    }
  },
  hono: async () => {
    const app = new Hono().all('/explorer/*', toHonoHandler(api()))
    return {
      send: async (path, init) => app.request(`http://localhost${path}`, init),
      close: () => {},
    }
  },
  'fetch, as Bun, Deno and workers call it': async () => {
    const handle = toFetchHandler(api())
    return {
      send: (path, init) => handle(new Request(`http://localhost${path}`, init)),
      close: () => {},
    }
  },
}

describe.each(Object.entries(HOSTS))('the tool API on %s', (_name, start) => {
  let host: Host
  beforeAll(async () => {
    host = await start()
  })
  afterAll(() => host.close())
  const post = (path: string, body: string) =>
    host.send(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

  it('serves page, list and detail', async () => {
    const page = await host.send('/explorer/')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain('sha256-')
    expect(await page.text()).toContain('<!doctype html>')
    expect(await (await host.send('/explorer/tools')).json()).toHaveLength(1)
    expect(await (await host.send('/explorer/tools/echo')).json()).toHaveProperty('inputSchema')
    expect((await host.send('/explorer/tools/nope')).status).toBe(404)
  })

  it('validates and calls', async () => {
    const verdict = await post('/explorer/tools/echo/validate', '{}')
    expect(await verdict.json()).toMatchObject({ valid: false, errors: [{ path: '/text' }] })
    const called = await post('/explorer/tools/echo/call', '{"text":"hi"}')
    expect(await called.json()).toMatchObject({ content: [{ text: 'echo {"text":"hi"}' }] })
  })

  it('answers HEAD with the headers alone', async () => {
    const head = await host.send('/explorer/tools', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('etag')).toMatch(/^"/)
    expect(await head.text()).toBe('')
  })

  it('answers 304 to whoever has the list', async () => {
    const etag = (await host.send('/explorer/tools')).headers.get('etag') ?? ''
    const again = await host.send('/explorer/tools', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    // RFC 9110, 8.6: the length of the list, or none; never that of the missing body.
    expect(again.headers.get('content-length')).toBeNull()
  })

  it('refuses bodies over the limit', async () => {
    const reply = await post(
      '/explorer/tools/echo/call',
      JSON.stringify({ text: 'x'.repeat(2000) }),
    )
    expect(reply.status).toBe(413)
  })

  it('refuses a page of another site', async () => {
    const reply = await host.send('/explorer/tools/echo/call', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
    })
    expect(reply.status).toBe(403)
  })
})
