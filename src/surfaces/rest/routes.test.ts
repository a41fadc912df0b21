import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toRequest } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import type { FunctionDefinition } from '../../core/function.ts'
import { defineFunction } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { createApp } from '../../http/app.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'

const get = defineFunction({
  name: 'tickets.get',
  version: '1.0.0',
  readOnly: true,
  http: { method: 'GET', path: '/tickets/{id}', operationId: 'getTicket' },
  input: z.object({
    id: z.int(),
    tags: z.array(z.string()).optional(),
    sizes: z.array(z.int()).optional(),
    box: z.object({ width: z.int(), sides: z.array(z.object({ name: z.string() })) }).optional(),
    open: z.boolean().optional(),
  }),
  output: z.looseObject({ id: z.int() }),
  handler: ({ input }) => input,
})
const patch = defineFunction({
  name: 'tickets.change',
  version: '1.0.0',
  writes: ['update'],
  http: {
    method: 'PATCH',
    path: '/tickets/{id}',
    headers: { tenant: 'X-Tenant' },
    query: ['notify'],
  },
  input: z.object({
    id: z.int(),
    tenant: z.string(),
    notify: z.boolean().optional(),
    title: z.string(),
  }),
  handler: ({ input }) => input,
})
const remove = defineFunction({
  name: 'tickets.remove',
  version: '1.0.0',
  writes: ['delete'],
  http: { method: 'DELETE', path: '/tickets/{id}' },
  input: z.object({ id: z.int(), force: z.boolean().optional() }),
  handler: ({ input }) => input,
})
const mine = defineFunction({
  name: 'tickets.mine',
  version: '1.0.0',
  readOnly: true,
  http: { method: 'GET', path: '/tickets/mine' },
  handler: () => 'mine',
})

interface AskOptions {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly path?: string
}

