import { describe, expect, it } from 'vitest'
import { readTree } from '../scripts/exported-names.ts'

/** What no file of src/ may say, with the files that are the reason, and what to write instead. */
const RULES = [
  {
    // Node 20 keeps every joined signal alive for as long as one of its sources lives.
    forbidden: /AbortSignal\.any\(/,
    instead: 'openScope or runInScope of src/values/abort.ts',
    allowed: [],
  },
  {
    forbidden: /['"`]urn:forrst:ext:/,
    instead: 'extensionUrn of src/values/urn.ts',
    allowed: ['values/urn.ts'],
  },
]

describe('the source', () => {
  it.each(RULES)('says $forbidden nowhere else: $instead', ({ forbidden, allowed }) => {
    expect(findLines(readTree(), forbidden, allowed)).toEqual([])
  })

  it('is looked at without its comments', () => {
    const tree = new Map([
      ['core/a.ts', "/** `AbortSignal.any([…])` leaks. */\nconst urn = 'urn:forrst:ext:retry'\n"],
      ['core/b.ts', 'const signal = AbortSignal.any([one, other])\n'],
    ])
    expect(RULES.map(({ forbidden }) => findLines(tree, forbidden, []))).toEqual([
      ['core/b.ts:1'],
      ['core/a.ts:2'],
    ])
  })
})

function findLines(
  tree: ReadonlyMap<string, string>,
  forbidden: RegExp,
  allowed: readonly string[],
): readonly string[] {
  return [...tree].flatMap(([path, text]) =>
    allowed.includes(path)
      ? []
      : text
          .split('\n')
          .flatMap((line, index) =>
            /^\s*(?:\/?\*|\/\/)/.test(line) || !forbidden.test(line) ? [] : `${path}:${index + 1}`,
          ),
  )
}
