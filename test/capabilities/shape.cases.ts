import {
  both,
  CHECKOUT,
  ca,
  checkout,
  co,
  ENDPOINT,
  entry,
  fu,
  MCP,
  MCP_ENDPOINT,
  mcp,
  mcpService,
  od,
  ok,
  order,
  perOperation,
  platform,
  profile,
  REST,
  rest,
  restService,
  shopping,
  unresolved,
  unsupported,
  V,
  type WrittenCase,
} from './written-case.ts'

const legacy = (side: string) => ({ code: 'legacy_profile_shape', side })
const flat = (name: string, members: object = {}) => ({ name, ...entry(name, { ...members }) })

/** The published layouts (reference 0, 4.1). */
export const layoutCases: readonly WrittenCase[] = [
  {
    name: 'the first layout with all four transports',
    transports: 'rest,mcp',
    business: {
      ucp: {
        version: V,
        services: {
          [shopping]: {
            version: V,
            spec: 'https://ucp.dev/x',
            rest: { schema: REST, endpoint: ENDPOINT },
            mcp: { schema: MCP, endpoint: MCP_ENDPOINT },
            a2a: { endpoint: 'https://shop.example/card' },
            embedded: { schema: `https://ucp.dev/${V}/services/shopping/embedded.openrpc.json` },
          },
        },
        capabilities: [flat(od, order), flat(fu, { extends: co })],
      },
      payment: { handlers: [] },
      signing_keys: [],
    },
    platform: { ucp: { version: V, capabilities: [flat(od), flat(fu, { extends: co })] } },
    expected: ok([od], both(od, 'get_order'), {
      excluded: { [fu]: 'orphaned_extension' },
      diagnostics: [legacy('business'), legacy('platform')],
    }),
  },
  {
    name: 'a flat list beside services of today',
    business: profile({}, { capabilities: [flat(od, order)] }),
    platform: platform([od]),
    expected: ok([od], rest(od, 'get_order'), { diagnostics: [legacy('business')] }),
  },
  {
    name: 'an old service beside a map of today',
    business: profile(
      { [od]: order },
      { services: { [shopping]: { version: V, rest: { schema: REST, endpoint: ENDPOINT } } } },
    ),
    platform: platform([od]),
    expected: ok([od], rest(od, 'get_order'), { diagnostics: [legacy('business')] }),
  },
  {
    name: 'the layout of 2026-01-23 with its keys',
    business: {
      ...profile(
        { [co]: { version: '2026-01-23', operations: ['create_checkout'] } },
        {
          version: '2026-01-23',
          services: { [shopping]: [{ ...restService, version: '2026-01-23' }] },
        },
      ),
      signing_keys: [{ kid: 'a', kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }],
    },
    platform: profile({ [co]: { version: '2026-01-23' } }, { version: '2026-01-23' }),
    expected: ok([`${co}@2026-01-23`], rest(co, 'create_checkout'), {
      protocol_version: '2026-01-23',
    }),
  },
  {
    name: 'the layout of 2026-08-25 with its keys',
    business: {
      ...profile(
        { [co]: { version: '2026-08-25', operations: ['create_checkout'] } },
        {
          version: '2026-08-25',
          services: { [shopping]: [{ ...restService, version: '2026-08-25' }] },
        },
      ),
      keys: [{ kid: 'a', kty: 'OKP', crv: 'Ed25519', x: 'x' }],
    },
    platform: profile({ [co]: { version: '2026-08-25' } }, { version: '2026-08-25' }),
    expected: ok([`${co}@2026-08-25`], rest(co, 'create_checkout'), {
      protocol_version: '2026-08-25',
    }),
  },
  {
    name: 'a service of another date is absent under the newest rules',
    business: profile(
      { [od]: order },
      { services: { [shopping]: [{ ...restService, version: '2026-01-23' }] } },
    ),
    platform: platform([od]),
    expected: ok([od], [], {
      unresolved: unresolved(od, 'no_common_transport', 'get_order'),
      diagnostics: [
        { code: 'service_version_skew', service: shopping, transport: 'rest' },
        { code: 'no_common_transport', capability: od },
      ],
    }),
  },
  {
    name: 'a service of another date is usable under the older rules',
    rules: '2026-04-08',
    business: profile(
      { [od]: order },
      { services: { [shopping]: [{ ...restService, version: '2026-01-23' }] } },
    ),
    platform: platform([od]),
    expected: ok([od], rest(od, 'get_order')),
  },
  {
    name: 'a transport filtered by version leaves the others',
    transports: 'rest,mcp,a2a,embedded',
    business: profile(
      { [od]: order },
      { services: { [shopping]: [{ ...restService, version: '2026-01-23' }, mcpService] } },
    ),
    platform: platform([od]),
    expected: ok([od], mcp(od, 'get_order'), {
      diagnostics: [{ code: 'service_version_skew', service: shopping, transport: 'rest' }],
    }),
  },
  {
    name: 'a caller that speaks embedded and a2a only',
    transports: 'embedded,a2a',
    business: profile({ [od]: order }),
    platform: platform([od]),
    expected: ok([od], [], {
      unresolved: unresolved(od, 'no_common_transport', 'get_order'),
      diagnostics: [{ code: 'no_common_transport', capability: od }],
    }),
  },
  {
    name: 'a caller that speaks REST and embedded',
    transports: 'rest,embedded',
    business: profile({ [co]: { operations: ['ec.start', 'create_checkout'] } }),
    platform: platform([co]),
    expected: ok([co], rest(co, 'create_checkout'), {
      unresolved: unresolved(co, 'operation_not_found', 'ec.start'),
      diagnostics: perOperation('operation_not_found', co, 'ec.start'),
    }),
  },
]

