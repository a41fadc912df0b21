import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  DIFF_RULES,
  type DiffSource,
  diffDescriptions,
  formatDiff,
} from '../../src/entries/diff.ts'
import { parseDocument } from '../../src/entries/openapi.ts'
import { discovery } from './cases/case.ts'

const PAGE = readFileSync(new URL('../../docs/guides/diff.md', import.meta.url), 'utf8')
const CORPUS = fileURLToPath(new URL('../../../shared/corpus/openapi/', import.meta.url))

function read(version: string): DiffSource {
  const file = `${CORPUS}adyen.com__BinLookupService__${version}__openapi.yaml`
  const parsed = parseDocument(readFileSync(file, 'utf8'))
  if (!parsed.ok) throw new TypeError('the corpus cannot be read')
  return { kind: 'openapi', document: parsed.document as Record<string, unknown> }
}

describe('docs/guides/diff.md', () => {
  it('lists every rule with its class and reason', () => {
    const rows = Object.entries(DIFF_RULES).map(
      ([id, rule]) => `| \`${id}\` | ${rule.class} | ${rule.reason} |`,
    )
    expect(PAGE.match(/^\| `[a-z-]+` \| (?:breaking|implementer|compatible|docs) \|.*$/gm)).toEqual(
      rows,
    )
  })

  it.skipIf(!existsSync(CORPUS))('shows the report of two real versions of an API', () => {
    const report = formatDiff(diffDescriptions(read('40'), read('50')), 'text')
    expect(PAGE).toContain(report.trim())
  })
})

describe('reports', () => {
  const old = discovery([{ name: 'a.get', arguments: [] }])
  const now = discovery([{ name: 'a.get', arguments: [{ name: 'x', required: true, schema: {} }] }])

  it('say which step a version needs when it was not bumped', () => {
    const { steps } = diffDescriptions(old, now)
    expect(steps).toEqual([
      {
        function: 'a.get',
        from: '1.0.0',
        to: '1.0.0',
        needs: 'major',
        declared: 'none',
        enough: false,
      },
    ])
    expect(formatDiff(diffDescriptions(old, now), 'text')).toContain('needs a major step')
  })

  it('guess what a function became', () => {
    const moved = discovery([{ name: 'a.fetch', arguments: [] }, { name: 'a.gets' }])
    const [change] = diffDescriptions(old, moved).changes
    expect(change?.message).toContain('did it become a.gets?')
  })

  it('are workflow commands that the text of a document cannot leave', () => {
    const hostile = discovery([{ name: 'a\n::error::pwned' }])
    const text = formatDiff(diffDescriptions(hostile, now), 'github', { file: 'x.json' })
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('::'))).toEqual([])
    expect(text).not.toMatch(/^::error::pwned/m)
  })

  it('are tables whose cells stay cells', () => {
    const hostile = discovery([{ name: 'a|b<script>' }])
    expect(formatDiff(diffDescriptions(hostile, now), 'markdown')).toContain('a\\|b\\<script\\>')
  })
})
