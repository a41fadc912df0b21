import {
  CHECKOUT,
  checkout,
  co,
  DOCUMENTS,
  entry,
  none,
  OLD,
  ok,
  platform,
  profile,
  rest,
  restService,
  shopping,
  unsupported,
  V,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

const LEAF = 'https://shop.example/.well-known/ucp/2026-01-23'

const leaf = profile(
  { [co]: { version: OLD, operations: ['create_checkout'] } },
  { version: OLD, services: { [shopping]: [{ ...restService, version: OLD }] } },
)
const oldPlatform = profile({ [co]: { version: OLD } }, { version: OLD, services: {} })
const linked = (uri: unknown) => profile({ [co]: checkout }, { supported_versions: { [OLD]: uri } })
const oldCheckout = ok([`${co}@${OLD}`], rest(co, 'create_checkout'), { protocol_version: OLD })

/** Choosing the protocol version (reference 2.6, 4.2). */
export const versionCases: readonly WrittenCase[] = [
  {
    name: 'a newer platform is not accepted because it is newer',
    business: profile({ [co]: checkout }),
    platform: platform([co], {}, { version: '2026-08-25' }),
    expected: unsupported(),
  },
  {
    name: 'an older platform is not accepted because it is older',
    business: profile({ [co]: checkout }, { supported_versions: { '2026-01-11': LEAF } }),
    platform: oldPlatform,
    expected: unsupported(),
  },
  {
    name: 'a leaf profile is used alone',
    business: linked(LEAF),
    platform: oldPlatform,
    documents: { ...DOCUMENTS, [LEAF]: leaf },
    expected: oldCheckout,
  },
  {
    name: 'equal versions use the profile at hand although a leaf is mapped',
    business: profile({ [co]: checkout }, { supported_versions: { [V]: LEAF } }),
    platform: platform([co]),
    documents: { ...DOCUMENTS, [LEAF]: leaf },
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
  {
    name: 'vendor capabilities of the current profile do not leak into a leaf session',
    business: profile(
      { [co]: checkout, [wishlist]: none },
      { supported_versions: { [OLD]: LEAF } },
    ),
    platform: profile({ [co]: { version: OLD }, [wishlist]: {} }, { version: OLD, services: {} }),
    documents: { ...DOCUMENTS, [LEAF]: leaf },
    expected: oldCheckout,
  },
  {
    name: 'a leaf of the first layout is normalised',
    business: profile({ [co]: checkout }, { supported_versions: { '2026-01-11': LEAF } }),
    platform: profile({ [co]: { version: '2026-01-11' } }, { version: '2026-01-11', services: {} }),
    documents: {
      ...DOCUMENTS,
      [LEAF]: {
        ucp: {
          version: '2026-01-11',
          services: {},
          capabilities: [entry(co, { name: co, version: '2026-01-11', operations: [] })],
        },
      },
    },
    expected: ok([`${co}@2026-01-11`], [], {
      protocol_version: '2026-01-11',
      diagnostics: [{ code: 'legacy_profile_shape', side: 'business' }],
    }),
  },
]
