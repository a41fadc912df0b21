import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

describe('the package', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))

  it.each(entries)(
    'exports from %s exactly the names in test/public-api; a new one shows up there, in review',
    async (entry) => {
      const source = manifest.exports[entry]['waymark-source']
      const module = await import(new URL(`../${source}`, import.meta.url).href)
      const name = entry === '.' ? 'waymark' : entry.slice(2)
      await expect(`${Object.keys(module).sort().join('\n')}\n`).toMatchFileSnapshot(
        `./public-api/${name}.txt`,
      )
    },
  )

  it('points every entry at a source file, at types and at code in dist', () => {
    for (const entry of entries) {
      const { 'waymark-source': source, types, default: code } = manifest.exports[entry]
      expect([types, code]).toEqual([
        source.replace('./src/', './dist/').replace('.ts', '.d.ts'),
        source.replace('./src/', './dist/').replace('.ts', '.js'),
      ])
    }
  })
})
