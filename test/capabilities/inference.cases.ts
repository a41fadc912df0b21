import {
  ACME_REST,
  acme,
  acmeRest,
  acmeService,
  both,
  bound,
  co,
  create,
  DOCUMENTS,
  entry,
  MCP_ENDPOINT,
  mcp,
  notFound,
  ok,
  openRpc,
  perOperation,
  platform,
  profile,
  rest,
  service,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

const wishSchema = String(entry(wishlist)['schema'])
const answers = (schema: unknown) => ({
  200: { description: 'x', content: { 'application/json': { schema } } },
})
const inferring = (operation: unknown, members: object = {}) => ({
  ...DOCUMENTS,
  [ACME_REST]: {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: {
      '/wishlists/{id}': { get: { operationId: 'get_wishlist', ...(operation as object) } },
    },
    ...members,
  },
})
const inferredReport = {
  source: { [wishlist]: 'inferred' },
  diagnostics: [{ code: 'operations_inferred', capability: wishlist }],
}
const inferred = ok([wishlist], rest(wishlist, 'get_wishlist'), inferredReport)
const unknown = ok([wishlist], [], {
  source: { [wishlist]: 'unknown' },
  diagnostics: [{ code: 'operations_unknown', capability: wishlist }],
})

/** Inference from what an operation answers (reference 5.6). */
export const inferenceCases: readonly WrittenCase[] = (
  [
    ['a response schema', { responses: answers({ $ref: wishSchema }) }, {}, inferred],
    [
      'a fragment of the schema',
      { responses: answers({ $ref: `${wishSchema}#/$defs/x` }) },
      {},
      inferred,
    ],
    [
      'a member of oneOf',
      { responses: answers({ oneOf: [{ type: 'null' }, { $ref: wishSchema }] }) },
      {},
      inferred,
    ],
    [
      'a member of allOf in anyOf',
      { responses: answers({ anyOf: [{ allOf: [{ $ref: wishSchema }] }] }) },
      {},
      inferred,
    ],
    [
      'a local schema that refers to it',
      { responses: answers({ $ref: '#/components/schemas/w' }) },
      {
        components: { schemas: { w: { $ref: '#/components/schemas/v' }, v: { $ref: wishSchema } } },
      },
      inferred,
    ],
    [
      'a response behind a local reference',
      { responses: { 200: { $ref: '#/components/responses/w' } } },
      { components: { responses: { w: answers({ $ref: wishSchema })[200] } } },
      inferred,
    ],
    ['an error response', { responses: { 404: answers({ $ref: wishSchema })[200] } }, {}, inferred],
    [
      'a local reference in a circle',
      { responses: answers({ $ref: '#/components/schemas/w' }) },
      { components: { schemas: { w: { $ref: '#/components/schemas/w' } } } },
      unknown,
    ],
    [
      'the request only',
      { requestBody: { content: { 'application/json': { schema: { $ref: wishSchema } } } } },
      {},
      unknown,
    ],
    [
      'another address of the schema',
      { responses: answers({ $ref: wishSchema.replace('/ucp/', '/latest/') }) },
      {},
      unknown,
    ],
    ['nothing', {}, {}, unknown],
  ] as const
).map(([name, operation, members, expected]) => ({
  name: `an operation that cites ${name}`,
  business: profile({ [wishlist]: {} }),
  platform: platform([wishlist]),
  documents: inferring(operation, members),
  expected,
}))

const vendorMcp = 'https://acme.example/ucp/services/shopping/mcp.openrpc.json'
const cites = (name: string, schema: unknown) => ({
  name,
  params: [],
  result: { name: 'r', schema },
})
const vendorServices = {
  services: {
    [acmeService]: [acmeRest, service('mcp', vendorMcp, { endpoint: MCP_ENDPOINT })],
  },
}

/** Inference over both transports (reference 5.6). */
export const inferenceOverBoth: readonly WrittenCase[] = [
  {
    name: 'a method whose result cites the schema, through a local reference',
    transports: 'mcp',
    business: profile({ [wishlist]: {} }, vendorServices),
    platform: platform([wishlist]),
    documents: {
      [vendorMcp]: {
        openrpc: '1.3.2',
        methods: [cites('get_wishlist', { $ref: '#/components/schemas/w' }), cites('other', true)],
        components: { schemas: { w: { anyOf: [{ $ref: wishSchema }, { type: 'null' }] } } },
      },
    },
    expected: ok([wishlist], mcp(wishlist, 'get_wishlist'), inferredReport),
  },
  {
    name: 'what one document cites is looked up in both',
    transports: 'rest,mcp',
    business: profile({ [wishlist]: {} }, vendorServices),
    platform: platform([wishlist]),
    documents: {
      ...inferring({ responses: answers({ $ref: wishSchema }) }),
      [vendorMcp]: openRpc('get_wishlist', 'other'),
    },
    expected: ok([wishlist], both(wishlist, 'get_wishlist'), inferredReport),
  },
  {
    name: 'an answer that cites the schemas of two roots belongs to both',
    business: profile({ [wishlist]: {}, [acme('list')]: {} }),
    platform: platform([wishlist, acme('list')]),
    documents: inferring({
      responses: answers({
        oneOf: [{ $ref: wishSchema }, { $ref: entry(acme('list'))['schema'] }],
      }),
    }),
    expected: ok(
      [wishlist, acme('list')],
      [bound('get_wishlist', [acme('list'), wishlist], 'rest')],
      {
        source: { [wishlist]: 'inferred', [acme('list')]: 'inferred' },
        diagnostics: [
          { code: 'operations_inferred', capability: wishlist },
          { code: 'operations_inferred', capability: acme('list') },
          ...perOperation('operation_shared', wishlist, 'get_wishlist'),
        ],
      },
    ),
  },
  {
    name: 'a declared list is not widened by what the document cites',
    business: profile({ [wishlist]: { operations: ['add_wishlist_item'] } }),
    platform: platform([wishlist]),
    documents: inferring({ responses: answers({ $ref: wishSchema }) }),
    expected: ok([wishlist], [], notFound(wishlist, 'add_wishlist_item')),
  },
  {
    name: 'an extension is never inferred for',
    business: profile({ [co]: create, [wishlist]: { extends: co } }),
    platform: platform([co, wishlist], { [wishlist]: co }),
    documents: inferring({ responses: answers({ $ref: wishSchema }) }),
    expected: ok([co, wishlist], rest(co, 'create_checkout'), {
      source: { [wishlist]: 'extension' },
    }),
  },
]
