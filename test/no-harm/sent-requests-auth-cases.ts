import type { SentCase } from './sent-requests-cases.ts'

type Json = Readonly<Record<string, unknown>>

const reported = (one: SentCase): SentCase => ({ ...one, reported: true })
const BEARER = { authorization: 'Bearer t' }
const NOTHING = { authorization: undefined, 'x-key': undefined }

/** The security schemes that the cases name. */
export const SCHEMES: Json = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  basic: { type: 'http', scheme: 'basic' },
  second: { type: 'apiKey', in: 'query', name: 'second' },
}

const TOKEN = { ORCHARD_API_TOKEN: 't' }
const KEY = { ORCHARD_API_KEY: 'k' }
const USER = { ORCHARD_USERNAME: 'u', ORCHARD_PASSWORD: 'p' }
const SECOND = { ORCHARD_SECOND_API_KEY: 's' }

const auth = (
  title: string,
  security: readonly unknown[],
  env: SentCase['env'],
  sent: SentCase['sent'],
): SentCase => ({
  title: `auth: ${title}`,
  method: 'get',
  operation: { security },
  args: {},
  ...(env && { env }),
  ...(sent && { sent }),
})
const BOTH = [{ bearer: [] }, { key: [] }]

/** Which of several ways to authenticate is used. */
export const AUTH_CASES: readonly SentCase[] = [
  reported(
    auth('a token or nothing, with a token', [{ bearer: [] }, {}], TOKEN, { headers: BEARER }),
  ),
  auth('a token or nothing, without one', [{ bearer: [] }, {}], {}, { headers: NOTHING }),
  auth('nothing or a token, with a token', [{}, { bearer: [] }], TOKEN, { headers: BEARER }),
  reported(
    auth(
      'the first of two that are set',
      BOTH,
      { ...TOKEN, ...KEY },
      {
        headers: { ...BEARER, 'x-key': undefined },
      },
    ),
  ),
  reported(
    auth('the second when only that is set', BOTH, KEY, {
      headers: { authorization: undefined, 'x-key': 'k' },
    }),
  ),
  auth(
    'an empty variable is not set',
    BOTH,
    { ORCHARD_API_TOKEN: '', ...KEY },
    {
      headers: { authorization: undefined, 'x-key': 'k' },
    },
  ),
  auth(
    'a name without its password is not set',
    [{ basic: [] }, { key: [] }],
    {
      ...KEY,
      ORCHARD_USERNAME: 'u',
    },
    { headers: { authorization: undefined, 'x-key': 'k' } },
  ),
  auth(
    'a pair needs both',
    [{ key: [], second: [] }, { bearer: [] }],
    { ...KEY, ...TOKEN },
    {
      url: '',
      headers: { ...BEARER, 'x-key': undefined },
    },
  ),
  auth(
    'a pair that is complete',
    [{ key: [], second: [] }, { bearer: [] }],
    {
      ...KEY,
      ...SECOND,
      ...TOKEN,
    },
    { url: '?second=s', headers: { authorization: undefined, 'x-key': 'k' } },
  ),
  auth(
    'a scheme that cannot be expressed is passed over',
    [{ gone: [] }, { basic: [] }, {}],
    USER,
    {
      headers: { authorization: `Basic ${btoa('u:p')}` },
    },
  ),
]
