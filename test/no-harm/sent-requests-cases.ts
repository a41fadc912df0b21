import { AUTH_CASES, SCHEMES } from './sent-requests-auth-cases.ts'
import { CHECKED_CASES } from './sent-requests-checked-cases.ts'

type Json = Readonly<Record<string, unknown>>

/** Arguments in, request out: one line of the table that every way to send a request runs through. */
export interface SentCase {
  readonly title: string
  /** The issue names it; the others were found beside it. */
  readonly reported?: true
  /** The operation of an API description; POST on a path of its own unless told otherwise. */
  readonly operation: Json
  readonly method?: string
  /** What stands behind the path of the case, such as `/{id}`. */
  readonly path?: string
  readonly args: Json
  /** Variables that are set beside the address. */
  readonly env?: Readonly<Record<string, string>>
  /** What arrives; without it the call is refused and nothing arrives. */
  readonly sent?: {
    /** Behind the path of the case. */
    readonly url?: string
    readonly body?: string
    /** Those that count; undefined for one that must not be there. */
    readonly headers?: Readonly<Record<string, string | undefined>>
  }
  /** The one difference: generated code sends it all the same, for the reason given. */
  readonly sentByGeneratedCode?: string
}

const json = (schema: unknown, required = true): Json => ({
  requestBody: { required, content: { 'application/json': { schema } } },
})
const multipart = (properties: Json, encoding: Json = {}): Json => ({
  requestBody: {
    content: { 'multipart/form-data': { schema: { type: 'object', properties }, encoding } },
  },
})
const object = (properties: Json): Json => ({ type: 'object', properties })
const query = (name: string, schema: Json, more: Json = {}): Json => ({
  name,
  in: 'query',
  schema,
  ...more,
})
/** One value under a schema, sent as `value`. */
const value = (title: string, schema: unknown, given: unknown): SentCase => ({
  title: `null: ${title}`,
  operation: json(object({ value: schema })),
  args: { value: given },
  sent: { body: JSON.stringify({ value: given }) },
})
const reported = (one: SentCase): SentCase => ({ ...one, reported: true })
const part = (lines: string): string => lines.replaceAll('\n', '\r\n')
const B = '------waymark-form'
const defaults: readonly SentCase[] = [
  {
    title: 'default: the fields of a PATCH that nobody named stay away',
    reported: true,
    method: 'patch',
    path: '/{owner}',
    operation: {
      parameters: [{ name: 'owner', in: 'path', required: true, schema: { type: 'string' } }],
      ...json(
        object({
          description: { type: 'string' },
          private: { type: 'boolean', default: false },
          has_issues: { type: 'boolean', default: true },
          security: object({ scan: { type: 'string', default: 'on' } }),
        }),
      ),
    },
    args: { owner: 'o', description: 'hello' },
    sent: { url: '/o', body: '{"description":"hello"}' },
  },
  {
    title: 'default: nested in an object and in the elements of a list',
    reported: true,
    operation: json(
      object({
        site: object({ row: { type: 'integer', default: 1 }, seat: { type: 'integer' } }),
        lines: { type: 'array', items: object({ n: { default: 5 }, sku: { type: 'string' } }) },
      }),
    ),
    args: { site: { seat: 2 }, lines: [{ sku: 'a' }, {}] },
    sent: { body: '{"site":{"seat":2},"lines":[{"sku":"a"},{}]}' },
  },
  {
    title: 'default: query, header and cookie parameters',
    reported: true,
    method: 'get',
    operation: {
      parameters: [
        query('limit', { type: 'integer', default: 30 }),
        query('tags', { type: 'array', items: { type: 'string' }, default: ['a'] }),
        { name: 'X-Version', in: 'header', schema: { type: 'string', default: '2022-11-28' } },
        { name: 'lang', in: 'cookie', schema: { type: 'string', default: 'en' } },
      ],
    },
    args: {},
    sent: { url: '', body: '', headers: { 'x-version': undefined, cookie: undefined } },
  },
  {
    title: 'default: an optional parameter with one allowed value',
    method: 'get',
    operation: { parameters: [query('kind', { enum: ['all'], type: 'string', default: 'all' })] },
    args: {},
    sent: { url: '' },
  },
  {
    title: 'default: form fields',
    operation: {
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema: object({ a: { type: 'string', default: 'x' }, b: { type: 'string' } }),
          },
        },
      },
    },
    args: { b: 'y' },
    sent: { body: 'b=y' },
  },
  {
    title: 'default: parts of a multipart body',
    operation: multipart({ a: { type: 'string', default: 'x' }, b: { type: 'string' } }),
    args: { b: 'y' },
    sent: { body: part(`${B}\nContent-Disposition: form-data; name="b"\n\ny\n${B}--\n`) },
  },
  {
    title: 'default: a whole body',
    operation: json({ type: 'array', items: { type: 'string' }, default: ['a'] }, false),
    args: {},
    sent: { body: '' },
  },
  {
    title: 'default: in one alternative of several',
    operation: json(
      object({
        it: {
          oneOf: [
            { type: 'string', default: 'a' },
            { type: 'integer', default: 1 },
          ],
        },
      }),
    ),
    args: {},
    sent: { body: '' },
  },
  {
    title: 'default: the same value is sent when the caller names it',
    method: 'get',
    operation: { parameters: [query('limit', { type: 'integer', default: 30 })] },
    args: { limit: 30 },
    sent: { url: '?limit=30' },
  },
  {
    title: 'constant: a required parameter with one possible value',
    method: 'get',
    operation: {
      parameters: [
        query('action', { type: 'string', enum: ['List'] }, { required: true }),
        { name: 'X-Api', in: 'header', required: true, schema: { type: 'integer', const: 3 } },
      ],
    },
    args: {},
    sent: { url: '?action=List', headers: { 'x-api': '3' } },
  },
  {
    title: 'constant: an optional one stays away',
    method: 'get',
    operation: { parameters: [query('action', { const: 'List' })] },
    args: {},
    sent: { url: '' },
  },
]

