import type { SchemaRuleName } from '../../../src/change/diff/rules.ts'
import type { ChangeClass, RuleId } from '../../../src/entries/diff.ts'
import { type DiffCase, discovery, gives, operation, takes } from './case.ts'

const text = { type: 'string' }
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest })
const pets = (discriminator: object) => ({
  oneOf: [object({ kind: { const: 'cat' } }), object({ kind: { const: 'dog' } })],
  discriminator,
})

const NARROWED = ['breaking', 'implementer'] as const
const WIDENED = ['implementer', 'breaking'] as const
const CHANGED = ['breaking', 'breaking'] as const

/** A rule of schemas, its class going in and coming out, two schemas, and the place inside the new one. */
type SchemaRow = readonly [
  SchemaRuleName,
  readonly [ChangeClass, ChangeClass],
  readonly [unknown, unknown],
  string?,
]

const SCHEMA_ROWS: readonly SchemaRow[] = [
  ['type-narrowed', NARROWED, [{ type: ['string', 'number'] }, text]],
  ['type-widened', WIDENED, [{ type: 'integer' }, { type: 'number' }]],
  ['type-changed', CHANGED, [text, { type: 'boolean' }]],
  ['null-removed', NARROWED, [{ type: ['string', 'null'] }, text]],
  ['null-added', WIDENED, [text, { type: ['string', 'null'] }]],
  ['enum-value-removed', NARROWED, [{ enum: ['a', 'b'] }, { enum: ['a'] }]],
  ['enum-value-added', WIDENED, [{ enum: ['a'] }, { enum: ['a', 'b'] }]],
  ['limit-tightened', NARROWED, [{ maxLength: 9 }, { maxLength: 5 }]],
  ['limit-loosened', WIDENED, [{ minimum: 3 }, { minimum: 1 }]],
  ['format-added', NARROWED, [text, { ...text, format: 'date' }]],
  ['format-removed', WIDENED, [{ ...text, format: 'date' }, text]],
  ['format-changed', CHANGED, [{ format: 'date' }, { format: 'date-time' }]],
  ['pattern-added', NARROWED, [text, { ...text, pattern: 'a' }]],
  ['pattern-removed', WIDENED, [{ ...text, pattern: 'a' }, text]],
  ['pattern-changed', CHANGED, [{ pattern: 'a' }, { pattern: 'b' }]],
  [
    'choice-removed',
    NARROWED,
    [
      { oneOf: [text, { type: 'integer' }, { type: 'array' }] },
      { oneOf: [text, { type: 'array' }] },
    ],
  ],
  [
    'choice-added',
    WIDENED,
    [
      { oneOf: [text, { type: 'array' }] },
      { oneOf: [text, { type: 'array' }, { type: 'integer' }] },
    ],
    '/oneOf/2',
  ],
  ['choices-changed', CHANGED, [pets({ propertyName: 'kind' }), pets({ propertyName: 'type' })]],
  [
    'choices-changed',
    CHANGED,
    [
      pets({ propertyName: 'kind', mapping: { tom: '#/A' } }),
      pets({ propertyName: 'kind', mapping: { tom: '#/B' } }),
    ],
  ],
  ['extra-members-refused', NARROWED, [object({}), object({}, { additionalProperties: false })]],
  [
    'extra-members-allowed',
    ['implementer', 'compatible'],
    [object({}, { additionalProperties: false }), object({})],
  ],
  [
    'property-added',
    ['implementer', 'compatible'],
    [object({}), object({ a: text })],
    '/properties/a',
  ],
  [
    'required-property-added',
    ['breaking', 'implementer'],
    [object({}), object({ a: text }, { required: ['a'] })],
    '/properties/a',
  ],
  ['property-removed', ['breaking', 'breaking'], [object({ a: text }), object({})]],
  [
    'property-required',
    ['breaking', 'implementer'],
    [object({ a: text }), object({ a: text }, { required: ['a'] })],
    '/properties/a',
  ],
  [
    'property-optional',
    ['implementer', 'breaking'],
    [object({ a: text }, { required: ['a'] }), object({ a: text })],
    '/properties/a',
  ],
  ['default-changed', ['breaking', 'docs'], [{ default: 1 }, { default: 2 }]],
  ['default-added', ['compatible', 'docs'], [text, { ...text, default: 'a' }]],
  ['property-deprecated', ['compatible', 'compatible'], [text, { ...text, deprecated: true }]],
  ['schema-docs-changed', ['docs', 'docs'], [{ title: 'a' }, { title: 'b' }]],
]

/** A rule of functions, what the function says before and after, and the place in it. */
type FunctionRow = readonly [RuleId, ChangeClass, readonly [object, object], string]

const query = (part: string, own: object) => ({ query: { [part]: own } })
const ping = { name: 'ping', input: {}, output: 1 }

