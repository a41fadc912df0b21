import {
  ACME,
  ACME_REST,
  acmeDocument,
  acmeRest,
  acmeService,
  both,
  bound,
  co,
  create,
  DOCUMENTS,
  duplex,
  ENDPOINT,
  linking,
  MCP,
  mcp,
  mcpDocument,
  mcpService,
  notFound,
  od,
  ok,
  only,
  openApi,
  order,
  platform,
  profile,
  REST,
  rest,
  restDocument,
  restService,
  routes,
  service,
  shopping,
  unresolved,
  V,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

const EVIL = 'https://evil.example/r.json'

const unusable = (about: object, code: string, field: string) =>
  ok([co], [], {
    unresolved: unresolved(co, 'no_common_transport', 'create_checkout'),
    diagnostics: [
      { code, side: 'business', ...about, field: `/ucp/services/${shopping}${field}` },
      { code: 'no_common_transport', capability: co },
    ],
  })
const about = { service: shopping }

/** Service entries that cannot be read: the service stays declared, and owns nothing that can be called. */
export const brokenServiceCases: readonly WrittenCase[] = (
  [
    [
      'no transport',
      { ...restService, transport: undefined },
      unusable(about, 'unknown_transport', '/0/transport'),
    ],
    [
      'an unknown transport',
      { ...restService, transport: 'smtp' },
      unusable(about, 'unknown_transport', '/0/transport'),
    ],
    [
      'no endpoint',
      { ...restService, endpoint: undefined },
      unusable(about, 'endpoint_missing', '/0/endpoint'),
    ],
    [
      'an endpoint that is a number',
      { ...restService, endpoint: 7 },
      unusable(about, 'invalid_entry', '/0/endpoint'),
    ],
    [
      'a script as endpoint',
      { ...restService, endpoint: 'javascript:alert(1)' },
      unusable(about, 'endpoint_refused', '/0/endpoint'),
    ],
    [
      'a file as endpoint',
      { ...restService, endpoint: 'file:///etc' },
      unusable(about, 'endpoint_refused', '/0/endpoint'),
    ],
    [
      'credentials in the endpoint',
      { ...restService, endpoint: 'https://u:p@shop.example' },
      unusable(about, 'endpoint_refused', '/0/endpoint'),
    ],
    [
      'no version',
      { ...restService, version: undefined },
      unusable(about, 'invalid_entry', '/0/version'),
    ],
    [
      'a schema that is a list',
      { ...restService, schema: [] },
      unusable(about, 'invalid_entry', '/0/schema'),
    ],
    ['null instead of an object', null, unusable({}, 'invalid_entry', '/0')],
  ] as const
).map(([name, value, expected]) => ({
  name: `a service entry with ${name}`,
  business: profile({ [co]: create }, only(value)),
  platform: platform([co]),
  expected,
}))

/** The owning service (reference 5.5). */
export const serviceCases: readonly WrittenCase[] = [
  {
    name: 'a root without a declared service stays unresolved',
    business: profile({ [co]: create, [linking]: { operations: ['link', 'create_checkout'] } }),
    platform: platform([co, linking]),
    expected: ok([co, linking], rest(co, 'create_checkout'), {
      unresolved: unresolved(linking, 'service_not_declared', 'link', 'create_checkout'),
      diagnostics: [{ code: 'service_not_declared', capability: linking }],
    }),
  },
  {
    name: 'a service key must end where a label ends',
    business: profile({ [co]: create }, { services: { 'dev.ucp.shop': [restService] } }),
    platform: platform([co]),
    expected: ok([co], [], {
      unresolved: unresolved(co, 'service_not_declared', 'create_checkout'),
      diagnostics: [{ code: 'service_not_declared', capability: co }],
    }),
  },
  {
    name: 'the longest service key owns, whatever the shorter one has',
    business: profile(
      { [co]: create, [od]: order },
      {
        services: {
          [shopping]: [restService],
          [od]: [service('rest', `${REST}?orders`, { endpoint: 'https://orders.example' })],
        },
      },
    ),
    platform: platform([co, od]),
    documents: { ...DOCUMENTS, [`${REST}?orders`]: openApi(routes('get_order')) },
    expected: ok(
      [co, od],
      [
        ...rest(co, 'create_checkout'),
        { ...bound('get_order', [od], 'rest', 'https://orders.example'), service: od },
      ],
    ),
  },
  {
    name: 'a vendor root cannot claim an operation of another service',
    business: profile({ [wishlist]: { operations: ['create_checkout', 'get_wishlist'] } }),
    platform: platform([wishlist]),
    expected: ok([wishlist], rest(wishlist, 'get_wishlist'), notFound(wishlist, 'create_checkout')),
  },
  {
    name: 'no transport that both speak',
    transports: 'mcp',
    business: profile({ [co]: create, [linking]: { operations: [] } }, only(restService)),
    platform: platform([co, linking]),
    expected: ok([co, linking], [], {
      unresolved: unresolved(co, 'no_common_transport', 'create_checkout'),
      diagnostics: [{ code: 'no_common_transport', capability: co }],
    }),
  },
  {
    name: 'a service with embedded and a2a only',
    business: profile(
      { [co]: create },
      only(service('embedded', `https://ucp.dev/${V}/services/shopping/embedded.openrpc.json`), {
        version: V,
        spec: 'https://ucp.dev/x',
        transport: 'a2a',
        endpoint: 'https://shop.example/card',
      }),
    ),
    platform: platform([co]),
    expected: ok([co], [], {
      unresolved: unresolved(co, 'no_common_transport', 'create_checkout'),
      diagnostics: [{ code: 'no_common_transport', capability: co }],
    }),
  },
  {
    name: 'transports of the caller choose the bindings',
    transports: 'mcp',
    business: profile({ [co]: create }, duplex),
    platform: platform([co]),
    documents: { [MCP]: mcpDocument },
    expected: ok([co], mcp(co, 'create_checkout')),
  },
  {
    name: 'an endpoint with a slash at its end gives the same URL',
    business: profile({ [co]: create }, only({ ...restService, endpoint: `${ENDPOINT}/` })),
    platform: platform([co]),
    expected: ok([co], rest(co, 'create_checkout')),
  },
  {
    name: 'a service without schema takes the address from the platform',
    transports: 'rest,mcp',
    business: profile({ [co]: create }, only({ ...restService, schema: undefined }, mcpService)),
    platform: platform([co]),
    expected: ok([co], both(co, 'create_checkout'), {
      diagnostics: [{ code: 'service_schema_from_platform', service: shopping, transport: 'rest' }],
    }),
  },
  {
    name: 'an entry of the platform with another version lends no address',
    business: profile(
      { [wishlist]: { operations: ['get_wishlist'] } },
      {
        services: {
          [acmeService]: [
            { version: ACME, transport: 'rest', endpoint: 'https://shop.example/acme' },
          ],
        },
      },
    ),
    platform: platform(
      [wishlist],
      {},
      {
        services: { [acmeService]: [service('rest', ACME_REST, { version: '2026-01-01' })] },
      },
    ),
    expected: ok([wishlist], [], {
      unresolved: unresolved(wishlist, 'document_unavailable', 'get_wishlist'),
      diagnostics: [{ code: 'document_unavailable', service: acmeService, transport: 'rest' }],
    }),
  },
  {
    name: 'the only entry on a foreign host leaves no transport',
    business: profile({ [co]: create }, only(service('rest', EVIL, { endpoint: ENDPOINT }))),
    platform: platform([co]),
    documents: { [EVIL]: restDocument },
    expected: ok([co], [], {
      unresolved: unresolved(co, 'no_common_transport', 'create_checkout'),
      diagnostics: [
        { code: 'service_authority_mismatch', service: shopping, transport: 'rest' },
        { code: 'no_common_transport', capability: co },
      ],
    }),
  },
  {
    name: 'an address on a foreign host is not borrowed from the platform',
    business: profile(
      { [wishlist]: { operations: ['get_wishlist'] } },
      { services: { [acmeService]: [{ ...acmeRest, schema: undefined }] } },
    ),
    platform: platform(
      [wishlist],
      {},
      { services: { [acmeService]: [service('rest', EVIL, { version: ACME })] } },
    ),
    documents: { [EVIL]: acmeDocument },
    expected: ok([wishlist], [], {
      unresolved: unresolved(wishlist, 'document_unavailable', 'get_wishlist'),
      diagnostics: [{ code: 'document_unavailable', service: acmeService, transport: 'rest' }],
    }),
  },
]
