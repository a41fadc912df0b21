import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/forrst.ts'
import { createSeal } from './sessions.ts'

describe('a seal', () => {
  const clock = createTestClock()
  const seal = createSeal('secret', clock)

  it('reads back what it wrote, and so does another one with the same secret', () => {
    const text = seal.close({ owner: 'ada' }, 1_000)
    expect(seal.open(text)).toEqual({ owner: 'ada' })
    expect(createSeal('secret', clock).open(text)).toEqual({ owner: 'ada' })
    expect(createSeal('other', clock).open(text)).toBeUndefined()
    expect(createSeal(undefined, clock).open(text)).toBeUndefined()
  })

  it('reads nothing that was changed, not even where the encoding would not notice', () => {
    const text = seal.close({ owner: 'ada' }, 1_000)
    const [payload = '', signature = ''] = text.split('.')
    const forged = Buffer.from('[9e15,{"owner":"eve"}]').toString('base64url')
    for (const changed of [
      `${forged}.${signature}`,
      `${payload}.${signature.slice(0, -1)}`,
      `${payload}.`,
      payload,
      `${text}.`,
      `${text}=`,
      `${text} `,
      '',
    ]) {
      expect(seal.open(changed), changed).toBeUndefined()
    }
  })

  it('reads nothing that is too old', () => {
    const text = seal.close({ owner: 'ada' }, 1_000)
    clock.advance(999)
    expect(seal.open(text)).toEqual({ owner: 'ada' })
    clock.advance(1)
    expect(seal.open(text)).toBeUndefined()
  })

  it('reads nothing longer than it would ever write for a client', () => {
    expect(seal.open(seal.close({ text: 'x'.repeat(1_000) }, 1_000))).toBeDefined()
    expect(seal.open(seal.close({ text: 'x'.repeat(65_536) }, 1_000))).toBeUndefined()
  })
})
