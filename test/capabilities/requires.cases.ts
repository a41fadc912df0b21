import {
  acme,
  CHECKOUT,
  ca,
  checkout,
  co,
  DOCUMENTS,
  entry,
  OLD,
  ok,
  platform,
  profile,
  rest,
  V,
  type WrittenCase,
} from './written-case.ts'

const schemaOf = (name: string) => String(entry(name)['schema'])
const withRequires = (requires: unknown, name = acme('bonus')) => ({
  ...DOCUMENTS,
  [schemaOf(name)]: { $id: schemaOf(name), requires, $defs: { [co]: {} } },
})
const bonus = acme('bonus')
const chained = acme('bonus_more')
const bonusBusiness = profile({
  [co]: checkout,
  [bonus]: { extends: co },
  [chained]: { extends: bonus },
})
const bonusPlatform = platform([co, bonus, chained], { [bonus]: co, [chained]: bonus })
const kept = ok([co, bonus, chained], rest(co, ...CHECKOUT), {
  source: { [bonus]: 'extension', [chained]: 'extension' },
})
const removed = ok([co], rest(co, ...CHECKOUT), {
  excluded: { [bonus]: 'requires_violated', [chained]: 'orphaned_extension' },
})

/** What extension schemas require (reference 3.2, 4.6). */
export const requiresCases: readonly WrittenCase[] = (
  [
    ['a minimum of the protocol that is met', { protocol: { min: V } }, kept],
    ['a maximum of the protocol that is met', { protocol: { min: OLD, max: V } }, kept],
    ['a later minimum of the protocol', { protocol: { min: '2026-04-09' } }, removed],
    ['an earlier maximum of the protocol', { protocol: { min: OLD, max: '2026-04-07' } }, removed],
    [
      'bounds of a capability that include it',
      { capabilities: { [co]: { min: V, max: V } } },
      kept,
    ],
    ['a later minimum of a capability', { capabilities: { [co]: { min: '2026-05-01' } } }, removed],
    [
      'an earlier maximum of a capability',
      { capabilities: { [co]: { min: OLD, max: OLD } } },
      removed,
    ],
    ['a capability that is not active', { capabilities: { [ca]: { min: '2030-01-01' } } }, kept],
    ['nothing', undefined, kept],
    ['an empty object', {}, kept],
    [
      'one met and one violated range',
      { protocol: { min: OLD }, capabilities: { [co]: { min: '2027-01-01' } } },
      removed,
    ],
  ] as const
).map(([name, requires, expected]) => ({
  name: `an extension that requires ${name}`,
  business: bonusBusiness,
  platform: bonusPlatform,
  documents: withRequires(requires),
  expected,
}))

/** Requirements that meet one another (reference 4.6). */
export const requiresTogether: readonly WrittenCase[] = [
  {
    name: 'what the schema of a root requires is not asked for',
    business: profile({ [co]: checkout }),
    platform: platform([co]),
    documents: withRequires({ protocol: { min: '2030-01-01' } }, co),
    expected: ok([co], rest(co, ...CHECKOUT)),
  },
  {
    name: 'an extension of two parents survives one that violates its requirements',
    business: profile({
      [co]: checkout,
      [bonus]: { extends: co },
      [chained]: { extends: [bonus, co] },
    }),
    platform: platform([co, bonus, chained], { [bonus]: co, [chained]: [co, bonus] }),
    documents: withRequires({ protocol: { min: '2030-01-01' } }),
    expected: ok([co, chained], rest(co, ...CHECKOUT), {
      excluded: { [bonus]: 'requires_violated' },
      source: { [chained]: 'extension' },
    }),
  },
  {
    name: 'a ring falls apart when one of it violates its requirements',
    business: profile({
      [co]: checkout,
      [bonus]: { extends: chained },
      [chained]: { extends: bonus },
    }),
    platform: platform([co, bonus, chained], { [bonus]: chained, [chained]: bonus }),
    documents: withRequires({ capabilities: { [chained]: { min: '2026-03-02' } } }),
    expected: ok([co], rest(co, ...CHECKOUT), {
      excluded: { [bonus]: 'requires_violated', [chained]: 'orphaned_extension' },
    }),
  },
  {
    name: 'an orphan is an orphan before its requirements are read',
    business: bonusBusiness,
    platform: platform([bonus, chained], { [bonus]: co, [chained]: bonus }),
    documents: withRequires({ protocol: { min: '2030-01-01' } }),
    expected: ok([], [], {
      excluded: {
        [co]: 'not_in_platform',
        [bonus]: 'orphaned_extension',
        [chained]: 'orphaned_extension',
      },
    }),
  },
  ...(
    [
      7,
      'x',
      [],
      { protocol: 7 },
      { protocol: { max: V } },
      { capabilities: { [co]: { min: 'soon' } } },
    ] as const
  ).map((requires) => ({
    name: `requirements that are ${JSON.stringify(requires)} are reported and not applied`,
    business: bonusBusiness,
    platform: bonusPlatform,
    documents: withRequires(requires),
    expected: { ...kept, diagnostics: [{ code: 'requires_malformed', capability: bonus }] },
  })),
]