const nulls: readonly SentCase[] = [
  {
    title: 'null: the value of a JSON Patch',
    reported: true,
    method: 'patch',
    operation: json({
      type: 'array',
      items: {
        type: 'object',
        required: ['op', 'path'],
        properties: {
          op: { type: 'string', enum: ['add', 'replace', 'test'] },
          path: { type: 'string' },
          value: { description: 'The value.' },
        },
      },
    }),
    args: { body: [{ op: 'replace', path: '/a', value: null }] },
    sent: { body: '[{"op":"replace","path":"/a","value":null}]' },
  },
  reported(value('no type', { description: 'Anything.' }, null)),
  value('no type, another value', { description: 'Anything.' }, { a: [null, 1] }),
  value('an empty schema', {}, null),
  value('the schema true', true, null),
  value('nullable', { type: 'string', nullable: true }, null),
  value('a list of types', { type: ['integer', 'null'] }, null),
  value('one of several types', { type: ['integer', 'string', 'null'] }, null),
  value('an alternative', { anyOf: [{ type: 'string' }, { type: 'null' }] }, null),
  value('an alternative without a type', { oneOf: [{ type: 'string' }, {}] }, null),
  value('an enum', { enum: ['a', null] }, null),
  value('an enum with a type', { type: ['string', 'null'], enum: ['a', null] }, null),
  value('no type, but properties', { properties: { a: { type: 'string' } } }, null),
  value('a part of an allOf', { allOf: [{ description: 'A.' }, { title: 'B' }] }, null),
  value('inside an object', object({ a: { nullable: true, type: 'integer' } }), { a: null }),
  value('inside an object without a type', object({ a: {} }), { a: null }),
  value('an element of a list', { type: 'array', items: { type: ['string', 'null'] } }, [null]),
  value('in a free-form object', { type: 'object' }, { a: null, b: { c: null } }),
  {
    title: 'null: a whole body',
    operation: json({}),
    args: { body: null },
    sent: { body: 'null' },
  },
  {
    title: 'null: refused inside an object that does not admit it',
    operation: json(object({ site: object({ row: { type: 'integer' } }) })),
    args: { site: { row: null } },
  },
  {
    title: 'null: left out for an optional argument that does not admit it, wherever it goes',
    method: 'patch',
    path: '/{owner}',
    operation: {
      parameters: [
        { name: 'owner', in: 'path', required: true, schema: { type: 'string' } },
        query('limit', { type: 'integer', minimum: 1 }),
        query('kind', { type: 'string', enum: ['a', 'b'] }),
        { name: 'X-Trace', in: 'header', schema: { type: 'string', pattern: '^[a-z]+$' } },
        { name: 'lang', in: 'cookie', schema: { type: 'string' } },
      ],
      ...json(
        object({
          title: { type: 'string', minLength: 1 },
          size: { type: 'integer', format: 'int64' },
          site: object({ row: { type: 'integer' } }),
          it: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
          kept: { type: ['string', 'null'] },
        }),
      ),
    },
    args: {
      ...{ owner: 'o', limit: null, kind: null, 'X-Trace': null, lang: null },
      ...{ title: null, size: null, site: null, it: null, kept: null },
    },
    sent: {
      url: '/o',
      body: '{"kept":null}',
      headers: { 'x-trace': undefined, cookie: undefined },
    },
  },
  {
    title: 'null: every argument left out means no body',
    operation: json(object({ title: { type: 'string' } }), false),
    args: { title: null },
    sent: { body: '', headers: { 'content-type': undefined } },
  },
  {
    title: 'null: an optional part of a multipart body is left out',
    operation: multipart({ a: { type: 'string' }, b: { type: 'string' } }),
    args: { a: null, b: 'y' },
    sent: { body: part(`${B}\nContent-Disposition: form-data; name="b"\n\ny\n${B}--\n`) },
  },
  {
    title: 'null: refused for a required argument',
    method: 'get',
    operation: { parameters: [query('id', { type: 'integer' }, { required: true })] },
    args: { id: null },
  },
  {
    title: 'null: refused for an argument that does not exist',
    method: 'get',
    operation: { parameters: [query('limit', { type: 'integer' })] },
    args: { limt: null },
  },
  {
    title: 'null: another argument is still checked',
    method: 'get',
    operation: {
      parameters: [query('limit', { type: 'integer' }), query('n', { type: 'integer' })],
    },
    args: { limit: null, n: 'x' },
  },
  {
    title: 'null: refused by a type beside alternatives that name none',
    operation: json(
      object({
        at: object({
          site: {
            ...object({ a: { type: 'string' }, b: { type: 'string' } }),
            anyOf: [{ required: ['a'] }, { required: ['b'] }],
          },
        }),
      }),
    ),
    args: { at: { site: null } },
  },
]

