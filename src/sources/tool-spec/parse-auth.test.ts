import { describe, expect, it } from 'vitest'
import { auth, problemsOf, short } from '../../../test/support/tool-spec.ts'

describe('auth', () => {
  it('[TS-46] type is exactly one of the five', () => {
    for (const flow of [
      '{ type: bearer, env: A }',
      '{ type: api_key, env: A }',
      '{ type: basic, env: A_USERNAME }',
      '{ type: oauth2, env: A_CLIENT_ID }',
      '{ type: none }',
    ]) {
      expect(short(auth(flow))).toEqual([])
    }
    const [problem] = problemsOf(auth('{ type: basik, env: A }'))
    expect(problem).toMatchObject({ code: 'E009', hint: 'did you mean "basic"?' })
    expect(problem?.message).toContain('bearer, api_key, basic, oauth2, none')
  })

  it('wants env for everything but none, spelled as a variable', () => {
    for (const type of ['bearer', 'api_key', 'basic', 'oauth2'])
      expect(short(auth(`{ type: ${type} }`))).toEqual(['E060 auth.env'])
    expect(short(auth('{ type: bearer, env: my-token }'))).toEqual(['E061 auth.env'])
  })

  it('wants names from which the partner variables follow', () => {
    expect(short(auth('{ type: basic, env: JIRA_USER }'))).toEqual(['E062 auth.env'])
    expect(short(auth('{ type: oauth2, env: SLACK_ID }'))).toEqual(['E063 auth.env'])
  })

  it('warns about an ignored header and refuses one that is not a token', () => {
    expect(short(auth('{ type: bearer, env: A, header: X-Key }'))).toEqual(['W064 auth.header'])
    expect(short(auth('{ type: api_key, env: A, header: "X: y\\r\\nB" }'))).toEqual([
      'E065 auth.header',
    ])
    expect(short(auth('{ type: api_key, env: A, prefix: "a\\nb" }'))).toEqual(['E065 auth.prefix'])
  })

  it('warns about env beside type none: nothing is sent', () => {
    expect(short(auth('{ type: none, env: API_TOKEN }'))).toEqual(['W064 auth.env'])
  })

  it('[TS-135] masks what looks like the secret itself', () => {
    for (const secret of [
      'sk-live-abcdefghijklmnop',
      'a1b2c3d4e5f6a7b8c9d0',
      'A'.repeat(65),
      'token-123',
    ]) {
      const problems = problemsOf(auth(`{ type: bearer, env: ${secret} }`))
      expect(problems).toMatchObject([{ code: 'E066', path: 'auth.env' }])
      expect(JSON.stringify(problems)).not.toContain(secret.slice(0, 8))
    }
  })

  it('wants a name for a key in query or cookie, and https for token addresses', () => {
    expect(short(auth('{ type: api_key, env: A, in: query }'))).toEqual(['E067 auth.name'])
    expect(short(auth('{ type: api_key, env: A, in: query, name: key }'))).toEqual([])
    expect(
      short(auth('{ type: oauth2, env: A_CLIENT_ID, token_url: "http://a.example/t" }')),
    ).toEqual(['E068 auth.token_url'])
    expect(
      short(auth('{ type: oauth2, env: A_CLIENT_ID, token_url: "http://127.0.0.1/t" }')),
    ).toEqual([])
  })

  it('checks further credentials as well', () => {
    expect(short(auth('{ type: bearer, env: A, also: [{ type: api_key }] }'))).toEqual([
      'E060 auth.also[0].env',
    ])
  })
})
