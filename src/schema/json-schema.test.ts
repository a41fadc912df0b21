import { describe, expect, it } from 'vitest'
import { isValid, problems } from '../../test/support/schemas.ts'
import { compileSchema, findSchemaMistakes } from './compile.ts'
import { findDanglingRefs } from './reference/definitions.ts'
import type { Subschema } from './walk/index.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

const ORDER = {
  type: 'object',
  required: ['customer_id', 'items'],
  additionalProperties: false,
  properties: {
    customer_id: { type: 'string', minLength: 1 },
    status: { enum: ['draft', 'published', 'cancelled'] },
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['product_id', 'quantity'],
        properties: { product_id: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      },
    },
  },
}

describe('compileSchema', () => {
  it('hands back the very value that matches', () => {
    const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1 }] }
    const check = compileSchema(ORDER)
    for (let call = 0; call < 3; call += 1) {
      const validation = check(order)
      expect(validation.ok && validation.value).toBe(order)
    }
  })

  it('says where, which rule, what was expected and what was found', () => {
    const order = {
      status: 'open',
      items: [{ product_id: 7, quantity: 0 }, { quantity: 1.5 }, null],
      'a/b~c': true,
    }
    expect(problems(ORDER, order)).toEqual([
      '/customer_id required: is required',
      '/status enum: must be one of draft, published, cancelled; got "open"',
      '/items/0/product_id type: must be a string; got number',
      '/items/0/quantity minimum: must be at least 1; got 0',
      '/items/1/product_id required: is required',
      '/items/1/quantity type: must be an integer; got 1.5',
      '/items/2 type: must be an object; got null',
      '/a~1b~0c additionalProperties: is not a known property',
    ])
  })

  it.each<[Subschema, unknown, string]>([
    [{ const: 'a' }, 'b', ' const: must be "a"; got "b"'],
    [{ const: { a: 1 } }, {}, ' const: must be {"a":1}; got an object'],
    [
      { contains: { type: 'string' } },
      [1],
      ' contains: must contain at least 1 item of the expected form',
    ],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      '/b dependentRequired: is required when a is present',
    ],
    [{ exclusiveMaximum: 3 }, 3, ' exclusiveMaximum: must be less than 3; got 3'],
    [{ maxLength: 2 }, 'a😀c', ' maxLength: must have at most 2 characters; got 3'],
    [{ maxProperties: 0 }, { a: 1 }, ' maxProperties: must have at most 0 members; got 1'],
    [{ minItems: 2 }, [1], ' minItems: must have at least 2 items; got 1'],
    [{ multipleOf: 0.01 }, 0.015, ' multipleOf: must be a multiple of 0.01; got 0.015'],
    [{ pattern: '^p_' }, 'x', ' pattern: must match the pattern ^p_; got "x"'],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      '/ab propertyNames: has a name that must have at most 1 character; got 2',
    ],
    [{ type: ['string', 'null'] }, 1, ' type: must be a string or null; got number'],
    [
      { uniqueItems: true },
      [1, [2], [2]],
      ' uniqueItems: must not repeat items; items 1 and 2 are equal',
    ],
    [{ properties: { a: false } }, { a: 1 }, '/a false schema: is not allowed'],
    [false, 1, ' false schema: is not allowed'],
    [
      { allOf: [{ properties: { total: true } }], unevaluatedProperties: false },
      { size: 1 },
      '/size unevaluatedProperties: is not a known property',
    ],
    [
      { allOf: [{ properties: { total: true } }], unevaluatedProperties: false },
      { totl: 1 },
      '/totl unevaluatedProperties: is not a known property; did you mean "total"?',
    ],
  ])('explains %j', (schema, value, expected) => {
    expect(problems(schema, value)).toEqual([expected])
  })

  it('explains what a condition asks for, in then as in else', () => {
    const schema = JSON.parse(`{
      "if": { "properties": { "kind": { "const": "card" } } },
      "then": { "required": ["number"], "properties": { "number": { "type": "string" } } },
      "else": { "required": ["iban"] }
    }`)
    expect(problems(schema, { kind: 'card', number: 5 })).toEqual([
      '/number type: must be a string; got number',
    ])
    expect(problems(schema, { kind: 'bank' })).toEqual(['/iban required: is required'])
  })

  it('cuts long values and long lists short', () => {
    const schema = { enum: Array.from({ length: 100 }, (_, index) => `value_${index}`) }
    const [message = ''] = problems(schema, 'x'.repeat(10_000))
    expect(message).toContain('value_11 or 88 more')
    expect(message.length).toBeLessThan(300)
  })

  it('reports at most 100 problems', () => {
    expect(problems({ items: { type: 'string' } }, Array(5000).fill(1))).toHaveLength(100)
    const schema = { items: { anyOf: [ORDER, { type: 'string', minLength: 3 }] } }
    expect(problems(schema, Array(5000).fill({})).length).toBeLessThanOrEqual(100)
  })
})

