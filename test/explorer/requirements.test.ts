import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOOL_EXPLORER_REQUIREMENTS } from '../requirements/tool-explorer.ts'

const ROOT = join(import.meta.dirname, '../..')
const cited = new Set(
  ['src/surfaces/tools', 'src/core', 'src/schema', 'test/explorer']
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => join(ROOT, folder, file)))
    .filter((file) => file.endsWith('.test.ts') || file.endsWith('.test-d.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\[(TE-\d+)\]/g)])
    .map(([, id]) => id),
)
const known = new Set(TOOL_EXPLORER_REQUIREMENTS.map(({ id }) => id))

describe('the tool explorer checklist', () => {
  it('has all 128 lines', () => {
    expect(known.size).toBe(128)
  })

  it('is cited by a test, line by line, or says why not', () => {
    const missing = TOOL_EXPLORER_REQUIREMENTS.filter(
      ({ id, exempt }) => exempt === undefined && !cited.has(id),
    )
    expect(missing.map(({ id, behaviour }) => `${id} ${behaviour}`)).toEqual([])
  })

  it('is the only thing tests cite, and no exempt line is cited', () => {
    const exempt = TOOL_EXPLORER_REQUIREMENTS.filter((line) => line.exempt !== undefined)
    expect([...cited].filter((id) => !known.has(id ?? ''))).toEqual([])
    expect(exempt.filter(({ id }) => cited.has(id)).map(({ id }) => id)).toEqual([])
  })
})
