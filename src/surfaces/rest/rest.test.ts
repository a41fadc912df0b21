import jsonSchemaSchema from '@json-schema-tools/meta-schema'
import openRpcSchema from '@open-rpc/meta-schema'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEventsService } from '../../../examples/events/main.ts'
import { createTicketService } from '../../../test/generators/service.ts'
import { createFeatureService } from '../../../test/parity/service.ts'
import { toRequest } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { CallError } from '../../errors/error.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { createApp } from '../../http/app.ts'
import { compileSchema } from '../../schema/compile.ts'

const create = defineFunction({
  name: 'orders.create',
  version: '2.0.0',
  writes: ['create'],
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }).meta({ id: 'Order' }),
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Sold out', status: 409 }],
  handler: ({ input, fail }) => {
    if (input.id === 'none') throw fail('ORDERS_SOLD_OUT', { details: { left: 0 } })
    return { id: input.id }
  },
})
const old = defineFunction({
  name: 'orders.create',
  version: '1.0.0',
  deprecated: { reason: 'Use 2.0.0' },
  handler: () => ({ old: true }),
})
const service = serviceOf([create, old])

const ask = async (
  target: Service,
  path: string,
  options: { body?: unknown; method?: string; headers?: Record<string, string> } = {},
) => {
  const request = toRequest(options.body ?? '', {
    method: options.method ?? 'POST',
    path,
    headers: { host: 'localhost', ...options.headers },
  })
  const { status, headers, body } = await createApp(target, { surfaces: allSurfaces() }).handle(
    request,
  )
  return { status, headers, body: body === '' ? undefined : JSON.parse(body as string) }
}

describe('POST /api/{function}', () => {
  it('takes the arguments as body and answers with the bare result', async () => {
    expect(await ask(service, '/api/orders.create', { body: { id: 'a' } })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { id: 'a' },
    })
  })

  it('reaches another version behind an @', async () => {
    const { body } = await ask(service, '/api/orders.create@1.0.0')
    expect(body).toEqual({ old: true })
  })

  it('answers problem details with a pointer into the arguments', async () => {
    expect(await ask(service, '/api/orders.create', { body: {} })).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: { status: 400, code: 'INVALID_ARGUMENTS', errors: [{ pointer: '/id' }] },
    })
  })

  it('answers a declared error with its status and details', async () => {
    expect(await ask(service, '/api/orders.create', { body: { id: 'none' } })).toMatchObject({
      status: 409,
      body: { code: 'ORDERS_SOLD_OUT', details: { left: 0 } },
    })
  })

  it.each([
    ['/api/no.such', { body: {} }, 404],
    ['/api/orders.create@9.9.9', { body: {} }, 404],
    ['/api/orders.create/1.0.0/x', { body: {} }, 404],
    ['/api/', { body: {} }, 404],
    ['/api/%', { body: {} }, 404],
    ['/api/urn:cline:forrst:fn:ping', { body: {} }, 404],
    ['/api/orders.create', { method: 'GET' }, 405],
    ['/api/orders.create', { body: '[]' }, 400],
    ['/api/orders.create', { body: '{"id":' }, 400],
    ['/api/orders.create', { body: 'id=1', headers: { 'content-type': 'text/plain' } }, 415],
  ])('refuses %s %j with %i', async (path, options, status) => {
    expect((await ask(service, path, options)).status).toBe(status)
  })

  it('passes over an Idempotency-Key that the service cannot honour, as HTTP servers do', async () => {
    const headers = { 'idempotency-key': 'k1' }
    const plain = serviceOf([create])
    const { status } = await ask(plain, '/api/orders.create', { body: { id: 'a' }, headers })
    expect(status).toBe(200)
  })

  it('asks who calls', async () => {
    const guarded = serviceOf([create], {
      authenticate: () => {
        throw new CallError('UNAUTHORIZED')
      },
    })
    expect((await ask(guarded, '/api/orders.create', { body: { id: 'a' } })).status).toBe(401)
  })
})

describe('GET /openapi.json', () => {
  it.each([
    ['a small service', service],
    ['the events example', createEventsService({ database: ':memory:' })],
    ['the feature service', createFeatureService()],
    ['a service with paths of its own', createTicketService()],
  ])('is OpenAPI 3.1 without a lint warning for %s', async (_title, target) => {
    const { body } = await ask(target, '/openapi.json', { method: 'GET' })
    const problems = await lintFromString({
      source: JSON.stringify(body),
      config: await createConfig({ extends: ['recommended'] }),
    })
    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  })

  it('has one operation per function and version, named as agents name it', async () => {
    const { body } = await ask(service, '/openapi.json', { method: 'GET' })
    expect(body.openapi).toBe('3.1.0')
    expect(
      Object.entries(body.paths).map(([path, item]) => [
        path,
        (item as { post: { operationId: string } }).post.operationId,
      ]),
    ).toEqual([
      ['/api/orders.create@1.0.0', 'orders__create_v1_0_0'],
      ['/api/orders.create', 'orders__create'],
    ])
    expect(body.paths['/api/orders.create'].post.responses).toHaveProperty('409')
  })

  it('answers 304 to whom it has answered before', async () => {
    const first = await ask(service, '/openapi.json', { method: 'GET' })
    const headers = { 'if-none-match': String(first.headers['etag']) }
    expect((await ask(service, '/openapi.json', { method: 'GET', headers })).status).toBe(304)
    expect((await ask(service, '/openapi.json', { method: 'POST' })).status).toBe(405)
  })
})

describe('GET /openrpc.json', () => {
  it.each([
    ['a small service', service],
    ['the events example', createEventsService({ database: ':memory:' })],
    ['the feature service', createFeatureService()],
    ['a service with paths of its own', createTicketService()],
  ])('is valid by the OpenRPC meta-schema for %s', async (_title, target) => {
    const { body } = await ask(target, '/openrpc.json', { method: 'GET' })
    const check = compileSchema(withoutDialect(openRpcSchema), {
      definitions: { 'https://meta.json-schema.tools': withoutDialect(jsonSchemaSchema) },
    })
    expect(check(body)).toEqual({ ok: true, value: body })
    expect(check({ ...body, methods: [{ title: 'nameless' }] })).toMatchObject({ ok: false })
  })

  it('names methods as OpenAPI names operations', async () => {
    const { body } = await ask(service, '/openrpc.json', { method: 'GET' })
    expect(body.methods.map(({ name }: { name: string }) => name)).toEqual(['orders__create'])
  })
})

/** Both meta-schemas name a dialect of their own, which only they know. */
function withoutDialect(schema: unknown): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>
  return rest
}
