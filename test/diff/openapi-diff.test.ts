import { describe, expect, it } from 'vitest'
import { diffDescriptions } from '../../src/entries/diff.ts'
import { OPENAPI_CASES } from './cases/openapi.ts'

interface OtherTool {
  diffSpecs(options: {
    sourceSpec: { content: string; location: string; format: string }
    destinationSpec: { content: string; location: string; format: string }
  }): Promise<{ breakingDifferencesFound: boolean }>
}

/** Where openapi-diff says otherwise, and why we keep to our answer. */
const PARAMETERS = 'it does not look at parameters'
const DISAGREE: Readonly<Record<string, string>> = {
  'a required parameter comes': PARAMETERS,
  'a parameter goes': PARAMETERS,
  'a parameter moves from the query to a header': PARAMETERS,
  'a list parameter is written another way': PARAMETERS,
  'the type of a parameter changes': PARAMETERS,
  'a body becomes required': 'it looks at the schema of a body, not at whether there must be one',
  'a request type goes': 'it looks at JSON bodies only',
  'authentication comes': 'it does not look at security',
  'a scope comes': 'it does not look at security',
  'an operation is deprecated and renamed for clients': 'it does not look at operationId',
  'a server goes': 'it does not look at servers',
}

describe('openapi-diff', () => {
  it('agrees about what breaks callers, but for the pairs that are explained', async () => {
    const { default: other } = (await import('openapi-diff')) as unknown as { default: OtherTool }
    const found: string[] = []
    let compared = 0
    for (const { name, old, now } of OPENAPI_CASES) {
      if (old.kind !== 'openapi' || now.kind !== 'openapi') continue
      const format = 'swagger' in old.document ? 'swagger2' : 'openapi3'
      const toSpec = (content: unknown, location: string) => ({
        content: JSON.stringify(content),
        location,
        format,
      })
      const theirs = await other
        .diffSpecs({
          sourceSpec: toSpec(old.document, 'old.json'),
          destinationSpec: toSpec(now.document, 'new.json'),
        })
        .then(({ breakingDifferencesFound }) => breakingDifferencesFound)
        .catch(() => undefined)
      if (theirs === undefined) continue
      compared += 1
      const ours = diffDescriptions(old, now).counts.breaking > 0
      if (theirs !== ours) found.push(name)
      // Whatever it calls breaking, we do too.
      if (theirs) expect(ours, name).toBe(true)
    }
    expect(found).toEqual(Object.keys(DISAGREE))
    expect(compared).toBeGreaterThan(0)
  }, 60_000)
})
