import { describe, expect, it } from 'vitest'
import { toToolAnnotations } from './tool-name.ts'

describe('toToolAnnotations', () => {
  it('claims nothing when no side effects are declared', () => {
    expect(toToolAnnotations(undefined)).toEqual({})
  })

  it.each([
    [[], { readOnlyHint: true, destructiveHint: false }],
    [['create'], { readOnlyHint: false, destructiveHint: false }],
    [['create', 'update'], { readOnlyHint: false, destructiveHint: true }],
    [['delete'], { readOnlyHint: false, destructiveHint: true }],
    [
      ['create', 'sends_email'],
      { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    ],
  ])('derives from %j', (effects, hints) => {
    expect(toToolAnnotations(effects)).toEqual(hints)
  })
})
