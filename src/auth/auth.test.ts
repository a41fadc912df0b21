import { createHmac } from 'node:crypto'
import * as jose from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestClock } from '../../test/support/forrst.ts'
import type { Credentials } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { createMemoryStore } from '../store/index.ts'
import { apiKeys, createApiKeys, firstOf, jwt, oauthResource } from './index.ts'

const NEUTRAL = 'Credentials are missing or not accepted'
const credentials = (headers: Readonly<Record<string, string>>): Credentials => ({
  header: (name) => headers[name],
  surface: 'rest',
})
const bearer = (token: string) => credentials({ authorization: `Bearer ${token}` })

/** Whoever is refused learns the same sentence, whatever was wrong. */
async function refusal(action: () => unknown): Promise<string> {
  try {
    await action()
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    expect([thrown.code, thrown.errors[0].message]).toEqual(['UNAUTHORIZED', NEUTRAL])
    return thrown.message
  }
  throw new Error('nobody was refused')
}

describe('API keys', () => {
  async function setUp() {
    const store = createMemoryStore()
    const clock = createTestClock()
    const keys = createApiKeys(store, clock)
    return { store, clock, keys, authenticate: apiKeys({ store, clock }) }
  }

  it('are known by Authorization or X-API-Key, with their scopes', async () => {
    const { keys, authenticate } = await setUp()
    const { key, record } = await keys.create({ name: 'ci', scopes: ['orders:write'] })
    const known = { id: `key:${record.id}`, scopes: ['orders:write'], key: record.id }
    expect(await authenticate(bearer(key))).toEqual(known)
    expect(await authenticate(credentials({ 'x-api-key': key }))).toEqual(known)
  })

  it('are kept as hashes', async () => {
    const { store, keys } = await setUp()
    const { key } = await keys.create({ name: 'ci' })
    const { entries } = await store.listByPrefix('')
    expect(JSON.stringify(entries)).not.toContain(key.split('_')[2])
    expect(await keys.list()).toMatchObject([{ name: 'ci' }])
  })

  it('end when they are revoked, at the latest after the time they are remembered', async () => {
    const { clock, keys, authenticate } = await setUp()
    const { key, record } = await keys.create({ name: 'ci' })
    await authenticate(bearer(key))
    expect(await keys.revoke(record.id)).toBe(true)
    clock.advance(5_001)
    await refusal(() => authenticate(bearer(key)))
  })

  it('end when they expire, although they are remembered', async () => {
    const { clock, keys, authenticate } = await setUp()
    const { key } = await keys.create({ name: 'ci', ttlMs: 1_000 })
    await authenticate(bearer(key))
    clock.advance(1_000)
    expect(await refusal(() => authenticate(bearer(key)))).toMatch(/expired/)
  })

  it('refuses unknown, wrong, malformed, huge and contradictory ones with one sentence', async () => {
    const { keys, authenticate } = await setUp()
    const { key } = await keys.create({ name: 'ci' })
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    for (const text of [
      wrong,
      `wm_${'0'.repeat(16)}_${'0'.repeat(64)}`,
      'wm_',
      `wm_${'0'.repeat(9_000)}`,
    ]) {
      await refusal(() => authenticate(bearer(text)))
    }
    // The memory of a right key must not let a wrong secret in.
    await authenticate(bearer(key))
    await refusal(() => authenticate(bearer(wrong)))
    await refusal(() =>
      authenticate(credentials({ 'x-api-key': key, authorization: 'Bearer other' })),
    )
    await refusal(() =>
      authenticate(credentials({ authorization: `Bearer ${'x'.repeat(20_000)}` })),
    )
    await refusal(() => authenticate(credentials({})))
  })
})

