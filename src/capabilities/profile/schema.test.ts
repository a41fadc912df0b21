import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { createRandom, HAS_FIXTURES, readFixture, readFolder } from '../../../test/support/ucp.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Side } from '../model.ts'
import {
  CAPABILITY_LINT_SCHEMA,
  createProfileValidator,
  LAYOUTS,
  type Layout,
  layoutOf,
} from './schema.ts'

const SIDES: readonly Side[] = ['business', 'platform']

describe('profile layouts', () => {
  it('takes the layout that was in force for a version', () => {
    expect(
      ['2025-12-01', '2026-01-11', '2026-01-30', '2026-04-08', '2026-08-25', '2027-01-01'].map(
        layoutOf,
      ),
    ).toEqual(['2026-01-11', '2026-01-11', '2026-01-23', '2026-04-08', '2026-08-25', '2026-08-25'])
  })

  it('needs ucp and ucp.version [UCP-1]', () => {
    expect(pointers({}, 'business')).toEqual(['/ucp'])
    expect(pointers({ ucp: { services: {}, payment_handlers: {} } }, 'business')).toEqual([
      '/ucp/version',
    ])
  })

  it.each(['draft', '2026-4-8', '', 20260408])('refuses version %j [UCP-2]', (version) => {
    const profile = { ucp: { version, services: {}, payment_handlers: {} } }
    expect(pointers(profile, 'business')).toContain('/ucp/version')
  })

  it('needs services and payment_handlers, which may be empty, but no capabilities [UCP-3]', () => {
    for (const side of SIDES) {
      expect(pointers({ ucp: { version: '2026-08-25' } }, side)).toEqual([
        '/ucp/services',
        '/ucp/payment_handlers',
      ])
      expect(pointers(profileWith({}), side)).toEqual([])
    }
  })

  it('refuses registry keys outside the grammar [UCP-4] [UCP-5]', () => {
    const entry = [{ version: '2026-08-25', schema: 'https://a.example/s.json' }]
    const accepted = ['com.example-shop.checkout', 'com.2example.cart', 'xn--p1ai.example.checkout']
    for (const name of accepted) {
      expect(pointers(profileWith({ capabilities: { [name]: entry } }), 'business')).toEqual([])
    }
    for (const name of ['Com.x', 'com.-x', 'com.x-', 'com', '', 'com..x']) {
      const found = pointers(profileWith({ capabilities: { [name]: entry } }), 'business')
      expect(found, name).not.toEqual([])
    }
    const older = { ucp: { version: '2026-04-08', services: {}, payment_handlers: {} } }
    const hyphen = { ucp: { ...older.ucp, capabilities: { 'com.a-b.c': entry } } }
    expect(pointers(hyphen, 'business')).not.toEqual([])
  })

  it('refuses a registry value that is not an array [UCP-6]', () => {
    const profile = profileWith({ capabilities: { 'a.b.c': { version: '2026-08-25' } } })
    expect(pointers(profile, 'business')).toEqual(['/ucp/capabilities/a.b.c'])
  })

  it('refuses a service entry without a known transport [UCP-7]', () => {
    const entry = { version: '2026-08-25', endpoint: 'https://a.example' }
    expect(pointers(serviceWith(entry), 'business')).toEqual(['/ucp/services/a.b/0/transport'])
    expect(pointers(serviceWith({ ...entry, transport: 'grpc' }), 'business')).toEqual([
      '/ucp/services/a.b/0/transport',
    ])
  })

  it('needs an endpoint on rest, mcp and a2a of a business, none on embedded [UCP-8]', () => {
    for (const transport of ['rest', 'mcp', 'a2a']) {
      const found = pointers(serviceWith({ version: '2026-08-25', transport }), 'business')
      expect(found, transport).toEqual(['/ucp/services/a.b/0/endpoint'])
    }
    const embedded = { version: '2026-08-25', transport: 'embedded' }
    expect(pointers(serviceWith(embedded), 'business')).toEqual([])
  })

  it('needs spec everywhere and schema except on a2a in a platform profile [UCP-9]', () => {
    const entry = { version: '2026-08-25', spec: 'https://a.example/spec' }
    for (const transport of ['rest', 'mcp', 'embedded']) {
      expect(pointers(serviceWith({ ...entry, transport }), 'platform')).not.toEqual([])
    }
    expect(pointers(serviceWith({ ...entry, transport: 'a2a' }), 'platform')).toEqual([])
    const without = { version: '2026-08-25', transport: 'a2a' }
    expect(pointers(serviceWith(without), 'platform')).not.toEqual([])
  })

  it('needs what the side of a capability needs [UCP-10]', () => {
    const bare = profileWith({ capabilities: { 'a.b.c': [{ version: '2026-08-25' }] } })
    expect(pointers(bare, 'platform')).toHaveLength(2)
    expect(pointers(bare, 'business')).toHaveLength(1)
    const older = { ...bare, ucp: { ...bare.ucp, version: '2026-04-08' } }
    expect(pointers(older, 'business')).toEqual([])
  })

  it.each([[[]], [3], [{}], [['a.b', 4]], ['nodots']])('refuses extends %j [UCP-11]', (parents) => {
    expect(pointers(capabilityWith({ extends: parents }), 'business')).not.toEqual([])
  })

  it.each([['a.b.d'], [['a.b.d']], [['a.b.d', 'a.b.e']]])(
    'accepts extends %j [UCP-11]',
    (parents) => {
      expect(pointers(capabilityWith({ extends: parents }), 'business')).toEqual([])
    },
  )

  it('accepts operations as an array of non-empty strings, also empty [UCP-12]', () => {
    expect(pointers(capabilityWith({ operations: [] }), 'business')).toEqual([])
    expect(pointers(capabilityWith({ operations: ['a', 'a'] }), 'business')).toEqual([])
    for (const operations of [[''], [1], 'a', {}, null]) {
      expect(pointers(capabilityWith({ operations }), 'business')).not.toEqual([])
    }
  })

  it('lints operations together with extends [UCP-13]', () => {
    const check = compileSchema(CAPABILITY_LINT_SCHEMA)
    expect(check({ version: '2026-08-25', operations: ['a'] }).ok).toBe(true)
    expect(check({ version: '2026-08-25', extends: 'a.b.c' }).ok).toBe(true)
    expect(check({ version: '2026-08-25', extends: 'a.b.c', operations: [] }).ok).toBe(false)
  })

  it('ignores unknown members everywhere [UCP-14]', () => {
    const profile = {
      ...capabilityWith({ novel: 1, config: { any: ['thing'] } }),
      vendor: { anything: true },
    }
    expect(
      pointers({ ...profile, ucp: { ...profile.ucp, ucp: 7, novel: [] } }, 'business'),
    ).toEqual([])
  })

  it('refuses a key with private members and accepts one of unknown type [UCP-15]', () => {
    const keys = (key: object): unknown => ({ ...profileWith({}), keys: [key] })
    expect(pointers(keys({ kid: 'a', kty: 'NEW' }), 'business')).toEqual([])
    expect(
      pointers(keys({ kid: 'a', kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }), 'business'),
    ).toEqual([])
    expect(pointers(keys({ kid: 'a', kty: 'EC', crv: 'P-256', x: 'x' }), 'business')).not.toEqual(
      [],
    )
    expect(pointers(keys({ kid: 'a', kty: 'NEW', d: 'secret' }), 'business')).not.toEqual([])
  })
})

