import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/property.ts'
import { isLanguageTag, lookUpLanguage, parseAcceptLanguage } from './locale.ts'

describe('language tags', () => {
  it.each([
    'en',
    'en-US',
    'zh-Hans-CN',
    'de-CH-1901',
    'sl-rozaj-biske-1994',
    'es-419',
    'zh-cmn-Hans-CN',
    'de-DE-u-co-phonebk',
    'en-a-myext-b-another',
    'ar-x-private',
    'x-whatever',
    'EN-us',
  ])('accepts %s', (tag) => {
    expect(isLanguageTag(tag)).toBe(true)
  })

  it.each([
    '',
    'e',
    'en_US',
    'en-',
    '-en',
    'en--US',
    'de-419-DE',
    'abcdefghi',
    'en-US-x',
    '*',
    'deutsch!',
    'en\r\nx',
    `en-x-${'a-'.repeat(80)}a`,
  ])('refuses %j', (tag) => {
    expect(isLanguageTag(tag)).toBe(false)
  })
})

describe('Accept-Language', () => {
  it.each([
    ['da, en-GB;q=0.8, en;q=0.7', ['da', 'en-GB', 'en']],
    ['en;q=0.1, de;q=0.9, fr', ['fr', 'de', 'en']],
    ['en;q=0.5,de;q=0.5', ['en', 'de']],
    ['en;q=0, de', ['de']],
    ['*', ['*']],
    ['de, *;q=0.1', ['de', '*']],
    ['de ; q=0.3 , en ; Q=1.000', ['en', 'de']],
    ['en;q=2, de;q=0.1234, fr;q=x, it;level=1, nl;q=1;q=1, pl', ['pl']],
    ['', []],
    [',,, ,', []],
    ['toolonglanguage', []],
    [`en,${' '.repeat(1000)}`, []],
  ])('reads %j', (header, ranges) => {
    expect(parseAcceptLanguage(header)).toEqual(ranges)
  })

  it('orders any valid header by weight, keeping the order of equals', () => {
    const item = fc.record({
      range: fc.constantFrom('en', 'de', 'fr-CA', 'zh-Hans', '*'),
      quality: fc.integer({ min: 0, max: 1000 }),
    })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 20 }), (items) => {
        const header = items.map(({ range, quality }) => `${range};q=${quality / 1000}`).join(', ')
        const expected = items
          .map((entry, at) => ({ ...entry, at }))
          .filter(({ quality }) => quality > 0)
          .sort((left, right) => right.quality - left.quality || left.at - right.at)
        expect(parseAcceptLanguage(header)).toEqual(expected.map(({ range }) => range))
      }),
    )
  })

  it('finds in any text only what can be a language range', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const range of parseAcceptLanguage(text)) expect(range).toMatch(/^[a-z\d*-]+$/i)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('language lookup', () => {
  const known = new Map([
    ['zh-hant', 'zh-Hant'],
    ['zh', 'zh'],
    ['en', 'en'],
  ])

  it.each([
    ['zh-Hant-CN-x-private1-private2', 'zh-Hant'],
    ['zh-Hans-CN', 'zh'],
    ['EN-gb', 'en'],
    ['en', 'en'],
    ['de-AT', undefined],
    ['z', undefined],
  ])('finds for %s the language %s', (range, expected) => {
    expect(lookUpLanguage(range, known)).toBe(expected)
  })

  it('does not stop at the letter that introduces an extension', () => {
    const odd = new Map([['zh-hant-cn-x', 'wrong']])
    expect(lookUpLanguage('zh-Hant-CN-x-private', odd)).toBeUndefined()
  })
})
