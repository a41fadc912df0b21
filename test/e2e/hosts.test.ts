import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFunction } from '../../src/core/function.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { HOSTS, type RunningHost } from '../support/hosts.ts'
import { serviceOf } from '../support/service.ts'

/** Reads a body whose shape the test knows. */
const bodyOf = async (response: Response): Promise<Record<string, never>> =>
  (await response.json()) as Record<string, never>

let began: (() => void) | undefined
let aborted: (() => void) | undefined
const functions = [
  defineFunction({
    name: 'orders.create',
    version: '2.0.0',
    input: z.object({ customer_id: z.string() }),
    handler: async ({ input }) => ({ id: 'ord_1', customer: input.customer_id }),
  }),
  defineFunction({
    name: 'orders.wait',
    version: '1.0.0',
    handler: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted?.()
          resolve(null)
        })
        began?.()
      }),
  }),
]
const envelope = (name: string, input: object = {}) =>
  JSON.stringify({
    protocol: { name: 'forrst', version: '0.1.0' },
    id: 'req_1',
    call: { function: name, arguments: input },
  })

describe.each(Object.entries(HOSTS))('on %s', (name, start) => {
  let host: RunningHost
  const json = { 'content-type': 'application/json' }
  const post = (body: string, headers: Record<string, string> = json) =>
    fetch(`${host.url}/forrst`, { method: 'POST', headers, body })

  beforeAll(async () => {
    const service = serviceOf(functions, {
      limits: { maxRequestBytes: 5000 },
      health: { database: { check: () => ({ status: 'degraded' }) } },
    })
    host = await start(
      createApp(service, { allowedOrigins: ['https://app.example.com'], surfaces: allSurfaces() }),
    )
  })
  afterAll(() => host.close())

  it('[F-51][F-54][F-55] answers a call as JSON with id and duration in headers', async () => {
    const response = await post(envelope('orders.create', { customer_id: 'ü' }))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-forrst-request-id')).toBe('req_1')
    expect(response.headers.get('x-forrst-duration-ms')).toMatch(/^\d+$/)
    expect(await response.json()).toMatchObject({ id: 'req_1', result: { customer: 'ü' } })
  })

  it('answers failures with the status of their code', async () => {
    expect((await post(envelope('no.such'))).status).toBe(404)
    const response = await post(envelope('orders.create'))
    expect([
      response.status,
      ((await bodyOf(response))['errors'] as { code: string }[] | undefined)?.[0]?.code,
    ]).toEqual([400, 'INVALID_ARGUMENTS'])
  })

  it('[F-50] refuses other methods than POST with 405 and Allow', async () => {
    const response = await fetch(`${host.url}/forrst`)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('[F-52] refuses other content types with 415, an envelope and id null', async () => {
    const response = await post(envelope('orders.create'), { 'content-type': 'text/plain' })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({
      id: null,
      result: null,
      errors: [{ code: 'INVALID_REQUEST' }],
    })
  })

  it('accepts a content type with parameters', async () => {
    const response = await post(envelope('orders.create', { customer_id: 'c' }), {
      'content-type': 'Application/JSON; charset=utf-8',
    })
    expect(response.status).toBe(200)
  })

  it('[F-53] refuses a body over the limit with 413 and an envelope', async () => {
    const response = await post(envelope('orders.create', { customer_id: 'x'.repeat(6000) }))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({
      id: null,
      errors: [{ code: 'INVALID_REQUEST', details: { max_request_bytes: 5000 } }],
    })
    expect((await post(envelope('orders.create', { customer_id: 'c' }))).status).toBe(200)
  })

  it('[F-56] lets the body win over a header', async () => {
    const response = await post(envelope('orders.create', { customer_id: 'c' }), {
      ...json,
      'x-forrst-request-id': 'other',
    })
    expect((await bodyOf(response))['id']).toBe('req_1')
  })

  it('does not put an id into a header that could inject one', async () => {
    const body = envelope('orders.create', { customer_id: 'c' }).replace(
      'req_1',
      'a\\r\\nSet-Cookie: x',
    )
    const response = await post(body)
    expect(response.headers.get('x-forrst-request-id')).toBeNull()
    expect(response.headers.get('set-cookie')).toBeNull()
    expect((await bodyOf(response))['id']).toBe('a\r\nSet-Cookie: x')
  })

  it('answers the probes from the health checks', async () => {
    const ready = await fetch(`${host.url}/health/ready`)
    expect([ready.status, (await bodyOf(ready))['status']]).toEqual([200, 'degraded'])
    const live = await fetch(`${host.url}/health/live`)
    expect([live.status, (await bodyOf(live))['components']]).toMatchObject([
      200,
      { self: { status: 'healthy' } },
    ])
    expect((await fetch(`${host.url}/health/live`, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${host.url}/health/live`, { method: 'POST' })).status).toBe(405)
  })

  it('knows nothing of other paths', async () => {
    expect((await fetch(`${host.url}/nope`)).status).toBe(404)
  })

  it('refuses pages of other sites, and hosts that are not its own', async () => {
    const from = async (headers: Record<string, string>) =>
      rawStatus(
        `${host.url}/forrst`,
        { ...json, ...headers },
        envelope('orders.create', { customer_id: 'c' }),
      )
    const own = new URL(host.url).origin
    expect(await from({ origin: own })).toBe(200)
    expect(await from({ origin: 'https://app.example.com' })).toBe(200)
    expect(await from({ origin: 'https://evil.example' })).toBe(403)
    expect(await from({ origin: 'null' })).toBe(403)
    expect(await from({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await from({ host: 'evil.example' })).toBe(403)
    expect(await from({ host: `localhost:${new URL(host.url).port}` })).toBe(200)
  })

  it('lets pages of an allowed origin read answers, after a preflight request', async () => {
    const origin = 'https://app.example.com'
    const preflight = await fetch(`${host.url}/forrst`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      origin,
    ])
    const answer = await post(envelope('orders.create', { customer_id: 'c' }), { ...json, origin })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    const other = await fetch(`${host.url}/forrst`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })

  it('aborts the handler when the caller leaves', async () => {
    const gone = new Promise<void>((resolve) => {
      aborted = resolve
    })
    const { port, pathname } = new URL(`${host.url}/forrst`)
    const body = envelope('orders.wait')
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    })
    began = () => socket.destroy()
    await gone
  })

  it('survives a caller who leaves in the middle of the body', async () => {
    const { port, pathname } = new URL(`${host.url}/forrst`)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST ${pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"a`,
        )
        setTimeout(() => {
          socket.destroy()
          resolve()
        }, 50)
      })
    })
    expect((await post(envelope('orders.create', { customer_id: 'c' }))).status).toBe(200)
  })

  // Behind express.json() the parser of the framework answers a broken body before we see it.
  if (!name.includes('express.json')) {
    it('[F-2] answers PARSE_ERROR for a broken body', async () => {
      const response = await post('{"a":')
      expect((await bodyOf(response))['errors']?.[0]).toMatchObject({
        code: 'PARSE_ERROR',
        source: { position: 5 },
      })
    })
  }
})

/** Sends headers that fetch would not let us set. */
function rawStatus(url: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end(body)
  })
}