describe('a choice between forms', () => {
  const dog = {
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: 'dog' }, bark: { type: 'boolean' } },
  }
  const cat = {
    type: 'object',
    required: ['kind', 'lives'],
    properties: { kind: { const: 'cat' }, lives: { type: 'integer', maximum: 9 } },
  }

  it.each(['anyOf', 'oneOf'])('is explained in one line by %s', (choice) => {
    const pet = { properties: { pet: { [choice]: [dog, cat] } } }
    expect(problems(pet, { pet: { kind: 'cat', lives: 10 } })).toEqual([
      '/pet/lives maximum: must be at most 9; got 10',
    ])
    expect(problems(pet, { pet: { kind: 'cow' } })).toEqual([
      '/pet/kind enum: must be one of dog, cat; got "cow"',
    ])
    expect(problems(pet, { pet: {} })).toEqual(['/pet/kind required: is required'])
    expect(problems(pet, { pet: 3 })).toEqual(['/pet type: must be an object; got number'])
  })

  it('joins types and constants', () => {
    expect(problems({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 4)).toEqual([
      ' type: must be a string or null; got number',
    ])
    expect(problems({ anyOf: [{ const: 'a' }, { enum: ['b', 'c'] }] }, 'z')).toEqual([
      ' enum: must be one of a, b, c; got "z"',
    ])
    expect(problems({ anyOf: [{ const: 'auto' }, { type: 'number' }] }, 'z')).toEqual([
      ' anyOf: must be a number, or "auto"; got "z"',
    ])
  })

  it('names the forms when more than one matches, and a reason each when none is meant', () => {
    expect(problems({ oneOf: [{ type: 'number' }, { minimum: 2 }] }, 5)).toEqual([
      ' oneOf: must match exactly one form; it matches forms 1 and 2',
    ])
    const schema = { anyOf: [{ required: ['a'] }, { required: ['b'] }, { type: 'array' }] }
    expect(problems(schema, {})).toEqual([
      ' anyOf: must match one of 3 forms (form 1: /a is required; form 2: /b is required; form 3: must be an array; got object)',
    ])
  })
})

describe('references', () => {
  const components = {
    schemas: {
      Node: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
          tag: { $ref: '#/components/schemas/Tag' },
        },
      },
      Tag: {
        properties: {
          label: { $ref: '#/$defs/label' },
          parent: { $ref: '#' },
          owner: { $ref: '#/components/schemas/Node' },
        },
        $defs: { label: { maxLength: 3 } },
      },
      Unused: { pattern: '(' },
    },
  }

  it('lead to components, which may refer to one another and to themselves', () => {
    const node = {
      name: 'a',
      children: [{ name: 'b', tag: { label: 'long', parent: { label: 'longer' }, owner: {} } }],
    }
    expect(problems({ $ref: '#/components/schemas/Node' }, node, { components })).toEqual([
      '/children/0/tag/label maxLength: must have at most 3 characters; got 4',
      '/children/0/tag/parent/label maxLength: must have at most 3 characters; got 6',
      '/children/0/tag/owner/name required: is required',
    ])
  })

  it('may point into a component', () => {
    const schema = { $ref: '#/components/schemas/Node/properties/name' }
    expect(isValid(schema, 'a', { components })).toBe(true)
    expect(isValid(schema, 1, { components })).toBe(false)
  })

  it('may point at schemas that stand inside not, contains and if', () => {
    const schema = {
      properties: { a: { $ref: '#/not/properties/x' }, b: { $ref: '#/if/properties/x' } },
      not: { properties: { x: { const: 1 } }, required: ['x'] },
      if: { properties: { x: { const: 2 } } },
    }
    expect(isValid(schema, { a: 1, b: 2 })).toBe(true)
    expect(isValid(schema, { a: 2 })).toBe(false)
    expect(isValid(schema, { b: 1 })).toBe(false)
  })

  it('lead to other documents by their address', () => {
    const definitions = {
      'https://example.com/money': { $defs: { amount: { minimum: 0 } }, $ref: '#/$defs/amount' },
    }
    expect(isValid({ items: { $ref: 'https://example.com/money' } }, [-1], { definitions })).toBe(
      false,
    )
    expect(isValid({ $ref: 'https://example.com/money#/$defs/amount' }, 1, { definitions })).toBe(
      true,
    )
  })

  it('that turn in a circle without looking at the value end in a problem, not in a crash', () => {
    expect(problems({ $ref: '#' }, 1)).toEqual([' depth: is nested too deeply to be checked'])
  })
})

