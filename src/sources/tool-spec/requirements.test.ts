import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  type RequirementPart,
  TOOL_SPEC_REQUIREMENTS,
} from '../../../test/requirements/tool-spec.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Parts whose lines may still be uncited, each with the reason. Empty means done. */
const PENDING: Readonly<Partial<Record<RequirementPart, string>>> = {}

/** Lines that no test cites, each with the reason. */
const REASONS: Readonly<Record<string, string>> = {}

function testFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(path)
    return /\.test\.ts$/.test(entry.name) ? [path] : []
  })
}

function citations(): Map<string, string[]> {
  const cited = new Map<string, string[]>()
  for (const file of [...testFiles('src'), ...testFiles('test')]) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const [, id = ''] of text.matchAll(/\[(TS-\d+)\]/g)) {
      cited.set(id, [...(cited.get(id) ?? []), file])
    }
  }
  return cited
}

describe('the tool-spec checklist', () => {
  const cited = citations()
  const known = new Set(TOOL_SPEC_REQUIREMENTS.map((line) => line.id))

  it('has the 200 lines of the reference', () => {
    expect(TOOL_SPEC_REQUIREMENTS.map((line) => line.id)).toEqual(
      Array.from({ length: 200 }, (_, index) => `TS-${index + 1}`),
    )
  })

  it('is cited by a test, line by line, but for the parts that are pending', () => {
    const missing = TOOL_SPEC_REQUIREMENTS.filter(
      ({ id, part }) => PENDING[part] === undefined && !cited.has(id) && REASONS[id] === undefined,
    )
    expect(missing.map(({ id, behaviour }) => `${id} ${behaviour}`)).toEqual([])
  })

  it('knows every id that a test cites', () => {
    expect([...cited.keys()].filter((id) => !known.has(id))).toEqual([])
  })

  it('gives reasons only for lines that need one', () => {
    expect(Object.keys(REASONS).filter((id) => cited.has(id) || !known.has(id))).toEqual([])
  })
})

describe('docs/reference/tool-spec.md', () => {
  it('lists every code that the readers report', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/tool-spec.md'), 'utf8')
    const sources = ['src/sources/tool-spec', 'src/sources/openapi'].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name)),
    )
    const codes = sources
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => readFileSync(file, 'utf8').match(/\b[EW]\d{3}\b/g) ?? [])
    expect([...new Set(codes)].filter((code) => !page.includes(code)).sort()).toEqual([])
  })
})
