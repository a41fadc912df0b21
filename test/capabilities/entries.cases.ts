import {
  acme,
  CHECKOUT,
  ca,
  cart,
  checkout,
  co,
  fu,
  none,
  OLD,
  ok,
  platform,
  profile,
  rest,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

/** Entries that count as absent (reference 2.5, 2.7, 4.3). */
export const entryCases: readonly WrittenCase[] = [
  {
    name: 'a schema on a foreign host removes the root and its extension',
    business: profile({
      [co]: checkout,
      [wishlist]: { ...none, schema: 'https://evil.example/wishlist.json' },
      [acme('share')]: { extends: wishlist },
    }),
    platform: platform([co, wishlist, acme('share')], { [acme('share')]: wishlist }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [wishlist]: 'authority_mismatch', [acme('share')]: 'orphaned_extension' },
    }),
  },
  {
    name: 'the authority check comes before the question whether the platform has it',
    business: profile({ [co]: checkout, [ca]: { ...cart, schema: 'https://evil.example/c.json' } }),
    platform: platform([co]),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'authority_mismatch' } }),
  },
  {
    name: 'a platform entry on a foreign host is not there',
    business: profile({ [co]: checkout, [ca]: cart }),
    platform: profile({ [co]: {}, [ca]: { schema: 'https://ucp.dev.evil.example/c.json' } }),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'not_in_platform' } }),
  },
  {
    name: 'one failing entry of two leaves the other',
    business: profile({
      [co]: checkout,
      [wishlist]: [
        { ...none, version: '2026-02-01' },
        { ...none, schema: 'https://cdn.acme.example/w.json' },
      ],
    }),
    platform: profile({ [co]: {}, [wishlist]: [{ version: '2026-02-01' }, {}] }),
    expected: ok([co, `${wishlist}@2026-02-01`], rest(co, ...CHECKOUT)),
  },
  {
    name: 'an entry without schema passes the check',
    business: profile({ [co]: checkout, [wishlist]: { ...none, schema: undefined } }),
    platform: platform([co, wishlist]),
    expected: ok([co, wishlist], rest(co, ...CHECKOUT)),
  },
  {
    name: 'a spec page on any https host is fine',
    business: profile({ [co]: { ...checkout, spec: 'https://docs.elsewhere.example/' } }),
    platform: platform([co]),
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
  ...(
    [
      ['https://ucp.dev/a.json', true],
      ['https://shopping.ucp.dev/a.json', true],
      ['https://cart.shopping.ucp.dev/a.json', true],
      ['https://UCP.DEV/a.json', true],
      ['https://ucp.dev./a.json', true],
      ['https://ucp.dev:8443/a.json', true],
      ['http://ucp.dev/a.json', false],
      ['https://user@ucp.dev/a.json', false],
      ['https://ucp.dev@evil.example/a.json', false],
      ['https://ucp.dev.evil.example/a.json', false],
      ['https://xucp.dev/a.json', false],
      ['https://other.ucp.dev/a.json', false],
      ['https://dev/a.json', false],
      ['https://localhost/a.json', false],
      ['https://203.0.113.10/a.json', false],
      ['https://[2001:db8::1]/a.json', false],
      ['https://0xcb.0.113.10/a.json', false],
      ['schemas/a.json', false],
      ['', false],
      ['javascript:alert(1)', false],
      ['https://', false],
    ] as const
  ).map(([schema, accepted]) => ({
    name: `${accepted ? 'accepts' : 'refuses'} a cart schema at ${JSON.stringify(schema)}`,
    business: profile({ [co]: checkout, [ca]: { ...none, schema } }),
    platform: platform([co, ca]),
    expected: ok(accepted ? [co, ca] : [co], rest(co, ...CHECKOUT), {
      excluded: accepted ? {} : { [ca]: 'authority_mismatch' },
    }),
  })),
  {
    name: 'a dev.ucp entry of another date is absent under the newest rules',
    rules: '2026-08-25',
    business: profile({ [co]: checkout, [ca]: { ...cart, version: OLD } }),
    platform: profile({ [co]: {}, [ca]: { version: OLD } }),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'version_skew' } }),
  },
  {
    name: 'the newest rules are the default',
    business: profile({ [co]: checkout, [ca]: { ...cart, version: OLD } }),
    platform: profile({ [co]: {}, [ca]: { version: OLD } }),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'version_skew' } }),
  },
  {
    name: 'a skewed entry beside one of the right date is no loss',
    business: profile({ [co]: [{ version: OLD, operations: [] }, checkout] }),
    platform: profile({ [co]: [{ version: OLD }, {}] }),
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
  {
    name: 'a skewed platform entry is not there',
    business: profile({ [co]: checkout, [ca]: cart }),
    platform: profile({ [co]: {}, [ca]: { version: OLD } }),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'not_in_platform' } }),
  },
  {
    name: 'the same platform entry has no mutual version under the older rules',
    rules: '2026-04-08',
    business: profile({ [co]: checkout, [ca]: cart }),
    platform: profile({ [co]: {}, [ca]: { version: OLD } }),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [ca]: 'no_mutual_version' } }),
  },
  {
    name: 'a skewed extension takes nothing with it but its own children',
    business: profile({
      [co]: checkout,
      [fu]: { version: OLD, extends: co },
      [acme('drone')]: { extends: fu },
    }),
    platform: profile({
      [co]: {},
      [fu]: { version: OLD, extends: co },
      [acme('drone')]: { extends: fu },
    }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [fu]: 'version_skew', [acme('drone')]: 'orphaned_extension' },
    }),
  },
  {
    name: 'a name that only starts like dev.ucp is a vendor',
    business: profile({
      [co]: checkout,
      'dev.ucpx.shop.a': { ...none, version: OLD, schema: 'https://ucpx.dev/a' },
    }),
    platform: profile({
      [co]: {},
      'dev.ucpx.shop.a': { version: OLD, schema: 'https://ucpx.dev/a' },
    }),
    expected: ok([co, `dev.ucpx.shop.a@${OLD}`], rest(co, ...CHECKOUT)),
  },
]
