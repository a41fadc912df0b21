import {
  both,
  co,
  create,
  DOCUMENTS,
  duplex,
  ENDPOINT,
  fallback,
  lookup,
  MCP,
  mcp,
  mcpDocument,
  notFound,
  od,
  ok,
  only,
  openApi,
  openRpc,
  order,
  perOperation,
  platform,
  profile,
  REST,
  rest,
  restService,
  routes,
  shopping,
  unresolved,
  type WrittenCase,
} from './written-case.ts'

const withRest = (document: unknown) => ({ ...DOCUMENTS, [REST]: document })
const pathsOf = (document: object) => (document as { paths: object }).paths

/** The transport documents (reference 5.4, 5.7). */
export const documentCases: readonly WrittenCase[] = [
  {
    name: 'a missing document disables one transport',
    transports: 'rest,mcp',
    business: profile({ [co]: create }, duplex),
    platform: platform([co]),
    documents: { [MCP]: mcpDocument },
    expected: ok([co], mcp(co, 'create_checkout'), {
      diagnostics: [{ code: 'document_unavailable', service: shopping, transport: 'rest' }],
    }),
  },
  {
    name: 'no document at all',
    transports: 'rest,mcp',
    business: profile({ [co]: create }, duplex),
    platform: platform([co]),
    documents: {},
    expected: ok([co], [], {
      unresolved: unresolved(co, 'document_unavailable', 'create_checkout'),
      diagnostics: [
        { code: 'document_unavailable', service: shopping, transport: 'rest' },
        { code: 'document_unavailable', service: shopping, transport: 'mcp' },
      ],
    }),
  },
  ...([null, [], 'openapi', 7, {}, { swagger: '2.0', paths: {} }] as const).map((document) => ({
    name: `${JSON.stringify(document)} is not a transport document`,
    business: profile({ [co]: create }, only(restService)),
    platform: platform([co]),
    documents: withRest(document),
    expected: ok([co], [], {
      unresolved: unresolved(co, 'document_unavailable', 'create_checkout'),
      diagnostics: [{ code: 'document_unavailable', service: shopping, transport: 'rest' }],
    }),
  })),
  {
    name: 'an identifier twice in one document is ambiguous',
    business: profile(
      { [co]: { operations: ['create_checkout', 'get_checkout'] } },
      only(restService),
    ),
    platform: platform([co]),
    documents: withRest({
      ...openApi(routes('create_checkout', 'get_checkout')),
      paths: {
        ...pathsOf(openApi(routes('create_checkout', 'get_checkout'))),
        '/v2/checkout': { post: { operationId: 'create_checkout' } },
      },
    }),
    expected: ok([co], rest(co, 'get_checkout'), {
      unresolved: unresolved(co, 'operation_not_found', 'create_checkout'),
      diagnostics: [
        {
          code: 'duplicate_operation_id',
          service: shopping,
          transport: 'rest',
          operation: 'create_checkout',
        },
        ...perOperation('operation_not_found', co, 'create_checkout'),
      ],
    }),
  },
  {
    name: 'a method twice in one document is ambiguous there only',
    transports: 'rest,mcp',
    business: profile({ [co]: create }, duplex),
    platform: platform([co]),
    documents: { ...DOCUMENTS, [MCP]: openRpc('create_checkout', 'create_checkout') },
    expected: ok([co], rest(co, 'create_checkout'), {
      diagnostics: [
        {
          code: 'duplicate_operation_id',
          service: shopping,
          transport: 'mcp',
          operation: 'create_checkout',
        },
        {
          code: 'operation_not_in_transport',
          capability: co,
          operation: 'create_checkout',
          transport: 'mcp',
        },
      ],
    }),
  },
  {
    name: 'a transport named twice counts once',
    transports: 'rest,mcp,mcp',
    business: profile({ [co]: create }, duplex),
    platform: platform([co]),
    documents: { ...DOCUMENTS, [MCP]: openRpc('other') },
    expected: ok([co], rest(co, 'create_checkout'), {
      diagnostics: [
        {
          code: 'operation_not_in_transport',
          capability: co,
          operation: 'create_checkout',
          transport: 'mcp',
        },
      ],
    }),
  },
  {
    name: 'a webhook is not callable',
    transports: 'rest,mcp',
    business: profile({ [od]: { operations: ['get_order', 'order_event_webhook'] } }, duplex),
    platform: platform([od]),
    documents: withRest(
      openApi(routes('get_order'), {
        webhooks: { orderEvent: { post: { operationId: 'order_event_webhook' } } },
      }),
    ),
    expected: ok([od], both(od, 'get_order'), {
      unresolved: unresolved(od, 'webhook_only', 'order_event_webhook'),
      diagnostics: perOperation('operation_is_webhook', od, 'order_event_webhook'),
    }),
  },
  {
    name: 'a webhook that is an operation as well is callable',
    business: profile({ [od]: order }, only(restService)),
    platform: platform([od]),
    documents: withRest(
      openApi(routes('get_order'), { webhooks: { x: { post: { operationId: 'get_order' } } } }),
    ),
    expected: ok([od], rest(od, 'get_order')),
  },
  {
    name: 'members of a path other than verbs are not operations',
    business: profile({ [od]: { operations: ['get_order', 'a', 'b', 'c'] } }, only(restService)),
    platform: platform([od]),
    documents: withRest({
      openapi: '3.1.0',
      paths: {
        '/orders/{id}': {
          parameters: [{ name: 'id', in: 'path', operationId: 'a' }],
          get: { operationId: 'get_order' },
          post: {},
          summary: { operationId: 'b' },
          'x-post': { operationId: 'c' },
        },
        'x-more': { get: { operationId: 'c' } },
      },
    }),
    expected: ok([od], rest(od, 'get_order'), notFound(od, 'a', 'b', 'c')),
  },
  {
    name: 'a path item behind a local reference',
    business: profile({ [od]: order }, only(restService)),
    platform: platform([od]),
    documents: withRest({
      openapi: '3.1.0',
      paths: { '/orders/{id}': { $ref: '#/components/pathItems/o' } },
      components: { pathItems: { o: { get: { operationId: 'get_order' } } } },
    }),
    expected: ok([od], rest(od, 'get_order')),
  },
  {
    name: 'a method behind a local reference, one in another file, and nonsense',
    transports: 'mcp',
    business: profile({ [od]: order }, duplex),
    platform: platform([od]),
    documents: {
      [MCP]: {
        openrpc: '1.3.2',
        methods: [
          { $ref: 'fulfillment.json#/$defs/x' },
          { $ref: '#/components/methods/o' },
          null,
          7,
        ],
        components: { methods: { o: { name: 'get_order', params: [] } } },
      },
    },
    expected: ok([od], mcp(od, 'get_order'), {
      diagnostics: [{ code: 'external_reference', service: shopping, transport: 'mcp' }],
    }),
  },
  {
    name: 'every verb of OpenAPI',
    business: profile(
      { [od]: { operations: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] } },
      only(restService),
    ),
    platform: platform([od]),
    documents: withRest(
      openApi({
        a: 'GET /x',
        b: 'PUT /x',
        c: 'POST /x',
        d: 'DELETE /x',
        e: 'OPTIONS /x',
        f: 'HEAD /x',
        g: 'PATCH /x',
        h: 'TRACE /x',
      }),
    ),
    expected: ok(
      [od],
      ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'].map((method, at) => ({
        id: 'abcdefgh'.charAt(at),
        service: shopping,
        capabilities: [od],
        bindings: { rest: { method, path: '/x', url: `${ENDPOINT}/x` } },
      })),
    ),
  },
  ...(
    ['carts', '//evil.example/x', '/../x', '/a/%2e%2e/x', '/a\\b', '/a?b=c', '/a#b'] as const
  ).map((path) => ({
    name: `a document with the path ${path} cannot lead out of the endpoint`,
    business: profile({ [co]: { operations: ['away', 'create_checkout'] } }, only(restService)),
    platform: platform([co]),
    documents: withRest({
      openapi: '3.1.0',
      paths: {
        ...pathsOf(openApi(routes('create_checkout'))),
        [path]: { get: { operationId: 'away' } },
      },
    }),
    expected: ok([co], rest(co, 'create_checkout'), {
      unresolved: unresolved(co, 'operation_not_found', 'away'),
      diagnostics: [
        { code: 'unsafe_path', service: shopping, transport: 'rest', operation: 'away' },
        ...perOperation('operation_not_found', co, 'away'),
      ],
    }),
  })),
  {
    name: 'one transport only, for a table entry',
    transports: 'rest,mcp',
    business: profile({ [lookup]: {} }, duplex),
    platform: platform([lookup]),
    documents: { ...DOCUMENTS, [MCP]: openRpc('get_product') },
    expected: ok([lookup], [...rest(lookup, 'lookup_catalog'), ...both(lookup, 'get_product')], {
      source: { [lookup]: 'fallback' },
      diagnostics: [
        fallback(lookup),
        {
          code: 'operation_not_in_transport',
          capability: lookup,
          operation: 'lookup_catalog',
          transport: 'mcp',
        },
      ],
    }),
  },
]
