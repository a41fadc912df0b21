import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkModules, MODULES, readTree } from '../scripts/modules.ts'

const names = Object.keys(MODULES)
const tree = readTree(fileURLToPath(new URL('../src', import.meta.url)))

/** A tree of one file per module, with one more file. */
function plant(file: string, text: string): ReadonlyMap<string, string> {
  const files = names.map((name) => [`${name}/index.ts`, ''] as const)
  return new Map([...files, [file, text]])
}

describe('the modules of src', () => {
  it('import each other as scripts/modules.ts says', () => {
    expect(checkModules(tree)).toEqual([])
  })

  it.each(names)('refuse every import of %s from a module that may not', (target) => {
    const index = names.indexOf(target)
    for (const [place, source] of names.entries()) {
      if (source === target) continue
      const up = '../'.repeat(source.split('/').length)
      const found = checkModules(
        plant(`${source}/planted.ts`, `import { a } from '${up}${target}/index.ts'\n`),
      )
      if (place < index) expect(found, `${source} imports ${target}`).toHaveLength(1)
      const deep = checkModules(
        plant(`${source}/planted.ts`, `import { a } from '${up}${target}/file.ts'\n`),
      )
      expect(deep.length, `${source} imports a file of ${target}`).toBeGreaterThan(0)
    }
  })

  it('have folders that can be seen at a glance', () => {
    const many = Array.from({ length: 30 }, (_, index) => [`core/file-${index}.ts`, ''] as const)
    expect(checkModules(new Map(many))).toEqual(['src/core has 30 files, more than 25'])
  })
})
