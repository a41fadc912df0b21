import { gzipSync } from 'node:zlib'
import { rawRequest } from '../support/raw-http.ts'

/**
 * What an answer may be: `refused` 4xx, `answered` 2xx or 4xx, `failed` also the 500 by which the tool API says that a tool
 * did not take its arguments (spec/tool-explorer.md, checklist line 37: a result with the error flag is 500), `sent` 2xx,
 * `closed` 4xx, 501 or no answer at all.
 */
export type Expected = 'refused' | 'answered' | 'failed' | 'sent' | 'closed'

/** One hostile request, as the bytes that are sent. */
export interface Attack {
  readonly name: string
  readonly bytes: Buffer
  readonly expected: Expected
  /** What the answer must mention, to show that the attack came as far as it was meant to. */
  readonly says?: RegExp
}

/** Tells whether a status is what an attack may come to. */
export function isExpected(status: number, expected: Expected): boolean {
  const fine = status >= 200 && status < 400
  const refused = status >= 400 && status < 500
  if (expected === 'refused') return refused
  if (expected === 'answered') return fine || refused
  if (expected === 'failed') return fine || refused || status === 500
  if (expected === 'sent') return fine
  return refused || status === 501 || status === 0
}

const JSON_TYPE = 'Content-Type: application/json'
const HOST = 'Host: localhost'
const LONG = 'x'.repeat(500_000)

interface Surface {
  readonly name: string
  readonly path: string
  /** Puts hostile arguments into a request of this surface. */
  readonly wrap: (input: unknown) => unknown
  /** What becomes of a body that is not an object. */
  readonly unreadable: Expected
}

/** Every surface that reads a body. */
export const SURFACES: readonly Surface[] = [
  { name: 'forrst', path: '/forrst', wrap: toForrst('target.find'), unreadable: 'refused' },
  { name: 'rest', path: '/api/target.find', wrap: (input) => input, unreadable: 'refused' },
  { name: 'mcp', path: '/mcp', wrap: toTool('target__find'), unreadable: 'refused' },
  {
    name: 'call',
    path: '/explorer/tools/target.find/call',
    wrap: (input) => input,
    // The protocol of the tool API takes anything but JSON as no arguments.
    unreadable: 'answered',
  },
  {
    name: 'validate',
    path: '/explorer/tools/target.find/validate',
    wrap: (input) => input,
    unreadable: 'answered',
  },
]

/** Makes the Forrst request of a function. */
export function toForrst(name: string): (input: unknown) => unknown {
  return (input) => ({
    protocol: { name: 'forrst', version: '0.1.0' },
    id: 'one',
    call: { function: name, arguments: input },
  })
}

/** Makes the MCP request of a tool. */
export function toTool(name: string): (input: unknown) => unknown {
  return (input) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: input },
  })
}

/** Writes a POST with a body. */
export function post(
  path: string,
  body: string | Buffer,
  headers: readonly string[] = [HOST, JSON_TYPE],
): Buffer {
  const accept = 'Accept: application/json, text/event-stream'
  return rawRequest(`POST ${path} HTTP/1.1`, [...headers, accept, 'Connection: close'], body)
}

/** Bodies that no surface can read as a request. */
const UNREADABLE: readonly (readonly [name: string, body: string | Buffer])[] = [
  ['not JSON', 'hello'],
  ['cut JSON', '{"a":'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['nothing but blanks', '   '],
  ['deep arrays', '['.repeat(200_000)],
  ['deep objects', '{"a":'.repeat(100_000)],
  ['NUL bytes', '\0\0\0\0'],
  ['a number', '1e400'],
  ['a list', '[1,2,3]'],
  ['null', 'null'],
  ['a prototype', '{"__proto__":{"admin":true}}'],
  ['a constructor', '{"constructor":{"prototype":{"admin":true}}}'],
]

/** Arguments that are JSON and make no sense. */
const ARGUMENTS: readonly (readonly [name: string, input: unknown])[] = [
  ['a long name', { [LONG]: 1 }],
  ['a long value', { row: LONG }],
  ['many names', Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`n${n}`, n]))],
  ['many wrong items', { list: Array.from({ length: 50_000 }, () => 'x') }],
  ['a lone surrogate', { row: '\ud800' }],
  ['control characters', { row: '\u0000\u001b[2J\r\nSet-Cookie: a=b' }],
  ['a list for arguments', []],
  ['a text for arguments', 'x'],
]

/** The list of hostile requests. */
export function listAttacks(): readonly Attack[] {
  return [...SURFACES.flatMap(listBodies), ...listHeads(), ...listTargets()]
}

function listBodies({ name, path, wrap, unreadable }: Surface): Attack[] {
  const refused = 'refused'
  const answered: Expected = name === 'call' ? 'failed' : 'answered'
  const valid = JSON.stringify(wrap({}))
  return [
    ...UNREADABLE.map(([what, body]) => ({
      name: `${name}: ${what}`,
      bytes: post(path, body),
      expected: isReadable(name, what) ? answered : unreadable,
    })),
    ...ARGUMENTS.map(([what, input]) => ({
      name: `${name}: ${what}`,
      bytes: post(path, JSON.stringify(wrap(input))),
      expected: answered,
    })),
    {
      name: `${name}: too long`,
      bytes: post(path, `"${'x'.repeat(1_100_000)}"`),
      expected: refused,
    },
    {
      name: `${name}: gzip`,
      bytes: post(path, gzipSync(valid), [HOST, JSON_TYPE, 'Content-Encoding: gzip']),
      expected: refused,
    },
    {
      name: `${name}: two Hosts`,
      bytes: post(path, valid, [HOST, 'Host: other.example', JSON_TYPE]),
      expected: refused,
    },
    {
      name: `${name}: a foreign Host`,
      bytes: post(path, valid, ['Host: evil.example', JSON_TYPE]),
      expected: refused,
    },
    {
      name: `${name}: a foreign Origin`,
      bytes: post(path, valid, [HOST, JSON_TYPE, 'Origin: http://evil.example']),
      expected: refused,
    },
    {
      name: `${name}: text/plain`,
      bytes: post(path, valid, [HOST, 'Content-Type: text/plain']),
      expected: refused,
    },
  ]
}

