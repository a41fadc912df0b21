import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { UCP_REQUIREMENTS } from '../../test/requirements/ucp.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('the UCP checklist', () => {
  const cited = new Map<string, string>()
  for (const folder of ['src', 'test']) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.test.ts')) continue
      const text = readFileSync(join(ROOT, folder, name), 'utf8')
      for (const [, id = ''] of text.matchAll(/\[(UCP-\d+)\]/g)) cited.set(id, name)
    }
  }
  const known = new Set(UCP_REQUIREMENTS.map(({ id }) => id))

  it('is numbered without gaps', () => {
    expect(UCP_REQUIREMENTS.map(({ id }) => id)).toEqual(
      Array.from({ length: 114 }, (_, index) => `UCP-${index + 1}`),
    )
  })

  it.each(UCP_REQUIREMENTS)('$id is cited by a test title or says why not', ({ id, untested }) => {
    expect(cited.has(id)).toBe(untested === undefined)
  })

  it('has every id that tests cite', () => {
    expect([...cited].filter(([id]) => !known.has(id))).toEqual([])
  })
})
