import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The public API: what each entry of the package exports at run time. A new name shows up here, in review. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'CODES',
    'CallError',
    'buildDocument',
    'createApp',
    'createForrstHandler',
    'createService',
    'defaultExtensions',
    'defineFunction',
    'jsonSchema',
    'serve',
    'toExpressHandler',
    'toFastifyPlugin',
    'toFetchHandler',
    'toHonoHandler',
    'toNodeListener',
  ],
  './client': [
    'CLIENT_CODES',
    'CallError',
    'createClient',
    'createFetchTransport',
    'createLocalTransport',
    'evaluateLink',
    'findExtension',
    'resolveServerUrl',
  ],
}

describe('the package', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')

  it('has no entry that is not listed here', () => {
    expect(entries.sort()).toEqual(Object.keys(NAMES).sort())
  })

  it.each(entries)('exports exactly the listed names from %s', async (entry) => {
    const source = manifest.exports[entry]['waymark-source']
    const module = await import(new URL(`../${source}`, import.meta.url).href)
    expect(Object.keys(module).sort()).toEqual(NAMES[entry])
  })

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
