import { describe, expect, it } from 'vitest'
import { readDialect, to202012, toDraft7 } from './dialect.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema'

describe('readDialect', () => {
  it('knows draft 7 and 2020-12, and admits when a schema announces nothing', () => {
    expect(readDialect({ $schema: DRAFT_7 })).toBe('draft-07')
    expect(readDialect({ $schema: 'https://json-schema.org/draft-07/schema' })).toBe('draft-07')
    expect(readDialect({ $schema: DRAFT_2020_12 })).toBe('2020-12')
    expect(readDialect({ $schema: 'https://example.com/own' })).toBeUndefined()
    expect(readDialect({})).toBeUndefined()
  })
})

describe('toDraft7', () => {
  it.each([
    [
      'a tuple',
      { prefixItems: [{ type: 'string' }], items: false },
      { items: [{ type: 'string' }], additionalItems: false },
    ],
    ['plain items', { items: { type: 'string' } }, { items: { type: 'string' } }],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { dependencies: { a: ['b'] } }],
    [
      'both kinds of dependencies of one member',
      { dependentRequired: { a: ['b'] }, dependentSchemas: { a: { minProperties: 3 } } },
      { dependencies: { a: { required: ['b'], allOf: [{ minProperties: 3 }] } } },
    ],
    [
      '$defs and the references to them',
      { $ref: '#/$defs/A', $defs: { A: { items: { $ref: '#/$defs/A' } } } },
      { $ref: '#/definitions/A', definitions: { A: { items: { $ref: '#/definitions/A' } } } },
    ],
    [
      'neighbours of $ref, which draft 7 would ignore',
      { $ref: '#/$defs/A', description: 'one', allOf: [true] },
      { description: 'one', allOf: [{ $ref: '#/definitions/A' }, true] },
    ],
    ['an anchor', { $anchor: 'here', type: 'string' }, { $id: '#here', type: 'string' }],
    [
      'unevaluatedProperties where it means additionalProperties',
      { properties: { a: true }, unevaluatedProperties: false },
      { properties: { a: true }, additionalProperties: false },
    ],
    ['a contains that asks for nothing', { contains: { const: 1 }, minContains: 0 }, {}],
    ['$schema', { $schema: DRAFT_2020_12, type: 'string' }, { $schema: DRAFT_7, type: 'string' }],
  ])('rewrites %s', (_, schema, expected) => {
    expect(toDraft7(schema)).toEqual(expected)
  })

  it('leaves out unevaluatedProperties beside keywords that evaluate members in place', () => {
    const schema = { allOf: [{ properties: { a: true } }], unevaluatedProperties: false }
    expect(toDraft7(schema)).toEqual({ allOf: [{ properties: { a: true } }] })
  })

  it('converts at every depth but never touches data or properties named like keywords', () => {
    const schema = {
      properties: { prefixItems: { prefixItems: [true] }, $defs: { type: 'string' } },
      default: { prefixItems: [1] },
      enum: [{ $defs: 1 }],
    }
    expect(toDraft7(schema)).toEqual({
      properties: { prefixItems: { items: [true] }, $defs: { type: 'string' } },
      default: { prefixItems: [1] },
      enum: [{ $defs: 1 }],
    })
  })

  it('renames keywords in references, but not properties, components or other documents', () => {
    const refs = ['#/properties/$defs/items', '#/components/schemas/$defs', 'https://a.b/#/$defs/c']
    for (const $ref of refs) expect(toDraft7({ $ref })).toEqual({ $ref })
    expect(toDraft7({ $ref: '#/components/schemas/A/$defs/B' })).toEqual({
      $ref: '#/components/schemas/A/definitions/B',
    })
    expect(toDraft7({ $ref: '#/prefixItems/0' })).toEqual({ $ref: '#/items/0' })
  })

  it('leaves booleans and schemas that already are draft 7 alone', () => {
    const schema = { $schema: DRAFT_7, items: [true] }
    expect(toDraft7(schema)).toBe(schema)
    expect(toDraft7(false)).toBe(false)
  })

  it('keeps a member named __proto__ a member', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"prefixItems":[true]}}}')
    expect(JSON.stringify(toDraft7(schema))).toBe('{"properties":{"__proto__":{"items":[true]}}}')
  })
})

describe('to202012', () => {
  it.each([
    ['a tuple', { items: [true], additionalItems: false }, { prefixItems: [true], items: false }],
    ['an empty tuple', { items: [], additionalItems: false }, { items: false }],
    [
      'additionalItems without a tuple, which says nothing',
      { items: true, additionalItems: false },
      { items: true },
    ],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { minProperties: 2 } } },
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { minProperties: 2 } } },
    ],
    [
      'definitions, and drops what draft 7 ignores beside $ref',
      { $ref: '#/definitions/A', title: 'kept', minLength: 3, definitions: { A: {} } },
      { $ref: '#/$defs/A', title: 'kept', $defs: { A: {} } },
    ],
    ['a reference into a tuple', { $ref: '#/items/1/items' }, { $ref: '#/prefixItems/1/items' }],
    ['an $id that is an anchor', { $id: '#here' }, { $anchor: 'here' }],
    ['$schema', { $schema: DRAFT_7 }, { $schema: DRAFT_2020_12 }],
  ])('rewrites %s', (_, schema, expected) => {
    expect(to202012(schema)).toEqual(expected)
  })

  it('undoes toDraft7 on the common vocabulary', () => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { $ref: '#/$defs/Id' },
        pair: { prefixItems: [true, { const: 1 }], items: false },
      },
      dependentRequired: { pair: ['id'] },
      $defs: { Id: { type: 'string' } },
    }
    expect(to202012(toDraft7(schema))).toEqual(schema)
  })
})
