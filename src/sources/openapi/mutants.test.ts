import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listCorpus } from '../../../scripts/corpus.ts'
import { checkMutants } from '../../../scripts/mutate/run.ts'

/** Big documents only make the run longer: a mutant is a few paths of one. */
const FILES = listCorpus().filter((path) => statSync(path).size < 40_000)

describe.skipIf(FILES.length === 0)('documents in a mess (needs ../shared/corpus)', () => {
  it('become valid specs that lose no operation, compile, and whose tools can be called', {
    timeout: 60_000,
  }, async () => {
    const report = await checkMutants(FILES, 30, 1)
    expect(report.failures).toEqual([])
    expect(report.tools).toBeGreaterThan(30)
  })
})
