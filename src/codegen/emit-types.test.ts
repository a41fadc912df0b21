import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { emitTypes } from './emit-types.ts'

function typeOf(schema: Record<string, unknown> | boolean): string {
  return emitTypes({ T: schema })
    .replace(/^export type T =\s*/m, '')
    .replace(/^export interface T /m, '')
    .trim()
}

describe('types from JSON Schema', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'string', nullable: false }, 'string'],
    [{ type: 'file' }, 'unknown'],
    [{}, 'unknown'],
    [true, 'unknown'],
    [false, 'never'],
    [{ const: 'a' }, "'a'"],
    [{ const: null }, 'null'],
    [{ enum: ['a', 1, true, null] }, "'a' | 1 | true | null"],
    [{ enum: [{ a: 1 }, [2]] }, '{ a: 1 } | [2]'],
    [{ enum: ['a'], nullable: true }, "'a' | null"],
    [{ enum: [1e21, -0, -1.5] }, '1e+21 | 0 | -1.5'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
    [{ items: { type: 'string' } }, 'string[]'],
    [{ type: 'array' }, 'unknown[]'],
    [
      { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 },
      '[string, number?]',
    ],
    [{ items: [{ type: 'string' }], minItems: 1 }, '[string, ...unknown[]]'],
    [
      { items: [{ type: 'string' }], additionalItems: { type: ['null', 'number'] } },
      '[string?, ...(null | number)[]]',
    ],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [
      { patternProperties: { '^a': { type: 'number' }, '^b': { type: 'string' } } },
      '{ [key: string]: number | string }',
    ],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ type: 'string', anyOf: [{ minLength: 1 }] }, 'string'],
    [{ allOf: [{ type: 'string' }] }, 'string'],
    [{ $ref: '#/definitions/Nowhere' }, 'unknown'],
  ])('prints %j as %s', (schema, expected) => {
    expect(typeOf(schema as Record<string, unknown>)).toBe(expected)
  })

  it('prints members with their comments, optional unless required', () => {
    const schema = {
      properties: {
        id: { type: 'string', description: 'Id.', format: 'uuid' },
        'two words': { type: 'number', default: 3, deprecated: true },
      },
      required: ['id', 'unknown one'],
    }
    expect(emitTypes({ order: schema })).toBe(`export interface Order {
  /**
   * Id.
   * @format uuid
   */
  id: string
  /**
   * @deprecated
   * @default 3
   */
  'two words'?: number
  'unknown one': unknown
}
`)
  })

  it('widens an index signature to what the named members hold', () => {
    const schema = {
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'number' },
    }
    expect(typeOf(schema)).toBe('{\n  a?: string\n  [key: string]: number | string | undefined\n}')
  })

  it('joins allOf with own members', () => {
    const schemas = {
      Base: { type: 'object', properties: { id: { type: 'string' } } },
      Full: {
        allOf: [{ $ref: '#/components/schemas/Base' }],
        properties: { n: { type: 'number' } },
      },
    }
    expect(emitTypes(schemas)).toContain('export type Full = {\n  n?: number\n} & Base')
  })

  it('[TS-151] lets types refer to themselves and to one another', () => {
    const text = emitTypes({
      Tree: { properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } } },
      A: { properties: { b: { $ref: '#/definitions/B' } } },
      B: { type: 'array', items: { $ref: 'A' } },
      Map: { type: 'object', additionalProperties: { $ref: '#/definitions/Map' } },
    })
    expect(text).toContain('children?: Tree[]')
    expect(text).toContain('export type B = A[]')
    expect(text).toContain('export type Map_ = { [key: string]: Map_ }')
  })

  it('cuts a type that would only mean itself', () => {
    const text = emitTypes({
      A: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'string' }] },
      B: { allOf: [{ $ref: '#/$defs/A' }] },
      C: { $ref: '#/$defs/C' },
    })
    expect(text).toBe(
      'export type A = unknown\n\nexport type B = unknown\n\nexport type C = unknown\n',
    )
  })

  it('finds definitions inside a schema before those beside it', () => {
    const text = emitTypes({
      Item: { type: 'string' },
      List: { type: 'array', items: { $ref: '#/$defs/Item' }, $defs: { Item: { type: 'number' } } },
    })
    expect(text).toContain('export type List = ListItem[]')
    expect(text).toContain('export type ListItem = number')
  })

  it('gives every schema an identifier of its own', () => {
    const text = emitTypes({
      'a-b': true,
      a_b: true,
      AB: true,
      Record: true,
      日本: true,
      '': true,
      '1': true,
    })
    const names = [...text.matchAll(/export type (\S+)/g)].map((match) => match[1])
    expect(new Set(names).size).toBe(7)
    expect(names).toContain('Record_')
  })

  it('does not follow nesting without end', () => {
    let schema: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 5000; depth += 1) schema = { type: 'array', items: schema }
    expect(emitTypes({ Deep: schema })).toContain('unknown[]')
  })

  it('prints the golden file', async () => {
    const url = new URL('../../test/codegen/golden-schemas.json', import.meta.url)
    const schemas = JSON.parse(readFileSync(url, 'utf8'))
    await expect(emitTypes(schemas)).toMatchFileSnapshot(
      '../../test/codegen/golden/schema-types.ts',
    )
  })
})
