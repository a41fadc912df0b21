import { describe, expect, it } from 'vitest'
import {
  describeType,
  isNullable,
  resolveSchema,
  toFieldKind,
} from '../../explorer/src/form/schema.ts'
import { chooseVariant, getAt, prefill, setAt, startValue } from '../../explorer/src/form/value.ts'
import type { Schema } from '../../explorer/src/model/types.ts'

describe('toFieldKind', () => {
  it.each<[string, Schema, string]>([
    ['text', { type: 'string' }, 'text'],
    ['a whole number', { type: 'integer' }, 'number'],
    ['a switch', { type: 'boolean' }, 'boolean'],
    ['a choice', { enum: ['a', 1, null] }, 'choice'],
    ['a choice written as constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }, 'choice'],
    ['objects to choose from', { enum: [{ a: 1 }] }, 'json'],
    ['one fixed value', { const: 5 }, 'fixed'],
    ['members', { properties: { a: true } }, 'object'],
    ['free names', { type: 'object', additionalProperties: { type: 'string' } }, 'map'],
    ['any object', { type: 'object' }, 'json'],
    ['items', { type: 'array', items: { type: 'string' } }, 'list'],
    ['places', { type: 'array', prefixItems: [{ type: 'string' }] }, 'tuple'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'variants'],
    ['something or null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text'],
    ['several types', { type: ['string', 'number'] }, 'json'],
    ['anything', true, 'json'],
    ['nothing said', {}, 'json'],
  ])('makes a control for %s', (_case, schema, kind) => {
    expect(toFieldKind(resolveSchema(schema, schema))).toBe(kind)
  })
})

describe('resolveSchema', () => {
  const root = {
    $defs: {
      name: { type: 'string', maxLength: 5 },
      loop: { $ref: '#/$defs/loop' },
      tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } },
      'a/b': { type: 'number' },
    },
  }

  it('follows references and keeps what stands beside them', () => {
    expect(resolveSchema({ $ref: '#/$defs/name', title: 'Name' }, root)).toEqual({
      type: 'string',
      maxLength: 5,
      title: 'Name',
    })
    expect(resolveSchema({ $ref: '#/$defs/a~1b' }, root)).toEqual({ type: 'number' })
  })

  it('gives up on references that lead in circles, nowhere or elsewhere', () => {
    for (const $ref of ['#/$defs/loop', '#/$defs/none', 'https://example.com/x', '#/$defs/%']) {
      expect(toFieldKind(resolveSchema({ $ref }, root))).toBe('json')
    }
  })

  it('opens one level of a schema that holds itself', () => {
    expect(toFieldKind(resolveSchema({ $ref: '#/$defs/tree' }, root))).toBe('object')
  })

  it('merges what allOf asks for', () => {
    const merged = resolveSchema(
      {
        allOf: [
          { required: ['a'], properties: { a: true } },
          { required: ['b'], properties: { b: true } },
        ],
        required: ['c'],
      },
      {},
    )
    expect(merged).toMatchObject({ required: ['c', 'a', 'b'], properties: { a: true, b: true } })
  })
})

describe('isNullable', () => {
  it.each<[Schema, boolean]>([
    [{ type: ['string', 'null'] }, true],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, true],
    [{ type: 'string', nullable: true }, true],
    [{ enum: ['a', null] }, true],
    [{ type: 'string' }, false],
    [true, false],
  ])('reads %j as %s', (schema, nullable) => {
    expect(isNullable(schema, schema)).toBe(nullable)
  })
})

describe('describeType', () => {
  it.each<[Schema, string]>([
    [{ type: 'string', format: 'uuid' }, 'string · uuid'],
    [
      { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
      'list of list of integer',
    ],
    [{ type: ['number', 'null'] }, 'number or null'],
    [{ oneOf: [{ type: 'string' }, { type: 'object' }] }, 'one of 2'],
    [false, 'nothing'],
  ])('names %j', (schema, name) => {
    expect(describeType(schema, schema)).toBe(name)
  })
})

describe('values', () => {
  it('begin with what is required, defaults and null included, falsy ones too', () => {
    const schema = {
      required: ['a', 'b', 'c', 'gone'],
      properties: {
        a: { default: 0 },
        b: { default: false },
        c: { type: 'string' },
        d: { default: 1 },
      },
    }
    expect(prefill(schema)).toEqual({ a: 0, b: false, c: null, gone: null })
    expect(prefill({ type: 'object' })).toEqual({})
    expect(prefill(true)).toEqual({})
  })

  it('are started by what a schema says', () => {
    const start = (schema: Schema) => startValue(schema, schema)
    expect(start({ type: 'integer', minimum: 3 })).toBe(3)
    expect(start({ enum: ['x', 'y'] })).toBe('x')
    expect(start({ type: 'object', required: ['k'], properties: { k: { const: 'v' } } })).toEqual({
      k: 'v',
    })
    expect(start({ oneOf: [{ type: 'array', items: {} }, { type: 'string' }] })).toEqual([])
  })

  it('are read and replaced at a path, in place and without touching the original', () => {
    const value = { a: [{ b: 1 }], c: 2, d: 3 }
    expect(getAt(value, ['a', 0, 'b'])).toBe(1)
    expect(getAt(value, ['a', 5, 'b'])).toBeUndefined()
    expect(getAt(value, ['constructor'])).toBeUndefined()
    expect(JSON.stringify(setAt(value, ['c'], 9))).toBe('{"a":[{"b":1}],"c":9,"d":3}')
    expect(setAt(value, ['a', 0], undefined)).toEqual({ a: [], c: 2, d: 3 })
    expect(setAt(value, ['c'], undefined)).toEqual({ a: [{ b: 1 }], d: 3 })
    expect(setAt(null, ['x', 0], 'new')).toEqual({ x: ['new'] })
    expect(value).toEqual({ a: [{ b: 1 }], c: 2, d: 3 })
  })

  it('tell which alternative they are', () => {
    const circle = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: 'circle' }, r: {} },
    }
    const square = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: 'square' }, a: {} },
    }
    const variants = [circle, square, { type: 'string' }]
    expect(chooseVariant(variants, { kind: 'square', a: 1 }, {})).toBe(1)
    expect(chooseVariant(variants, 'text', {})).toBe(2)
    expect(chooseVariant(variants, null, {})).toBe(0)
  })
})
