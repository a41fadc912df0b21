import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callSpec, failureOf, oneTool } from '../../../test/codegen/call-spec.ts'
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../test/codegen/recording-server.ts'
import type { AuthConfig, ToolSpec } from '../tool-spec/types.ts'
import { createToolFunctions } from './run-tool.ts'

let api: RecordingServer
let tokens: RecordingServer

beforeAll(async () => {
  api = await startRecordingServer()
  tokens = await startRecordingServer()
})
beforeEach(() => {
  api.answer({ body: { ok: true } })
  tokens.answer((_request, index) => ({
    body: { access_token: `token-${index}`, expires_in: 3600 },
  }))
})
afterAll(() => Promise.all([api.close(), tokens.close()]))

function withAuth(auth: AuthConfig, own?: AuthConfig): ToolSpec {
  return oneTool(api.url, own ? { auth: own } : {}, { auth })
}

describe('credentials from the environment', () => {
  it('[TS-47] [TS-8] sends a bearer token', async () => {
    await callSpec(withAuth({ type: 'bearer', env: 'T' }), {}, { env: { T: 'abc\n' } })
    expect(api.requests[0]?.headers['authorization']).toBe('Bearer abc')
  })

  it('[TS-48] sends an API key in its header, as it is', async () => {
    const auth: AuthConfig = { type: 'api_key', env: 'K', header: 'X-Key' }
    await callSpec(withAuth(auth), {}, { env: { K: 'abc' } })
    expect(api.requests[0]?.headers['x-key']).toBe('abc')
    expect(api.requests[0]?.headers['authorization']).toBeUndefined()
  })

  it('[TS-49] sends an API key without a header in Authorization', async () => {
    await callSpec(withAuth({ type: 'api_key', env: 'K' }), {}, { env: { K: 'abc' } })
    expect(api.requests[0]?.headers['authorization']).toBe('abc')
  })

  it('puts a prefix before the value', async () => {
    const auth: AuthConfig = { type: 'api_key', env: 'K', prefix: 'Token ' }
    await callSpec(withAuth(auth), {}, { env: { K: 'abc' } })
    expect(api.requests[0]?.headers['authorization']).toBe('Token abc')
  })

  it('sends an API key in the query or in a cookie', async () => {
    const env = { K: 'a b' }
    await callSpec(withAuth({ type: 'api_key', env: 'K', in: 'query', name: 'key' }), {}, { env })
    await callSpec(withAuth({ type: 'api_key', env: 'K', in: 'cookie', name: 'sid' }), {}, { env })
    expect(api.requests[0]?.url).toBe('/things?key=a%20b')
    expect(api.requests[1]?.headers['cookie']).toBe('sid=a%20b')
  })

  it('[TS-50] [TS-51] sends user and password as Basic, in UTF-8', async () => {
    const env = { SHOP_USERNAME: 'zoë', SHOP_PASSWORD: 'a:b' }
    await callSpec(withAuth({ type: 'basic', env: 'SHOP_USERNAME' }), {}, { env })
    const encoded = Buffer.from('zoë:a:b', 'utf8').toString('base64')
    expect(api.requests[0]?.headers['authorization']).toBe(`Basic ${encoded}`)
  })

  it('[TS-54] [TS-27] sends nothing with none, even below an auth of the file', async () => {
    const spec = withAuth({ type: 'bearer', env: 'T' }, { type: 'none' })
    await callSpec(spec, {}, { env: { T: 'abc' } })
    expect(api.requests[0]?.headers['authorization']).toBeUndefined()
  })

  it('[TS-27] replaces the auth of the file by that of the tool as a whole', async () => {
    const spec = withAuth(
      { type: 'bearer', env: 'T' },
      { type: 'api_key', env: 'K', header: 'X-Key' },
    )
    await callSpec(spec, {}, { env: { T: 'abc', K: 'key' } })
    expect(api.requests[0]?.headers).toMatchObject({ 'x-key': 'key' })
    expect(api.requests[0]?.headers['authorization']).toBeUndefined()
  })

  it('sends all credentials of a combined requirement', async () => {
    const auth: AuthConfig = {
      type: 'bearer',
      env: 'T',
      also: [{ type: 'api_key', env: 'K', in: 'query', name: 'key' }],
    }
    await callSpec(withAuth(auth), {}, { env: { T: 'abc', K: 'k' } })
    expect(api.requests[0]).toMatchObject({
      url: '/things?key=k',
      headers: { authorization: 'Bearer abc' },
    })
  })

  it('reads the variable at every call', async () => {
    const env: Record<string, string> = { T: 'one' }
    const [tool] = createToolFunctions(withAuth({ type: 'bearer', env: 'T' }), { env })
    const signal = new AbortController().signal
    await tool?.handler({ input: {}, signal } as never)
    env['T'] = 'two'
    await tool?.handler({ input: {}, signal } as never)
    expect(api.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer one',
      'Bearer two',
    ])
  })
})

