import {
  acme,
  CART,
  CHECKOUT,
  ca,
  cart,
  checkout,
  co,
  di,
  fu,
  none,
  od,
  ok,
  platform,
  profile,
  rest,
  type WrittenCase,
  wishlist,
} from './written-case.ts'

const gift = (name: string) => acme(`gift_${name}`)

/** Pruning to a fixed point (reference 4.5). */
export const pruneCases: readonly WrittenCase[] = [
  {
    name: 'a chain of three goes with its root',
    business: profile({
      [co]: checkout,
      [ca]: cart,
      [gift('wrap')]: { extends: co },
      [gift('message')]: { extends: gift('wrap') },
      [gift('video')]: { extends: gift('message') },
    }),
    platform: platform([ca, gift('wrap'), gift('message'), gift('video')], {
      [gift('wrap')]: co,
      [gift('message')]: gift('wrap'),
      [gift('video')]: gift('message'),
    }),
    expected: ok([ca], rest(ca, ...CART), {
      excluded: {
        [co]: 'not_in_platform',
        [gift('wrap')]: 'orphaned_extension',
        [gift('message')]: 'orphaned_extension',
        [gift('video')]: 'orphaned_extension',
      },
    }),
  },
  {
    name: 'a chain of three stays with its root',
    business: profile({
      [co]: checkout,
      [gift('wrap')]: { extends: [co] },
      [gift('message')]: { extends: gift('wrap') },
    }),
    platform: platform([co, gift('wrap'), gift('message')], {
      [gift('wrap')]: co,
      [gift('message')]: [gift('wrap')],
    }),
    expected: ok([co, gift('wrap'), gift('message')], rest(co, ...CHECKOUT), {
      source: { [gift('wrap')]: 'extension', [gift('message')]: 'extension' },
    }),
  },
  {
    name: 'the middle of a chain missing on the platform takes the end with it',
    business: profile({
      [co]: checkout,
      [gift('wrap')]: { extends: co },
      [gift('message')]: { extends: gift('wrap') },
    }),
    platform: platform([co, gift('message')], { [gift('message')]: gift('wrap') }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [gift('wrap')]: 'not_in_platform', [gift('message')]: 'orphaned_extension' },
    }),
  },
  {
    name: 'an extension of two parents neither of which is shared goes',
    business: profile({
      [co]: checkout,
      [ca]: cart,
      [od]: { operations: ['get_order'] },
      [di]: { extends: [ca, co] },
    }),
    platform: platform([od, di], { [di]: [ca, co] }),
    expected: ok([od], rest(od, 'get_order'), {
      excluded: { [co]: 'not_in_platform', [ca]: 'not_in_platform', [di]: 'orphaned_extension' },
    }),
  },
  {
    name: 'a diamond stays while one way to a root is left',
    business: profile({
      [co]: checkout,
      [ca]: none,
      [fu]: { extends: co },
      [di]: { extends: ca },
      [gift('both')]: { extends: [fu, di] },
    }),
    platform: platform([ca, fu, di, gift('both')], {
      [fu]: co,
      [di]: ca,
      [gift('both')]: [di, fu],
    }),
    expected: ok([ca, di, gift('both')], [], {
      excluded: { [co]: 'not_in_platform', [fu]: 'orphaned_extension' },
      source: { [di]: 'extension', [gift('both')]: 'extension' },
    }),
  },
  {
    name: 'a parent that nobody declares is missing',
    business: profile({ [co]: checkout, [fu]: { extends: 'dev.ucp.shopping.nothing' } }),
    platform: platform([co, fu], { [fu]: 'dev.ucp.shopping.nothing' }),
    expected: ok([co], rest(co, ...CHECKOUT), { excluded: { [fu]: 'orphaned_extension' } }),
  },
  {
    name: 'only an orphan shared is incompatible',
    business: profile({ [co]: checkout, [fu]: { extends: co } }),
    platform: platform([fu], { [fu]: co }),
    expected: ok([], [], { excluded: { [co]: 'not_in_platform', [fu]: 'orphaned_extension' } }),
  },
  {
    name: 'a parent with no mutual version is missing',
    business: profile({ [co]: checkout, [wishlist]: none, [acme('share')]: { extends: wishlist } }),
    platform: profile({
      [co]: {},
      [wishlist]: { version: '2026-02-01' },
      [acme('share')]: { extends: wishlist },
    }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [wishlist]: 'no_mutual_version', [acme('share')]: 'orphaned_extension' },
    }),
  },
  {
    name: 'an extension of itself stays and is reported',
    business: profile({ [co]: checkout, [acme('self')]: { extends: acme('self') } }),
    platform: platform([co, acme('self')], { [acme('self')]: acme('self') }),
    expected: ok([co, acme('self')], rest(co, ...CHECKOUT), {
      source: { [acme('self')]: 'extension' },
      diagnostics: [{ code: 'extension_cycle', capability: acme('self') }],
    }),
  },
  {
    name: 'a ring broken by the platform falls apart',
    business: profile({
      [co]: checkout,
      [acme('a')]: { extends: acme('b') },
      [acme('b')]: { extends: acme('c') },
      [acme('c')]: { extends: acme('a') },
    }),
    platform: platform([co, acme('a'), acme('b')], {
      [acme('a')]: acme('b'),
      [acme('b')]: acme('c'),
    }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: {
        [acme('a')]: 'orphaned_extension',
        [acme('b')]: 'orphaned_extension',
        [acme('c')]: 'not_in_platform',
      },
    }),
  },
  {
    name: 'the list of the business counts, and a different one is reported',
    business: profile({ [co]: checkout, [ca]: cart, [di]: { extends: [ca] } }),
    platform: platform([co, di], { [di]: [ca, co] }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [ca]: 'not_in_platform', [di]: 'orphaned_extension' },
      diagnostics: [{ code: 'extends_differs', capability: di }],
    }),
  },
  {
    name: 'a narrower list of the platform does not prune, and is reported',
    business: profile({ [co]: checkout, [ca]: none, [di]: { extends: [ca, co] } }),
    platform: platform([co, ca, di], { [di]: ca }),
    expected: ok([co, ca, di], rest(co, ...CHECKOUT), {
      source: { [di]: 'extension' },
      diagnostics: [{ code: 'extends_differs', capability: di }],
    }),
  },
  {
    name: 'order, repetition and the short form of extends are no difference',
    business: profile({
      [co]: checkout,
      [ca]: none,
      [di]: { extends: [ca, co] },
      [fu]: { extends: co },
    }),
    platform: platform([co, ca, di, fu], { [di]: [co, ca], [fu]: [co] }),
    expected: ok([co, ca, di, fu], rest(co, ...CHECKOUT), {
      source: { [di]: 'extension', [fu]: 'extension' },
    }),
  },
]
