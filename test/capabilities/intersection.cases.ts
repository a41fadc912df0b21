import {
  acme,
  CART,
  CHECKOUT,
  ca,
  cart,
  checkout,
  co,
  linking,
  none,
  OLD,
  od,
  ok,
  platform,
  profile,
  rest,
  V,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

/** Intersection and version choice (reference 4.4). */
export const intersectionCases: readonly WrittenCase[] = [
  {
    name: 'what only the platform has is not mentioned',
    business: profile({ [co]: checkout }),
    platform: platform([co, ca, od, wishlist]),
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
  {
    name: 'the greatest shared version is chosen, and its operations',
    business: profile({
      [wishlist]: [
        { version: '2026-01-01', operations: ['get_wishlist'] },
        { version: '2026-03-01', operations: ['get_wishlist', 'remove_wishlist_item'] },
        { version: '2026-02-01', operations: ['get_wishlist', 'add_wishlist_item'] },
      ],
    }),
    platform: profile({ [wishlist]: [{ version: '2026-02-01' }, { version: '2026-01-01' }] }),
    expected: ok([`${wishlist}@2026-02-01`], rest(wishlist, 'get_wishlist', 'add_wishlist_item')),
  },
  {
    name: 'the newest version of the platform that the business lacks is never chosen',
    business: profile({ [wishlist]: { version: '2026-01-01', operations: [] } }),
    platform: profile({ [wishlist]: [{ version: '2026-09-01' }, { version: '2026-01-01' }] }),
    expected: ok([`${wishlist}@2026-01-01`]),
  },
  {
    name: 'interleaved dates without an equal one have no mutual version',
    business: profile({ [wishlist]: [{ version: '2026-01-01' }, { version: '2026-03-01' }] }),
    platform: profile({ [wishlist]: [{ version: '2026-02-01' }, { version: '2026-04-01' }] }),
    expected: ok([], [], { excluded: { [wishlist]: 'no_mutual_version' } }),
  },
  {
    name: 'a capability is a root or an extension by the entry of the selected version',
    business: profile({
      [wishlist]: [
        { version: '2026-01-01', operations: ['get_wishlist'] },
        { version: '2026-02-01', extends: co },
      ],
    }),
    platform: profile({ [wishlist]: [{ version: '2026-01-01' }] }),
    expected: ok([`${wishlist}@2026-01-01`], rest(wishlist, 'get_wishlist')),
  },
  {
    name: 'nothing on either side is incompatible',
    business: profile({}),
    platform: platform([]),
    expected: ok([]),
  },
  {
    name: 'missing capabilities are none',
    business: { ucp: { version: V, services: {}, payment_handlers: {} } },
    platform: platform([co]),
    expected: ok([]),
  },
  {
    name: 'names are compared exactly',
    business: profile({ [acme('wish_list')]: none, [co]: checkout }),
    platform: platform([acme('wish-list'), co]),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [acme('wish_list')]: 'not_in_platform' },
    }),
  },
  {
    name: 'two entries of one version: the first counts',
    business: profile({ [co]: [{ operations: ['get_checkout'] }, checkout] }),
    platform: platform([co]),
    expected: ok([co], rest(co, 'get_checkout'), {
      diagnostics: [{ code: 'duplicate_version_entry', capability: co, side: 'business' }],
    }),
  },
  {
    name: 'a bare agent profile negotiates',
    business: profile({ [co]: checkout, [ca]: cart, [linking]: none }),
    platform: {
      ucp: { version: V, capabilities: { [co]: [{ version: V }], [ca]: [{ version: V }] } },
    },
    expected: ok([co, ca], [...rest(co, ...CHECKOUT), ...rest(ca, ...CART)], {
      excluded: { [linking]: 'not_in_platform' },
    }),
  },
  {
    name: 'payment handlers and map_order take no part',
    business: profile(
      { [co]: checkout },
      {
        payment_handlers: { 'com.example.pay': [{ id: 'a', version: OLD }] },
        map_order: { capabilities: [ca, co, co], nothing: 3 },
      },
    ),
    platform: platform([co]),
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
  {
    name: 'unknown members and a ucp inside ucp change nothing',
    business: {
      ...profile(
        { [co]: { ...checkout, config: { deep: [1] }, later: true } },
        { ucp: { version: 'x' }, extra: 1 },
      ),
      keys: [],
      more: {},
    },
    platform: platform([co]),
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
]