describe.skipIf(!HAS_FIXTURES)('agreement with the published schemas (needs ../shared)', () => {
  it.each(LAYOUTS)('gives the verdict of the published schemas for %s', (layout) => {
    const validator = createProfileValidator()
    const disagreements: unknown[] = []
    for (const side of SIDES) {
      const published = publishedCheck(layout, side)
      for (const profile of mutations(layout)) {
        const ours = validator.problems(profile, side, layout).length === 0
        if (ours !== published(profile)) {
          disagreements.push([
            side,
            ours,
            JSON.stringify(published.errors?.at(-1)),
            JSON.stringify(profile),
          ])
        }
      }
    }
    expect(disagreements.slice(0, 3)).toEqual([])
  })
})

function pointers(profile: unknown, side: Side): readonly string[] {
  return createProfileValidator()
    .problems(profile, side)
    .map(({ pointer }) => pointer)
}

function profileWith(members: object): { ucp: Record<string, unknown> } {
  return { ucp: { version: '2026-08-25', services: {}, payment_handlers: {}, ...members } }
}

function serviceWith(entry: object): unknown {
  return profileWith({ services: { 'a.b': [entry] } })
}

function capabilityWith(members: object): { ucp: Record<string, unknown> } {
  const entry = { version: '2026-08-25', schema: 'https://a.example/s.json', ...members }
  return profileWith({ capabilities: { 'a.b.c': [entry] } })
}

