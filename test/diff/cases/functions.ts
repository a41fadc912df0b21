import { type DiffCase, discovery } from './case.ts'

const text = { type: 'string' }
const argument = (name: string, rest: object = {}): object => ({ name, schema: text, ...rest })
const query = (own: object): object => ({ query: own })

/** Functions of discovery documents, and what they say beside their schemas. */
export const FUNCTION_CASES: readonly DiffCase[] = [
  {
    name: 'a function goes',
    old: discovery([{ name: 'orders.get' }, { name: 'orders.list' }]),
    now: discovery([{ name: 'orders.get' }]),
    expected: [['function-removed', 'breaking', '/functions/1']],
  },
  {
    name: 'a function comes',
    old: discovery([{}]),
    now: discovery([{}, { name: 'g' }]),
    expected: [['function-added', 'implementer', '/functions/1']],
  },
  {
    name: 'a version comes beside another',
    old: discovery([{}]),
    now: discovery([{}, { version: '2.0.0' }]),
    expected: [['version-added', 'implementer', '/functions/1']],
  },
  {
    name: 'a version is replaced by another',
    old: discovery([{ arguments: [argument('a')] }]),
    now: discovery([{ version: '2.0.0', arguments: [argument('a', { required: true })] }]),
    expected: [
      ['version-removed', 'breaking', '/functions/0'],
      ['input-property-required', 'breaking', '/functions/0/arguments/0'],
      ['version-added', 'implementer', '/functions/0'],
    ],
  },
  {
    name: 'a function is deprecated',
    old: discovery([{}]),
    now: discovery([{ deprecated: { reason: 'old', sunset: '2027-01-01' } }]),
    expected: [
      ['function-deprecated', 'compatible', '/functions/0/deprecated'],
      ['sunset-changed', 'compatible', '/functions/0/deprecated/sunset'],
    ],
  },
  {
    name: 'a sunset moves',
    old: discovery([{ deprecated: { sunset: '2027-01-01' } }]),
    now: discovery([{ deprecated: { sunset: '2026-12-01' } }]),
    expected: [['sunset-changed', 'compatible', '/functions/0/deprecated/sunset']],
  },
  {
    name: 'a function is hidden',
    old: discovery([{}]),
    now: discovery([{ discoverable: false }]),
    expected: [['function-hidden', 'compatible', '/functions/0/discoverable']],
  },
  {
    name: 'a required argument comes',
    old: discovery([{}]),
    now: discovery([{ arguments: [argument('a', { required: true })] }]),
    expected: [['input-required-property-added', 'breaking', '/functions/0/arguments/0']],
  },
  {
    name: 'an optional argument comes and another goes',
    old: discovery([{ arguments: [argument('a')] }]),
    now: discovery([{ arguments: [argument('b')] }]),
    expected: [
      ['input-property-removed', 'breaking', '/functions/0'],
      ['input-property-added', 'implementer', '/functions/0/arguments/0'],
    ],
  },
  {
    name: 'arguments in another order are the same arguments',
    old: discovery([{ arguments: [argument('a'), argument('b')] }]),
    now: discovery([{ arguments: [argument('b'), argument('a')] }]),
    expected: [],
  },
  {
    name: 'an argument moves into the components',
    old: discovery([{ arguments: [argument('a')] }]),
    now: discovery([{ arguments: [{ $ref: '#/components/contentDescriptors/A' }] }], {
      components: { contentDescriptors: { A: argument('a') } },
    }),
    expected: [],
  },
  {
    name: 'an argument is deprecated',
    old: discovery([{ arguments: [argument('a')] }]),
    now: discovery([{ arguments: [argument('a', { deprecated: true })] }]),
    expected: [['input-property-deprecated', 'compatible', '/functions/0/arguments/0']],
  },
  {
    name: 'a result goes',
    old: discovery([{ result: { name: 'r', schema: text } }]),
    now: discovery([{}]),
    expected: [['result-removed', 'breaking', '/functions/0']],
  },
  {
    name: 'errors come and go',
    old: discovery([{ errors: [{ code: 'A', message: 'a' }] }]),
    now: discovery([{ errors: [{ code: 'B', message: 'b' }] }]),
    expected: [
      ['error-removed', 'implementer', '/functions/0/errors/0'],
      ['error-added', 'compatible', '/functions/0/errors/0'],
    ],
  },
  {
    name: 'the details of an error lose a member',
    old: discovery([
      { errors: [{ code: 'A', message: 'a', data: { type: 'object', properties: { x: text } } }] },
    ]),
    now: discovery([
      { errors: [{ code: 'A', message: 'b', data: { type: 'object', properties: {} } }] },
    ]),
    expected: [
      ['output-property-removed', 'breaking', '/functions/0/errors/0/data'],
      ['error-message-changed', 'docs', '/functions/0/errors/0/message'],
    ],
  },
  {
    name: 'a function that changed nothing now does',
    old: discovery([{ sideEffects: [] }]),
    now: discovery([{ sideEffects: ['sends_email'] }]),
    expected: [['side-effects-appeared', 'breaking', '/functions/0/sideEffects/0']],
  },
  {
    name: 'one more side effect',
    old: discovery([{ sideEffects: ['create'] }]),
    now: discovery([{ sideEffects: ['create', 'sends_email'] }]),
    expected: [['side-effect-added', 'compatible', '/functions/0/sideEffects/1']],
  },
  {
    name: 'a filter and an operator go, a sort comes',
    old: discovery([query({ filters: { allowed: ['a', 'b'], operators: ['eq', 'in'] } })]),
    now: discovery([
      query({ filters: { allowed: ['a'], operators: ['eq'] }, sorts: { allowed: ['a'] } }),
    ]),
    expected: [
      ['filter-removed', 'breaking', '/functions/0/query/filters/allowed/1'],
      ['operator-removed', 'breaking', '/functions/0/query/filters/operators/1'],
      ['sort-added', 'implementer', '/functions/0/query/sorts/allowed/0'],
    ],
  },
  {
    name: 'the largest page shrinks and the default order turns',
    old: discovery([
      query({
        pagination: { maxSize: 100 },
        sorts: { allowed: ['a'], default: { field: 'a', direction: 'asc' } },
      }),
    ]),
    now: discovery([
      query({
        pagination: { maxSize: 50 },
        sorts: { allowed: ['a'], default: { field: 'a', direction: 'desc' } },
      }),
    ]),
    expected: [
      ['query-limit-lowered', 'breaking', '/functions/0/query/pagination/maxSize'],
      ['query-default-changed', 'breaking', '/functions/0/query/sorts/default'],
    ],
  },
  {
    name: 'an extension goes, in whatever spelling',
    old: discovery([
      {
        extensions: [
          { urn: 'urn:cline:forrst:ext:async' },
          { urn: 'urn:forrst:ext:caching', ttl: 1 },
        ],
      },
    ]),
    now: discovery([{ extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 2 }] }]),
    expected: [
      ['extension-removed', 'breaking', '/functions/0/extensions/0'],
      ['extension-changed', 'compatible', '/functions/0/extensions/0'],
    ],
  },
  {
    name: 'links come and go',
    old: discovery([{ links: [{ name: 'a', function: 'x' }] }]),
    now: discovery([{ links: [{ name: 'b', function: 'x' }] }]),
    expected: [
      ['link-removed', 'breaking', '/functions/0/links/0'],
      ['link-added', 'compatible', '/functions/0/links/0'],
    ],
  },
  {
    name: 'words, tags and examples change',
    old: discovery([{ summary: 'a' }]),
    now: discovery([
      { summary: 'b', tags: [{ name: 't' }], examples: [{ name: 'e', params: [] }] },
    ]),
    expected: [
      ['docs-changed', 'docs', '/functions/0'],
      ['example-changed', 'docs', '/functions/0/examples'],
      ['tag-changed', 'docs', '/functions/0/tags'],
    ],
  },
  {
    name: 'a server moves and another comes',
    old: discovery([], { servers: [{ name: 'p', url: 'https://a' }] }),
    now: discovery([], {
      servers: [
        { name: 'p', url: 'https://b' },
        { name: 'q', url: 'https://c' },
      ],
    }),
    expected: [
      ['server-url-changed', 'breaking', '/servers/0'],
      ['server-added', 'compatible', '/servers/1'],
    ],
  },
]
