import { describe, expect, it } from 'vitest'
import { run, V3 } from '../../../test/openapi/import-document.ts'
import type { ImportOptions } from './import.ts'

describe('base URL', () => {
  const base = (servers: unknown, options: ImportOptions = {}): string | undefined =>
    run({ ...V3, servers, paths: { '/x': { get: {} } } }, options).spec.base_url

  it('is the first server without its slash, variables at their defaults', () => {
    expect(base([{ url: 'https://a.example/api/' }, { url: 'https://b.example' }])).toBe(
      'https://a.example/api',
    )
    expect(
      base([
        {
          url: 'https://{tenant}.a.example/{v}',
          variables: { tenant: { default: 'demo' }, v: { default: 'v2' } },
        },
      ]),
    ).toBe('https://demo.a.example/v2')
    expect(base([{ url: 'https://{tenant}.a.example' }])).toBe(
      'https://\u0024{ORCHARD_TENANT}.a.example',
    )
    const circular = { tenant: { default: '{tenant}' } }
    expect(base([{ url: 'https://{tenant}.a.example', variables: circular }])).toBe(
      'https://\u0024{ORCHARD_TENANT}.a.example',
    )
    expect(base([{ url: 'ws://a.example' }, { url: 'http://b.example' }])).toBe('http://b.example')
    expect(base([{ url: '//a.example/x' }])).toBe('https://a.example/x')
    expect(base([{ url: 'a.example/x' }])).toBe('https://a.example/x')
    expect(base([{ url: 'http://a.example' }, { url: 'https://a.example' }])).toBe(
      'https://a.example',
    )
  })

  it('joins a relative server to where the document came from, else to a variable', () => {
    expect(base([{ url: '/v1' }], { url: 'https://c.example/docs/openapi.json' })).toBe(
      'https://c.example/v1',
    )
    expect(base([{ url: '/v1' }])).toBe('\u0024{ORCHARD_BASE_URL}/v1')
    expect(base(undefined)).toBe('\u0024{ORCHARD_BASE_URL}')
    expect(base([{ url: 'not a url at all' }, 5, null])).toMatch(/ORCHARD_BASE_URL/)
  })

  it('never takes a text of the document for a reference to the environment', () => {
    expect(base([{ url: 'https://a.example/\u0024{SECRET}' }])).toBe(
      'https://a.example/\u0024\u0024{SECRET}',
    )
  })

  it('[TS-167] operation beats path beats document; the most frequent goes to the top', () => {
    const paths = {
      '/a': { get: {}, servers: [{ url: 'https://path.example' }] },
      '/b': {
        servers: [{ url: 'https://path.example' }],
        get: { servers: [{ url: 'https://operation.example' }] },
      },
      '/c': { get: {} },
      '/d': { get: {} },
    }
    const { spec } = run({ ...V3, paths })
    expect(spec.base_url).toBe('https://a.example/api')
    expect(spec.tools.map((tool) => tool.base_url)).toEqual([
      'https://path.example',
      'https://operation.example',
      undefined,
      undefined,
    ])
  })
})

describe('auth', () => {
  const authOf = (schemes: object, security: unknown, options: ImportOptions = {}) =>
    run(
      { ...V3, components: { securitySchemes: schemes }, security, paths: { '/x': { get: {} } } },
      options,
    )

  it('[TS-100] [TS-101] [TS-102] [TS-103] maps schemes to auth and variables', () => {
    const one = (scheme: object): unknown => authOf({ s: scheme }, [{ s: [] }]).spec.auth
    expect(one({ type: 'http', scheme: 'bearer' })).toEqual({
      type: 'bearer',
      env: 'ORCHARD_API_TOKEN',
    })
    expect(one({ type: 'apiKey', in: 'header', name: 'X-Key' })).toEqual({
      type: 'api_key',
      env: 'ORCHARD_API_KEY',
      header: 'X-Key',
    })
    expect(one({ type: 'http', scheme: 'Basic' })).toEqual({
      type: 'basic',
      env: 'ORCHARD_USERNAME',
    })
    expect(
      one({
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://a.example/t', scopes: {} } },
      }),
    ).toEqual({
      type: 'oauth2',
      env: 'ORCHARD_CLIENT_ID',
      token_url: 'https://a.example/t',
      flow: 'client_credentials',
    })
    expect(
      one({
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://a.example/login',
            tokenUrl: 'https://a.example/t',
            scopes: {},
          },
        },
      }),
    ).toMatchObject({
      authorization_url: 'https://a.example/login',
      flow: 'authorization_code',
    })
    expect(one({ type: 'apiKey', in: 'query', name: 'key' })).toEqual({
      type: 'api_key',
      env: 'ORCHARD_API_KEY',
      in: 'query',
      name: 'key',
    })
    expect(
      one({
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'Value: Bearer <token>',
      }),
    ).toEqual({ type: 'bearer', env: 'ORCHARD_API_TOKEN' })
    expect(
      one({
        type: 'openIdConnect',
        openIdConnectUrl: 'https://a.example/.well-known/openid-configuration',
      }),
    ).toMatchObject({
      type: 'oauth2',
      discovery_url: 'https://a.example/.well-known/openid-configuration',
    })
  })

  it('takes the alternatives it can express, and combines what belongs together', () => {
    const schemes = {
      d: { type: 'http', scheme: 'digest' },
      k: { type: 'apiKey', in: 'header', name: 'K' },
      t: { type: 'apiKey', in: 'query', name: 't' },
    }
    const { spec, codes } = authOf(schemes, [{ d: [] }, { k: [], t: [] }, { k: [] }])
    expect(spec.auth).toEqual({
      type: 'api_key',
      env: 'ORCHARD_API_KEY',
      header: 'K',
      also: [{ type: 'api_key', env: 'ORCHARD_T_API_KEY', in: 'query', name: 't' }],
      or: [{ type: 'api_key', env: 'ORCHARD_API_KEY', header: 'K' }],
    })
    expect(codes).toContain('W106')
    expect(authOf(schemes, [{ d: [] }])).toMatchObject({ codes: expect.arrayContaining(['W105']) })
  })

  it('puts the most frequent auth at the top and none where the document says so', () => {
    const paths = {
      '/a': { get: {} },
      '/b': { get: {} },
      '/c': { get: { security: [] } },
      '/d': { get: { security: [{}] } },
    }
    const { spec } = run({
      ...V3,
      components: { securitySchemes: { s: { type: 'http', scheme: 'bearer' } } },
      security: [{ s: [] }],
      paths: { ...paths, '/e': { get: {} } },
    })
    expect(spec.auth?.type).toBe('bearer')
    expect(spec.tools.map((tool) => tool.auth?.type)).toEqual([
      undefined,
      undefined,
      'none',
      'none',
      undefined,
    ])
  })

  it('[TS-104] can be overridden', () => {
    const schemes = { s: { type: 'http', scheme: 'bearer' } }
    expect(authOf(schemes, [{ s: [] }], { authType: 'basic' }).spec.auth).toEqual({
      type: 'basic',
      env: 'ORCHARD_USERNAME',
    })
    expect(
      authOf(schemes, [{ s: [] }], { authType: 'api_key', authEnv: 'MY_KEY' }).spec.auth,
    ).toEqual({ type: 'api_key', env: 'MY_KEY' })
    expect(authOf(schemes, [{ s: [] }], { authEnv: 'MY_TOKEN' }).spec.auth).toEqual({
      type: 'bearer',
      env: 'MY_TOKEN',
    })
  })
})
