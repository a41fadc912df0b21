import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { createToolApi } from '../../src/entries/tools.ts'
import { CallError } from '../../src/errors/error.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type AppOptions, createApp } from '../../src/http/app.ts'
import { createService, type ServiceOptions } from '../../src/system/create-service.ts'
import { toRequest } from '../support/forrst.ts'
import { HOSTS, type RunningHost } from '../support/hosts.ts'
import { createTestLogger } from '../support/service.ts'
import { signed, start } from '../support/webhooks.ts'

type Options = Partial<ServiceOptions<[]>>

const functions = [
  defineFunction({ name: 'orders.list', version: '1.0.0', handler: () => [] }),
  defineFunction({
    name: 'orders.pick',
    version: '1.0.0',
    handler() {
      throw new CallError('UNAUTHORIZED', { challenge: 'Basic realm="picking"' })
    },
  }),
  defineFunction({
    name: 'orders.declared',
    version: '1.0.0',
    errors: [{ code: 'ORDERS_LOGIN', status: 401, message: 'log in' }],
    handler() {
      throw new CallError('ORDERS_LOGIN')
    },
  }),
]

const refuse = (challenge?: string) => () => {
  throw new CallError('UNAUTHORIZED', { ...(challenge !== undefined && { challenge }) })
}

function appOf(service: Options = {}, app: Partial<AppOptions> = {}) {
  return createApp(
    createService({
      info: { title: 'Orders', version: '1.0.0' },
      functions: functions as never,
      log: createTestLogger(),
      ...service,
    }),
    { surfaces: allSurfaces({ explorer: { allowExecute: true } }), ...app },
  )
}

const forrst = (name: string, extensions?: readonly object[]) => ({
  protocol: { name: 'forrst', version: '0.1.0' },
  id: 'r1',
  call: { function: name, version: '1.0.0' },
  ...(extensions && { extensions }),
})

const JSON_TYPE = { 'content-type': 'application/json' }

/** Every surface that answers a caller nobody knows with 401. */
const SURFACES: Readonly<
  Record<string, { readonly path: string; readonly body: unknown; readonly headers?: object }>
> = {
  Forrst: { path: '/forrst', body: forrst('orders.list') },
  REST: { path: '/api/orders.list', body: {} },
  'the explorer': { path: '/explorer/tools/orders__list/call', body: {} },
  MCP: {
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { accept: 'application/json, text/event-stream' },
  },
}
const each = Object.entries(SURFACES)

async function ask(app: ReturnType<typeof createApp>, name: string, more: object = {}) {
  const { path, body, headers = {} } = SURFACES[name] ?? { path: '/', body: {} }
  return app.handle(
    toRequest(body, { path, headers: { host: 'localhost', ...JSON_TYPE, ...headers, ...more } }),
  )
}

describe('as reported: 401 says what to show', () => {
  const app = appOf({ authenticate: refuse() })

  it.each(each)('on %s', async (name) => {
    expect(await ask(app, name)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    })
  })
})

describe('beside it: who chooses the challenge', () => {
  it.each(each)('the service, on %s', async (name) => {
    const challenge = 'Bearer realm="orders"'
    expect(await ask(appOf({ authenticate: refuse(), challenge }), name)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': challenge },
    })
  })

  it.each(each)('the hook, on %s, when it is asynchronous too', async (name) => {
    const challenge = 'Basic realm="orders", charset="UTF-8"'
    for (const authenticate of [refuse(challenge), async () => refuse(challenge)()]) {
      expect(await ask(appOf({ authenticate, challenge: 'Bearer realm="x"' }), name)).toMatchObject(
        { status: 401, headers: { 'www-authenticate': challenge } },
      )
    }
  })

  it.each(each)('never with a line break, on %s', async (name) => {
    const authenticate = refuse('Basic\r\nset-cookie: a=b')
    expect(await ask(appOf({ authenticate }), name)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    })
  })

  it('a challenge that is not a header value is refused at start', () => {
    expect(() => appOf({ challenge: 'Bearer\r\nx: y' })).toThrow(/challenge: must be/)
    expect(() => appOf({ challenge: '' })).toThrow(/challenge: must be/)
  })

  it('MCP says where to get a token, whatever the service asks for elsewhere', async () => {
    const authorization = {
      resource: 'https://api.example.com/mcp',
      authorizationServers: ['https://login.example.com'],
    }
    const app = appOf(
      { authenticate: refuse('Basic realm="orders"') },
      { surfaces: allSurfaces({ mcp: { authorization } }) },
    )
    const { headers } = await ask(app, 'MCP')
    expect(headers['www-authenticate']).toMatch(/^Bearer resource_metadata="https:\/\/api\./)
    expect((await ask(app, 'REST')).headers['www-authenticate']).toBe('Basic realm="orders"')
  })
})

