import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

describe('the package', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))

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
