import { describe, expect, it } from 'vitest'
import {
  bodyOf,
  fieldOf,
  json,
  run,
  toolOf,
  withOperation,
} from '../../../test/openapi/import-document.ts'
import type { FieldDef, ToolSpec } from '../tool-spec/types.ts'

describe('schemas', () => {
  it('keeps type, format, bounds and examples', () => {
    expect(
      fieldOf({ type: 'integer', format: 'int32', minimum: 1, maximum: 9, default: 3, example: 5 }),
    ).toEqual({
      name: 'a',
      type: 'integer',
      description: 'A. Server default: 3. Format: int32. Example: 5',
      format: 'int32',
      minimum: 1,
      maximum: 9,
    })
    expect(fieldOf({ type: 'string', format: 'byte' }).description).toBe('A. Base64')
    expect(fieldOf({ type: 'number', minimum: 1, exclusiveMinimum: true })).toMatchObject({
      exclusive_minimum: 1,
    })
    expect(fieldOf({ type: 'number', exclusiveMinimum: 2 })).toMatchObject({ exclusive_minimum: 2 })
  })

  it('[TS-160] keeps enums of texts, numbers and booleans; const is an enum of one', () => {
    expect(fieldOf({ type: 'integer', enum: [1, 2, 2, null] })).toMatchObject({
      enum: [1, 2],
      nullable: true,
    })
    expect(fieldOf({ enum: [true] })).toMatchObject({ type: 'boolean', enum: [true] })
    expect(fieldOf({ type: 'string', enum: [1, true, 'x'] }).enum).toEqual(['1', 'true', 'x'])
    expect(fieldOf({ const: 'x' })).toMatchObject({ type: 'string', enum: ['x'] })
  })

  it('[TS-157] takes the three spellings of nullable as one, and nullable: false as nothing', () => {
    const one = fieldOf({ type: 'string', nullable: true })
    expect(one).toEqual({ name: 'a', type: 'string', description: 'A.', nullable: true })
    expect(fieldOf({ type: ['string', 'null'] })).toEqual(one)
    expect(fieldOf({ type: 'string', 'x-nullable': true })).toEqual(one)
    expect(fieldOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual(one)
    expect(fieldOf({ type: 'string', nullable: false })).toEqual({
      name: 'a',
      type: 'string',
      description: 'A.',
    })
  })

  it('infers a type that is not written', () => {
    expect(fieldOf({ properties: { b: { type: 'string' } } }).type).toBe('object')
    expect(fieldOf({ items: { type: 'string' } }).type).toBe('array')
    expect(fieldOf({ minLength: 1 }).type).toBe('string')
    expect(fieldOf({ maximum: 1 }).type).toBe('number')
    expect(fieldOf({})).toMatchObject({
      type: 'string',
      any_of: [
        { type: 'string' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'object' },
        { type: 'array' },
      ],
    })
  })

  it('[TS-155] allOf merges properties and required, the outer description wins', () => {
    const components = {
      schemas: {
        Base: {
          type: 'object',
          description: 'Base.',
          required: ['b'],
          properties: { b: { type: 'string' } },
        },
      },
    }
    const field = fieldOf(
      {
        description: 'Outer.',
        allOf: [
          { $ref: '#/components/schemas/Base' },
          { properties: { c: { type: 'integer' } }, required: ['c'] },
        ],
      },
      { components },
    )
    expect(field).toMatchObject({
      type: 'object',
      description: 'Outer.',
      properties: [
        { name: 'b', type: 'string', required: true },
        { name: 'c', type: 'integer', required: true },
      ],
    })
  })

  it('[TS-156] oneOf with a discriminator becomes one object with an enum, exact forms beside it', () => {
    const pet = (own: string): object => ({
      type: 'object',
      required: ['kind', own],
      properties: { kind: { type: 'string' }, [own]: { type: 'string' } },
    })
    const components = { schemas: { Cat: pet('meow'), Dog: pet('bark') } }
    const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
    const field = fieldOf({ oneOf, discriminator: { propertyName: 'kind' } }, { components })
    expect(field).toMatchObject({
      type: 'object',
      any_of: [{ type: 'object' }, { type: 'object' }],
    })
    expect(field.properties).toMatchObject([
      { name: 'kind', required: true, enum: ['Cat', 'Dog'] },
      { name: 'meow' },
      { name: 'bark' },
    ])
    expect(field.properties?.map((property) => property.required)).toEqual([
      true,
      undefined,
      undefined,
    ])
    expect(field.description).toContain('Cat (needs kind, meow); Dog (needs kind, bark)')
    const mapped = fieldOf(
      {
        oneOf,
        discriminator: {
          propertyName: 'kind',
          mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' },
        },
      },
      { components },
    )
    expect(mapped.properties?.[0]?.enum).toEqual(['cat', 'dog'])
  })

  it('merges the subtypes that a discriminator stands for, named or not', () => {
    const base = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } }
    const sub = (own: string): object => ({
      allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { [own]: { type: 'string' } } }],
    })
    const schemas = { Cat: sub('meow'), Dog: sub('bark') }
    const implicit = { Pet: { ...base, discriminator: { propertyName: 'kind' } }, ...schemas }
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    const named = { Pet: { ...base, discriminator: { propertyName: 'kind', mapping } }, ...schemas }
    const body = (known: object): unknown =>
      Object.values(
        bodyOf({ $ref: '#/components/schemas/Pet' }, { components: { schemas: known } }),
      )
    expect(body(implicit)).toMatchObject([
      { name: 'kind', required: true, enum: ['Cat', 'Dog'] },
      { name: 'meow' },
      { name: 'bark' },
    ])
    expect(body(named)).toMatchObject([
      { enum: ['cat', 'dog'] },
      { name: 'meow' },
      { name: 'bark' },
    ])
    expect(
      bodyOf({ $ref: '#/components/schemas/Cat' }, { components: { schemas: implicit } }),
    ).not.toHaveProperty('bark')
  })

  it('takes any fields when the subtypes are too many to list', () => {
    const many = Array.from({ length: 60 }, (_, index) => [
      `Sub${index}`,
      {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { properties: { [`own${index}`]: { type: 'string' } } },
        ],
      },
    ])
    const Pet = {
      type: 'object',
      discriminator: { propertyName: 'kind' },
      properties: { kind: { type: 'string' } },
    }
    const components = { schemas: { Pet, ...Object.fromEntries(many) } }
    const tool = toolOf(json({ $ref: '#/components/schemas/Pet' }), { components })
    expect(tool.body_root).toMatchObject({ type: 'object', properties: [{ name: 'kind' }] })
  })

  it('folds scalar alternatives into their type, mixed ones into text with a warning', () => {
    expect(fieldOf({ anyOf: [{ type: 'integer' }, { type: 'number' }] })).toEqual({
      name: 'a',
      type: 'number',
      description: 'A.',
    })
    expect(fieldOf({ anyOf: [{ enum: ['x'] }, { enum: ['y'] }] }).enum).toEqual(['x', 'y'])
    const mixed = run(
      withOperation(
        json({
          type: 'object',
          properties: {
            a: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          },
        }),
      ),
    )
    expect(mixed.spec.tools[0]?.body?.[0]).toMatchObject({
      type: 'string',
      any_of: [{ type: 'string' }, { type: 'array' }],
    })
    expect(mixed.codes).toContain('W101')
    expect(fieldOf({ type: ['string', 'integer'] })).toMatchObject({
      type: 'string',
      any_of: [{ type: 'string' }, { type: 'integer' }],
    })
  })

  it('[TS-151] cuts self-, mutual and array recursion', () => {
    const components = {
      schemas: {
        Node: {
          type: 'object',
          properties: {
            next: { $ref: '#/components/schemas/Node' },
            all: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
            other: { $ref: '#/components/schemas/Other' },
          },
        },
        Other: { type: 'object', properties: { node: { $ref: '#/components/schemas/Node' } } },
        Loop: {
          allOf: [{ $ref: '#/components/schemas/Loop' }],
          properties: { b: { type: 'string' } },
        },
        Self: { $ref: '#/components/schemas/Self' },
      },
    }
    const { spec, codes } = run(
      withOperation(json({ $ref: '#/components/schemas/Node' }), { components }),
    )
    expect(codes).toContain('W102')
    expect(spec.tools[0]?.body).toMatchObject([
      { name: 'next', type: 'object' },
      { name: 'all', type: 'array', items: { type: 'object' } },
      { name: 'other', type: 'object', properties: [{ name: 'node', type: 'object' }] },
    ])
    expect(spec.tools[0]?.body?.[0]?.properties).toBeUndefined()
    expect(JSON.stringify(spec)).toContain('Contains Node again')
    expect(
      fieldOf({ $ref: '#/components/schemas/Loop' }, { components }).properties?.[0]?.name,
    ).toBe('b')
    expect(
      run(withOperation(json({ $ref: '#/components/schemas/Self' }), { components })).codes,
    ).toContain('W112')
  })

  it('[TS-152] expands two uses of one schema both', () => {
    const components = {
      schemas: { Place: { type: 'object', properties: { row: { type: 'integer' } } } },
    }
    const ref = { $ref: '#/components/schemas/Place' }
    const body = bodyOf({ type: 'object', properties: { from: ref, to: ref } }, { components })
    expect(body['from']?.properties).toEqual(body['to']?.properties)
    expect(body['to']?.properties).toHaveLength(1)
  })

  it('cuts nesting at the depth asked for', () => {
    const nest = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nest(levels - 1) } }
    const deep = (spec: ToolSpec): number => {
      let count = 0
      for (let at: FieldDef | undefined = spec.tools[0]?.body?.[0]; at; at = at.properties?.[0])
        count += 1
      return count
    }
    const document = withOperation(json(nest(30)))
    expect(deep(run(document).spec)).toBe(6)
    expect(deep(run(document, { maxDepth: 3 }).spec)).toBe(3)
    expect(run(document).codes).toContain('W102')
  })

  it('keeps a tool near the size asked for by leaving deep optional parts free-form', () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `field_${index}`,
          { type: 'string', description: 'x'.repeat(90) },
        ]),
      ),
    }
    const { spec, codes } = run(
      withOperation(
        json({
          type: 'object',
          properties: { small: { type: 'object', properties: { b: { type: 'string' } } }, wide },
        }),
      ),
    )
    const [small, big] = spec.tools[0]?.body ?? []
    expect(small?.properties).toHaveLength(1)
    expect(big).toMatchObject({
      type: 'object',
      description: expect.stringContaining('Free-form object with field_0'),
    })
    expect(codes).toContain('W101')
    expect(JSON.stringify(spec).length).toBeLessThan(9000)
  })

  it('keeps every parameter of an operation with hundreds of them', () => {
    const parameters = Array.from({ length: 582 }, (_, index) => ({
      name: `p${index}`,
      in: 'query',
      schema: { type: 'string' },
      description: 'x'.repeat(50),
    }))
    expect(toolOf({ parameters }, {}, '/x', 'get').params).toHaveLength(582)
  })

  it('drops what no value can meet, each with a warning', () => {
    const odd = {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '(', default: 5, enum: ['x'] },
        b: { type: 'integer', minimum: 5, maximum: 1 },
        c: { type: 'integer', default: '9223372036854775807' },
        d: { type: 'array', enum: ['x'] },
      },
    }
    const { spec, messages } = run(withOperation(json(odd)))
    expect(spec.tools[0]?.body).toMatchObject([
      { name: 'a', enum: ['x'] },
      { name: 'b' },
      { name: 'c', type: 'string', wire_type: 'integer' },
      { name: 'd' },
    ])
    expect(messages.filter((message) => message.startsWith('W101')).length).toBeGreaterThanOrEqual(
      4,
    )
  })

  it('tells a default list written as text, and takes an enum written on the list', () => {
    const list = { type: 'array', items: { type: 'string' } }
    expect(fieldOf({ ...list, default: 'a, b' }).description).toBe('A. Server default: a, b')
    expect(fieldOf({ ...list, enum: ['x', 'y'] })).toMatchObject({
      type: 'array',
      items: { type: 'string', enum: ['x', 'y'] },
    })
  })

  it('says which keywords it ignores', () => {
    const { messages } = run(
      withOperation(
        json({
          type: 'object',
          properties: { a: { type: 'object', not: {}, patternProperties: {}, minProperties: 1 } },
        }),
      ),
    )
    for (const keyword of ['not', 'patternProperties', 'minProperties'])
      expect(messages.join()).toContain(`"${keyword}"`)
  })

  it('uses the keywords beside a reference in 3.1', () => {
    const components = { schemas: { T: { type: 'string', description: 'T.' } } }
    const document = withOperation(
      json({
        type: 'object',
        properties: { a: { $ref: '#/components/schemas/T', maxLength: 3, description: 'Mine.' } },
      }),
      { components },
    )
    expect(run({ ...document, openapi: '3.1.0' }).spec.tools[0]?.body?.[0]).toMatchObject({
      description: 'Mine.',
      max_length: 3,
    })
    expect(run(document).spec.tools[0]?.body?.[0]).toEqual({
      name: 'a',
      type: 'string',
      description: 'Mine.',
    })
  })
})
