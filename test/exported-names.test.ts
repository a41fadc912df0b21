import { describe, expect, it } from 'vitest'
import { listDuplicates, readTree } from '../scripts/exported-names.ts'

/**
 * The steps that every surface has, named alike in `decode.ts`, `encode.ts` and `stream.ts` of sibling folders: whoever
 * knows one surface finds the way in the others. No module exports them. Any other name has one meaning.
 */
const SURFACE_STEPS = [
  'createStreamFormat',
  'decodeCall',
  'encodeFailure',
  'encodeOutcome',
  'readDocument',
]

describe('an exported name', () => {
  it('is declared in one file', { timeout: 60_000 }, () => {
    const duplicates = [...listDuplicates(readTree())]
    const isStep = (name: string, files: readonly string[]) =>
      SURFACE_STEPS.includes(name) && files.every((file) => /^surfaces\/\w+\/\w+\.ts$/.test(file))
    const wrong = duplicates
      .filter(([name, files]) => !isStep(name, files))
      .map(([name, files]) => `${name}: ${files.join(', ')}`)
    expect(wrong, 'give each meaning a name of its own').toEqual([])
    expect(
      duplicates.map(([name]) => name),
      'no longer needed in SURFACE_STEPS',
    ).toEqual(SURFACE_STEPS)
  })

  it('is found when a second file declares it, whatever it is', { timeout: 60_000 }, () => {
    const tree = readTree()
    const planted = `export interface Service {}
export type CallError = string
export const createService = 1
export function createApp(): void {}
export class JobQueue {}
`
    const before = listDuplicates(tree)
    const after = listDuplicates(new Map([...tree, ['planted/planted.ts', planted]]))
    const found = [...after].filter(([name]) => !before.has(name))
    expect(found).toEqual([
      ['CallError', ['errors/error.ts', 'planted/planted.ts']],
      ['JobQueue', ['planted/planted.ts', expect.stringMatching(/^work\//)]],
      ['Service', ['core/service.ts', 'planted/planted.ts']],
      ['createApp', ['http/app.ts', 'planted/planted.ts']],
      ['createService', ['planted/planted.ts', 'system/create-service.ts']],
    ])
  })

  it('may be exported again, overloaded, or be a value and its type', () => {
    const tree = new Map([
      ['values/a.ts', 'export const A = 1\nexport type A = 1\nconst B = 2\nexport { B }\n'],
      [
        'values/b.ts',
        'const A = 1\nexport function f(x: 1): 1\nexport function f(x: unknown) {}\n',
      ],
      ['values/index.ts', "export { A } from './a.ts'\nexport { f } from './b.ts'\n"],
    ])
    expect([...listDuplicates(tree)]).toEqual([])
  })
})
