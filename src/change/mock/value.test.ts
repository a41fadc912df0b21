import { describe, expect, it } from 'vitest'
import { fc, hostileJson } from '../../../test/support/property.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { JsonSchema } from '../../schema/schema.ts'
import { createValueMaker } from './value.ts'

type Given = JsonSchema

/** Schemas that can be met, of every shape the maker knows. */
const schemas = fc.letrec<{ schema: Given; leaf: Given }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<Given>({}),
    fc.constant<Given>({ type: 'null' }),
    fc.constant<Given>({ type: 'boolean' }),
    fc.record({ const: hostileJson({ maxDepth: 1 }) }) as fc.Arbitrary<Given>,
    fc.record({ enum: fc.array(hostileJson({ maxDepth: 1 }), { minLength: 1, maxLength: 4 }) }),
    fc
      .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 12, max: 60 }))
      .chain(([minimum, span]) =>
        fc.constantFrom<Given>(
          { type: 'integer', minimum, maximum: minimum + span },
          { type: 'integer', minimum, multipleOf: 3 },
          { type: 'number', exclusiveMinimum: minimum, exclusiveMaximum: minimum + span },
          { type: 'number', minimum, maximum: minimum + span, multipleOf: 0.25 },
          { type: ['integer', 'null'], maximum: minimum },
        ),
      ),
    fc
      .tuple(fc.nat({ max: 12 }), fc.nat({ max: 30 }))
      .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
    fc.constantFrom<Given>(
      ...[
        '^[A-Z]{3}-\\d{4}$',
        '^(GET|PUT)$',
        '[a-f0-9]{8}',
        '^\\w+@\\w+\\.(com|org)$',
        '^(?!admin)[a-z]{3,8}$',
        '^[^\\s/]+$',
        '^(a|b)\\1$',
        '^\\p{Lu}\\p{L}*$',
      ].map((pattern) => ({ type: 'string', pattern })),
    ),
    fc.constantFrom<Given>(
      ...['date-time', 'date', 'uuid', 'email', 'uri', 'ipv4', 'hostname'].map((format) => ({
        type: 'string',
        format,
      })),
    ),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.nat({ max: 2 }),
      maxItems: fc.integer({ min: 2, max: 5 }),
    }),
    fc.record({
      type: fc.constant('array'),
      prefixItems: fc.array(tie('schema'), { maxLength: 3 }),
    }),
    fc.nat({ max: 4 }).map((minItems) => ({
      type: 'array',
      items: { type: 'integer', minimum: 0, maximum: 9 },
      uniqueItems: true,
      minItems,
    })),
    tie('schema').map((contains) => ({ type: 'array', contains })),
    objects(tie('schema')),
    fc
      .record({ additionalProperties: tie('schema'), minProperties: fc.nat({ max: 3 }) })
      .map((rest) => ({ type: 'object', ...rest })),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
    fc.tuple(tie('leaf'), fc.constant({ type: 'object' })).map(([leaf, object]) => ({
      oneOf: [{ type: 'array', items: leaf }, object, { type: 'null' }],
    })),
    fc.tuple(objects(tie('schema'), 'a'), objects(tie('schema'), 'b')).map((allOf) => ({ allOf })),
    tie('schema').map((inner) => ({ $ref: '#/$defs/inner', $defs: { inner } })),
    tie('leaf').map((leaf) => ({
      type: 'object',
      properties: { kind: { enum: ['x', 'y'] }, extra: leaf },
      required: ['kind'],
      if: { properties: { kind: { const: 'x' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['extra'] },
    })),
  ),
})).schema

function objects(member: fc.Arbitrary<Given>, prefix = 'p'): fc.Arbitrary<Given> {
  return fc
    .tuple(fc.array(member, { maxLength: 4 }), fc.nat(), fc.boolean())
    .map(([members, needed, closed]) => {
      const named = members.map((schema, index) => [`${prefix}${index}`, schema] as const)
      const required = named.filter((_, index) => (needed >> index) % 2 === 1).map(([name]) => name)
      return {
        type: 'object',
        properties: Object.fromEntries(named),
        required,
        ...(closed && prefix === 'p' && { additionalProperties: false }),
      }
    })
}

