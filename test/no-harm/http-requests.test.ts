import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import type { HttpRequest } from '../../src/wire/http.ts'
import { HOSTS, type RunningHost } from '../support/hosts.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { serviceOf } from '../support/service.ts'

const echo = defineFunction({ name: 'tests.echo', version: '1.0.0', handler: () => 'ok' })
const createTestApp = () =>
  createApp(serviceOf([echo], { authenticate: () => ({ id: 'tester' }) }), {
    allowedHosts: '*',
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  })

/** One request per surface that reads a body. */
const SURFACES: Readonly<Record<string, { readonly path: string; readonly document: unknown }>> = {
  Forrst: {
    path: '/forrst',
    document: {
      protocol: { name: 'forrst', version: '0.1.0' },
      id: 'one',
      call: { function: 'tests.echo', arguments: {} },
    },
  },
  REST: { path: '/api/tests.echo', document: {} },
  MCP: { path: '/mcp', document: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  'tool API': { path: '/explorer/tools/tests.echo/call', document: {} },
  validation: { path: '/explorer/tools/tests.echo/validate', document: {} },
}

const JSON_TYPE = 'Content-Type: application/json'

function post(path: string, headers: readonly string[], body: string | Buffer): Buffer {
  return rawRequest(`POST ${path} HTTP/1.1`, [...headers, 'Connection: close'], body)
}

describe.each(Object.keys(HOSTS))('on %s', (name) => {
  let host: RunningHost
  let port: number
  let prefix: string

  beforeAll(async () => {
    host = (await HOSTS[name]?.(createTestApp())) as RunningHost
    const url = new URL(host.url)
    port = Number(url.port)
    prefix = url.pathname === '/' ? '' : url.pathname
  })
  afterAll(() => host.close())

  const decodes = name === 'Express behind express.json()'

  describe('as reported', () => {
    it.each(Object.entries(SURFACES))('answers 415 to gzip: %s', async (_name, surface) => {
      const body = gzipSync(JSON.stringify(surface.document))
      const headers = ['Host: localhost', JSON_TYPE, 'Content-Encoding: gzip']
      const answer = await sendRaw(port, post(`${prefix}${surface.path}`, headers, body))
      // A parser of the host that has unpacked the body leaves nothing to refuse.
      expect(answer.status, answer.text).toBe(decodes ? 200 : 415)
      if (!decodes) expect(answer.text.toLowerCase()).toContain('accept-encoding: identity')
    })

    it.each(Object.entries(SURFACES))('answers 400 to two Hosts: %s', async (_name, surface) => {
      const headers = ['Host: localhost', 'Host: other.example', JSON_TYPE]
      const body = JSON.stringify(surface.document)
      const answer = await sendRaw(port, post(`${prefix}${surface.path}`, headers, body))
      expect(answer.status, answer.text).toBe(400)
    })
  })

  describe('beside it', () => {
    it.each(Object.entries(SURFACES))('refuses "identity" as well: %s', async (_name, surface) => {
      for (const coding of ['identity', 'Identity', '']) {
        const headers = ['Host: localhost', JSON_TYPE, `Content-Encoding: ${coding}`]
        const body = JSON.stringify(surface.document)
        const answer = await sendRaw(port, post(`${prefix}${surface.path}`, headers, body))
        expect(answer.status, `${coding} ${answer.text}`).toBe(decodes ? 200 : 415)
      }
    })

    it.each(['deflate', 'br', 'x-unknown', 'gzip, identity'])(
      'refuses Content-Encoding "%s"',
      async (coding) => {
        const headers = ['Host: localhost', JSON_TYPE, `Content-Encoding: ${coding}`]
        const answer = await sendRaw(port, post(`${prefix}/forrst`, headers, '{}'))
        // express.json() refuses what it cannot unpack, with 415 or 400.
        expect([400, 415]).toContain(answer.status)
        if (!decodes) expect(answer.status).toBe(415)
      },
    )

    it.each([
      ['Host with a user', ['Host: a@localhost']],
      ['Host with a comma', ['Host: localhost, other.example']],
      ['Host with a blank', ['Host: local host']],
      ['Host with a path', ['Host: localhost/x']],
      ['no Host', []],
    ])('answers 400 to %s', async (_name, headers) => {
      const answer = await sendRaw(
        port,
        post(`${prefix}/api/tests.echo`, [...headers, JSON_TYPE], '{}'),
      )
      expect(answer.status, answer.text).toBe(400)
    })
  })
})

describe('beside it, where the bytes are node:http', () => {
  let host: RunningHost
  let port: number
  beforeAll(async () => {
    host = (await HOSTS['node:http']?.(createTestApp())) as RunningHost
    port = Number(new URL(host.url).port)
  })
  afterAll(() => host.close())

  it.each([
    ['two Content-Types', ['Content-Type: text/plain', JSON_TYPE], 400],
    ['two Authorizations', [JSON_TYPE, 'Authorization: a', 'Authorization: b'], 400],
    ['two Origins', [JSON_TYPE, 'Origin: http://localhost', 'Origin: http://evil.example'], 400],
    ['two session ids', [JSON_TYPE, 'Mcp-Session-Id: a', 'mcp-session-id: b'], 400],
    ['two Content-Lengths', [JSON_TYPE, 'Content-Length: 1'], 400],
    ['length and chunks', [JSON_TYPE, 'Transfer-Encoding: chunked'], 400],
  ])('answers to %s', async (_name, headers, status) => {
    const answer = await sendRaw(
      port,
      post('/api/tests.echo', ['Host: localhost', ...headers], '{}'),
    )
    expect(answer.status, answer.text).toBe(status)
  })

  it('refuses a transfer coding besides chunked', async () => {
    const bytes = `POST /api/tests.echo HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`
    expect((await sendRaw(port, bytes)).status).toBe(501)
  })

  it.each([
    ['POST http://localhost/api/tests.echo HTTP/1.1', 200],
    ['POST http://other.example/api/tests.echo HTTP/1.1', 400],
  ])('reads an absolute address: %s', async (line, status) => {
    const bytes = rawRequest(line, ['Host: localhost', JSON_TYPE, 'Connection: close'], '{}')
    expect((await sendRaw(port, bytes)).status).toBe(status)
  })

  it('takes a body of many small chunks as one of few', async () => {
    const head = `POST /api/tests.echo HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const blanks = '1\r\n \r\n'.repeat(20_000)
    const answer = await sendRaw(port, `${head}1\r\n{\r\n${blanks}1\r\n}\r\n0\r\n\r\n`)
    expect(answer.status, answer.text).toBe(200)
  })

  it('answers a handler that throws with 500 and goes on', async () => {
    const app = createApp(serviceOf([echo], { authenticate: () => ({ id: 'tester' }) }), {
      mounts: [
        {
          path: '/throws',
          match: 'exact',
          handler: (request: HttpRequest) => {
            throw new Error(request.path)
          },
        },
      ],
      surfaces: allSurfaces(),
    })
    const throwing = (await HOSTS['node:http']?.(app)) as RunningHost
    expect((await fetch(`${throwing.url}/throws`)).status).toBe(500)
    expect((await fetch(`${throwing.url}/health/live`)).status).toBe(200)
    await throwing.close()
  })
})