async function ask(service: Service, line: string, { body, headers, path }: AskOptions = {}) {
  const [method = '', target = ''] = line.split(' ')
  const [only = '', query = ''] = target.split('?')
  const request = toRequest(body ?? '', {
    method,
    path: only,
    headers: {
      host: 'localhost',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const app = createApp(service, {
    surfaces: allSurfaces(path === undefined ? {} : { rest: { path } }),
  })
  const answer = await app.handle({ ...request, query })
  const text = answer.body as string
  return { ...answer, body: text === '' ? undefined : JSON.parse(text) }
}

const service = serviceOf([get, patch, remove, mine])

describe('a method and path of its own', () => {
  it('takes arguments from the path and the query string, by their schemas', async () => {
    const { body } = await ask(
      service,
      'GET /api/tickets/7?tags=a,b&tags=c&sizes=1,2&open=true&box[width]=5&box[sides][0][name]=left',
    )
    expect(body).toEqual({
      id: 7,
      tags: ['a,b', 'c'],
      sizes: [1, 2],
      open: true,
      box: { width: 5, sides: [{ name: 'left' }] },
    })
  })

  it('takes an object as JSON', async () => {
    const box = encodeURIComponent('{"width":5,"sides":[]}')
    expect((await ask(service, `GET /api/tickets/7?box=${box}`)).body).toEqual({
      id: 7,
      box: { width: 5, sides: [] },
    })
  })

  it('takes arguments from path, header, query string and body', async () => {
    const { body } = await ask(service, 'PATCH /api/tickets/7?notify=true', {
      body: { title: 'New' },
      headers: { 'x-tenant': 'acme' },
    })
    expect(body).toEqual({ id: 7, tenant: 'acme', notify: true, title: 'New' })
  })

  it('undoes percent-encoding, and never reads a slash out of it', async () => {
    expect((await ask(service, 'GET /api/tickets/%37')).body).toEqual({ id: 7 })
    expect((await ask(service, 'GET /api/tickets/a%2Fb')).status).toBe(400)
    expect((await ask(service, 'GET /api/tickets/%ZZ')).status).toBe(404)
  })

  it('prefers fixed text to an argument', async () => {
    expect((await ask(service, 'GET /api/tickets/mine')).body).toBe('mine')
  })

  it.each([
    [
      'GET /api/tickets/7?tgs=a',
      {},
      'tgs: is not an argument of tickets.get; did you mean "tags"?',
    ],
    ['GET /api/tickets/7?id=8', {}, 'id: is a part of the path /tickets/{id}'],
    ['PATCH /api/tickets/7?tenant=a', { body: { title: '' } }, 'tenant: is the header X-Tenant'],
    [
      'PATCH /api/tickets/7',
      { body: { title: '', id: 8 } },
      'id: is a part of the path /tickets/{id}',
    ],
    [
      'PATCH /api/tickets/7',
      { body: { notify: true } },
      'notify: is in the query string, not in the body',
    ],
    ['PATCH /api/tickets/7?titel=a', { body: {} }, 'did you mean "title" there?'],
    ['GET /api/tickets/seven', {}, 'id: Invalid input'],
    ['DELETE /api/tickets/7', { body: { force: true } }, 'A DELETE request has no body'],
  ])('refuses %s %j', async (line, options, message) => {
    const { status, body } = await ask(service, line, options)
    expect(status).toBe(400)
    expect(body.title).toContain(message)
  })

  it('answers at the name of the function as well', async () => {
    expect((await ask(service, 'POST /api/tickets.get', { body: { id: 1 } })).body).toEqual({
      id: 1,
    })
    expect((await ask(service, 'GET /api/tickets.get?id=2')).body).toEqual({ id: 2 })
  })

  it('says which methods there are', async () => {
    const refused = await ask(service, 'PUT /api/tickets/7', { body: {} })
    expect(refused).toMatchObject({
      status: 405,
      headers: { allow: 'GET, PATCH, DELETE, HEAD, OPTIONS' },
    })
    const options = await ask(service, 'OPTIONS /api/tickets/7')
    expect(options).toMatchObject({
      status: 204,
      headers: { allow: 'GET, PATCH, DELETE, HEAD, OPTIONS' },
    })
    expect((await ask(service, 'OPTIONS /api/tickets.change')).headers['allow']).toBe(
      'POST, OPTIONS',
    )
  })

  it('answers HEAD as GET', async () => {
    expect((await ask(service, 'HEAD /api/tickets/7')).status).toBe(200)
    expect((await ask(service, 'HEAD /api/tickets.change')).status).toBe(405)
  })

  it('is what the plain name reaches, where several versions have it', async () => {
    const both = serviceOf([get, { ...get, version: '2.0.0', handler: () => ({ id: 2 }) }])
    expect((await ask(both, 'GET /api/tickets/7')).body).toEqual({ id: 2 })
    expect((await ask(both, 'GET /api/tickets.get@1.0.0?id=7')).body).toEqual({ id: 7 })
    const { paths } = (await ask(both, 'GET /openapi.json')).body
    expect(Object.keys(paths)).toEqual(['/api/tickets.get@1.0.0', '/api/tickets/{id}'])
  })

  it('comes and goes with its function', async () => {
    const changing = serviceOf([remove])
    const app = createApp(changing, { surfaces: allSurfaces() })
    const look = async () =>
      (
        await app.handle(
          toRequest('', { method: 'GET', path: '/api/tickets/7', headers: { host: 'localhost' } }),
        )
      ).status
    expect(await look()).toBe(405)
    changing.registry.add(get)
    expect(await look()).toBe(200)
  })

  it('is served at the root when told to', async () => {
    expect((await ask(service, 'GET /tickets/7', { path: '/' })).body).toEqual({ id: 7 })
    expect((await ask(service, 'GET /health/live', { path: '/' })).status).toBe(200)
    expect((await ask(service, 'GET /nothing/here', { path: '/' })).status).toBe(404)
    const { paths } = (await ask(service, 'GET /openapi.json', { path: '/' })).body
    expect(Object.keys(paths)).toContain('/tickets/{id}')
  })
})

describe('an address that cannot be served', () => {
  const at = (path: string, more: Partial<FunctionDefinition> = {}): FunctionDefinition => ({
    name: 'things.get',
    version: '1.0.0',
    readOnly: true,
    input: {
      type: 'object',
      properties: { id: { type: 'string' }, opt: {}, size: { type: 'object' } },
      required: ['id', 'size'],
    },
    handler: () => 1,
    http: { method: 'GET', path },
    ...more,
  })
  const start = (functions: readonly FunctionDefinition[], path?: string) => () =>
    createApp(serviceOf(functions), {
      surfaces: allSurfaces(path === undefined ? {} : { rest: { path } }),
    })

  it.each<[string, readonly FunctionDefinition[], string, string?]>([
    ['that another function has', [get, at('/tickets/{id}')], 'tickets.get has GET /tickets/{id}'],
    [
      'that another function writes with another name',
      [
        get,
        at('/tickets/{opt}', { http: { method: 'GET', path: '/tickets/x' } }),
        {
          ...at('/x'),
          name: 'things.put',
          readOnly: undefined as never,
          http: { method: 'PUT', path: '/tickets/{size}' },
          input: { type: 'object', properties: { size: { type: 'string' } }, required: ['size'] },
        },
      ],
      'writes it /tickets/{id}',
    ],
    [
      'that is the name of a function',
      [get, at('/tickets.get')],
      'the function tickets.get is there',
    ],
    ['of another surface', [at('/mcp')], '/mcp is served already', '/'],
    ['below another surface', [at('/explorer/tools')], '/explorer/tools is served already', '/'],
    ['of a probe', [at('/health/{id}')], '/health/{id} is served already', '/'],
    ['that does not begin with a slash', [at('things')], 'http.path must begin with a slash'],
    ['that begins with an argument', [at('/{id}')], 'http.path must begin with fixed text'],
    ['with dots', [at('/things/..')], 'must not have "." or ".."'],
    ['with an unknown argument', [at('/things/{no}')], 'names "no", which is no argument'],
    ['with an optional argument', [at('/things/{opt}')], 'which must be required'],
    ['with an object in it', [at('/things/{size}')], 'must not be an object'],
    [
      'with GET for a function that writes',
      [at('/things', { readOnly: undefined as never, writes: ['create'] })],
      'may be GET only',
    ],
    [
      'with an argument in two places',
      [at('/x', { http: { method: 'GET', path: '/things/{id}', headers: { id: 'X-Id' } } })],
      'in two places',
    ],
    [
      'with an argument in a header of HTTP',
      [at('/x', { http: { method: 'GET', path: '/things', headers: { id: 'Authorization' } } })],
      'has a meaning of its own',
    ],
  ])('fails at start: one %s', (_name, functions, message, path) => {
    expect(start(functions, path)).toThrow(message)
  })
})

describe('what HTTP knows', () => {
  const kept = { ...get, extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }] }

  it('gives an entity tag and an age to a reader, and 304 to one that has the result', async () => {
    const stored = serviceOf([kept], { store: createMemoryStore() })
    const first = await ask(stored, 'GET /api/tickets/7')
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^".+"$/),
      'cache-control': expect.stringMatching(/^public, max-age=\d+$/),
    })
    const etag = String(first.headers['etag'])
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(stored, 'GET /api/tickets/7', { headers: { 'if-none-match': given } })
      expect(again).toMatchObject({ status: 304, body: undefined, headers: { etag } })
    }
    const other = await ask(stored, 'GET /api/tickets/8', { headers: { 'if-none-match': etag } })
    expect(other.status).toBe(200)
  })

  it('answers 412 to a condition that fails on POST', async () => {
    const { http: _http, ...plain } = kept
    const stored = serviceOf([plain], { store: createMemoryStore() })
    const send = (given: string) =>
      ask(stored, 'POST /api/tickets.get', {
        headers: { 'content-type': 'application/json', 'if-none-match': given },
        body: JSON.stringify({ id: 7 }),
      })
    expect((await send('"other"')).status).toBe(200)
    const held = await send('*')
    expect(held).toMatchObject({
      status: 412,
      headers: { 'content-type': 'application/problem+json' },
      body: { code: 'CONFLICT', status: 412 },
    })
  })

  it('repeats the id of a request, and gives one to failures', async () => {
    const headers = { 'x-request-id': 'mine-1' }
    expect((await ask(service, 'GET /api/tickets/7', { headers })).headers['x-request-id']).toBe(
      'mine-1',
    )
    expect((await ask(service, 'GET /api/tickets/x', { headers })).headers['x-request-id']).toBe(
      'mine-1',
    )
    expect((await ask(service, 'GET /api/tickets/x')).headers['x-request-id']).toMatch(/^rest_/)
    expect((await ask(service, 'GET /api/tickets/7')).headers['x-request-id']).toBeUndefined()
  })

  it('lets pages of allowed origins send and read what they are told they may', async () => {
    const app = createApp(service, {
      surfaces: allSurfaces(),
      allowedOrigins: ['https://app.example'],
      cors: { headers: ['X-Tenant'], expose: ['X-Total'], credentials: true, maxAgeSeconds: 5 },
    })
    const from = { host: 'localhost', origin: 'https://app.example' }
    const preflight = await app.handle(
      toRequest('', {
        method: 'OPTIONS',
        path: '/api/tickets/7',
        headers: { ...from, 'access-control-request-method': 'PATCH' },
      }),
    )
    expect(preflight.headers).toMatchObject({
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringMatching(/x-request-id.*x-tenant/),
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '5',
    })
    const read = await app.handle(
      toRequest('', { method: 'GET', path: '/api/tickets/7', headers: from }),
    )
    expect(read.headers['access-control-expose-headers']).toMatch(/etag.*x-total/)
  })
})