// $defs of a nested schema are only reached from its own root, so each schema is made as a root of its own.
describe('made values', () => {
  it('pass the schema they were made for, whatever the schema and the seed', () => {
    fc.assert(
      fc.property(withRootDefs(schemas), fc.string({ maxLength: 5 }), (schema, seed) => {
        const value = createValueMaker(schema).make(seed)
        const checked = compileSchema(schema)(value)
        if (!checked.ok) throw new Error(JSON.stringify({ schema, value, checked }))
      }),
      { numRuns: 400 },
    )
  })

  it('are the same for the same seed and differ between seeds', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string', format: 'uuid' }, size: { type: 'integer' } },
      required: ['id', 'size'],
    }
    const maker = createValueMaker(schema)
    expect(maker.make('1')).toEqual(createValueMaker(schema).make('1'))
    expect(maker.make('1')).not.toEqual(maker.make('2'))
  })

  it.each<[string, Given]>([
    [
      'a tree',
      {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
        required: ['name', 'children'],
      },
    ],
    [
      'a linked list that may end',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: { next: { oneOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
            required: ['next'],
          },
        },
      },
    ],
    [
      'draft 7 with its own words',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
        items: [{ type: 'string' }, { type: 'integer' }],
        additionalItems: false,
        minItems: 2,
      },
    ],
    [
      'closed objects joined',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          {
            type: 'object',
            properties: { a: { minLength: 30 }, b: { type: 'integer' } },
            unevaluatedProperties: false,
          },
        ],
      },
    ],
    [
      'names with a rule',
      { type: 'object', propertyNames: { pattern: '^x-[a-z]+$' }, minProperties: 2 },
    ],
    [
      'members that need each other',
      { type: 'object', properties: { a: {}, b: {} }, dependentRequired: { a: ['b'] } },
    ],
    [
      'something it must not be',
      { type: 'integer', minimum: 0, maximum: 3, not: { enum: [0, 1, 2] } },
    ],
    [
      'members by pattern',
      {
        type: 'object',
        patternProperties: { '^S_': { type: 'string' } },
        additionalProperties: false,
        minProperties: 1,
      },
    ],
    [
      'a member named __proto__',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}',
      ),
    ],
  ])('are made for %s', (_, schema) => {
    const maker = createValueMaker(schema)
    for (const seed of ['1', '2', '3', '4', '5']) {
      const value = maker.make(seed)
      expect(compileSchema(schema)(value)).toMatchObject({ ok: true })
    }
  })

  it.each<[string, Given]>([
    ['the pattern ^(?=a)b$', { type: 'string', pattern: '^(?=a)b$' }],
    ['never ends', { type: 'object', properties: { me: { $ref: '#' } }, required: ['me'] }],
    ['accepts nothing', { not: {}, type: 'object', required: ['a'], properties: { a: false } }],
  ])('are refused with a reason when the schema %s', (reason, schema) => {
    expect(() => createValueMaker(schema).make('1')).toThrow(reason)
  })
})

/** Definitions live at the root: `#/$defs/inner` inside another schema points at the outermost one. */
function withRootDefs(given: fc.Arbitrary<Given>): fc.Arbitrary<Given> {
  return given.map((schema) => {
    const definitions: Record<string, unknown> = {}
    const lift = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(lift)
      if (typeof value !== 'object' || value === null) return value
      const { $defs, ...rest } = value as { $defs?: { inner: unknown } }
      if ($defs === undefined) {
        return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, lift(item)]))
      }
      const name = `inner${Object.keys(definitions).length}`
      definitions[name] = true
      definitions[name] = lift($defs.inner)
      return { $ref: `#/$defs/${name}` }
    }
    const lifted = lift(schema) as Given
    return Object.keys(definitions).length === 0 ? lifted : { ...lifted, $defs: definitions }
  })
}
