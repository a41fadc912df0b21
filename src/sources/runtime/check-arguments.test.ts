import { describe, expect, it } from 'vitest'
import { type ArgumentSchema, checkArguments } from './check-arguments.ts'
import { ToolError } from './tool-error.ts'

function problemsOf(property: ArgumentSchema, value: unknown, required = true): readonly string[] {
  const schema = {
    type: 'object',
    properties: { x: property },
    ...(required && { required: ['x'] }),
  }
  try {
    checkArguments('t', schema, value === undefined ? {} : { x: value })
    return []
  } catch (thrown) {
    return thrown instanceof ToolError ? thrown.problems : [String(thrown)]
  }
}

describe('arguments of generated functions', () => {
  it.each([
    [{ type: 'string' }, 1, ['x must be string']],
    [{ type: 'integer' }, 1.5, ['x must be integer']],
    [{ type: 'number' }, Number.NaN, ['x must be number']],
    [{ type: 'boolean' }, 'true', ['x must be boolean']],
    [{ type: 'array' }, {}, ['x must be array']],
    [{ type: 'object' }, [], ['x must be object']],
    [{ type: ['string', 'null'] }, 1, ['x must be string or null']],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', ['x must be one of "a", "b"']],
    [{ type: 'integer', enum: [1, 2] }, 3, ['x must be one of 1, 2']],
    [{ type: 'number', minimum: 1 }, 0, ['x must be at least 1']],
    [{ type: 'number', maximum: 1 }, 2, ['x must be at most 1']],
    [{ type: 'number', exclusiveMinimum: 1 }, 1, ['x must be above 1']],
    [{ type: 'number', exclusiveMaximum: 1 }, 1, ['x must be below 1']],
    [{ type: 'number', multipleOf: 0.1 }, 0.25, ['x must be a multiple of 0.1']],
    [{ type: 'string', minLength: 2 }, '💥', ['x must have at least 2 characters']],
    [{ type: 'string', maxLength: 2 }, 'abc', ['x must have at most 2 characters']],
    [{ type: 'string', pattern: '^a' }, 'b', ['x must match ^a']],
    [{ type: 'array', minItems: 1 }, [], ['x must have at least 1 items']],
    [{ type: 'array', maxItems: 1 }, [1, 2], ['x must have at most 1 items']],
    [{ type: 'array', uniqueItems: true }, [{ a: 1 }, { a: 1 }], ['x must not repeat an item']],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], ['x[1] must be string']],
    [
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      true,
      ['x fits none of the allowed forms'],
    ],
    [{ type: 'string' }, undefined, ['x is required']],
    [{ type: 'string' }, null, ['x is required']],
  ] as const)('[TS-38] [TS-45] %j refuses %j', (schema, value, expected) => {
    expect(problemsOf(schema, value)).toEqual(expected)
  })

  it.each([
    [{ type: 'number', multipleOf: 0.1 }, 0.3],
    [{ type: 'string', pattern: '(?<x>' }, 'anything'],
    [{ type: ['string', 'null'] }, null],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
    [{ type: 'array' }, [1, 'a', null]],
    [{}, Symbol.iterator],
  ] as const)('%j accepts %j', (schema, value) => {
    expect(problemsOf(schema, value)).toEqual([])
  })

  it('[TS-32] [TS-170] lets optional arguments be absent or null', () => {
    expect(problemsOf({ type: 'string' }, undefined, false)).toEqual([])
    expect(problemsOf({ type: 'string' }, null, false)).toEqual([])
  })

  it('[TS-41] names the path of a nested problem', () => {
    const line = {
      type: 'object',
      properties: { sku: { type: 'string' } },
      required: ['sku'],
    } as const
    expect(problemsOf({ type: 'array', items: line }, [{ sku: 'a' }, {}])).toEqual([
      'x[1].sku is required',
    ])
  })

  it('does not take inherited members for arguments', () => {
    const schema = { type: 'object', properties: {}, required: ['constructor'] }
    expect(() => checkArguments('t', schema, {})).toThrow(/constructor is required/)
  })

  it('[TS-35] fills in defaults without touching what was given', () => {
    const schema: ArgumentSchema = {
      type: 'object',
      properties: {
        a: { type: 'integer', default: 1 },
        b: { type: 'object', properties: { c: { default: [] } } },
      },
    }
    const given = { b: {} }
    expect(checkArguments('t', schema, given)).toEqual({ a: 1, b: { c: [] } })
    expect(given).toEqual({ b: {} })
    expect(checkArguments('t', schema, undefined)).toEqual({ a: 1 })
  })
})