const PICTURE = { type: 'string', format: 'binary' }

const parts: readonly SentCase[] = [
  {
    reported: true,
    title: 'multipart: texts, numbers, objects and lists have no file name, files have one',
    operation: multipart({
      picture: PICTURE,
      title: { type: 'string' },
      size: { type: 'integer' },
      meta: object({ a: { type: 'integer' } }),
      tags: { type: 'array', items: { type: 'string' } },
    }),
    args: {
      picture: 'data:image/png;name=a%20b.png;base64,AAEC',
      title: 'é\nx',
      size: 3,
      meta: { a: 1 },
      tags: ['x', 'y'],
    },
    sent: {
      headers: { 'content-type': `multipart/form-data; boundary=${B.slice(2)}` },
      body: [
        part(`${B}\nContent-Disposition: form-data; name="picture"; filename="a b.png"\n`),
        part('Content-Type: image/png\n\n\u0000\u0001\u0002\n'),
        part(`${B}\nContent-Disposition: form-data; name="title"\n\n`),
        'é\nx',
        part(`\n${B}\nContent-Disposition: form-data; name="size"\n\n3\n`),
        part(`${B}\nContent-Disposition: form-data; name="meta"\n`),
        part('Content-Type: application/json\n\n{"a":1}\n'),
        part(`${B}\nContent-Disposition: form-data; name="tags"\n\nx\n`),
        part(`${B}\nContent-Disposition: form-data; name="tags"\n\ny\n${B}--\n`),
      ].join(''),
    },
  },
  {
    title: 'multipart: a media type that the document names, and a name with quotes',
    operation: multipart(
      { 'a"b': { type: 'string' }, xml: { type: 'string' } },
      { xml: { contentType: 'application/xml' } },
    ),
    args: { a_b: 'x', xml: '<a/>' },
    sent: {
      body: part(
        `${B}\nContent-Disposition: form-data; name="a%22b"\n\nx\n${B}\nContent-Disposition: form-data; name="xml"\nContent-Type: application/xml\n\n<a/>\n${B}--\n`,
      ),
    },
  },
  {
    title: 'multipart: a content that holds the boundary cannot end its part',
    operation: multipart({ a: { type: 'string' } }),
    args: { a: `\r\n${B}--\r\n` },
    sent: {
      headers: { 'content-type': `multipart/form-data; boundary=${B.slice(2)}-16` },
      body: part(`${B}-16\nContent-Disposition: form-data; name="a"\n\n\n${B}--\n\n${B}-16--\n`),
    },
  },
]

/** All cases, each with an operation of its own. */
export const SENT_CASES: readonly SentCase[] = [
  ...defaults,
  ...nulls,
  ...parts,
  ...AUTH_CASES,
  ...CHECKED_CASES,
]

/** Gives the API description in which case `n` is the operation `case_n` at `/case/n`. */
export function toDocument(cases: readonly SentCase[] = SENT_CASES): Json {
  const paths = cases.map(({ method = 'post', path = '', operation }, index) => [
    `/case/${index}${path}`,
    { [method]: { operationId: `case_${index}`, ...operation } },
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Orchard', version: '1' },
    servers: [{ url: '/' }],
    components: { securitySchemes: SCHEMES },
    paths: Object.fromEntries(paths),
  }
}
