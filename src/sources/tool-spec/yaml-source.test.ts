import { describe, expect, it } from 'vitest'
import { parseToolSpec } from './parse.ts'
import { parseYaml } from './yaml.ts'

function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < levels; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    )
  }
  return lines.join('\n')
}

function faultsOf(text: string): unknown {
  const result = parseYaml(text)
  return result.ok ? [] : result.faults.map(({ code, line, column }) => `${code} ${line}:${column}`)
}

describe('positions', () => {
  const result = parseYaml('a: "q"\nb:\n  - c: 1\n    d:\n  - e\nf: &x {g: 1}\nh: *x\n')
  const source = result.ok ? result.source : undefined

  it('finds values, keys, elements and aliased parts', () => {
    expect(source?.locate(['a'])).toEqual({ line: 1, column: 4 })
    expect(source?.locate(['b', 0, 'c'])).toEqual({ line: 3, column: 8 })
    expect(source?.locateKey(['b', 0], 'd')).toEqual({ line: 4, column: 5 })
    expect(source?.locate(['b', 1])).toEqual({ line: 5, column: 5 })
    expect(source?.locate(['h'])).toEqual({ line: 7, column: 4 })
    expect(source?.locate(['h', 'g'])).toEqual({ line: 6, column: 11 })
  })

  it('points at the parent of what is missing', () => {
    expect(source?.locate(['b', 0, 'nothing', 'below'])).toEqual({ line: 3, column: 5 })
    expect(source?.locate(['nothing'])).toEqual({ line: 1, column: 1 })
  })
})

describe('hostile text', () => {
  it('stops at 200,000 nested lists or mappings', () => {
    for (const text of ['['.repeat(200_000), '- '.repeat(200_000), '{a: '.repeat(200_000)]) {
      expect(parseToolSpec(text)).toMatchObject({ ok: false, problems: [{ code: 'E002' }] })
    }
  })

  it('stops an alias bomb before it is followed', () => {
    expect(faultsOf(bomb(30))).toEqual(['E002 7:15'])
  })

  it('refuses aliases without an anchor and anchors that contain themselves', () => {
    expect(faultsOf('a: *b')).toEqual(['E002 1:4'])
    expect(faultsOf('&a [*a]')).toEqual(['E002 1:5'])
  })

  it('keeps __proto__ a key like any other', () => {
    const result = parseYaml('__proto__: { polluted: true }')
    expect(result.ok && Object.hasOwn(result.source.value as object, '__proto__')).toBe(true)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    const text = 'domain: x\ntools: [{ name: a, description: b }]\n__proto__: { polluted: true }'
    expect(parseToolSpec(text)).toMatchObject({ problems: [{ code: 'E006', path: '__proto__' }] })
  })

  it('refuses texts over the limit, unknown tags and keys that are not scalars', () => {
    expect(parseYaml('a: 1', { maxBytes: 2 })).toMatchObject({ faults: [{ code: 'E002' }] })
    expect(faultsOf('a: !!js/function x')).toEqual(['E002 1:4'])
    expect(faultsOf('? [a]\n: 1')).toEqual(['E002 1:1'])
  })

  it('reads numbers no machine can hold as something that is not a valid field', () => {
    const text = 'domain: x\ntools: [{ name: a, description: b, response: { max_items: 1e999 } }]'
    expect(parseToolSpec(text)).toMatchObject({ ok: false, problems: [{ code: 'E008' }] })
  })
})
