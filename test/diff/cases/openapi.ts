import { type DiffCase, openapi, operation } from './case.ts'

const X = '/paths/~1x/get'
const text = { type: 'string' }
const parameter = (rest: object): object => ({ name: 'q', in: 'query', schema: text, ...rest })
const json = (schema: unknown): object => ({ 'application/json': { schema } })
const body = (schema: unknown, rest: object = {}): Record<string, unknown> => ({
  requestBody: { content: json(schema), ...rest },
})

/** Operations of OpenAPI documents. */
export const OPENAPI_CASES: readonly DiffCase[] = [
  {
    name: 'a path goes',
    old: openapi({ '/x': { get: {} }, '/y': { get: {} } }),
    now: openapi({ '/x': { get: {} } }),
    expected: [['function-removed', 'breaking', '/paths/~1y/get']],
  },
  {
    name: 'a method comes',
    old: openapi({ '/x': { get: {} } }),
    now: openapi({ '/x': { get: {}, post: {} } }),
    expected: [['function-added', 'implementer', '/paths/~1x/post']],
  },
  {
    name: 'a path parameter is only called something else',
    old: openapi({
      '/x/{id}': {
        get: { parameters: [{ name: 'id', in: 'path', required: true, schema: text }] },
      },
    }),
    now: openapi({
      '/x/{key}': {
        get: { parameters: [{ name: 'key', in: 'path', required: true, schema: text }] },
      },
    }),
    expected: [],
  },
  {
    name: 'a required parameter comes',
    old: operation({}),
    now: operation({ parameters: [parameter({ required: true })] }),
    expected: [['input-required-property-added', 'breaking', `${X}/parameters/0`]],
  },
  {
    name: 'an optional parameter comes',
    old: operation({}),
    now: operation({ parameters: [parameter({})] }),
    expected: [['input-property-added', 'implementer', `${X}/parameters/0`]],
  },
  {
    name: 'a parameter goes',
    old: operation({ parameters: [parameter({})] }),
    now: operation({}),
    expected: [['input-property-removed', 'breaking', X]],
  },
  {
    name: 'a parameter moves from the query to a header',
    old: operation({ parameters: [parameter({})] }),
    now: operation({ parameters: [parameter({ in: 'header' })] }),
    expected: [
      ['parameter-moved', 'breaking', `${X}/parameters/0/in`],
      ['parameter-style-changed', 'breaking', `${X}/parameters/0`],
    ],
  },
  {
    name: 'a list parameter is written another way',
    old: operation({ parameters: [parameter({ style: 'form', explode: true })] }),
    now: operation({ parameters: [parameter({ style: 'form', explode: false })] }),
    expected: [['parameter-style-changed', 'breaking', `${X}/parameters/0`]],
  },
  {
    name: 'the type of a parameter changes',
    old: operation({ parameters: [parameter({})] }),
    now: operation({ parameters: [parameter({ schema: { type: 'integer' } })] }),
    expected: [['input-type-changed', 'breaking', `${X}/parameters/0/schema`]],
  },
  {
    name: 'a body becomes required',
    old: operation(body(text)),
    now: operation(body(text, { required: true })),
    expected: [
      ['input-property-required', 'breaking', `${X}/requestBody/content/application~1json`],
    ],
  },
  {
    name: 'a request type goes',
    old: operation({ requestBody: { content: { ...json(text), 'text/csv': { schema: text } } } }),
    now: operation(body(text)),
    expected: [['request-type-removed', 'breaking', `${X}/requestBody/content/text~1csv`]],
  },
  {
    name: 'a member goes from an answer',
    old: operation({
      responses: { '200': { content: json({ type: 'object', properties: { a: text, b: text } }) } },
    }),
    now: operation({
      responses: { '200': { content: json({ type: 'object', properties: { a: text } }) } },
    }),
    expected: [
      [
        'output-property-removed',
        'breaking',
        `${X}/responses/200/content/application~1json/schema`,
      ],
    ],
  },
  {
    name: 'an answer is replaced',
    old: operation({ responses: { '200': {} } }),
    now: operation({ responses: { '201': {} } }),
    expected: [
      ['response-removed', 'breaking', `${X}/responses/200`],
      ['response-added', 'compatible', `${X}/responses/201`],
    ],
  },
  {
    name: 'authentication comes',
    old: operation({}),
    now: operation({ security: [{ key: [] }] }),
    expected: [
      ['auth-added', 'breaking', `${X}/security`],
      ['auth-option-added', 'implementer', `${X}/security/0`],
    ],
  },
  {
    name: 'a scope comes',
    old: operation({ security: [{ o: ['read'] }] }),
    now: operation({ security: [{ o: ['read', 'write'] }] }),
    expected: [['scope-added', 'breaking', `${X}/security/0/o/1`]],
  },
  {
    name: 'an operation is deprecated and renamed for clients',
    old: operation({ operationId: 'a' }),
    now: operation({ operationId: 'b', deprecated: true }),
    expected: [
      ['operation-id-changed', 'breaking', `${X}/operationId`],
      ['function-deprecated', 'compatible', `${X}/deprecated`],
    ],
  },
  {
    name: 'a server goes',
    old: openapi({}, { servers: [{ url: 'https://a' }, { url: 'https://b' }] }),
    now: openapi({}, { servers: [{ url: 'https://a' }] }),
    expected: [['server-removed', 'breaking', '/servers/1']],
  },
  {
    name: 'a Swagger 2.0 parameter is its own schema',
    old: {
      kind: 'openapi',
      document: {
        swagger: '2.0',
        info: { title: 'T', version: '1' },
        paths: { '/x': { get: { parameters: [{ name: 'q', in: 'query', type: 'string' }] } } },
      },
    },
    now: {
      kind: 'openapi',
      document: {
        swagger: '2.0',
        info: { title: 'T', version: '1' },
        paths: {
          '/x': { get: { parameters: [{ name: 'q', in: 'query', type: 'string', maxLength: 5 }] } },
        },
      },
    },
    expected: [['input-limit-tightened', 'breaking', `${X}/parameters/0`]],
  },
]
