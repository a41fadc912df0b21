import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFunction } from '../core/function.ts'
import { createClient, createLocalTransport, type Transport } from '../entries/client.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'
import { createService } from '../system/create-service.ts'

const protocol = { name: 'forrst', version: '0.1.0' }

const getOrder = defineFunction({
  name: 'orders.get',
  version: '1.2.0',
  summary: 'Get one order',
  readOnly: true,
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }),
  handler: ({ input }) => input,
})

const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [getOrder, { ...getOrder, version: '1.0.0', deprecated: { reason: 'Old' } }],
  limits: { defaultDeadline: { value: 30, unit: 'second' }, rateLimit: 100 },
  log: { warn: () => {}, error: () => {} },
})

const client = createClient({
  transport: createLocalTransport(createForrstHandler(service)),
  name: 'test',
})

/** Creates a client of a service that answers what `build` makes of each request. */
function answering(
  build: (request: { id: string; call: { function: string } }) => unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const asked: string[] = []
  const transport: Transport = async ({ body }) => {
    const request = JSON.parse(body)
    asked.push(request.call.function)
    return { status: 200, header: (name) => headers[name], body: JSON.stringify(build(request)) }
  }
  let now = 0
  const scripted = createClient({
    transport,
    clock: { now: () => now, elapsed: () => now },
    retry: false,
  })
  return {
    client: scripted,
    asked,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

const document = {
  forrst: '0.1.0',
  discovery: '0.1',
  info: { title: 'Orders', version: '1.0.0' },
  functions: [{ name: 'orders.get', version: '1.2.0', stability: 'stable' }],
}

describe('the discovery document', () => {
  it('[F-258] is read from a body without an envelope', async () => {
    const outcome = await client.discover()
    expect(outcome).toMatchObject({
      ok: true,
      result: { forrst: '0.1.0', discovery: '0.1', info: { title: 'Orders' } },
    })
    if (outcome.ok) {
      expect(outcome.result.functions.map(({ name, version }) => `${name}@${version}`)).toEqual([
        'orders.get@1.0.0',
        'orders.get@1.2.0',
      ])
    }
  })

  it('[F-258] is read from an envelope as well', async () => {
    const { client: other } = answering(({ id }) => ({ protocol, id, result: document }))
    expect(await other.discover()).toMatchObject({ ok: true, result: document })
  })

  it('[F-258] has its errors in an envelope', async () => {
    const outcome = await client.discoverFunction('orders.lost')
    expect(outcome).toMatchObject({ ok: false, error: { code: 'FUNCTION_NOT_FOUND' } })
  })

  it('[F-258] can be one function or one version of it', async () => {
    expect(await client.discoverFunction('orders.get')).toMatchObject({
      ok: true,
      result: { name: 'orders.get', version: '1.2.0', stability: 'stable' },
    })
    expect(await client.discoverFunction('orders.get', { version: '1.0.0' })).toMatchObject({
      ok: true,
      result: { version: '1.0.0', deprecated: { reason: 'Old' } },
    })
  })

  it('[F-258] comes bare from a plain call too, but no other function may answer bare', async () => {
    const name = 'urn:cline:forrst:ext:discovery:fn:describe'
    expect(await client.call(name)).toMatchObject({ ok: true, result: { discovery: '0.1' } })
    const { client: other } = answering(() => document)
    expect(await other.call('orders.get')).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE' },
    })
  })

  it('[F-254] is refused when its header names another request', async () => {
    const { client: other } = answering(() => document, { 'x-forrst-request-id': 'other' })
    expect(await other.discover()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', details: { field: '/id' } },
    })
  })

  it.each<[string, unknown]>([
    ['/forrst', { ...document, forrst: 1 }],
    ['/info', { ...document, info: 'Orders' }],
    ['/functions', { ...document, functions: {} }],
    ['/functions/0/version', { ...document, functions: [{ name: 'a.b' }] }],
    ['/functions/0/name', { ...document, functions: [null] }],
    ['/servers', { ...document, servers: {} }],
    ['/components', { ...document, components: [] }],
  ])('is refused by name when %s has the wrong type', async (field, wrong) => {
    const { client: other } = answering(() => wrong)
    expect(await other.discover()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', details: { field } },
    })
  })
})