describe('findDanglingRefs', () => {
  it('lists references that lead nowhere and only those', () => {
    const schema = {
      properties: {
        a: { $ref: '#/$defs/nowhere' },
        'b/c': { items: { $ref: '#/components/schemas/Missing' } },
        d: { $ref: 'https://example.com/unknown' },
        fine: { $ref: '#/$defs/here' },
        named: { $ref: '#/components/schemas/Known' },
        deep: { $ref: '#/components/schemas/Known/properties/id' },
        anchored: { $ref: '#spot' },
        own: { $ref: 'inner#/$defs/x' },
        meta: { $ref: DRAFT_7 },
        root: { $ref: '#' },
      },
      $defs: {
        here: { $anchor: 'spot' },
        inner: { $id: 'inner', $defs: { x: true }, items: { $ref: '#/$defs/here' } },
      },
      default: { $ref: '#/data' },
    }
    expect(findDanglingRefs(schema, { Known: { properties: { id: true } } })).toEqual([
      { pointer: '/properties/a/$ref', ref: '#/$defs/nowhere' },
      { pointer: '/properties/b~1c/items/$ref', ref: '#/components/schemas/Missing' },
      { pointer: '/properties/d/$ref', ref: 'https://example.com/unknown' },
      { pointer: '/$defs/inner/items/$ref', ref: '#/$defs/here' },
    ])
  })

  it('accepts definitions by reference and by address', () => {
    const definitions = { '#/definitions/A': true, 'https://example.com/b': { $anchor: 'c' } }
    const refs = ['#/definitions/A', 'https://example.com/b', 'https://example.com/b#c']
    for (const $ref of refs) expect(findDanglingRefs({ $ref }, definitions)).toEqual([])
    expect(findDanglingRefs({ $ref: 'https://example.com/b#d' }, definitions)).toHaveLength(1)
  })
})

describe('findSchemaMistakes', () => {
  it('names keywords whose value would switch them off silently', () => {
    const schema = {
      type: 'strng',
      required: true,
      properties: { a: { minimum: '1', pattern: '(', $ref: '#/nowhere' } },
      anyOf: [],
    }
    expect(
      findSchemaMistakes(schema).map(({ pointer, message }) => `${pointer} ${message}`),
    ).toEqual([
      '/type must be one of array, boolean, integer, null, number, object, string, or a list of these',
      '/required must be a list of names',
      '/properties/a/minimum must be a number',
      '/properties/a/pattern must be a regular expression',
      '/anyOf must be a list of at least one schema',
      '/properties/a/$ref leads nowhere: #/nowhere',
    ])
    expect(findSchemaMistakes(ORDER)).toEqual([])
  })
})

describe('dialects', () => {
  it('gives draft 7 keywords their meaning only where $schema says draft 7', () => {
    const old = {
      $schema: DRAFT_7,
      $ref: '#/definitions/text',
      maxLength: 1,
      definitions: { text: { type: 'string' } },
    }
    expect(isValid(old, 'long')).toBe(true)
    expect(
      isValid({ ...old, $schema: 'https://json-schema.org/draft/2020-12/schema' }, 'long'),
    ).toBe(false)
    expect(
      isValid({ $schema: DRAFT_7, items: [{ type: 'string' }], additionalItems: false }, ['a', 1]),
    ).toBe(false)
    expect(isValid({ $schema: DRAFT_7, dependencies: { a: ['b'] } }, { a: 1 })).toBe(false)
  })

  it('ignores newer keywords in draft 7', () => {
    const schema = {
      $schema: DRAFT_7,
      prefixItems: [false],
      dependentRequired: { a: ['b'] },
      unevaluatedProperties: false,
    }
    expect(isValid(schema, [1])).toBe(true)
    expect(isValid(schema, { a: 1 })).toBe(true)
  })

  it('reads format as a description unless asked to check it', () => {
    const schema = { type: 'string', format: 'uuid' }
    expect(isValid(schema, 'evt_01H8')).toBe(true)
    expect(isValid(schema, 'evt_01H8', { assertFormats: true })).toBe(false)
    expect(isValid({ format: 'unheard-of' }, 'x', { assertFormats: true })).toBe(true)
  })
})