describe('signed tokens', () => {
  const issuer = 'https://login.example.com'
  const audience = 'https://api.example.com'
  const algorithms = ['RS256']
  let one: jose.GenerateKeyPairResult
  let two: jose.GenerateKeyPairResult
  const publicKey = async (pair: jose.GenerateKeyPairResult, kid: string) => ({
    ...(await jose.exportJWK(pair.publicKey)),
    kid,
    alg: 'RS256',
  })
  beforeAll(async () => {
    one = await jose.generateKeyPair('RS256', { extractable: true })
    two = await jose.generateKeyPair('RS256', { extractable: true })
  })
  const clock = createTestClock()
  const now = () => Math.floor(clock.now() / 1_000)
  const sign = (claims: jose.JWTPayload = {}, pair = one, header: object = { kid: 'one' }) =>
    new jose.SignJWT({
      iss: issuer,
      aud: audience,
      sub: 'ada',
      scope: 'orders:read orders:write',
      exp: now() + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', ...header })
      .sign(pair.privateKey)
  const setUp = async () =>
    jwt({ issuer, audience, algorithms, clock, jwks: { keys: [await publicKey(one, 'one')] } })

  it('name the caller and the scopes', async () => {
    const authenticate = await setUp()
    expect(await authenticate(bearer(await sign()))).toEqual({
      id: 'ada',
      scopes: ['orders:read', 'orders:write'],
    })
  })

  it.each([
    ['another audience', { aud: 'https://other.example.com' }, /aud/],
    ['another issuer', { iss: 'https://evil.example.com' }, /iss/],
    ['no audience', { aud: undefined }, /aud/],
    ['no end', { exp: undefined }, /exp/],
    ['no subject', { sub: undefined }, /sub/],
  ] as const)('are refused with %s', async (_name, claims, reason) => {
    const authenticate = await setUp()
    expect(await refusal(async () => authenticate(bearer(await sign(claims as never))))).toMatch(
      reason,
    )
  })

  it('are refused after their end and before their beginning', async () => {
    const authenticate = await setUp()
    const early = await sign({ nbf: now() + 60 })
    expect(await refusal(() => authenticate(bearer(early)))).toMatch(/nbf/)
    const token = await sign({ exp: now() + 10 })
    await authenticate(bearer(token))
    clock.advance(20_000)
    // Also when it was remembered.
    expect(await refusal(() => authenticate(bearer(token)))).toMatch(/exp/)
  })

  it('are refused without a signature, with a changed one, and with a public key as a secret', async () => {
    const authenticate = await setUp()
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [head = '', body = '', signature = ''] = (await sign()).split('.')
    const none = `${encode({ alg: 'none' })}.${body}.`
    const stripped = `${head}.${body}.`
    const changed = `${head}.${encode({ iss: issuer, aud: audience, sub: 'root', exp: now() + 300 })}.${signature}`
    const pem = await jose.exportSPKI(one.publicKey)
    const input = `${encode({ alg: 'HS256', kid: 'one' })}.${body}`
    const confused = `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`
    for (const token of [none, stripped, changed, confused, `${'a'.repeat(9_000)}.b.c`, 'a.b.c']) {
      await refusal(() => authenticate(bearer(token)))
    }
  })

  it('are refused when their header brings the key, or asks for what nobody understands', async () => {
    const authenticate = await setUp()
    const own = await publicKey(two, 'two')
    const headers = [
      { kid: 'two', jwk: own },
      { kid: 'two', jku: 'https://evil.example.com/keys' },
      { kid: 'one', crit: ['exp'], exp: 1 },
      { kid: '../../one' },
    ]
    for (const header of headers) {
      const token = await sign({}, two, header).catch(() => undefined)
      if (token !== undefined) await refusal(() => authenticate(bearer(token)))
    }
    await refusal(async () => authenticate(bearer(await sign({}, two))))
  })

  it('follow the keys of the issuer when they change, and outlive an outage', async () => {
    let keys = [await publicKey(one, 'one')]
    let isAway = false
    let fetched = 0
    const answer: typeof fetch = async (url) => {
      fetched += 1
      if (isAway) throw new TypeError('fetch failed')
      const document = String(url).endsWith('openid-configuration')
        ? { issuer, jwks_uri: `${issuer}/keys` }
        : { keys }
      return Response.json(document)
    }
    const authenticate = jwt({ issuer, audience, algorithms, clock, fetch: answer, cacheMs: 0 })
    await authenticate(bearer(await sign()))
    const before = fetched
    await authenticate(bearer(await sign()))
    expect(fetched).toBe(before)
    keys = [await publicKey(two, 'two')]
    const rotated = () => sign({}, two, { kid: 'two' })
    // Made-up key ids do not make us ask again and again.
    await refusal(async () => authenticate(bearer(await rotated())))
    expect(fetched).toBe(before)
    clock.advance(31_000)
    await authenticate(bearer(await rotated()))
    await refusal(async () => authenticate(bearer(await sign())))
    isAway = true
    clock.advance(3_600_000)
    await authenticate(bearer(await rotated()))
    clock.advance(86_400_000)
    await expect(async () => authenticate(bearer(await rotated()))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      errors: [{ message: 'Tokens cannot be checked now' }],
    })
  })

  it('refuses at start what would leave a choice to the caller', () => {
    const base = { issuer, audience, algorithms }
    expect(() => jwt({ ...base, algorithms: ['HS256'] })).toThrow('algorithms must be asymmetric')
    expect(() => jwt({ ...base, algorithms: ['none'] })).toThrow('algorithms must be asymmetric')
    expect(() => jwt({ ...base, algorithms: [] })).toThrow('algorithms must be asymmetric')
    expect(() => jwt({ ...base, audience: '' })).toThrow('audience is required')
  })

  it('are for the resource that is published', async () => {
    const resource = 'https://api.example.com/mcp'
    const jwks = { keys: [await publicKey(one, 'one')] }
    const oauth = oauthResource({ resource, issuer, algorithms, clock, jwks })
    expect(oauth.authorization).toEqual({ resource, authorizationServers: [issuer] })
    await refusal(async () => oauth.authenticate(bearer(await sign())))
    expect(await oauth.authenticate(bearer(await sign({ aud: resource })))).toMatchObject({
      id: 'ada',
    })
  })

  it('are tried after API keys; wrong credentials of one kind are not shown to the other', async () => {
    const store = createMemoryStore()
    const asked: string[] = []
    const both = firstOf(apiKeys({ store }), await setUp(), () => {
      asked.push('last')
      return undefined
    })
    expect(await both(bearer(await sign()))).toMatchObject({ id: 'ada' })
    await refusal(() => both(bearer('wm_wrong')))
    expect(asked).toEqual([])
    await refusal(() => both(credentials({})))
    expect(asked).toEqual(['last'])
  })
})
