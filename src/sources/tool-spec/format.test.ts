import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/property.ts'
import { formatToolSpec } from './format.ts'
import { parseToolSpec } from './parse.ts'
import type { FieldDef, ToolSpec } from './types.ts'

const HOSTILE = [
  'yes',
  'null',
  '1.0',
  '0x1F',
  '- a',
  'a: b',
  '# c',
  '"',
  "'",
  '\u2028',
  '\u0000',
  '\t',
  ' a ',
  '',
  '|',
  '>',
  '&a',
  '*a',
  '!x',
  '%y',
  '@',
  '`',
  '---',
  '...',
  '<<',
  '=',
  '2001-01-01',
  'a\r\nb',
  '\ufeff',
  '{',
  '[',
  ',',
  '😀',
  '\ud800',
]

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...HOSTILE),
  fc.lorem({ maxCount: 40 }),
)
const leaf: fc.Arbitrary<FieldDef> = fc.record({
  name: fc.string({ minLength: 1 }),
  type: fc.constant('string' as const),
  description: text,
  default: text,
})

describe('writing', () => {
  it('reads back as the same value, whatever the texts contain', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(leaf, { selector: (field) => field.name, maxLength: 5 }),
        // An empty description is refused.
        text.filter((one) => one.trim() !== ''),
        (params, description) => {
          const spec: ToolSpec = {
            domain: 'x',
            version: description,
            base_url: 'https://a.example',
            tools: [
              {
                name: 'a',
                description,
                method: 'POST',
                path: '/a',
                body: params,
                tags: [description],
              },
            ],
          }
          const parsed = parseToolSpec(formatToolSpec(spec))
          expect(parsed.ok ? parsed.spec : parsed.problems).toEqual(
            JSON.parse(JSON.stringify(spec)),
          )
        },
      ),
      { numRuns: 500 },
    )
  })

  it('gives the same bytes for the same value', () => {
    const spec: ToolSpec = { domain: 'x', tools: [{ name: 'a', description: 'b' }] }
    expect(formatToolSpec(spec)).toBe('domain: x\ntools:\n  - name: a\n    description: b\n')
    expect(formatToolSpec(structuredClone(spec))).toBe(formatToolSpec(spec))
  })

  it('keeps header lines inside their comments', () => {
    const spec: ToolSpec = { domain: 'x', tools: [{ name: 'a', description: 'b' }] }
    const written = formatToolSpec(spec, { header: ['made by\ndomain: evil\u2028x: 1'] })
    expect(written.split('\n')[0]).toBe('# made by domain: evil x: 1')
    expect(parseToolSpec(written)).toMatchObject({ ok: true, spec })
  })
})
