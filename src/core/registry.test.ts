import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../test/support/forrst.ts'
import { define, serviceOf, versions } from '../../test/support/service.ts'
import type { FunctionDefinition } from './function.ts'
import { defineFunction } from './function.ts'

const callVersion = (functions: readonly FunctionDefinition[], version?: string) =>
  call(serviceOf(functions), { function: 'orders.get', ...(version && { version }) })

describe('finding a version', () => {
  it('[F-65][F-66] takes the highest stable version when none is named', async () => {
    const { body } = await callVersion(versions('1.0.0', '2.0.0', '1.10.0', '3.0.0-beta.1'))
    expect(body.result).toBe('2.0.0')
  })

  it('takes declared stability over the version number', async () => {
    const functions = [...versions('2.0.0'), define({ version: '3.0.0', stability: 'beta' })]
    expect((await callVersion(functions)).body.result).toBe('2.0.0')
    expect((await callVersion(functions, '3.0.0')).body.result).toBe('3.0.0')
  })

  it('[F-41][F-67] answers VERSION_NOT_FOUND when there are only prereleases', async () => {
    const { status, body } = await callVersion(versions('1.0.0-rc.1', '1.0.0-alpha.1'))
    expect(status).toBe(404)
    expect(body.errors).toEqual([
      {
        code: 'VERSION_NOT_FOUND',
        message: 'orders.get has no stable version; name one of 1.0.0-alpha.1, 1.0.0-rc.1',
        source: { pointer: '/call/version' },
        details: {
          function: 'orders.get',
          requested_version: null,
          available_versions: ['1.0.0-alpha.1', '1.0.0-rc.1'],
        },
      },
    ])
  })

  it('[F-68][F-71] reaches each version by its exact name', async () => {
    const functions = versions('1.0.0', '2.0.0-beta.1')
    for (const version of ['1.0.0', '2.0.0-beta.1']) {
      expect((await callVersion(functions, version)).body.result).toBe(version)
    }
  })

  it('[F-41] does not guess: a version nobody registered lists the known ones', async () => {
    const { status, body } = await callVersion(versions('1.0.0'), '1.0.1')
    expect([status, body.errors?.[0]?.details]).toEqual([
      404,
      { function: 'orders.get', requested_version: '1.0.1', available_versions: ['1.0.0'] },
    ])
  })

  it('[F-69] orders prereleases alpha, beta, rc, release', async () => {
    const functions = versions(
      '1.0.0',
      '1.0.0-rc.1',
      '1.0.0-beta.2',
      '1.0.0-alpha.1',
      '1.0.0-beta.11',
    )
    const { body } = await call(serviceOf(functions), {
      function: 'urn:cline:forrst:fn:describe',
      arguments: { function: 'orders.get', include_schema: false },
    })
    const { versions: described } = body.result as { versions: { version: string }[] }
    expect(described.map(({ version }) => version)).toEqual([
      '1.0.0-alpha.1',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
    ])
  })

  it('[F-70] still calls a deprecated stable version', async () => {
    const functions = [define({ version: '1.0.0', deprecated: { sunset: '2027-01-01' } })]
    expect((await callVersion(functions)).body.result).toBe('1.0.0')
  })

  it('[F-73] says FUNCTION_NOT_FOUND before anything about the version', async () => {
    const { body } = await call(serviceOf([]), { function: 'orders.get', version: '9.9.9' })
    expect(body.errors?.[0]).toMatchObject({
      code: 'FUNCTION_NOT_FOUND',
      source: { pointer: '/call/function' },
    })
  })

  it('[F-64] answers FUNCTION_NOT_FOUND for names reserved for the future', async () => {
    const { status } = await call(serviceOf([]), { function: 'forrst.auth.login' })
    expect(status).toBe(404)
  })
})