const broken = (value: unknown) =>
  profile({}, { capabilities: { [co]: [entry(co, checkout)], [ca]: value } })
const left = (field: string, code = 'invalid_entry', about: object = { capability: ca }) =>
  ok([co], rest(co, ...CHECKOUT), {
    excluded: { [ca]: 'invalid_entry' },
    diagnostics: [{ code, side: 'business', ...about, field: `/ucp/capabilities/${ca}${field}` }],
  })

/** Entries that cannot be read; everything else stays usable (reference 4.3). */
export const invalidCases: readonly WrittenCase[] = (
  [
    ['no version', [{ schema: entry(ca)['schema'] }], left('/0/version')],
    ['the version draft', [entry(ca, { version: 'draft' })], left('/0/version')],
    ['the version 2026-4-8', [entry(ca, { version: '2026-4-8' })], left('/0/version')],
    ['a version that is a number', [{ version: 20260408 }], left('/0/version')],
    ['a version that is null', [{ version: null }], left('/0/version')],
    ['an empty extends', [entry(ca, { extends: [] })], left('/0/extends')],
    ['extends of numbers', [entry(ca, { extends: [7] })], left('/0/extends')],
    ['extends that is a number', [entry(ca, { extends: 7 })], left('/0/extends')],
    ['extends that is an object', [entry(ca, { extends: { a: co } })], left('/0/extends')],
    ['extends that is null', [entry(ca, { extends: null })], left('/0/extends')],
    ['extends of a name that is none', [entry(ca, { extends: 'Checkout' })], left('/0/extends')],
    ['a schema that is a number', [entry(ca, { schema: 7 })], left('/0/schema')],
    ['an entry that is null', [null], left('/0', 'invalid_entry', {})],
    ['an entry that is a text', ['x'], left('/0', 'invalid_entry', {})],
    ['an entry that is a list', [[]], left('/0', 'invalid_entry', {})],
    ['a value that is null', null, left('', 'registry_malformed', {})],
    ['a value that is a text', 'x', left('', 'registry_malformed', {})],
    ['no entry', [], ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'invalid_entry' } })],
    [
      'an entry outside an array',
      entry(ca, { operations: [] }),
      ok([co, ca], rest(co, ...CHECKOUT), {
        diagnostics: [
          { code: 'entry_not_in_array', side: 'business', field: `/ucp/capabilities/${ca}` },
        ],
      }),
    ],
    [
      'one bad entry and one good',
      [{ version: 'draft' }, entry(ca, { operations: [] })],
      ok([co, ca], rest(co, ...CHECKOUT), {
        diagnostics: [
          {
            code: 'invalid_entry',
            side: 'business',
            capability: ca,
            field: `/ucp/capabilities/${ca}/0/version`,
          },
        ],
      }),
    ],
  ] as const
).map(([name, value, expected]) => ({
  name: `a capability with ${name}`,
  business: broken(value),
  platform: platform([co, ca]),
  expected,
}))

const malformed = (side: string, field: string) => ({
  ...unsupported([{ code: 'profile_malformed', side, field }]),
  outcome: 'profile_malformed',
})

/** Profiles that cannot be read at all (reference 8.1). */
export const malformedCases: readonly WrittenCase[] = (
  [
    ['null', null, ''],
    ['a list', [], ''],
    ['a text', 'x', ''],
    ['an object without ucp', {}, '/ucp'],
    ['ucp that is null', { ucp: null }, '/ucp'],
    ['ucp that is a list', { ucp: [] }, '/ucp'],
    ['no version', { ucp: {} }, '/ucp/version'],
    ['the version draft', { ucp: { version: 'draft' } }, '/ucp/version'],
    ['a version that is a number', { ucp: { version: 2026 } }, '/ucp/version'],
  ] as const
).flatMap(([name, value, field]) => [
  {
    name: `a business that is ${name}`,
    business: value,
    platform: platform([co]),
    expected: malformed('business', field),
  },
  {
    name: `a platform that is ${name}`,
    business: profile({ [co]: checkout }),
    platform: value,
    expected: malformed('platform', field),
  },
])

const LEAF = 'https://shop.example/old.json'
const older = platform([co], {}, { version: '2026-01-23' })
const linking = profile({ [co]: checkout }, { supported_versions: { '2026-01-23': LEAF } })

/** Leaf profiles that may not be used (reference 2.6). */
export const leafCases: readonly WrittenCase[] = [
  {
    name: 'a leaf that nobody has',
    business: linking,
    platform: older,
    expected: unsupported([{ code: 'leaf_unavailable', side: 'business' }]),
  },
  {
    name: 'a leaf that states another version',
    business: linking,
    platform: older,
    documents: { [LEAF]: profile({ [co]: checkout }) },
    expected: unsupported([{ code: 'leaf_version_mismatch', side: 'business' }]),
  },
  {
    name: 'a leaf that links further versions is used, and nothing it links',
    business: linking,
    platform: profile({ [co]: { version: '2026-01-23' } }, { version: '2026-01-23' }),
    documents: {
      [LEAF]: profile(
        { [co]: { version: '2026-01-23', operations: [] } },
        {
          version: '2026-01-23',
          services: {},
          supported_versions: { '2026-01-23': 'https://x.example/' },
        },
      ),
    },
    expected: ok([`${co}@2026-01-23`], [], {
      protocol_version: '2026-01-23',
      diagnostics: [{ code: 'leaf_has_supported_versions', side: 'business' }],
    }),
  },
]
