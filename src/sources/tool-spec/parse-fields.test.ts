import { describe, expect, it } from 'vitest'
import { field, problemsOf, short, tool } from '../../../test/support/tool-spec.ts'

describe('fields', () => {
  it('[TS-29] name, type and description are each required', () => {
    expect(short(field('{ type: string, description: d }'))).toEqual([
      'E007 tools[0](a).body[0].name',
    ])
    expect(short(field('{ name: b, description: d }'))).toEqual([
      'E007 tools[0](a).body[0](b).type',
    ])
    expect(short(field('{ name: b, type: string }'))).toEqual([
      'E007 tools[0](a).body[0](b).description',
    ])
  })

  it('[TS-30] [TS-31] type is exactly one of the six', () => {
    for (const type of ['string', 'number', 'integer', 'boolean', 'object']) {
      expect(short(field(`{ name: b, type: ${type}, description: d }`))).toEqual([])
    }
    expect(
      short(field('{ name: b, type: array, description: d, items: { type: string } }')),
    ).toEqual([])
    const [problem] = problemsOf(field('{ name: b, type: float, description: d }'))
    expect(problem?.message).toBe(
      'must be one of string, number, integer, boolean, array, object; found "float"',
    )
    expect(problem?.hint).toBe('write "number"')
  })

  it('[TS-32] [TS-34] required is absent or a boolean', () => {
    expect(short(field('{ name: b, type: string, description: d }'))).toEqual([])
    expect(
      problemsOf(field('{ name: b, type: string, description: d, required: "yes" }')),
    ).toMatchObject([
      {
        code: 'E008',
        message: 'must be true or false; found "yes"',
        hint: 'write true without quotes',
      },
    ])
  })

  it('[TS-36] default may be any value that fits the type', () => {
    const fits = [
      'string, default: x',
      'integer, default: 3',
      'number, default: 1.5',
      'boolean, default: false',
    ]
    for (const rest of fits)
      expect(short(field(`{ name: b, type: ${rest}, description: d }`))).toEqual([])
    expect(
      short(field('{ name: b, type: object, default: { a: [1, { b: null }] }, description: d }')),
    ).toEqual([])
    expect(
      short(
        field('{ name: b, type: array, items: { type: string }, default: [a], description: d }'),
      ),
    ).toEqual([])
    for (const rest of [
      'string, default: 3',
      'integer, default: 1.5',
      'array, items: {type: string}, default: a',
      'string, default: null',
    ]) {
      expect(short(field(`{ name: b, type: ${rest}, description: d }`))).toEqual([
        'E053 tools[0](a).body[0](b).default',
      ])
    }
  })

  it('refuses a default outside enum and warns about one that is never used', () => {
    expect(
      short(field('{ name: b, type: string, enum: [x], default: y, description: d }')),
    ).toEqual(['E053 tools[0](a).body[0](b).default'])
    expect(
      short(field('{ name: b, type: string, default: y, required: true, description: d }')),
    ).toEqual(['W054 tools[0](a).body[0](b).default'])
  })

  it('refuses enum on lists and objects, of other types, empty and with duplicates', () => {
    expect(short(field('{ name: b, type: object, enum: [x], description: d }'))).toEqual([
      'E051 tools[0](a).body[0](b).enum',
    ])
    expect(short(field('{ name: b, type: string, enum: [1], description: d }'))).toEqual([
      'E051 tools[0](a).body[0](b).enum[0]',
    ])
    expect(short(field('{ name: b, type: string, enum: [], description: d }'))).toEqual([
      'E052 tools[0](a).body[0](b).enum',
    ])
    expect(short(field('{ name: b, type: string, enum: [x, x], description: d }'))).toEqual([
      'E052 tools[0](a).body[0](b).enum[1]',
    ])
    expect(short(field('{ name: b, type: integer, enum: [1, 2], description: d }'))).toEqual([])
  })

  it('[TS-39] items describes the elements of an array and needs neither name nor description', () => {
    expect(
      short(
        field(
          '{ name: b, type: array, description: d, items: { type: object, properties: [{ name: c, type: string, description: d }] } }',
        ),
      ),
    ).toEqual([])
    expect(
      short(field('{ name: b, type: string, description: d, items: { type: string } }')),
    ).toEqual(['E055 tools[0](a).body[0](b).items'])
    expect(short(field('{ name: b, type: array, description: d }'))).toEqual([
      'W056 tools[0](a).body[0](b)',
    ])
    expect(
      short(
        field('{ name: b, type: array, description: d, items: { type: string, required: true } }'),
      ),
    ).toEqual(['W050 tools[0](a).body[0](b).items.required'])
  })

  it('[TS-40] properties is a list of fields', () => {
    expect(
      short(
        field(
          '{ name: b, type: object, description: d, properties: [{ name: c, type: string, description: d }] }',
        ),
      ),
    ).toEqual([])
    expect(
      short(field('{ name: b, type: object, description: d, properties: { c: string } }')),
    ).toEqual(['E041 tools[0](a).body[0](b).properties'])
    expect(short(field('{ name: b, type: string, description: d, properties: [] }'))).toEqual([
      'E055 tools[0](a).body[0](b).properties',
    ])
    expect(
      short(
        field(
          '{ name: b, type: object, description: d, properties: [{ name: c, type: string, description: d }, { name: c, type: string, description: d }] }',
        ),
      ),
    ).toEqual(['E035 tools[0](a).body[0](b).properties[1](c).name'])
  })

  it('refuses nesting deeper than twelve levels', () => {
    const nest = (levels: number): string =>
      levels === 1
        ? '{ name: b, type: string, description: d }'
        : `{ name: b, type: object, description: d, properties: [${nest(levels - 1)}] }`
    expect(short(field(nest(12)))).toEqual([])
    expect(short(field(nest(13)))[0]).toContain('E057')
  })

  it('refuses patterns and bounds that no value can meet', () => {
    expect(short(field('{ name: b, type: string, description: d, pattern: "(" }'))).toEqual([
      'E058 tools[0](a).body[0](b).pattern',
    ])
    expect(
      short(field('{ name: b, type: integer, description: d, minimum: 3, maximum: 2 }')),
    ).toEqual(['E059 tools[0](a).body[0](b).minimum'])
  })

  it('takes any wire name, but a header must be able to have it', () => {
    const at = (rest: string): string[] =>
      short(tool(`method: GET\npath: /a\nparams: [{ ${rest}, type: string, description: d }]`))
    for (const name of ['filter[status]', 'X-Trace', '$top', 'user.name'])
      expect(at(`name: "${name}"`)).toEqual([])
    expect(at('name: "X: y", in: header')).toEqual(['E065 tools[0](a).params[0](X: y).name'])
    expect(short(field('{ name: b, type: string, description: d, in: header }'))).toEqual([
      'W057 tools[0](a).body[0](b).in',
    ])
    expect(short(field('{ name: b, type: string, description: d, rest: true }'))).toEqual([
      'E055 tools[0](a).body[0](b).rest',
    ])
    expect(at('name: c, rest: false')).toEqual(['W057 tools[0](a).params[0](c).rest'])
  })
})
