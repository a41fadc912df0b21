import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { buildBusinessProfile, hostProfile, lintProfile } from '../../src/entries/capabilities.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { runMain } from '../cli/run-main.ts'
import { serviceOf } from '../support/service.ts'

const SECRET = 'c2VjcmV0LXZhbHVlLW9mLXRoZS1rZXk'
const PUBLIC_KEY = { kid: 'k1', kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', alg: 'ES256' }
const PROFILE = {
  version: '2026-04-08',
  service: 'com.example.shop',
  capabilities: [],
} as const
const DEFINITION = { version: '2026-04-08', services: {}, capabilities: [], documents: {} }
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const PRIVATE_PEM = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const PUBLIC_PEM = publicKey.export({ format: 'pem', type: 'spki' }).toString()

const published = (keys: readonly JsonObject[], member = 'keys') => ({
  ucp: { version: '2026-04-08', services: {}, capabilities: {}, payment_handlers: {} },
  [member]: keys,
})

const MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

/** Gives what was thrown, and fails where nothing was. */
function thrownBy(action: () => unknown): Error {
  try {
    action()
  } catch (thrown) {
    return thrown as Error
  }
  throw new Error('nothing was thrown')
}

describe('as reported: a private member of a key', () => {
  it.each(MEMBERS)('%s is refused at start, with its path and without its value', (member) => {
    const keys = [PUBLIC_KEY, { ...PUBLIC_KEY, [member]: SECRET }]
    const profile = { ...PROFILE, origin: 'https://shop.example', keys }
    const thrown = thrownBy(() => createApp(serviceOf([]), { surfaces: allSurfaces({ profile }) }))
    expect(thrown).toBeInstanceOf(TypeError)
    expect(thrown.message).toContain(`/keys/1/${member}`)
    expect(thrown.message).not.toContain(SECRET)
  })

  it.each(MEMBERS)('%s is an error of the profile for lint', (member) => {
    for (const place of ['keys', 'signing_keys']) {
      const findings = lintProfile(published([{ ...PUBLIC_KEY, [member]: SECRET }], place))
      const about = findings.filter(({ pointer }) => pointer === `/${place}/0/${member}`)
      expect(about).toMatchObject([{ severity: 'error' }])
      expect(JSON.stringify(findings)).not.toContain(SECRET)
    }
  })

  it('is refused by createService, before anybody publishes anything', () => {
    const profile = { ...PROFILE, keys: [{ ...PUBLIC_KEY, d: SECRET }] }
    expect(() => serviceOf([], { profile })).toThrow('/keys/0/d')
  })

  it('is not found where there is none', () => {
    const profile = { ...PROFILE, origin: 'https://shop.example', keys: [PUBLIC_KEY] }
    expect(() => createApp(serviceOf([]), { surfaces: allSurfaces({ profile }) })).not.toThrow()
    expect(lintProfile(published([PUBLIC_KEY])).map(({ code }) => code)).not.toContain(
      'private_key',
    )
  })
})

describe('as reported: waymark check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-keys-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(['keys', 'signing_keys'])('refuses a file whose %s hold a private key', async (place) => {
    const file = join(folder, `${place}.json`)
    writeFileSync(file, JSON.stringify(published([{ ...PUBLIC_KEY, d: SECRET }], place)))
    const { code, out, err } = await runMain(['check', file])
    expect(code).not.toBe(0)
    expect(out + err).toContain(`/${place}/0/d`)
    expect(out + err).not.toContain(SECRET)
  })
})

