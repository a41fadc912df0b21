import { describe, expect, it } from 'vitest'
import { diffDescriptions } from '../../src/diff/index.ts'
import { FUNCTION_CASES } from './cases/functions.ts'
import { OPENAPI_CASES } from './cases/openapi.ts'
import { SCHEMA_CASES } from './cases/schemas.ts'
import { TOOL_CASES } from './cases/tool-specs.ts'

const CASES = [...SCHEMA_CASES, ...FUNCTION_CASES, ...OPENAPI_CASES, ...TOOL_CASES]

describe(`what ${CASES.length} pairs of descriptions differ in`, () => {
  it.each(CASES.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => {
    const { changes } = diffDescriptions(entry.old, entry.now)
    const found = changes.map(({ rule, class: kind, oldPointer, newPointer }) => [
      rule,
      kind,
      newPointer ?? oldPointer ?? '',
    ])
    expect(found.sort()).toEqual([...entry.expected].sort())
  })

  it.each(CASES.map((entry) => [entry.name, entry] as const))(
    'nothing differs from itself: %s',
    (_name, { old, now }) => {
      expect(diffDescriptions(old, structuredClone(old)).changes).toEqual([])
      expect(diffDescriptions(now, structuredClone(now)).changes).toEqual([])
    },
  )

  it('there are at least 60 of them', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(60)
  })
})
