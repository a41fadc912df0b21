import type { SentCase } from './sent-requests-cases.ts'

const NO_ENGINE =
  'generated code has no engine but that of JavaScript, on which this pattern could take for ever'

const pattern = (
  title: string,
  text: string,
  value: string,
  more: Partial<SentCase>,
): SentCase => ({
  title: `pattern: ${title}`,
  method: 'get',
  operation: {
    parameters: [{ name: 'q', in: 'query', schema: { type: 'string', pattern: text } }],
  },
  args: { q: value },
  ...more,
})

const ID = '9007199254740993'

/** One value under a schema in a JSON body; what arrives is given as text, since JSON loses digits. */
const integer = (title: string, schema: unknown, value: unknown, arrives?: string): SentCase => ({
  title: `integer: ${title}`,
  operation: {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', properties: { v: schema } } } },
    },
  },
  args: { v: value },
  ...(arrives !== undefined && { sent: { body: `{"v":${arrives}}` } }),
})
const int64 = { type: 'integer', format: 'int64' }
const uint64 = { type: 'integer', format: 'uint64' }
const map = { type: 'object', additionalProperties: int64 }

const integers: readonly SentCase[] = [
  { ...integer('values of a map', map, { a: ID, b: 1 }, `{"a":${ID},"b":1}`), reported: true },
  { ...integer('a number of format int64', { ...int64, type: 'number' }, ID, ID), reported: true },
  integer(
    'lists as values of a map',
    { type: 'object', additionalProperties: { type: 'array', items: int64 } },
    { a: [ID] },
    `{"a":[${ID}]}`,
  ),
  integer(
    'values beside named members, which stay texts',
    {
      type: 'object',
      properties: { t: { type: 'string' }, n: int64 },
      additionalProperties: int64,
    },
    { t: ID, n: ID, '~*': ID, 'a/b': ID },
    `{"t":"${ID}","n":${ID},"~*":${ID},"a/b":${ID}}`,
  ),
  integer('a value of a map that is none', map, { a: '12x' }),
  { ...integer('above int64', int64, '9223372036854775808'), reported: true },
  integer('the largest int64', int64, '9223372036854775807', '9223372036854775807'),
  integer('the smallest int64', int64, '-9223372036854775808', '-9223372036854775808'),
  integer('below int64', int64, '-9223372036854775809'),
  { ...integer('above uint64', uint64, '18446744073709551616'), reported: true },
  { ...integer('a negative uint64', uint64, -1), reported: true },
  integer('the largest uint64', uint64, '18446744073709551615', '18446744073709551615'),
  integer('digits below the minimum', { ...int64, minimum: 1000 }, '999'),
  integer('digits at the minimum', { ...int64, minimum: 1000 }, '1000', '1000'),
  integer('digits above the maximum', { ...int64, maximum: 1000 }, '1001'),
  integer('digits at the maximum', { ...int64, maximum: 1000 }, '1000', '1000'),
  integer('digits at an open end', { ...int64, exclusiveMinimum: 5 }, '5'),
  integer('digits above an open end', { ...int64, exclusiveMinimum: 5 }, '6', '6'),
]

const open = (
  title: string,
  additionalProperties: unknown,
  args: SentCase['args'],
  sent: SentCase['sent'] | undefined,
  type = 'application/json',
): SentCase => {
  const properties = { a: { type: 'string' } }
  const schema = { type: 'object', properties, additionalProperties }
  return {
    title: `further members: ${title}`,
    operation: { requestBody: { required: true, content: { [type]: { schema } } } },
    args,
    ...(sent && { sent }),
  }
}
const FORM = 'application/x-www-form-urlencoded'
const others = { b: 1, c: { d: [null] } }

const further: readonly SentCase[] = [
  {
    ...open(
      'of any kind',
      true,
      { a: 'x', additional_properties: others },
      { body: '{"a":"x","b":1,"c":{"d":[null]}}' },
    ),
    reported: true,
  },
  {
    ...open(
      'of a schema',
      { type: 'integer' },
      { body: { a: 'x', b: 1 } },
      { body: '{"a":"x","b":1}' },
    ),
    reported: true,
  },
  open('of the empty schema', {}, { additional_properties: { b: null } }, { body: '{"b":null}' }),
  open('none given', true, { a: 'x' }, { body: '{"a":"x"}' }),
  open('in a form', true, { a: 'x', additional_properties: { b: 1 } }, { body: 'a=x&b=1' }, FORM),
  open('not where there are none', false, { a: 'x', additional_properties: { b: 1 } }, undefined),
  open('that are not an object', true, { additional_properties: 'b' }, undefined),
]

/** What is checked before a request leaves. */
export const CHECKED_CASES: readonly SentCase[] = [
  pattern('a plain one is checked everywhere', '^[a-z]+$', 'A1', {}),
  pattern('a costly one refuses a value', '^(a+)+$', 'b', {
    reported: true,
    sentByGeneratedCode: NO_ENGINE,
  }),
  pattern('a costly one takes a value', '^(a+)+$', 'aa', { sent: { url: '?q=aa' } }),
  pattern('one that nobody can check takes any value', '^(a)\\1$', 'b', { sent: { url: '?q=b' } }),
  ...integers,
  ...further,
]
