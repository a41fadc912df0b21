import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildExplorer } from '../../scripts/build-explorer.ts'
import { PAGE } from '../../src/surfaces/tools/page.gen.ts'

it('the committed page is what the sources build, byte for byte', async () => {
  const committed = readFileSync(
    join(import.meta.dirname, '../../src/surfaces/tools/page.gen.ts'),
    'utf8',
  )
  const built = await buildExplorer()
  expect(
    built === committed,
    'run `npm run build:explorer` and commit src/surfaces/tools/page.gen.ts',
  ).toBe(true)
}, 60_000)

it('the page holds its five placeholders and nothing that could end its script early', () => {
  expect(new Set(PAGE.match(/\{\{[A-Z_]+\}\}/g))).toEqual(
    new Set([
      '{{TITLE}}',
      '{{ALLOW_EXECUTE}}',
      '{{HAS_TRIGGERS}}',
      '{{IS_WATCHED}}',
      '{{PROJECT_LINK}}',
    ]),
  )
  expect(PAGE.match(/<\/script/gi)).toHaveLength(2)
  console.log(
    `explorer: the page is ${gzipSync(PAGE).byteLength} bytes compressed, ${PAGE.length} plain`,
  )
})
