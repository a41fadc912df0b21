import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom, type LooseProfile, VERSION } from '../../test/support/ucp.ts'
import { createDocumentIndex } from './documents/index-document.ts'
import { type Negotiation, negotiate } from './negotiate/negotiate.ts'
import { type NegotiationReport, negotiateReport } from './negotiate/report.ts'

const PAIRS = 20_000

const NAMES = [
  'dev.ucp.shopping.a',
  'dev.ucp.shopping.b',
  'dev.ucp.shopping.b.c',
  'dev.ucp.common.d',
  'example.acme.shop.e',
  'example.acme.shop.f',
  'example.acme.shop.g',
  'example.acme.shop.h',
  'com.other.i',
]

const DATES = [VERSION, '2026-01-23', '2026-03-01']

const IDS = ['one', 'two', 'three', 'four', 'ghost']

const DOCUMENTS = createDocumentIndex({
  'https://ucp.dev/rest.json': {
    openapi: '3.1.0',
    paths: {
      '/one': { get: { operationId: 'one' } },
      '/two': { get: { operationId: 'two' } },
    },
  },
  'https://acme.example/rest.json': {
    openapi: '3.1.0',
    paths: {
      '/three': { post: { operationId: 'three' } },
      '/one': { get: { operationId: 'one' } },
    },
  },
  'https://acme.example/mcp.json': {
    openrpc: '1.3.2',
    methods: [{ name: 'three' }, { name: 'four' }],
  },
})

type Random = () => number

type Active = Negotiation['active']

type Property = 'order' | 'idempotence' | 'monotonicity' | 'algorithm' | 'operations'

describe(`${PAIRS} random pairs of profiles`, () => {
  // One walk over all pairs; every property keeps the first pairs that violate it.
  const violations = new Map<Property, unknown[]>()

  beforeAll(() => {
    const random = createRandom(2026)
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const business = makeRandomProfile(random, true)
      const platform = makeRandomProfile(random, false)
      for (const property of violatedBy(business, platform, random)) {
        const list = violations.get(property) ?? []
        if (list.length < 3) list.push({ business, platform })
        violations.set(property, list)
      }
    }
  }, 180_000)

  it('give the same result in whatever order their members stand [UCP-60] [UCP-107]', () => {
    expect(violations.get('order')).toBeUndefined()
  })

  it('change nothing when the result negotiates with itself [UCP-61]', () => {
    expect(violations.get('idempotence')).toBeUndefined()
  })

  it('lose nothing when the platform learns a capability more [UCP-62]', () => {
    expect(violations.get('monotonicity')).toBeUndefined()
  })

  it('give what a plain reading of the algorithm gives', () => {
    expect(violations.get('algorithm')).toBeUndefined()
  })

  it('offer only operations that an active root lists and a document has', () => {
    expect(violations.get('operations')).toBeUndefined()
  })
})

function* violatedBy(
  business: LooseProfile,
  platform: LooseProfile,
  random: Random,
): Generator<Property> {
  const report = negotiateReport({ business, platform, documents: DOCUMENTS })
  const { active } = negotiate({ business, platform })
  const shuffled = reportOf(shuffle(business, random), shuffle(platform, random))
  if (shuffled !== toText(report)) yield 'order'
  if (!repeats(active, business)) yield 'idempotence'
  if (!keeps(active, business, platform, random)) yield 'monotonicity'
  if (versionsOf(active) !== naive(business, platform)) yield 'algorithm'
  const sound = report.operations.every(
    ({ id, capabilities, bindings }) =>
      id !== 'ghost' &&
      Object.keys(bindings).length > 0 &&
      capabilities.every((name) => active.has(name) && report.source[name] === 'declared'),
  )
  if (!sound) yield 'operations'
}

function repeats(active: Active, business: LooseProfile): boolean {
  const capabilities: Record<string, unknown> = {}
  for (const [name, { entry }] of active) {
    const { version, schema, extends: parents } = entry
    capabilities[name] = [
      { version, ...(schema && { schema }), ...(parents && { extends: parents }) },
    ]
  }
  const again = { ucp: { ...business.ucp, capabilities } }
  const second = negotiate({ business: again, platform: again })
  return versionsOf(second.active) === versionsOf(active) && second.excluded.size === 0
}

