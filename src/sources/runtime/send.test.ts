import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callSpec, failureOf, oneTool } from '../../../test/codegen/call-spec.ts'
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../test/codegen/recording-server.ts'
import { CallError } from '../../errors/error.ts'
import type { HttpMethod } from '../tool-spec/types.ts'

let api: RecordingServer
let other: RecordingServer

beforeAll(async () => {
  api = await startRecordingServer()
  other = await startRecordingServer()
})
beforeEach(() => {
  api.answer({ body: { ok: true } })
  other.answer({ body: { from: 'other' } })
})
afterAll(() => Promise.all([api.close(), other.close()]))

describe('sending again', () => {
  it.each(['GET', 'PUT', 'DELETE'] as HttpMethod[])(
    'repeats %s twice after 503, then answers',
    async (method) => {
      api.answer((_request, index) => ({ status: index < 2 ? 503 : 200, body: { index } }))
      expect(await callSpec(oneTool(api.url, { method }))).toEqual({ index: 2 })
    },
  )

  it.each(['POST', 'PATCH'] as HttpMethod[])('never repeats %s', async (method) => {
    api.answer({ status: 503, body: {} })
    await expect(callSpec(oneTool(api.url, { method }))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    expect(api.requests).toHaveLength(1)
  })

  it('gives up after two repetitions', async () => {
    api.answer({ status: 502, body: {} })
    await expect(callSpec(oneTool(api.url, {}))).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
    expect(api.requests).toHaveLength(3)
  })

  it('repeats after a broken connection', async () => {
    api.answer((_request, index) => (index === 0 ? { broken: true } : { body: { index } }))
    expect(await callSpec(oneTool(api.url, {}))).toEqual({ index: 1 })
  })

  it('waits as long as Retry-After says', async () => {
    const waits: number[] = []
    api.answer((_request, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '3' } } : { body: { ok: true } },
    )
    await callSpec(oneTool(api.url, {}), {}, { sleep: async (ms) => void waits.push(ms) })
    expect(waits).toEqual([3000])
  })

  it('reads a Retry-After that is a date', async () => {
    const waits: number[] = []
    const now = (): number => Date.parse('2026-01-01T00:00:00Z')
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' }
    api.answer((_request, index) => (index === 0 ? { status: 503, headers } : { body: {} }))
    await callSpec(oneTool(api.url, {}), {}, { now, sleep: async (ms) => void waits.push(ms) })
    expect(waits).toEqual([4000])
  })

  it('does not wait longer than allowed but says how long it would be', async () => {
    api.answer({ status: 429, headers: { 'retry-after': '3600' }, body: {} })
    const error = await failureOf(callSpec(oneTool(api.url, {})))
    expect(error).toMatchObject({ code: 'RATE_LIMITED' })
    expect(error.errors[0].details).toMatchObject({
      upstream_status: 429,
      retry_after: { value: 3600, unit: 'second' },
    })
    expect(api.requests).toHaveLength(1)
  })
})

describe('redirects', () => {
  const auth = { type: 'bearer', env: 'T' } as const
  const env = { T: 'secret' }

  it('keeps the credential on the same origin', async () => {
    api.answer((request) =>
      request.path === '/things' ? { status: 302, headers: { location: '/there' } } : { body: {} },
    )
    await callSpec(oneTool(api.url, { auth }), {}, { env })
    expect(api.requests[1]).toMatchObject({
      path: '/there',
      headers: { authorization: 'Bearer secret' },
    })
  })

  it('[TS-173] loses credential, cookies and own headers on another origin', async () => {
    api.answer({ status: 307, headers: { location: `${other.url}/x` } })
    const params = [{ name: 'X-Mine', in: 'header', type: 'string', description: 'x' }] as const
    await callSpec(oneTool(api.url, { auth, params }), { 'X-Mine': '1' }, { env })
    const [request] = other.requests
    expect(request?.headers['authorization']).toBeUndefined()
    expect(request?.headers['x-mine']).toBeUndefined()
    expect(request?.headers['accept']).toContain('application/json')
  })

  it('does not carry a body to another origin', async () => {
    api.answer({ status: 308, headers: { location: `${other.url}/x` } })
    const body = [{ name: 'a', type: 'string', description: 'a' }] as const
    const call = callSpec(oneTool(api.url, { method: 'POST', body }), { a: '1' })
    await expect(call).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
    expect(other.requests).toEqual([])
  })

  it.each([
    [303, 'PUT'],
    [301, 'POST'],
    [302, 'POST'],
  ] as const)('turns %i after %s into GET without a body', async (status, method) => {
    api.answer((request) =>
      request.path === '/things' ? { status, headers: { location: '/there' } } : { body: {} },
    )
    const body = [{ name: 'a', type: 'string', description: 'a' }] as const
    await callSpec(oneTool(api.url, { method, body }), { a: '1' })
    expect(api.requests[1]).toMatchObject({ method: 'GET', body: '' })
    expect(api.requests[1]?.headers['content-type']).toBeUndefined()
  })

  it('stops after five', async () => {
    api.answer((_request, index) => ({ status: 302, headers: { location: `/n${index}` } }))
    await expect(callSpec(oneTool(api.url, {}))).rejects.toThrow(/more than 5 redirects/)
    expect(api.requests).toHaveLength(6)
  })

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
    'file:///etc/passwd',
  ])('does not let a public API point at %s', async (location) => {
    const seen: string[] = []
    const fetchFake: typeof fetch = async (input) => {
      seen.push(String(input))
      return new Response(null, { status: 302, headers: { location } })
    }
    const call = callSpec(oneTool('http://api.example.com', {}), {}, { fetch: fetchFake })
    await expect(call).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
    expect(seen).toHaveLength(1)
  })

  it('does not go from https to http', async () => {
    const fetchFake: typeof fetch = async () =>
      new Response(null, { status: 302, headers: { location: 'http://api.example.com/' } })
    const call = callSpec(oneTool('https://api.example.com', {}), {}, { fetch: fetchFake })
    await expect(call).rejects.toThrow(/unsafe redirect/)
  })
})

describe('giving up', () => {
  it('answers DEADLINE_EXCEEDED when nothing comes in time', async () => {
    api.answer({ silent: true })
    const call = callSpec(oneTool(api.url, {}), {}, { timeoutMs: 30 })
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it('answers CANCELLED when the caller leaves', async () => {
    const controller = new AbortController()
    api.answer(() => {
      controller.abort()
      return { silent: true }
    })
    const call = callSpec(oneTool(api.url, {}), {}, { signal: controller.signal })
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('passes on the reason that ended the call', async () => {
    const controller = new AbortController()
    api.answer(() => {
      controller.abort(new CallError('DEADLINE_EXCEEDED', { message: 'the deadline of the call' }))
      return { silent: true }
    })
    const call = callSpec(oneTool(api.url, {}), {}, { signal: controller.signal })
    await expect(call).rejects.toThrow('the deadline of the call')
  })

  it('answers DEPENDENCY_ERROR with the reason when nobody listens', async () => {
    const call = callSpec(oneTool('http://127.0.0.1:1', {}), {}, { retries: 0 })
    await expect(call).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
  })
})