describe('missing and broken credentials', () => {
  it.each([
    [{ type: 'bearer', env: 'A_TOKEN' }, ['A_TOKEN']],
    [{ type: 'api_key', env: 'A_KEY' }, ['A_KEY']],
    [{ type: 'basic', env: 'A_USERNAME' }, ['A_USERNAME', 'A_PASSWORD']],
    [{ type: 'oauth2', env: 'A_CLIENT_ID' }, ['A_CLIENT_ID']],
  ] as const)('[TS-176] names the variables of %j and sends nothing', async (auth, names) => {
    const error = await failureOf(callSpec(withAuth(auth), {}, { env: { A_TOKEN: '' } }))
    expect(error.code).toBe('UNAVAILABLE')
    for (const name of names) expect(error.message).toContain(name)
    expect(api.requests).toEqual([])
  })

  it('[TS-177] does not repeat a credential that a header cannot carry', async () => {
    const env = { T: 'sec\nret€' }
    const error = await failureOf(callSpec(withAuth({ type: 'bearer', env: 'T' }), {}, { env }))
    expect(error.message).toMatch(/value of T holds characters/)
    expect(JSON.stringify([error, error.stack, error.cause])).not.toContain('ret€')
  })

  it('refuses a user name with a colon', async () => {
    const env = { A_USERNAME: 'a:b', A_PASSWORD: 'c' }
    const call = callSpec(withAuth({ type: 'basic', env: 'A_USERNAME' }), {}, { env })
    await expect(call).rejects.toThrow(/colon/)
  })

  it.each([
    [{ type: 'bearer', env: 'S' }],
    [{ type: 'api_key', env: 'S', in: 'query', name: 'key' }],
    [{ type: 'basic', env: 'S_USERNAME' }],
  ] as readonly [AuthConfig][])(
    '[TS-177] masks the credential of %j when the API echoes it',
    async (auth) => {
      const secret = 'top/secret value'
      const env = { S: secret, S_USERNAME: 'user', S_PASSWORD: secret }
      api.answer((request) => ({
        status: 400,
        body: `you sent ${request.url} ${JSON.stringify(request.headers)} ${secret}`,
      }))
      const error = await failureOf(callSpec(withAuth(auth), {}, { env }))
      const shown = JSON.stringify([error.message, error.errors, error.stack, error.cause])
      expect(error.errors[0].details?.['upstream_body']).toContain('***')
      expect(shown).not.toContain(secret)
      expect(shown).not.toContain(encodeURIComponent(secret))
      expect(shown).not.toContain(Buffer.from(`user:${secret}`).toString('base64'))
    },
  )
})