describe('beside it: 401 that comes from further inside', () => {
  const app = appOf()
  const post = (path: string, body: unknown, headers: object = {}) =>
    app.handle(toRequest(body, { path, headers: { host: 'localhost', ...JSON_TYPE, ...headers } }))

  it('a handler that asks for its own challenge', async () => {
    for (const answer of [
      await post('/forrst', forrst('orders.pick')),
      await post('/api/orders.pick', {}),
    ]) {
      expect(answer).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="picking"' },
      })
    }
  })

  it('a code of the function with status 401', async () => {
    for (const answer of [
      await post('/forrst', forrst('orders.declared')),
      await post('/api/orders.declared', {}),
    ]) {
      expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    }
  })

  it('an authorize hook, also where the caller wants a stream', async () => {
    const closed = appOf({ authorize: refuse() })
    const stream = [{ urn: 'urn:forrst:ext:stream', options: { accept: true } }]
    const answer = await closed.handle(
      toRequest(forrst('orders.list', stream), {
        headers: { host: 'localhost', ...JSON_TYPE, accept: 'text/event-stream' },
      }),
    )
    const rest = await closed.handle(
      toRequest(
        {},
        {
          path: '/api/orders.list',
          headers: { host: 'localhost', ...JSON_TYPE, accept: 'text/event-stream' },
        },
      ),
    )
    for (const { status, headers } of [answer, rest]) {
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
    }
  })

  it('other refusals carry none', async () => {
    const closed = appOf({
      authorize() {
        throw new CallError('FORBIDDEN', { challenge: 'Basic' })
      },
    })
    for (const name of ['Forrst', 'REST']) {
      const { status, headers } = await ask(closed, name)
      expect([status, headers['www-authenticate']]).toEqual([403, undefined])
    }
  })

  it('a webhook whose signature is wrong', async () => {
    const hook = start()
    const answer = await hook.send({ ...signed('{}'), body: Buffer.from('{"forged":true}') })
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Signature' } })
  })

  it('a tool API of its own, with the challenge it is given', async () => {
    const api = createToolApi({
      tools: [{ name: 'a', description: 'a', inputSchema: { type: 'object' } }],
      call: () => [[{ type: 'text', text: 'a' }], false],
      allowExecute: true,
      authHook: () => {
        throw new Error('no')
      },
      challenge: 'Digest realm="a"',
      log: createTestLogger(),
    })
    const request = toRequest({}, { path: '/explorer/tools/a/call', headers: JSON_TYPE })
    expect(await api(request)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Digest realm="a"' },
    })
  })
})

describe.each(Object.entries(HOSTS))('beside it: on %s', (_, run) => {
  let host: RunningHost
  const origin = 'https://app.example.com'
  beforeAll(async () => {
    host = await run(appOf({ authenticate: refuse() }, { allowedOrigins: [origin] }))
  })
  afterAll(() => host.close())

  it.each(each)(
    'the challenge of %s arrives, and pages of other origins may read it',
    async (name) => {
      const { path = '/', body, headers } = SURFACES[name] ?? {}
      const response = await fetch(`${host.url}${path}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers, origin },
        body: JSON.stringify(body),
      })
      await response.text()
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect(response.headers.get('access-control-expose-headers')).toContain('www-authenticate')
    },
  )
})
