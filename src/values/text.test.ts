import { describe, expect, it } from 'vitest'
import { toReason, toText } from './json.ts'

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

describe('toText', () => {
  it.each([
    ['as it is', 'as it is'],
    ['1.5', 1.5],
    ['true', true],
    ['null', null],
    ['undefined', undefined],
    ['10', 10n],
    ['["a",1]', ['a', 1]],
    ['{"toString":null}', { toString: null }],
    ['an object that cannot be shown', { toJSON: () => undefined }],
    ['an object that cannot be shown', cycle],
    ['{}', Object.create(null)],
  ])('writes %s', (text, value) => {
    expect(toText(value)).toBe(text)
  })
})

describe('toReason', () => {
  it.each([
    ['it broke', new Error('it broke')],
    ['TypeError', new TypeError()],
    ['{"toString":null}', Object.assign(new Error(), { message: { toString: null } })],
    ['a text', 'a text'],
    ['undefined', undefined],
    ['{"toString":null}', { toString: null }],
  ])('says %s', (reason, thrown) => {
    expect(toReason(thrown)).toBe(reason)
  })
})
