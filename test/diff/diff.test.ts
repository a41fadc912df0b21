import { describe, expect, it } from 'vitest'
import {
  DIFF_RULES,
  type DiffSource,
  diffDescriptions,
  type RuleId,
} from '../../src/entries/diff.ts'
import { openapi } from './cases/case.ts'
import { FUNCTION_CASES } from './cases/functions.ts'
import { OPENAPI_CASES } from './cases/openapi.ts'
import { RULE_CASES } from './cases/rules.ts'
import { SCHEMA_CASES } from './cases/schemas.ts'
import { SECURITY_CASES } from './cases/security.ts'
import { TOOL_CASES } from './cases/tool-specs.ts'

const CASES = [
  ...SCHEMA_CASES,
  ...FUNCTION_CASES,
  ...OPENAPI_CASES,
  ...SECURITY_CASES,
  ...TOOL_CASES,
  ...RULE_CASES,
]

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

  it('raises every rule there is', () => {
    const raised = new Set(CASES.flatMap(({ expected }) => expected.map(([rule]) => rule)))
    // It is said of documents that were not compared at all, so that nothing differs would be wrong; see below.
    raised.add('reference-unread')
    expect(Object.keys(DIFF_RULES).filter((rule) => !raised.has(rule as RuleId))).toEqual([])
  })

  it('there are at least 60 of them', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(60)
  })
})

describe('references to other documents', () => {
  const path = (target: string) => ({ '/x': { $ref: target } })
  const unread = (old: DiffSource, now: DiffSource) =>
    diffDescriptions(old, now).changes.map(({ rule, class: kind, message, newPointer }) => [
      rule,
      kind,
      message,
      newPointer,
    ])

  it('are said once for each document, with the first place', () => {
    const schema = { $ref: 'shared.yaml#/Order' }
    const now = openapi(
      { ...path('paths/x.yaml'), '/y': { $ref: 'paths/x.yaml#/y' } },
      { components: { schemas: { A: schema, B: schema, C: { $ref: '#/components/schemas/A' } } } },
    )
    expect(unread(now, structuredClone(now))).toEqual([
      ['reference-unread', 'compatible', 'shared.yaml was not read', '/components/schemas/A'],
      ['reference-unread', 'compatible', 'paths/x.yaml was not read', '/paths/~1x'],
    ])
  })

  it('ask for no step of the version', () => {
    const now = openapi(path('x.yaml'))
    expect(diffDescriptions(now, structuredClone(now)).steps).toEqual([])
  })
})