describe('functions that come and go while the service runs', () => {
  it('calls an added function, and no longer a removed one', async () => {
    const service = serviceOf([])
    const seen: number[] = []
    const stop = service.registry.onChange(() => seen.push(service.registry.revision()))
    service.registry.add(define({}))
    expect((await call(service, { function: 'orders.get' })).status).toBe(200)
    expect(service.registry.remove('orders.get')).toBe(true)
    expect((await call(service, { function: 'orders.get' })).status).toBe(404)
    expect(service.registry.remove('orders.get')).toBe(false)
    stop()
    service.registry.add(define({}))
    expect(seen).toHaveLength(2)
  })

  it('[F-110] answers FUNCTION_DISABLED for a function that was switched off', async () => {
    const service = serviceOf([define({})])
    service.registry.setHealth('orders.get', {
      status: 'disabled',
      message: 'Feature flag disabled',
    })
    const { status, body } = await call(service, { function: 'orders.get' })
    expect([status, body.errors]).toEqual([
      503,
      [
        {
          code: 'FUNCTION_DISABLED',
          message: 'Function temporarily disabled',
          details: { function: 'orders.get', reason: 'Feature flag disabled' },
        },
      ],
    ])
    service.registry.setHealth('orders.get', { status: 'healthy' })
    expect((await call(service, { function: 'orders.get' })).status).toBe(200)
  })

  it('[F-110] answers FUNCTION_DISABLED before anything about the extensions of the call', async () => {
    const service = serviceOf([define({})])
    service.registry.setHealth('orders.get', { status: 'disabled' })
    const extensions = [{ urn: 'urn:acme:ext:unknown' }]
    const { body } = await call(service, { function: 'orders.get', extensions })
    expect(body.errors?.map(({ code }) => code)).toEqual(['FUNCTION_DISABLED'])
  })

  it('[F-58][F-111][F-112] answers FUNCTION_MAINTENANCE with Retry-After', async () => {
    const service = serviceOf([
      define({
        health: {
          status: 'maintenance',
          message: 'Report engine upgrade',
          until: '2024-01-15T12:00:00Z',
          retryAfter: { value: 30, unit: 'minute' },
        },
      }),
    ])
    const { status, headers, body } = await call(service, { function: 'orders.get' })
    expect([status, headers['retry-after'], body.errors]).toEqual([
      503,
      '1800',
      [
        {
          code: 'FUNCTION_MAINTENANCE',
          message: 'Function under scheduled maintenance',
          details: {
            function: 'orders.get',
            reason: 'Report engine upgrade',
            until: '2024-01-15T12:00:00Z',
            retry_after: { value: 30, unit: 'minute' },
          },
        },
      ],
    ])
  })
})

describe('schemas of every kind', () => {
  it.each([
    ['Zod', z.object({ n: z.coerce.number().default(2) })],
    ['JSON Schema', { type: 'object', properties: { n: { type: 'integer' } } }],
    [
      'JSON Schema draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        definitions: { N: { type: 'integer' } },
        properties: { n: { $ref: '#/definitions/N' } },
      },
    ],
  ])('checks arguments with %s', async (_kind, input) => {
    const service = serviceOf([define({ input, handler: ({ input: given }) => given })])
    const good = await call(service, { function: 'orders.get', arguments: { n: 1 } })
    const bad = await call(service, { function: 'orders.get', arguments: { n: 'x' } })
    expect([good.body.result, bad.status]).toEqual([{ n: 1 }, 400])
    expect(bad.body.errors?.[0]?.source).toEqual({ pointer: '/call/arguments/n' })
  })

  it('hands the handler what a Zod schema made of the arguments', async () => {
    const add = defineFunction({
      name: 'orders.add',
      version: '1.0.0',
      input: z.object({ n: z.coerce.number().default(2) }),
      handler: ({ input }) => input.n + 1,
    })
    const { body } = await call(serviceOf([add]), { function: 'orders.add' })
    expect(body.result).toBe(3)
  })

  it('refuses a Standard Schema that cannot print itself as JSON Schema', () => {
    const mute = { '~standard': { version: 1, vendor: 'mute', validate: () => ({ value: 1 }) } }
    expect(() => serviceOf([define({ input: mute as never })])).toThrow(
      'function orders.get: input cannot be used: this mute schema cannot print itself',
    )
  })

  it('waits for a schema with asynchronous rules', async () => {
    const input = z.object({ id: z.string().refine(async (id) => id === 'a', 'unknown id') })
    const service = serviceOf([define({ input, handler: () => 'ok' })])
    expect((await call(service, { function: 'orders.get', arguments: { id: 'a' } })).status).toBe(
      200,
    )
    expect((await call(service, { function: 'orders.get', arguments: { id: 'b' } })).status).toBe(
      400,
    )
  })

  it('awaits a handler result that only looks like a promise', async () => {
    // biome-ignore lint/suspicious/noThenProperty: query builders are like this
    const builder = { then: (resolve: (value: string) => void) => resolve('rows') }
    const { body } = await call(serviceOf([define({ handler: () => builder as never })]), {
      function: 'orders.get',
    })
    expect(body.result).toBe('rows')
  })
})