describe('beside it', () => {
  const PLACES: readonly (readonly [string, JsonObject, string])[] = [
    ['of a type nobody knows', { keys: [{ kid: 'k', kty: 'AKP', d: SECRET }] }, '/keys/0/d'],
    ['without a type', { keys: [{ p: SECRET }] }, '/keys/0/p'],
    [
      'inside another key',
      { keys: [{ ...PUBLIC_KEY, jwk: { kty: 'oct', k: SECRET } }] },
      '/keys/0/jwk/k',
    ],
    ['as PEM among the keys', { keys: [{ kid: 'k', pem: PRIVATE_PEM }] }, '/keys/0/pem'],
    [
      'in a set of keys of a payment handler',
      {
        paymentHandlers: {
          'com.example.pay': [
            { config: { jwks: { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', d: SECRET }] } } },
          ],
        },
      },
      '/paymentHandlers/com.example.pay/0/config/jwks/keys/0/d',
    ],
    [
      'as PEM in the configuration of a capability',
      { capabilities: [{ name: 'com.example.shop.pay', config: { certificate: PRIVATE_PEM } }] },
      '/capabilities/0/config/certificate',
    ],
    [
      'as the secret of webhooks',
      {
        capabilities: [
          { name: 'com.example.shop.pay', config: { webhook: 'whsec_MfKQ9r8GKYqrTwjU' } },
        ],
      },
      '/capabilities/0/config/webhook',
    ],
  ]

  it.each(PLACES)('a private key %s is refused at start', (_name, members, pointer) => {
    const profile = { ...PROFILE, origin: 'https://shop.example', ...members }
    const thrown = thrownBy(() => createApp(serviceOf([]), { surfaces: allSurfaces({ profile }) }))
    expect(thrown).toBeInstanceOf(TypeError)
    expect(thrown.message).toContain(pointer)
    for (const secret of [SECRET, PRIVATE_PEM, 'MfKQ9r8GKYqrTwjU']) {
      expect(thrown.message).not.toContain(secret)
    }
  })

  it('the profile of publicUrl is refused as well', () => {
    const service = { ...serviceOf([]), profile: { ...PROFILE, keys: [{ k: SECRET }] } }
    expect(() =>
      createApp(service, { publicUrl: 'https://shop.example', surfaces: allSurfaces() }),
    ).toThrow('/keys/0/k')
  })

  it('so it is where a profile is built or hosted by hand', () => {
    const keys = [{ ...PUBLIC_KEY, d: SECRET }]
    expect(() => buildBusinessProfile({ ...DEFINITION, keys })).toThrow('/keys/0/d')
    for (const place of ['keys', 'signing_keys']) {
      expect(() => hostProfile(published(keys, place))).toThrow(`/${place}/0/d`)
    }
  })

  it('lint finds what negotiation would not look at', () => {
    const profile = {
      ...published([]),
      ucp: {
        version: '2026-04-08',
        services: {},
        capabilities: {},
        payment_handlers: { 'com.example.pay': [{ config: { pem: PRIVATE_PEM } }] },
      },
    }
    const found = lintProfile(profile).filter(({ code }) => code === 'private_key')
    expect(found.map(({ pointer }) => pointer)).toEqual([
      '/ucp/payment_handlers/com.example.pay/0/config/pem',
    ])
  })

  it('public keys and settings that share a name with a member are let through', () => {
    const members = {
      keys: [
        PUBLIC_KEY,
        { kid: 'r', kty: 'RSA', n: 'n', e: 'AQAB' },
        { kid: 'p', pem: PUBLIC_PEM },
      ],
      capabilities: [{ name: 'com.example.shop.search', config: { k: 10, p: 0.9, alg: 'bm25' } }],
    }
    const profile = { ...PROFILE, origin: 'https://shop.example', ...members }
    expect(() => createApp(serviceOf([]), { surfaces: allSurfaces({ profile }) })).not.toThrow()
  })
})

describe('beside it: a profile of another form', () => {
  const start = (profile: object) =>
    thrownBy(() =>
      createApp(serviceOf([]), { surfaces: allSurfaces({ profile: profile as never }) }),
    )

  it.each<[string, object, string]>([
    ['the published document', published([PUBLIC_KEY]), 'profile.version must be a string; this'],
    ['no capabilities', { ...PROFILE, capabilities: undefined }, 'profile.capabilities must be'],
    [
      'capabilities by name',
      { ...PROFILE, capabilities: {} },
      'profile.capabilities must be a list',
    ],
    ['one without name', { ...PROFILE, capabilities: [{}] }, 'profile.capabilities[0].name must'],
    ['no origin', { ...PROFILE, origin: undefined }, 'profile.origin must be a string'],
    ['an origin that is none', { ...PROFILE, origin: 'shop' }, 'profile.origin must be a URL'],
  ])('names the member: %s', (_name, profile, text) => {
    const thrown = start({ origin: 'https://shop.example', ...profile })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(thrown.message).toContain(text)
  })

  it('speaks of a private key first', () => {
    const thrown = start(published([{ ...PUBLIC_KEY, d: SECRET }], 'signing_keys'))
    expect(thrown.message).toContain('/signing_keys/0/d is part of a private key')
  })
})
