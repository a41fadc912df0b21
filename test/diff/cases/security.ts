import type { DiffSource } from '../../../src/entries/diff.ts'
import { type DiffCase, openapi } from './case.ts'

const S = '/components/securitySchemes/s'
const CODE = { authorizationUrl: 'https://a/authorize', tokenUrl: 'https://a/token' }

/** Makes a document whose only operation asks for the scheme `s`. */
const secured = (scheme: object): DiffSource =>
  openapi(
    { '/x': { get: { security: [{ s: [] }] } } },
    { components: { securitySchemes: { s: scheme } } },
  )
const key = (rest: object): DiffSource =>
  secured({ type: 'apiKey', in: 'header', name: 'X-Key', ...rest })
const oauth = (flows: object): DiffSource => secured({ type: 'oauth2', flows })
const code = (rest: object): DiffSource => oauth({ authorizationCode: { ...CODE, ...rest } })
const swagger = (scheme: object): DiffSource => ({
  kind: 'openapi',
  document: {
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    security: [{ s: [] }],
    paths: { '/x': { get: {} }, '/y': { get: {} } },
    securityDefinitions: { s: scheme },
  },
})

/** How the schemes of OpenAPI documents work. */
export const SECURITY_CASES: readonly DiffCase[] = [
  {
    name: 'a key becomes a token',
    old: key({}),
    now: secured({ type: 'http', scheme: 'bearer' }),
    expected: [['auth-changed', 'breaking', `${S}/type`]],
  },
  {
    name: 'one scheme of HTTP becomes another',
    old: secured({ type: 'http', scheme: 'Basic' }),
    now: secured({ type: 'http', scheme: 'bearer' }),
    expected: [['auth-changed', 'breaking', `${S}/type`]],
  },
  {
    name: 'a key moves to the query under another name',
    old: key({}),
    now: key({ in: 'query', name: 'key' }),
    expected: [
      ['auth-changed', 'breaking', `${S}/in`],
      ['auth-changed', 'breaking', `${S}/name`],
    ],
  },
  {
    name: 'a header is only spelled otherwise',
    old: key({}),
    now: key({ name: 'x-key', description: 'Ask for one' }),
    expected: [],
  },
  {
    name: 'the words about a scheme change',
    old: key({ description: 'a' }),
    now: key({ description: 'b' }),
    expected: [['docs-changed', 'docs', `${S}/description`]],
  },
  {
    name: 'a flow is replaced by another',
    old: oauth({ implicit: { authorizationUrl: 'https://a' } }),
    now: code({}),
    expected: [
      ['auth-option-removed', 'breaking', `${S}/flows/implicit`],
      ['auth-option-added', 'implementer', `${S}/flows/authorizationCode`],
    ],
  },
  {
    name: 'tokens come from another address',
    old: code({}),
    now: code({ tokenUrl: 'https://b/token' }),
    expected: [['auth-changed', 'breaking', `${S}/flows/authorizationCode/tokenUrl`]],
  },
  {
    name: 'a scope that can be asked for is replaced by another',
    old: code({ scopes: { read: 'Read' } }),
    now: code({ scopes: { 'read:all': 'Read' } }),
    expected: [
      ['scope-withdrawn', 'breaking', `${S}/flows/authorizationCode/scopes/read`],
      ['scope-offered', 'compatible', `${S}/flows/authorizationCode/scopes/read:all`],
    ],
  },
  {
    name: 'a provider of identities moves',
    old: secured({ type: 'openIdConnect', openIdConnectUrl: 'https://a' }),
    now: secured({ type: 'openIdConnect', openIdConnectUrl: 'https://b' }),
    expected: [['auth-changed', 'breaking', `${S}/openIdConnectUrl`]],
  },
  {
    name: 'the scheme of a Swagger 2.0 document changes for all its operations, once',
    old: swagger({ type: 'basic' }),
    now: swagger({ type: 'apiKey', in: 'header', name: 'X-Key' }),
    expected: [['auth-changed', 'breaking', '/securityDefinitions/s/type']],
  },
]
