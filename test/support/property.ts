import fc from 'fast-check'

// The same cases in each run of `npm test`: a red build is then about the change. `npm run test:fuzz` tries new ones.
const seed = Number(process.env['WAYMARK_SEED'] ?? 1)
fc.configureGlobal({ seed })

/** JSON that breaks code which takes a foreign object for an ordinary one. */
const HOSTILE_TEXTS = [
  '{"toString":null}',
  '{"toString":1,"valueOf":1}',
  '{"toJSON":1}',
  '{"__proto__":{"a":1}}',
  '{"constructor":null,"hasOwnProperty":0}',
  '{"then":1}',
  '{"length":-1}',
  '[{"toString":null}]',
]

/** An object for which `String`, `Number` and templates throw. */
export const TEXTLESS = { toString: null, valueOf: null }

/** A JSON value, often one that is hostile. */
export function hostileJson(constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<unknown> {
  const hostile = fc.constantFrom(...HOSTILE_TEXTS).map((text): unknown => JSON.parse(text))
  return fc.oneof({ weight: 4, arbitrary: fc.jsonValue(constraints) }, hostile)
}

/** Gives a copy for each value below a document, with that value replaced. */
export function replaceEach(value: unknown, replacement: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    [replacement, ...replaceEach(member, replacement)].map((changed) =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
    ),
  )
}

export { fc }
