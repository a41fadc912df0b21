import { describe, expect, it, vi } from 'vitest'
import { ask, toRequest } from '../../../test/explorer/ask.ts'
import { createToolApi, type ToolApiOptions } from '../../entries/tools.ts'

const CALL = '/explorer/tools/echo/call'

function api(options: Partial<ToolApiOptions> = {}) {
  const call = vi.fn(() => [[], false] as const)
  return {
    call,
    handler: createToolApi({ tools: [{ name: 'echo' }], call, allowExecute: true, ...options }),
  }
}

describe('requests from other sites', () => {
  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin of a sandboxed frame', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:3000' }],
    ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
    [
      'Sec-Fetch-Site same-site',
      { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4000' },
    ],
  ])('are refused with %s, and nothing runs', async (_case, headers) => {
    const { call, handler } = api()
    for (const path of [CALL, '/explorer/tools/echo/validate']) {
      const reply = await ask(handler, path, { body: {}, headers })
      expect(reply.status).toBe(403)
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    }
    expect(call).not.toHaveBeenCalled()
  })

  it.each([
    ['nothing a browser would add', {}],
    ['its own Origin', { origin: 'http://127.0.0.1:4000' }],
    ['its own Origin over TLS', { origin: 'https://127.0.0.1:4000' }],
    [
      'Sec-Fetch-Site same-origin behind a proxy',
      { 'sec-fetch-site': 'same-origin', origin: 'https://tools.example' },
    ],
  ])('are told from those of the page, with %s', async (_case, headers) => {
    expect((await ask(api().handler, CALL, { body: {}, headers })).status).toBe(200)
  })

  it('are let in from a listed origin, with the headers a browser wants', async () => {
    const { handler } = api({ allowedOrigins: ['https://docs.example'] })
    const headers = { origin: 'https://docs.example', 'sec-fetch-site': 'cross-site' }
    const preflight = await ask(handler, CALL, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('https://docs.example')
    const reply = await ask(handler, CALL, { body: {}, headers })
    expect(reply.status).toBe(200)
    expect(reply.headers['access-control-allow-origin']).toBe('https://docs.example')
    const list = await ask(handler, '/explorer/tools', { headers })
    expect(list.headers['vary']).toBe('accept-encoding, origin')
    const other = await ask(handler, CALL, {
      body: {},
      headers: { origin: 'https://evil.example' },
    })
    expect(other.status).toBe(403)
  })
})

describe('the Host header', () => {
  it.each([
    'rebind.example',
    'rebind.example:4000',
    'localhost.evil.example',
    '127.0.0.1.nip.io:4000',
  ])('of a name that could be rebound is refused everywhere: %s', async (host) => {
    const { handler } = api()
    for (const path of ['/explorer/', '/explorer/tools', '/explorer/tools/echo']) {
      expect((await ask(handler, path, { headers: { host } })).status).toBe(403)
    }
    const reply = await ask(handler, CALL, { body: {}, headers: { host } })
    expect(reply.json).toEqual({ error: expect.stringContaining('allowedHosts') })
  })

  it.each([
    'localhost',
    'localhost:4000',
    'app.localhost:80',
    '127.0.0.1',
    '[::1]:4000',
    '192.168.1.7:80',
  ])('of this machine or a plain address is accepted: %s', async (host) => {
    expect((await ask(api().handler, '/explorer/tools', { headers: { host } })).status).toBe(200)
  })

  it('is accepted when listed, or when nothing is checked', async () => {
    const headers = { host: 'tools.example:443' }
    expect(
      (await ask(api({ allowedHosts: ['Tools.Example'] }).handler, '/explorer/tools', { headers }))
        .status,
    ).toBe(200)
    expect(
      (await ask(api({ allowedHosts: '*' }).handler, '/explorer/tools', { headers })).status,
    ).toBe(200)
  })
})

describe('bodies', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'sent as %s, as a form can, are refused',
    async (type) => {
      const { call, handler } = api()
      const reply = await ask(handler, CALL, { body: '{}', headers: { 'content-type': type } })
      expect(reply.status).toBe(415)
      expect(call).not.toHaveBeenCalled()
    },
  )

  it('may state a charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await ask(api().handler, CALL, { body: '{}', headers })).status).toBe(200)
  })

  it('longer than the limit are refused, also when the host stopped reading them', async () => {
    const { call, handler } = api({ maxBodyBytes: 10 })
    expect((await ask(handler, CALL, { body: { text: 'x'.repeat(10) } })).status).toBe(413)
    const cut = { ...toRequest(CALL, { body: '' }), bodyTooLarge: true }
    expect((await handler(cut)).status).toBe(413)
    expect(call).not.toHaveBeenCalled()
  })

  it('nested beyond reason are refused, and nothing runs', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const { call, handler } = api()
    expect((await ask(handler, '/explorer/tools/echo/validate', { body: deep })).status).toBe(400)
    expect((await ask(handler, CALL, { body: deep })).status).toBe(400)
    expect(call).not.toHaveBeenCalled()
  })
})
