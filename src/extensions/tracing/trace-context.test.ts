import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/property.ts'
import {
  formatTraceparent,
  isSpanId,
  isTraceId,
  parseTraceparent,
  parseTracestate,
  randomTraceIds,
} from './open-telemetry.ts'

const TRACE = '12345678901234567890123456789012'
const SPAN = '1234567890123456'

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))

describe('traceparent, by the rules of W3C Trace Context', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-ff`, true],
    [`cc-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
    [` 00-${TRACE}-${SPAN}-01`, true],
    [`\t00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-01 `, true],
    [`\t 00-${TRACE}-${SPAN}-01 \t`, true],
  ])('reads %j', (text, sampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, sampled })
  })

  it.each([
    ['trailing characters in version 00', `00-${TRACE}-${SPAN}-01.`],
    ['more fields in version 00', `00-${TRACE}-${SPAN}-01-what-the-future-will-be-like`],
    ['a future version that goes on without a dash', `cc-${TRACE}-${SPAN}-01.what`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['an illegal character in the version', `.0-${TRACE}-${SPAN}-01`],
    ['an illegal character in the version', `0.-${TRACE}-${SPAN}-01`],
    ['a version that is too long', `000-${TRACE}-${SPAN}-01`],
    ['a version that is too long', `0000-${TRACE}-${SPAN}-01`],
    ['a version that is too short', `0-${TRACE}-${SPAN}-01`],
    ['a trace id of zeroes', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['an illegal character in the trace id', `00-.${TRACE.slice(1)}-${SPAN}-01`],
    ['an illegal character in the trace id', `00-${TRACE.slice(1)}.-${SPAN}-01`],
    ['upper case', `00-${'A'.repeat(32)}-${SPAN}-01`],
    ['a trace id that is too long', `00-${TRACE}3-${SPAN}-01`],
    ['a trace id that is too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a parent id of zeroes', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['an illegal character in the parent id', `00-${TRACE}-.${SPAN.slice(1)}-01`],
    ['an illegal character in the parent id', `00-${TRACE}-${SPAN.slice(1)}.-01`],
    ['a parent id that is too long', `00-${TRACE}-${SPAN}7-01`],
    ['a parent id that is too short', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['an illegal character in the flags', `00-${TRACE}-${SPAN}-.0`],
    ['an illegal character in the flags', `00-${TRACE}-${SPAN}-0.`],
    ['flags that are too long', `00-${TRACE}-${SPAN}-001`],
    ['flags that are too short', `00-${TRACE}-${SPAN}-1`],
    ['two headers joined into one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['nothing', ''],
  ])('ignores %s', (_why, text) => {
    expect(parseTraceparent(text)).toBeUndefined()
  })

  it('reads back every identity it writes', () => {
    const identity = fc
      .record({ traceId: hex(32), spanId: hex(16), sampled: fc.boolean() })
      .filter(({ traceId, spanId }) => isTraceId(traceId) && isSpanId(spanId))
    fc.assert(
      fc.property(identity, (span) => {
        expect(parseTraceparent(formatTraceparent(span))).toEqual(span)
      }),
    )
  })

  it('gives any text an identity that can be written, or none', () => {
    const nearly = fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((parts) => parts.join('-'))
    const mutated = fc
      .tuple(nearly, fc.nat(60), fc.string({ maxLength: 3 }))
      .map(([text, at, patch]) => text.slice(0, at) + patch + text.slice(at + 1))
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly, mutated), (text) => {
        const parsed = parseTraceparent(text)
        if (parsed) expect(formatTraceparent(parsed)).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/)
      }),
      { numRuns: 2000 },
    )
  })

  it('makes identifiers of the W3C form', () => {
    expect(isTraceId(randomTraceIds.traceId())).toBe(true)
    expect(isSpanId(randomTraceIds.spanId())).toBe(true)
    expect(randomTraceIds.spanId()).not.toBe(randomTraceIds.spanId())
  })
})

describe('tracestate, by the rules of W3C Trace Context', () => {
  const key = 'abcdefghijklmnopqrstuvwxyz0123456789_-*/'
  const printable = Array.from({ length: 0x7e - 0x20 + 1 }, (_, at) =>
    String.fromCharCode(0x20 + at),
  )
  const value = printable.filter((char) => char !== ',' && char !== '=').join('')

  it.each([
    ['foo=1,bar=2', 'foo=1,bar=2'],
    ['foo=1 \t , \t bar=2, \t baz=3', 'foo=1,bar=2,baz=3'],
    ['\t foo=1 \t', 'foo=1'],
    ['foo=1,', 'foo=1'],
    [',foo=1', 'foo=1'],
    [`${key}=${value}`, `${key}=${value}`],
    [`${key}@a-z0-9_-*/=${value}`, `${key}@a-z0-9_-*/=${value}`],
    [`${'z'.repeat(256)}=1`, `${'z'.repeat(256)}=1`],
    [`${'t'.repeat(241)}@${'v'.repeat(14)}=1`, `${'t'.repeat(241)}@${'v'.repeat(14)}=1`],
    [`foo=${'v'.repeat(256)}`, `foo=${'v'.repeat(256)}`],
  ])('passes %j on', (text, expected) => {
    expect(parseTracestate(text)).toBe(expected)
  })

  it.each([
    ['nothing', ''],
    ['only commas', ' , ,'],
    ['a key twice', 'foo=1,foo=1'],
    ['a key twice with other values', 'foo=1,foo=2'],
    ['a space after a key', 'foo =1'],
    ['an upper-case key', 'FOO=1'],
    ['a dot in a key', 'foo.bar=1'],
    ['a vendor without name', 'foo@=1,bar=2'],
    ['a tenant without name', '@foo=1,bar=2'],
    ['two at signs', 'foo@@bar=1,bar=2'],
    ['two vendors', 'foo@bar@baz=1,bar=2'],
    ['a key that is too long', `${'z'.repeat(257)}=1`],
    ['a tenant that is too long', `${'t'.repeat(242)}@v=1`],
    ['a vendor that is too long', `t@${'v'.repeat(15)}=1`],
    ['a value that is too long', `foo=${'v'.repeat(257)}`],
    ['an equals sign in a value', 'foo=bar=baz'],
    ['no value', 'foo=,bar=3'],
    ['no equals sign', 'foo'],
    ['a control character', 'foo=\u0001'],
    ['more than 32 members', Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(',')],
    ['far too much', `foo=${' '.repeat(9000)}1`],
  ])('ignores %s', (_why, text) => {
    expect(parseTracestate(text)).toBeUndefined()
  })

  it('passes 32 members on', () => {
    const state = Array.from({ length: 32 }, (_, at) => `bar${at}=${at}`).join(',')
    expect(parseTracestate(state)).toBe(state)
  })
})