function keeps(
  active: Active,
  business: LooseProfile,
  platform: LooseProfile,
  random: Random,
): boolean {
  const missing = NAMES.filter((name) => platform.ucp.capabilities[name] === undefined)
  const name = pick(missing, random)
  if (name === undefined) return true
  const capabilities = { ...platform.ucp.capabilities, [name]: [makeEntry(name, random)] }
  const richer = { ucp: { ...platform.ucp, capabilities } }
  const after = negotiate({ business, platform: richer }).active
  return [...active].every(([kept, { version }]) => after.get(kept)?.version === version)
}

function reportOf(business: unknown, platform: unknown): string {
  return toText(negotiateReport({ business, platform, documents: DOCUMENTS }))
}

function toText(report: NegotiationReport): string {
  // Remarks of the reader follow the order of the file; the set of them must be the same.
  const diagnostics = report.diagnostics.map((item) => JSON.stringify(item)).sort()
  return JSON.stringify({ ...report, diagnostics })
}

function versionsOf(active: Active): string {
  return [...active.values()].map(({ name, version }) => `${name}@${version}`).join(' ')
}

// Round by round, as the protocol words it, without a thought for speed.
function naive(business: LooseProfile, platform: LooseProfile): string {
  const chosen = new Map<string, { version: string; extends?: string | string[] }>()
  const usable = (
    profile: LooseProfile,
    name: string,
  ): { version: string; extends?: string | string[] }[] =>
    ((profile.ucp.capabilities[name] ?? []) as { version: string; schema?: string }[]).filter(
      ({ version, schema }) =>
        !(schema?.includes('evil') ?? false) &&
        (!name.startsWith('dev.ucp.') || version === VERSION),
    )
  for (const name of NAMES) {
    const theirs = new Set(usable(platform, name).map(({ version }) => version))
    const shared = usable(business, name).filter(({ version }) => theirs.has(version))
    const [newest] = shared.sort((a, b) => (a.version < b.version ? 1 : -1))
    if (newest) chosen.set(name, newest)
  }
  for (let before = -1; before !== chosen.size; ) {
    before = chosen.size
    for (const [name, { extends: parents }] of [...chosen]) {
      if (parents !== undefined && ![parents].flat().some((parent) => chosen.has(parent))) {
        chosen.delete(name)
      }
    }
  }
  const names = [...chosen.keys()].sort()
  return names.map((name) => `${name}@${chosen.get(name)?.version}`).join(' ')
}

function makeRandomProfile(random: Random, business: boolean): LooseProfile {
  const capabilities: Record<string, unknown> = {}
  for (const name of NAMES) {
    if (random() < 0.3) continue
    const entries = new Map<string, unknown>()
    for (let count = random() < 0.2 ? 3 : 1; count > 0; count -= 1) {
      const entry = makeEntry(name, random)
      entries.set(entry.version, entry)
    }
    capabilities[name] = [...entries.values()]
  }
  const service = (host: string, transport: string): unknown => ({
    version: host === 'ucp.dev' ? VERSION : '2026-03-01',
    transport,
    schema: `https://${random() < 0.05 ? 'evil.example' : host}/${transport}.json`,
    ...(business && { endpoint: `https://shop.example/${transport}` }),
  })
  const services = {
    'dev.ucp.shopping': [service('ucp.dev', 'rest')],
    'example.acme.shop': [service('acme.example', 'rest'), service('acme.example', 'mcp')],
  }
  return { ucp: { version: VERSION, services, capabilities, payment_handlers: {} } }
}

function makeEntry(name: string, random: Random): { version: string } & Record<string, unknown> {
  const own = name.startsWith('dev.ucp.')
  const host = random() < 0.05 ? 'evil.example' : name.split('.').slice(0, 2).reverse().join('.')
  const version = own && random() < 0.9 ? VERSION : (pick(DATES, random) ?? VERSION)
  const entry: { version: string } & Record<string, unknown> = { version }
  if (random() < 0.9) entry['schema'] = `https://${host}/${name}.json`
  if (random() < 0.5) {
    const parents = NAMES.filter(() => random() < 0.2)
    if (parents.length > 0) entry['extends'] = parents.length === 1 ? parents[0] : parents
  }
  if (entry['extends'] === undefined && random() < 0.7) {
    entry['operations'] = IDS.filter(() => random() < 0.4)
  }
  return entry
}

function shuffle<Value>(value: Value, random: Random, key = ''): Value {
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffle(item, random))
    // The order of an operations list shows in the order of the remarks about it.
    return (key === 'operations' ? items : mix(items, random)) as Value
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([name, item]) => [name, shuffle(item, random, name)] as const,
  )
  return Object.fromEntries(mix(entries, random)) as Value
}

function mix<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)]
}
