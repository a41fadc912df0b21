import { type DiffCase, gives, takes } from './case.ts'

const IN = '/functions/0/arguments/0/schema'
const OUT = '/functions/0/result/schema'
const object = (properties: object, rest: object = {}): object => ({
  type: 'object',
  properties,
  ...rest,
})
const text = { type: 'string' }
const shared = (schema: unknown) => ({ components: { schemas: { S: schema } } })
const ref = { $ref: '#/components/schemas/S' }

/** Schemas that go in and come out; the same change means the opposite on the other side. */
export const SCHEMA_CASES: readonly DiffCase[] = [
  {
    name: 'an input type narrows',
    old: takes({ type: ['string', 'number'] }),
    now: takes(text),
    expected: [['input-type-narrowed', 'breaking', IN]],
  },
  {
    name: 'an input type widens',
    old: takes({ type: 'integer' }),
    now: takes({ type: 'number' }),
    expected: [['input-type-widened', 'implementer', IN]],
  },
  {
    name: 'an output type widens',
    old: gives({ type: 'integer' }),
    now: gives({ type: 'number' }),
    expected: [['output-type-widened', 'breaking', OUT]],
  },
  {
    name: 'an output type narrows',
    old: gives({ type: 'number' }),
    now: gives({ type: 'integer' }),
    expected: [['output-type-narrowed', 'implementer', OUT]],
  },
  {
    name: 'a type becomes another',
    old: takes(text),
    now: takes({ type: 'boolean' }),
    expected: [['input-type-changed', 'breaking', IN]],
  },
  {
    name: 'an output becomes nullable (OpenAPI style)',
    old: gives(text),
    now: gives({ type: 'string', nullable: true }),
    expected: [['output-null-added', 'breaking', OUT]],
  },
  {
    name: 'an input becomes nullable (type list)',
    old: takes(text),
    now: takes({ type: ['string', 'null'] }),
    expected: [['input-null-added', 'implementer', IN]],
  },
  {
    name: 'an input is not nullable any more (choice)',
    old: takes({ anyOf: [text, { type: 'null' }] }),
    now: takes({ anyOf: [text] }),
    expected: [['input-null-removed', 'breaking', IN]],
  },
  {
    name: 'an enum value goes from an input',
    old: takes({ type: 'string', enum: ['a', 'b'] }),
    now: takes({ type: 'string', enum: ['a'] }),
    expected: [['input-enum-value-removed', 'breaking', IN]],
  },
  {
    name: 'an enum value comes to an input',
    old: takes({ enum: ['a'] }),
    now: takes({ enum: ['a', 'b'] }),
    expected: [['input-enum-value-added', 'implementer', IN]],
  },
  {
    name: 'an enum value comes to an output',
    old: gives({ enum: ['a'] }),
    now: gives({ enum: ['a', 'b'] }),
    expected: [['output-enum-value-added', 'breaking', OUT]],
  },
  {
    name: 'an enum value is replaced',
    old: gives({ enum: ['a', 'b'] }),
    now: gives({ enum: ['a', 'c'] }),
    expected: [
      ['output-enum-value-added', 'breaking', OUT],
      ['output-enum-value-removed', 'implementer', OUT],
    ],
  },
  {
    name: 'a free text becomes an enum',
    old: takes(text),
    now: takes({ type: 'string', enum: ['a'] }),
    expected: [['input-enum-value-removed', 'breaking', IN]],
  },
  {
    name: 'an optional member comes to an input',
    old: takes(object({ a: text })),
    now: takes(object({ a: text, b: text })),
    expected: [['input-property-added', 'implementer', `${IN}/properties/b`]],
  },
  {
    name: 'a required member comes to an input',
    old: takes(object({ a: text })),
    now: takes(object({ a: text, b: text }, { required: ['b'] })),
    expected: [['input-required-property-added', 'breaking', `${IN}/properties/b`]],
  },
  {
    name: 'a member becomes required in an input',
    old: takes(object({ a: text })),
    now: takes(object({ a: text }, { required: ['a'] })),
    expected: [['input-property-required', 'breaking', `${IN}/properties/a`]],
  },
  {
    name: 'a member becomes optional in an input',
    old: takes(object({ a: text }, { required: ['a'] })),
    now: takes(object({ a: text })),
    expected: [['input-property-optional', 'implementer', `${IN}/properties/a`]],
  },
  {
    name: 'a member goes from an input',
    old: takes(object({ a: text, b: text })),
    now: takes(object({ a: text })),
    expected: [['input-property-removed', 'breaking', IN]],
  },
  {
    name: 'a member goes from an output',
    old: gives(object({ a: text, b: text })),
    now: gives(object({ a: text })),
    expected: [['output-property-removed', 'breaking', OUT]],
  },
  {
    name: 'an optional member comes to an output',
    old: gives(object({ a: text })),
    now: gives(object({ a: text, b: text })),
    expected: [['output-property-added', 'compatible', `${OUT}/properties/b`]],
  },
  {
    name: 'a required member comes to an output',
    old: gives(object({})),
    now: gives(object({ b: text }, { required: ['b'] })),
    expected: [['output-required-property-added', 'implementer', `${OUT}/properties/b`]],
  },
  {
    name: 'a member becomes optional in an output',
    old: gives(object({ a: text }, { required: ['a'] })),
    now: gives(object({ a: text })),
    expected: [['output-property-optional', 'breaking', `${OUT}/properties/a`]],
  },
  {
    name: 'limits of an input tighten',
    old: takes({ type: 'string', minLength: 1, maxLength: 9 }),
    now: takes({ type: 'string', minLength: 2, maxLength: 8 }),
    expected: [
      ['input-limit-tightened', 'breaking', IN],
      ['input-limit-tightened', 'breaking', IN],
    ],
  },
  {
    name: 'a limit of an output loosens',
    old: gives({ type: 'number', maximum: 5 }),
    now: gives({ type: 'number' }),
    expected: [['output-limit-loosened', 'breaking', OUT]],
  },
  {
    name: 'multipleOf becomes finer',
    old: takes({ type: 'number', multipleOf: 10 }),
    now: takes({ type: 'number', multipleOf: 5 }),
    expected: [['input-limit-loosened', 'implementer', IN]],
  },
  {
    name: 'a list must be unique',
    old: takes({ type: 'array', items: text }),
    now: takes({ type: 'array', items: text, uniqueItems: true }),
    expected: [['input-limit-tightened', 'breaking', IN]],
  },
  {
    name: 'a format comes',
    old: takes(text),
    now: takes({ type: 'string', format: 'uuid' }),
    expected: [['input-format-added', 'breaking', IN]],
  },
  {
    name: 'a pattern changes',
    old: gives({ type: 'string', pattern: '^a' }),
    now: gives({ type: 'string', pattern: '^b' }),
    expected: [['output-pattern-changed', 'breaking', OUT]],
  },
  {
    name: 'other members are refused',
    old: takes(object({ a: text })),
    now: takes(object({ a: text }, { additionalProperties: false })),
    expected: [['input-extra-members-refused', 'breaking', IN]],
  },
  {
    name: 'other members are allowed in an answer',
    old: gives(object({ a: text }, { additionalProperties: false })),
    now: gives(object({ a: text })),
    expected: [['output-extra-members-allowed', 'compatible', OUT]],
  },
  {
    name: 'a default changes',
    old: takes({ type: 'integer', default: 10 }),
    now: takes({ type: 'integer', default: 20 }),
    expected: [['input-default-changed', 'breaking', IN]],
  },
  {
    name: 'items of a list change',
    old: gives({ type: 'array', items: text }),
    now: gives({ type: 'array', items: { type: 'number' } }),
    expected: [['output-type-changed', 'breaking', `${OUT}/items`]],
  },
  {
    name: 'an alternative comes to an answer',
    old: gives({ oneOf: [{ title: 'A', type: 'string' }] }),
    now: gives({
      oneOf: [
        { title: 'A', type: 'string' },
        { title: 'B', type: 'number' },
      ],
    }),
    expected: [['output-choice-added', 'breaking', `${OUT}/oneOf/1`]],
  },
  {
    name: 'an alternative goes from an input',
    old: takes({
      anyOf: [
        { title: 'A', type: 'string' },
        { title: 'B', type: 'number' },
      ],
    }),
    now: takes({ anyOf: [{ title: 'A', type: 'string' }] }),
    expected: [['input-choice-removed', 'breaking', IN]],
  },
  {
    name: 'members of allOf are one object',
    old: takes({ allOf: [object({ a: text }), object({ b: text })] }),
    now: takes(object({ a: text, b: text })),
    expected: [],
  },
  {
    name: 'a shared schema changes in both directions at once',
    old: gives(object({ s: ref }), shared(object({ a: text }))),
    now: gives(object({ s: ref }), shared(object({ a: { type: 'number' } }))),
    expected: [['output-type-changed', 'breaking', '/components/schemas/S/properties/a']],
  },
  {
    name: 'a schema that refers to itself ends',
    old: gives(ref, shared(object({ next: ref, a: text }))),
    now: gives(ref, shared(object({ next: ref }))),
    expected: [['output-property-removed', 'breaking', '/components/schemas/S']],
  },
  {
    name: 'a reference is written out, which changes nothing',
    old: gives(ref, shared(object({ a: text }))),
    now: gives(object({ a: text }), shared(object({ a: text }))),
    expected: [],
  },
  {
    name: 'a member is deprecated',
    old: takes(object({ a: text })),
    now: takes(object({ a: { type: 'string', deprecated: true } })),
    expected: [['input-property-deprecated', 'compatible', `${IN}/properties/a`]],
  },
  {
    name: 'a description changes',
    old: takes({ type: 'string', description: 'one' }),
    now: takes({ type: 'string', description: 'two' }),
    expected: [['input-schema-docs-changed', 'docs', IN]],
  },
]