describe('the description of a function', () => {
  it('lists its versions with their schemas', async () => {
    const outcome = await client.describe('orders.get')
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        function: 'orders.get',
        description: 'Get one order',
        sideEffects: [],
        recommendedVersion: '1.2.0',
        versions: [
          { version: '1.0.0', stability: 'stable', deprecated: { reason: 'Old' } },
          { version: '1.2.0', stability: 'stable', schema: { arguments: { type: 'object' } } },
        ],
      },
    })
  })

  it('can be of one version, without schemas', async () => {
    const options = { version: '1.0.0', includeSchema: false }
    const outcome = await client.describe('orders.get', options)
    if (!outcome.ok) throw new Error(outcome.error.message)
    expect(outcome.result.versions.map(({ version, schema }) => [version, schema])).toEqual([
      ['1.0.0', undefined],
    ])
  })

  it('fails with the code of the service', async () => {
    expect(await client.describe('orders.lost')).toMatchObject({
      ok: false,
      error: { code: 'FUNCTION_NOT_FOUND' },
    })
  })

  it.each<[string, unknown]>([
    ['/versions', { function: 'a.b' }],
    ['/function', { versions: [] }],
    ['/versions/0/version', { function: 'a.b', versions: [{}] }],
    ['/side_effects', { function: 'a.b', versions: [], side_effects: 'none' }],
    ['/versions', null],
  ])('is refused by name when %s has the wrong type', async (field, wrong) => {
    const { client: other } = answering(({ id }) => ({ protocol, id, result: wrong }))
    expect(await other.describe('a.b')).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', details: { field } },
    })
  })
})

describe('capabilities', () => {
  it.each([
    ['system', { defaultDeadline: { value: 30, unit: 'second' } }],
    ['discovery', { rateLimit: 100 }],
  ] as const)('read the same from the %s function', async (form, limits) => {
    expect(await client.capabilities({ form })).toMatchObject({
      ok: true,
      result: {
        service: 'orders',
        protocolVersions: ['0.1.0'],
        functions: ['orders.get'],
        limits: { maxRequestBytes: 1_048_576, ...limits },
      },
    })
  })

  it('are asked of discovery when the system function does not exist', async () => {
    const missing = [{ code: 'FUNCTION_NOT_FOUND', message: 'x' }]
    const { client: other, asked } = answering(({ id, call }) =>
      call.function.includes(':ext:discovery:')
        ? { protocol, id, result: { service: 's', protocolVersions: [], functions: [] } }
        : { protocol, id, errors: missing },
    )
    expect(await other.capabilities()).toMatchObject({ ok: true, result: { extensions: [] } })
    expect(asked).toEqual([
      'urn:cline:forrst:fn:capabilities',
      'urn:cline:forrst:ext:discovery:fn:capabilities',
    ])
  })

  it.each<[string, unknown]>([
    ['', 'text'],
    ['/service', { functions: [] }],
    ['/functions', { service: 's', protocolVersions: [], functions: [1] }],
    ['/protocolVersions', { service: 's', functions: [] }],
    ['/extensions', { service: 's', extensions: [{ version: '1.0.0' }] }],
  ])('are refused by name when "%s" has the wrong type', async (field, wrong) => {
    const { client: other } = answering(({ id }) => ({ protocol, id, result: wrong }))
    expect(await other.capabilities()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', details: { field } },
    })
  })
})

describe('feature detection', () => {
  it('[F-257] tells what a running service has', async () => {
    expect(await client.supports('urn:forrst:ext:discovery')).toBe(true)
    expect(await client.supports('urn:cline:forrst:ext:discovery')).toBe(true)
    expect(await client.supports('urn:forrst:ext:never-heard-of')).toBe(false)
  })

  it('[F-257] asks once a minute at most', async () => {
    const result = {
      service: 's',
      protocol_versions: ['0.1.0'],
      functions: [],
      extensions: [{ urn: 'urn:forrst:ext:async' }],
    }
    const { client: other, asked, pass } = answering(({ id }) => ({ protocol, id, result }))
    expect(await other.supports('urn:forrst:ext:async')).toBe(true)
    expect(await other.supports('urn:forrst:ext:query')).toBe(false)
    expect(asked).toHaveLength(1)
    pass(60_001)
    await other.supports('urn:forrst:ext:async')
    expect(asked).toHaveLength(2)
  })

  it('[F-257] finds nothing in a service without capabilities', async () => {
    const errors = [{ code: 'FUNCTION_NOT_FOUND', message: 'x' }]
    const { client: other } = answering(({ id }) => ({ protocol, id, errors }))
    expect(await other.supports('urn:forrst:ext:async')).toBe(false)
  })

  it('throws when the service cannot be asked, and asks again the next time', async () => {
    const answers = [[{ code: 'UNAUTHORIZED', message: 'Who?' }], undefined]
    const result = { service: 's', protocolVersions: [], functions: [] }
    const { client: other } = answering(({ id }) => {
      const errors = answers.shift()
      return errors ? { protocol, id, errors } : { protocol, id, result }
    })
    await expect(other.supports('urn:forrst:ext:async')).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    expect(await other.supports('urn:forrst:ext:async')).toBe(false)
  })
})
