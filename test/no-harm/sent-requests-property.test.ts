import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listCorpus } from '../../scripts/corpus.ts'
import { traceDocument } from './traced-request.ts'

const seed = Number(process.env['WAYMARK_SEED'] ?? 1)
const all = listCorpus()
/** The smaller documents and some of their operations; `npm run corpus -- --requests 5` takes all. */
const files = all.filter((path) => statSync(path).size < 200_000)

describe.skipIf(all.length === 0)('beside it (needs ../shared/corpus)', () => {
  let [sent, refused] = [0, 0]

  it.each(files.map((path) => [basename(path), path] as const))(
    '%s: a request holds the arguments, the path, the credentials and constants, nothing else',
    async (_name, path) => {
      const report = await traceDocument(path, { most: 4, runs: 3, seed })
      sent += report.sent
      refused += report.refused
      expect(report.faults).toEqual([])
    },
  )

  it('most of the calls were sent', () => {
    expect(sent).toBeGreaterThan(500)
    expect(refused).toBeLessThan(sent / 2)
  })
})
