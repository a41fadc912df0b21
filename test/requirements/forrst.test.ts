import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FORRST_REQUIREMENTS } from './forrst.ts'

/** Lines of the checklist that no test cites, with the reason. */
const NOT_CITED: Readonly<Record<string, string>> = {}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const cited = new Map<string, string[]>()
for (const folder of ['src', 'test', 'examples']) {
  for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts') || name.endsWith('requirements/forrst.test.ts')) continue
    for (const [, id = ''] of readFileSync(join(ROOT, folder, name), 'utf8').matchAll(
      /\[(F-\d+)\]/g,
    )) {
      cited.set(id, [...(cited.get(id) ?? []), name])
    }
  }
}

describe('the Forrst checklist', () => {
  it.each(FORRST_REQUIREMENTS.filter(({ id }) => !Object.hasOwn(NOT_CITED, id)))(
    '$id is cited by a test: $behaviour',
    ({ id }) => {
      expect(cited.get(id) ?? []).not.toEqual([])
    },
  )

  it('knows every id that a test cites', () => {
    const known = new Set(FORRST_REQUIREMENTS.map(({ id }) => id))
    expect([...cited.keys()].filter((id) => !known.has(id))).toEqual([])
  })

  it('excuses no line that a test cites after all', () => {
    expect(Object.keys(NOT_CITED).filter((id) => cited.has(id))).toEqual([])
  })
})
