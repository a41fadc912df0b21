import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { judgePattern } from '../../src/schema/pattern/index.ts'
import { findAttack } from '../support/pattern-steps.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

/** Collects every regular expression that is written out in a file. */
function listPatterns(file: string): readonly Found[] {
  const found: Found[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } }
    if (type === 'Literal' && regex) found.push({ file, ...regex })
    for (const member of Object.values(node)) visit(member)
  }
  visit(parseSync(file, readFileSync(join(ROOT, file), 'utf8')).program)
  return found
}

const patterns = ['src', 'explorer/src']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(?:-d)?\.ts$/.test(file))
  .flatMap(listPatterns)

/** Patterns that take longer than linear time, with the reason why nobody can use that. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/cli/parse-input.ts /<[^>]*>|\\[[^\\]]*\\]|[^\\s[\\]<>]+/g':
    'reads the usage lines of this program',
  'src/codegen/typed-client/emit-runtime.ts /\\/\\*[\\s\\S]*?\\*\\/|\'(?:[^\'\\\\\\n]|\\\\.)*\'|"(?:[^"\\\\\\n]|\\\\.)*"/g':
    'reads code that was just written, whose comments and texts all end',
  'src/sources/runtime/serialize.ts /0+$/': 'reads what toFixed(20) wrote',
  'explorer/src/view/json-text.tsx /("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)|\\b(true|false|null)\\b/g':
    'reads what JSON.stringify wrote, whose texts all end',
}

/** Files whose repetitions end after a few hundred characters, which is linear in longer texts. */
const LIMITED = new Set(['explorer/src/model/text.ts'])

describe('beside it: the patterns of the product itself', () => {
  const slow = patterns.filter(
    ({ pattern, flags }) =>
      judgePattern(pattern) !== 'linear' && findAttack(pattern, flags) !== undefined,
  )

  it('take linear time, or read what nobody outside can make long', () => {
    const names = slow
      .filter(({ file }) => !LIMITED.has(file))
      .map(({ file, pattern, flags }) => `${file} /${pattern}/${flags}`)
    expect(names.toSorted()).toEqual(Object.keys(BOUNDED).toSorted())
  })

  it('are never exponential', () => {
    expect(patterns.length).toBeGreaterThan(500)
    const exponential = patterns.filter(({ pattern }) => judgePattern(pattern) === 'exponential')
    // Nothing follows the loop of this one, so that it never fails and tries again.
    expect(exponential.map(({ file }) => file)).toEqual(['src/cli/forge/call/dry-call.ts'])
  })

  it.each([
    ['^(a+)+$', ''],
    ['/+$', ''],
    ['\\{[^}]*\\}', 'g'],
    ['(x+x+)+y', ''],
  ])('would be found if one were /%s/%s', (pattern, flags) => {
    expect(findAttack(pattern, flags)).toBeDefined()
  })

  it.each([
    ['^[a-z]+(?:-[a-z]+)*$', ''],
    ['(?<!/)/+$', ''],
    ['\\{[^{}]*\\}', 'g'],
    ['\\s+', 'g'],
  ])('would not be found if one were /%s/%s', (pattern, flags) => {
    expect(findAttack(pattern, flags)).toBeUndefined()
  })
})