function publishedCheck(layout: Layout, side: Side): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  addFormats.default(ajv)
  const folder = layout === '2026-08-25' ? 'source/schemas' : `published/${layout}/schemas`
  for (const schema of readFolder(folder).values()) ajv.addSchema(schema as object)
  const base =
    layout === '2026-08-25' ? 'https://ucp.dev/schemas' : `https://ucp.dev/${layout}/schemas`
  if (layout === '2026-01-11') return ajv.compile({ $ref: `${base}/discovery/profile.json` })
  const name = layout === '2026-08-25' ? 'profile.json' : 'discovery/profile.json'
  const kind = layout === '2026-08-25' ? `${side}_schema` : `${side}_profile`
  return ajv.compile({ $ref: `${base}/${name}#/$defs/${kind}` })
}

// Every profile of the cases and samples, whole and with one random member removed or replaced.
function mutations(layout: Layout): readonly unknown[] {
  const cases = readFixture('cases.json') as readonly { business: unknown; platform: unknown }[]
  const samples = [...readFolder('profiles').values()]
  const random = createRandom(LAYOUTS.indexOf(layout) + 1)
  const all = [...cases.flatMap(({ business, platform }) => [business, platform]), ...samples]
  const extra = { keys: [{ kid: 'k', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', alg: 'ES256' }] }
  const handlers = {
    'com.pay.x': [{ id: 'p', version: '2026-01-11', available_instruments: [{ type: 'card' }] }],
  }
  const rich = all.map((profile) => {
    const copy = structuredClone(profile) as { ucp: Record<string, unknown> }
    if (copy.ucp['payment_handlers']) copy.ucp['payment_handlers'] = handlers
    return { ...copy, ...extra, signing_keys: extra.keys }
  })
  return [
    ...all,
    ...rich,
    ...rich.flatMap((profile) => Array.from({ length: 20 }, () => mutate(profile, random))),
  ]
}

const STRANGE: readonly unknown[] = [
  null,
  7,
  '',
  'text',
  [],
  {},
  true,
  'https://ok.example/x',
  '2026-08-25',
]

function mutate(profile: unknown, random: () => number): unknown {
  const copy = structuredClone(profile)
  let place = copy as Record<string, unknown>
  for (;;) {
    const keys = Object.keys(place).filter((key) => key !== 'operations')
    const key = keys[Math.floor(random() * keys.length)]
    if (key === undefined) return copy
    const child = place[key]
    if (typeof child === 'object' && child !== null && random() < 0.8) {
      place = child as Record<string, unknown>
    } else {
      const strange = STRANGE[Math.floor(random() * (STRANGE.length + 3))]
      if (strange !== undefined) place[key] = strange
      else if (Array.isArray(place)) place.splice(Number(key), 1)
      else delete place[key]
      return copy
    }
  }
}