describe('oauth2', () => {
  const auth: AuthConfig = { type: 'oauth2', env: 'SLACK_CLIENT_ID', scopes: ['a', 'b'] }

  function environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      SLACK_CLIENT_ID: 'my id',
      SLACK_CLIENT_SECRET: 's3/cret',
      SLACK_TOKEN_URL: `${tokens.url}/token`,
      ...more,
    }
  }

  function tool(env: Record<string, string>, now: () => number = Date.now): () => Promise<unknown> {
    const [definition] = createToolFunctions(withAuth(auth), { env, now })
    const signal = new AbortController().signal
    return async () => definition?.handler({ input: {}, signal } as never)
  }

  it('[TS-52] asks the token URL with id and secret, form-encoded before base64', async () => {
    await tool(environment())()
    const [request] = tokens.requests
    const basic = Buffer.from('my+id:s3%2Fcret').toString('base64')
    expect(request?.headers['authorization']).toBe(`Basic ${basic}`)
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
    })
    expect(api.requests[0]?.headers['authorization']).toBe('Bearer token-0')
  })

  it('sends id and secret in the body where the API wants them there', async () => {
    await tool(environment({ SLACK_CLIENT_AUTH: 'post' }))()
    const [request] = tokens.requests
    expect(request?.headers['authorization']).toBeUndefined()
    expect(request?.body).toContain('client_id=my+id&client_secret=s3%2Fcret')
  })

  it('[TS-175] asks for one token for fifty concurrent calls', async () => {
    const call = tool(environment())
    await Promise.all(Array.from({ length: 50 }, call))
    expect(tokens.requests).toHaveLength(1)
    expect(api.requests).toHaveLength(50)
  })

  it('[TS-53] fetches a new token a minute before the old one ends', async () => {
    let now = 0
    const call = tool(environment(), () => now)
    await call()
    now = 3_539_000
    await call()
    expect(tokens.requests).toHaveLength(1)
    now = 3_540_001
    await call()
    expect(tokens.requests).toHaveLength(2)
  })

  it('counts on five minutes when the answer names no lifetime', async () => {
    let now = 0
    tokens.answer({ body: { access_token: 't' } })
    const call = tool(environment(), () => now)
    await call()
    now = 239_000
    await call()
    now = 241_000
    await call()
    expect(tokens.requests).toHaveLength(2)
  })

  it('[TS-53] uses a refresh token, and the new one when it is replaced', async () => {
    let now = 0
    tokens.answer({ body: { access_token: 't', expires_in: 100, refresh_token: 'second' } })
    const call = tool(environment({ SLACK_REFRESH_TOKEN: 'first' }), () => now)
    await call()
    now = 60_000
    await call()
    const grants = tokens.requests.map((request) => new URLSearchParams(request.body))
    expect(grants.map((grant) => grant.get('refresh_token'))).toEqual(['first', 'second'])
    expect(grants[0]?.get('grant_type')).toBe('refresh_token')
  })

  it('[TS-174] fetches a token once more after a 401, and sends once more', async () => {
    api.answer((request) => ({
      status: request.headers['authorization'] === 'Bearer token-1' ? 200 : 401,
      body: {},
    }))
    await tool(environment())()
    expect(tokens.requests).toHaveLength(2)
    expect(api.requests).toHaveLength(2)
  })

  it('[TS-174] gives up after the second 401', async () => {
    api.answer({ status: 401, body: {} })
    await expect(tool(environment())()).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
    expect(api.requests).toHaveLength(2)
  })

  it('[TS-174] [TS-175] replaces a token that fifty calls were refused with only once', async () => {
    api.answer((request) => ({
      status: request.headers['authorization'] === 'Bearer token-0' ? 401 : 200,
      body: {},
    }))
    const call = tool(environment())
    await Promise.all(Array.from({ length: 50 }, call))
    expect(tokens.requests).toHaveLength(2)
  })

  it('uses a given access token until it is refused', async () => {
    api.answer((request) => ({
      status: request.headers['authorization'] === 'Bearer given' ? 401 : 200,
      body: {},
    }))
    await tool(environment({ SLACK_ACCESS_TOKEN: 'given' }))()
    expect(api.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer given',
      'Bearer token-0',
    ])
  })

  it('finds the token URL in a discovery document', async () => {
    tokens.answer((request) =>
      request.method === 'GET'
        ? { body: { token_endpoint: `${tokens.url}/found` } }
        : { body: { access_token: 't' } },
    )
    const { SLACK_TOKEN_URL: _url, ...env } = environment()
    const spec = withAuth({
      ...auth,
      discovery_url: `${tokens.url}/.well-known/openid-configuration`,
    })
    await callSpec(spec, {}, { env })
    expect(tokens.requests.map((request) => request.path)).toEqual([
      '/.well-known/openid-configuration',
      '/found',
    ])
  })

  it('refuses a token URL without encryption outside this machine', async () => {
    const call = tool(environment({ SLACK_TOKEN_URL: 'http://example.com/token' }))
    await expect(call()).rejects.toThrow(/must be https/)
  })

  it('[TS-177] says why the token was refused without the secrets', async () => {
    tokens.answer({
      status: 400,
      body: { error: 'invalid_client', error_description: 'secret s3/cret is wrong' },
    })
    const error = await failureOf(tool(environment())())
    expect(error.message).toContain('invalid_client: secret *** is wrong')
    expect(error.message).not.toContain('s3/cret')
    expect(api.requests).toEqual([])
  })

  it('asks again after a token was refused', async () => {
    tokens.answer((_request, index) => ({
      status: index === 0 ? 500 : 200,
      body: { access_token: 'late' },
    }))
    const call = tool(environment())
    await expect(call()).rejects.toThrow(/status 500/)
    await expect(call()).resolves.toEqual({ ok: true })
  })

  it('does not take the token away from others when one caller gives up', async () => {
    const [definition] = createToolFunctions(withAuth(auth), { env: environment() })
    const leaver = new AbortController()
    const stayer = new AbortController()
    const left = definition?.handler({ input: {}, signal: leaver.signal } as never)
    const stayed = definition?.handler({ input: {}, signal: stayer.signal } as never)
    leaver.abort()
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(stayed).resolves.toEqual({ ok: true })
  })
})