const FUNCTION_ROWS: readonly FunctionRow[] = [
  ['function-undeprecated', 'docs', [{ deprecated: { reason: 'old' } }, {}], '/deprecated'],
  ['stability-changed', 'docs', [{}, { stability: 'beta' }], '/stability'],
  ['function-shown', 'docs', [{ discoverable: false }, {}], '/discoverable'],
  [
    'side-effect-removed',
    'implementer',
    [{ sideEffects: ['create', 'update'] }, { sideEffects: ['create'] }],
    '',
  ],
  [
    'filter-added',
    'implementer',
    [query('filters', { allowed: ['a'] }), query('filters', { allowed: ['a', 'b'] })],
    '/query/filters/allowed/1',
  ],
  [
    'operator-added',
    'implementer',
    [query('filters', { operators: ['eq'] }), query('filters', { operators: ['eq', 'in'] })],
    '/query/filters/operators/1',
  ],
  [
    'sort-removed',
    'breaking',
    [query('sorts', { allowed: ['a'] }), query('sorts', { allowed: [] })],
    '/query/sorts/allowed/0',
  ],
  [
    'field-removed',
    'breaking',
    [query('fields', { allowed: ['a'] }), query('fields', { allowed: [] })],
    '/query/fields/allowed/0',
  ],
  [
    'field-added',
    'implementer',
    [query('fields', { allowed: [] }), query('fields', { allowed: ['a'] })],
    '/query/fields/allowed/0',
  ],
  [
    'relationship-removed',
    'breaking',
    [query('relationships', { allowed: ['a'] }), query('relationships', { allowed: [] })],
    '/query/relationships/allowed/0',
  ],
  [
    'relationship-added',
    'implementer',
    [query('relationships', { allowed: [] }), query('relationships', { allowed: ['a'] })],
    '/query/relationships/allowed/0',
  ],
  [
    'pagination-removed',
    'breaking',
    [query('pagination', { strategies: ['offset'] }), query('pagination', { strategies: [] })],
    '/query/pagination/strategies/0',
  ],
  [
    'pagination-added',
    'implementer',
    [query('pagination', { strategies: [] }), query('pagination', { strategies: ['offset'] })],
    '/query/pagination/strategies/0',
  ],
  [
    'query-limit-raised',
    'implementer',
    [query('pagination', { maxSize: 10 }), query('pagination', { maxSize: 20 })],
    '/query/pagination/maxSize',
  ],
  ['extension-added', 'implementer', [{}, { extensions: [{ urn: 'urn:x' }] }], '/extensions/0'],
  [
    'link-changed',
    'compatible',
    [{ links: [{ name: 'l', function: 'a' }] }, { links: [{ name: 'l', function: 'b' }] }],
    '/links/0',
  ],
  ['simulation-removed', 'compatible', [{ simulations: [ping] }, {}], '/simulations'],
  ['simulation-added', 'compatible', [{}, { simulations: [ping] }], '/simulations'],
  [
    'simulation-changed',
    'compatible',
    [{ simulations: [ping] }, { simulations: [{ ...ping, output: 2 }] }],
    '/simulations',
  ],
  ['result-added', 'implementer', [{}, { result: { name: 'r', schema: text } }], '/result/schema'],
]

const X = '/paths/~1x/get'
const bodies = (...types: readonly string[]) => ({
  requestBody: { content: Object.fromEntries(types.map((type) => [type, {}])) },
})
const answers = (...types: readonly string[]) => ({
  responses: { '200': { content: Object.fromEntries(types.map((type) => [type, {}])) } },
})

/** A rule of operations, the operation before and after, and every change with its place in it. */
const OPERATION_ROWS: readonly FunctionRow[] = [
  [
    'request-type-added',
    'implementer',
    [bodies('a/a'), bodies('a/a', 'b/b')],
    '/requestBody/content/b~1b',
  ],
  [
    'response-type-removed',
    'breaking',
    [answers('a/a', 'b/b'), answers('a/a')],
    '/responses/200/content/b~1b',
  ],
  [
    'response-type-added',
    'compatible',
    [answers('a/a'), answers('a/a', 'b/b')],
    '/responses/200/content/b~1b',
  ],
  [
    'auth-removed',
    'implementer',
    [{ security: [{ a: [] }] }, { security: [{ a: [] }, {}] }],
    '/security',
  ],
  [
    'auth-option-removed',
    'breaking',
    [{ security: [{ a: [] }, { b: [] }] }, { security: [{ a: [] }] }],
    '/security/1',
  ],
  [
    'scope-removed',
    'implementer',
    [{ security: [{ a: ['r', 'w'] }] }, { security: [{ a: ['r'] }] }],
    '/security/0/a/1',
  ],
]

/** At least one pair for every rule, and for rules of schemas one in each direction. */
export const RULE_CASES: readonly DiffCase[] = [
  ...SCHEMA_ROWS.flatMap(([rule, [input, output], [old, now], place = '']): DiffCase[] => [
    {
      name: `input-${rule}: ${JSON.stringify(now)}`,
      old: takes(old),
      now: takes(now),
      expected: [[`input-${rule}`, input, `/functions/0/arguments/0/schema${place}`]],
    },
    {
      name: `output-${rule}: ${JSON.stringify(now)}`,
      old: gives(old),
      now: gives(now),
      expected: [[`output-${rule}`, output, `/functions/0/result/schema${place}`]],
    },
  ]),
  ...FUNCTION_ROWS.map(
    ([rule, kind, [old, now], place]): DiffCase => ({
      name: rule,
      old: discovery([old]),
      now: discovery([now]),
      expected: [[rule, kind, `/functions/0${place}`]],
    }),
  ),
  ...OPERATION_ROWS.map(
    ([rule, kind, [old, now], place]): DiffCase => ({
      name: rule,
      old: operation(old as Record<string, unknown>),
      now: operation(now as Record<string, unknown>),
      expected: [[rule, kind, `${X}${place}`]],
    }),
  ),
  {
    name: 'server-variable-changed',
    old: discovery([], { servers: [{ name: 's', url: 'u', variables: { v: { default: 'a' } } }] }),
    now: discovery([], { servers: [{ name: 's', url: 'u', variables: { v: { default: 'b' } } }] }),
    expected: [['server-variable-changed', 'breaking', '/servers/0/variables']],
  },
]
