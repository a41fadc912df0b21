import {
  both,
  bound,
  CART,
  CHECKOUT,
  ca,
  checkout,
  co,
  create,
  DOCUMENTS,
  duplex,
  fallback,
  fu,
  linking,
  lookup,
  notFound,
  od,
  ok,
  openApi,
  order,
  perOperation,
  platform,
  profile,
  REST,
  rest,
  routes,
  search,
  unresolved,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

/** What a root declares, and what stands in for it (reference 5.3, 5.6). */
export const sourceCases: readonly WrittenCase[] = [
  {
    name: 'a declared subset is not widened',
    business: profile({
      [co]: { operations: ['update_checkout', 'create_checkout', 'get_checkout'] },
    }),
    platform: platform([co]),
    expected: ok([co], rest(co, 'create_checkout', 'get_checkout', 'update_checkout')),
  },
  {
    name: 'unknown identifiers and other spellings are left out',
    business: profile({
      [co]: {
        operations: ['create_checkout', 'createCheckout', 'transfer_checkout', ' get_checkout'],
      },
    }),
    platform: platform([co]),
    expected: ok(
      [co],
      rest(co, 'create_checkout'),
      notFound(co, 'createCheckout', 'transfer_checkout', ' get_checkout'),
    ),
  },
  {
    name: 'identifiers named like members of objects are ordinary unknown strings',
    business: profile({
      [co]: { operations: ['__proto__', 'constructor', 'toString', 'get_checkout'] },
    }),
    platform: platform([co]),
    expected: ok(
      [co],
      rest(co, 'get_checkout'),
      notFound(co, '__proto__', 'constructor', 'toString'),
    ),
  },
  {
    name: 'a repeated identifier is one operation, reported once per repeat',
    business: profile({
      [co]: { operations: ['get_checkout', 'create_checkout', 'get_checkout', 'get_checkout'] },
    }),
    platform: platform([co]),
    expected: ok([co], rest(co, 'get_checkout', 'create_checkout'), {
      diagnostics: perOperation('duplicate_operation', co, 'get_checkout', 'get_checkout'),
    }),
  },
  {
    name: 'an identifier of two roots is one operation with two owners',
    business: profile({
      [search]: { operations: ['search_catalog', 'get_product'] },
      [lookup]: { operations: ['get_product', 'lookup_catalog'] },
    }),
    platform: platform([search, lookup]),
    expected: ok(
      [search, lookup],
      [
        ...rest(search, 'search_catalog'),
        ...rest(lookup, 'lookup_catalog'),
        bound('get_product', [lookup, search], 'rest'),
      ],
      { diagnostics: perOperation('operation_shared', search, 'get_product') },
    ),
  },
  {
    name: 'an extension owns no operations',
    business: profile({
      [co]: checkout,
      [od]: order,
      [fu]: { extends: co, operations: ['get_order', 'set_fulfillment'] },
    }),
    platform: platform([co, fu], { [fu]: co }),
    expected: ok([co, fu], rest(co, ...CHECKOUT), {
      excluded: { [od]: 'not_in_platform' },
      source: { [fu]: 'extension' },
      diagnostics: [{ code: 'extension_declares_operations', capability: fu }],
    }),
  },
  {
    name: 'an inactive extension with operations is not worth a word',
    business: profile({ [co]: checkout, [fu]: { extends: co, operations: ['get_order'] } }),
    platform: platform([co]),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [fu]: 'not_in_platform' } }),
  },
  {
    name: 'the table is filtered by the document',
    business: profile({ [co]: {} }),
    platform: platform([co]),
    documents: { ...DOCUMENTS, [REST]: openApi(routes('create_checkout', 'get_checkout')) },
    expected: ok([co], rest(co, 'create_checkout', 'get_checkout'), {
      source: { [co]: 'fallback' },
      unresolved: unresolved(
        co,
        'operation_not_found',
        'update_checkout',
        'complete_checkout',
        'cancel_checkout',
      ),
      diagnostics: [
        fallback(co),
        ...perOperation(
          'operation_not_found',
          co,
          'update_checkout',
          'complete_checkout',
          'cancel_checkout',
        ),
      ],
    }),
  },
  {
    name: 'every row of the table',
    business: profile(
      {
        [co]: {},
        [ca]: {},
        [search]: {},
        [lookup]: {},
        [od]: {},
        [linking]: {},
        'dev.ucp.shopping.permalink': {},
      },
      duplex,
    ),
    platform: platform([co, ca, search, lookup, od, linking, 'dev.ucp.shopping.permalink']),
    transports: 'rest,mcp',
    expected: ok(
      [co, ca, search, lookup, od, linking, 'dev.ucp.shopping.permalink'],
      [
        ...both(co, ...CHECKOUT),
        ...both(ca, ...CART),
        ...both(search, 'search_catalog'),
        ...both(lookup, 'lookup_catalog', 'get_product'),
        ...both(od, 'get_order'),
      ],
      {
        source: Object.fromEntries(
          [co, ca, search, lookup, od, linking, 'dev.ucp.shopping.permalink'].map((name) => [
            name,
            'fallback',
          ]),
        ),
        diagnostics: [co, ca, search, lookup, od, linking, 'dev.ucp.shopping.permalink'].map(
          fallback,
        ),
      },
    ),
  },
  {
    name: 'a table of the caller replaces the built-in one',
    business: profile({ [co]: {}, [wishlist]: {} }),
    platform: platform([co, wishlist]),
    fallback: { [wishlist]: ['get_wishlist'] },
    expected: ok([co, wishlist], rest(wishlist, 'get_wishlist'), {
      source: { [co]: 'unknown', [wishlist]: 'fallback' },
      diagnostics: [fallback(wishlist), { code: 'operations_unknown', capability: co }],
    }),
  },
  {
    name: 'the table may be switched off',
    business: profile({ [co]: {} }),
    platform: platform([co]),
    fallback: false,
    expected: ok([co], [], {
      source: { [co]: 'unknown' },
      diagnostics: [{ code: 'operations_unknown', capability: co }],
    }),
  },
  ...([null, 'create_checkout', {}, 7, ['get_checkout', 7], [''], [null]] as const).map(
    (operations) => ({
      name: `operations ${JSON.stringify(operations)} are malformed and treated as absent`,
      business: profile({ [od]: { operations } }),
      platform: platform([od]),
      expected: ok([od], rest(od, 'get_order'), {
        source: { [od]: 'fallback' },
        diagnostics: [{ code: 'operations_malformed', capability: od }, fallback(od)],
      }),
    }),
  ),
  {
    name: 'the list of the platform neither adds nor removes',
    business: profile({ [co]: create, [ca]: {} }),
    platform: profile({ [co]: checkout, [ca]: { operations: ['get_cart'] } }),
    expected: ok([co, ca], [...rest(co, 'create_checkout'), ...rest(ca, ...CART)], {
      source: { [ca]: 'fallback' },
      diagnostics: [fallback(ca)],
    }),
  },
]