/** An object of odd names is an object, and MCP takes several messages as one. */
function isReadable(surface: string, what: string): boolean {
  return (
    what === 'a prototype' || what === 'a constructor' || (surface === 'mcp' && what === 'a list')
  )
}

function listHeads(): Attack[] {
  const heads: readonly (readonly [name: string, headers: readonly string[]])[] = [
    ['no Host', []],
    ['Host with a user', ['Host: a@localhost']],
    ['Host with a comma', ['Host: localhost, localhost']],
    ['Host with a blank', ['Host: local host']],
    ['two Content-Types', [HOST, 'Content-Type: text/plain']],
    ['two Authorizations', [HOST, 'Authorization: a', 'Authorization: b']],
    ['two Origins', [HOST, 'Origin: http://localhost', 'Origin: http://evil.example']],
    ['two Content-Lengths', [HOST, 'Content-Length: 1']],
    ['length and chunks', [HOST, 'Transfer-Encoding: chunked']],
    ['an unknown transfer coding', [HOST, 'Transfer-Encoding: x-mine']],
    ['a folded header', [HOST, 'X-A: b\r\n c']],
    ['a header name with a blank', [HOST, 'X A: b']],
    ['a header value with NUL', [HOST, 'X-A: b\0c']],
    ['a negative length', [HOST, 'Content-Length: -1']],
    ['headers of 100 kB', [HOST, `X-A: ${'x'.repeat(100_000)}`]],
    ['3000 headers', [HOST, ...Array.from({ length: 3_000 }, (_, n) => `X-${n}: 1`)]],
  ]
  return heads.map(([name, headers]) => ({
    name: `head: ${name}`,
    bytes: post('/api/target.find', '{}', [...headers, JSON_TYPE]),
    expected: 'closed',
  }))
}

function listTargets(): Attack[] {
  const lines: readonly (readonly [line: string, expected: Expected])[] = [
    ['GET /../../etc/passwd HTTP/1.1', 'refused'],
    ['GET /explorer/..%2f..%2fetc/passwd HTTP/1.1', 'refused'],
    ['GET /%00 HTTP/1.1', 'refused'],
    ['GET /api/%E0%A4%A HTTP/1.1', 'refused'],
    ['GET http://evil.example/health/live HTTP/1.1', 'refused'],
    ['GET //evil.example/health/live HTTP/1.1', 'refused'],
    [`GET /${'a/'.repeat(7_000)} HTTP/1.1`, 'refused'],
    [`GET /openapi.json?${'a=b&'.repeat(3_000)} HTTP/1.1`, 'answered'],
    ['DELETE /forrst HTTP/1.1', 'refused'],
    ['TRACE / HTTP/1.1', 'answered'],
    ['CONNECT evil.example:443 HTTP/1.1', 'closed'],
    ['OPTIONS * HTTP/1.1', 'answered'],
    ['PUT /mcp HTTP/1.1', 'refused'],
    ['GET /mcp HTTP/1.1', 'refused'],
    ['GET / HTTP/3.0', 'closed'],
    ['\x16\x03\x01\x02', 'closed'],
  ]
  return lines.map(([line, expected]) => ({
    name: `target: ${line.slice(0, 50)}`,
    bytes: rawRequest(line, [HOST, 'Connection: close']),
    expected,
  }))
}

/** Requests whose arguments make an exponential pattern of an imported schema run for ever. */
export function listPatternAttacks(): readonly Attack[] {
  const text = `${'a'.repeat(37)}!`
  const inputs = [{ plain: text }, { nested: text }, { open: { [text]: 'x' } }]
  const name = 'patterns.check'
  const surfaces: readonly Pick<Surface, 'name' | 'path' | 'wrap'>[] = [
    { name: 'forrst', path: '/forrst', wrap: toForrst(name) },
    { name: 'rest', path: `/api/${name}`, wrap: (input) => input },
    { name: 'mcp', path: '/mcp', wrap: toTool('patterns__check') },
    { name: 'call', path: `/explorer/tools/${name}/call`, wrap: (input) => input },
    { name: 'validate', path: `/explorer/tools/${name}/validate`, wrap: (input) => input },
  ]
  return surfaces.flatMap((surface) =>
    inputs.map((input) => {
      const bytes = post(surface.path, JSON.stringify(surface.wrap(input)))
      const attack = `pattern on ${surface.name}: ${Object.keys(input).join()}`
      // An import leaves patternProperties out with a warning (W101); names of members are the API's to judge.
      if ('open' in input) return { name: attack, bytes, expected: 'sent' }
      const expected: Expected = surface.name === 'call' ? 'failed' : 'answered'
      // An answer that says nothing of the pattern comes from somewhere else.
      return { name: attack, bytes, expected, says: /match|pattern/ }
    }),
  )
}
