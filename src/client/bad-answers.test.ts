import { describe, expect, it } from 'vitest'
import { answering, connect, protocol } from '../../test/support/answering-server.ts'

describe('an answer that keeps to the protocol in its own way', () => {
  it('[F-49] is a failure when it has errors, whatever the status says', async () => {
    const errors = [{ code: 'NOT_FOUND', message: 'No such order' }]
    const { call } = await connect(answering((id) => ({ protocol, id, result: null, errors })))
    expect(await call()).toMatchObject({ ok: false, error: errors[0] })
  })

  it('[F-49] is a failure when it has both a result and errors', async () => {
    const errors = [{ code: 'CONFLICT', message: 'Changed' }]
    const { call } = await connect(answering((id) => ({ protocol, id, result: {}, errors })))
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CONFLICT' } })
  })

  it('[F-49] is a success when it has none, whatever the status says', async () => {
    const { call } = await connect(answering((id) => ({ protocol, id, result: 1 }), 503))
    expect(await call()).toMatchObject({ ok: true, result: 1 })
  })

  it('may leave out the result of a failure, the message and everything unknown', async () => {
    const errors = [{ code: 'GONE', source: { pointer: 7 }, details: 'none', extra: 1 }]
    const { call } = await connect(answering((id) => ({ protocol, id, errors, more: true }), 410))
    const outcome = await call()
    expect(outcome).toMatchObject({ ok: false })
    if (!outcome.ok)
      expect(outcome.errors).toEqual([{ code: 'GONE', message: 'The resource is gone' }])
  })

  it('may have an empty list of errors beside its result', async () => {
    const { call } = await connect(answering((id) => ({ protocol, id, result: 2, errors: [] })))
    expect(await call()).toMatchObject({ ok: true, result: 2 })
  })

  it('may carry extension entries nobody asked for, and meta', async () => {
    const extensions = [
      { urn: 'urn:forrst:ext:never-heard-of', data: { a: 1 } },
      { urn: 'urn:x:y' },
    ]
    const meta = { node: 'orders-2' }
    const { call } = await connect(
      answering((id) => ({ protocol, id, result: 3, extensions, meta })),
    )
    expect(await call()).toMatchObject({ ok: true, result: 3, extensions, meta })
  })

  it('may come from any minor version of the same major', async () => {
    const newer = { name: 'forrst', version: '0.9.3', features: ['x'] }
    const { call } = await connect(answering((id) => ({ protocol: newer, id, result: 4 })))
    expect(await call()).toMatchObject({ ok: true, result: 4 })
  })

  it('may be an error under id null, as when the service could not read the request', async () => {
    const errors = [{ code: 'PARSE_ERROR', message: 'No JSON', source: { position: 0 } }]
    const { call } = await connect(answering(() => ({ protocol, id: null, errors }), 400))
    expect(await call()).toMatchObject({ ok: false, error: errors[0] })
  })

  it('may say in the words of another major that ours is not supported', async () => {
    const next = { name: 'forrst', version: '2.0.0' }
    const errors = [{ code: 'INVALID_PROTOCOL_VERSION', message: 'Use 2' }]
    const { call } = await connect(answering((id) => ({ protocol: next, id, errors }), 400))
    expect(await call()).toMatchObject({ ok: false, error: errors[0] })
  })
})

describe('an answer that breaks the protocol', () => {
  it.each<[string, (id: string) => unknown, string]>([
    ['an array', (id) => [{ protocol, id, result: 1 }], 'JSON array'],
    ['a string', () => 'hello', 'single JSON value'],
    ['null', () => null, 'single JSON value'],
    ['an object without protocol', (id) => ({ id, result: 1 }), 'protocol'],
    [
      'a protocol that is a string',
      (id) => ({ protocol: 'forrst/0.1', id, result: 1 }),
      'protocol',
    ],
    ['a JSON-RPC answer', (id) => ({ jsonrpc: '2.0', id, result: 1 }), 'protocol'],
    ['another protocol', (id) => ({ protocol: { name: 'x' }, id, result: 1 }), 'protocol.name'],
    [
      'another major',
      (id) => ({ protocol: { ...protocol, version: '1.0.0' }, id, result: 1 }),
      'protocol.version',
    ],
    [
      'a version that is a number',
      (id) => ({ protocol: { ...protocol, version: 0.1 }, id, result: 1 }),
      'protocol.version',
    ],
    ['neither result nor errors', (id) => ({ protocol, id }), 'neither result nor errors'],
    [
      'errors that are not an array',
      (id) => ({ protocol, id, errors: { code: 'X' } }),
      'errors must be an array',
    ],
    [
      'an error without a code',
      (id) => ({ protocol, id, errors: [{ message: 'x' }] }),
      'errors[0].code',
    ],
    ['an error that is a string', (id) => ({ protocol, id, errors: ['x'] }), 'errors[0].code'],
    [
      'extensions that are not an array',
      (id) => ({ protocol, id, result: 1, extensions: {} }),
      'extensions',
    ],
    [
      'an entry without a urn',
      (id) => ({ protocol, id, result: 1, extensions: [{}] }),
      'extensions[0].urn',
    ],
    ['meta that is a list', (id) => ({ protocol, id, result: 1, meta: [] }), 'meta'],
  ])('is CLIENT_INVALID_RESPONSE and named: %s', async (_, build, mentioned) => {
    const { call } = await connect(answering(build))
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', message: expect.stringContaining(mentioned) },
    })
  })

  it.each<[string, unknown]>([
    ['another id', 'req_of_somebody_else'],
    ['null with a result', null],
    ['a number', 7],
    ['no id', undefined],
  ])('[F-254] is CLIENT_INVALID_RESPONSE when its id is %s', async (_, wrong) => {
    const { call } = await connect(answering(() => ({ protocol, id: wrong, result: 1 })))
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', details: { field: '/id' } },
    })
  })

  it('[F-254] is CLIENT_INVALID_RESPONSE when it is an error for another id', async () => {
    const errors = [{ code: 'NOT_FOUND', message: 'x' }]
    const { call } = await connect(answering(() => ({ protocol, id: 'other', errors })))
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_INVALID_RESPONSE' } })
  })

  it.each<[string, string | Uint8Array, string]>([
    ['truncated JSON', '{"protocol":{"name":"forr', 'character 20'],
    ['no body at all', '', 'is empty'],
    ['HTML', '<!doctype html><h1>Welcome</h1>', 'is not JSON'],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xff, 0xfe), 'UTF-8'],
    ['200,000 levels of nesting', '['.repeat(200_000) + ']'.repeat(200_000), 'nests deeper'],
    ['200,000 levels left open', '['.repeat(200_000), 'is not JSON'],
    ['a member named __proto__', '{"result":{"__proto__":{"admin":true}}}', '__proto__'],
    ['two documents', '{} {}', 'nothing more'],
  ])('is CLIENT_INVALID_RESPONSE: %s', async (_, body, mentioned) => {
    const { call } = await connect((_request, response) => response.end(body))
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_INVALID_RESPONSE', message: expect.stringContaining(mentioned) },
    })
  })
})

describe('an answer that is too large', () => {
  it('is refused by its declared length before it is read', async () => {
    const { call } = await connect((_request, response) => {
      response.writeHead(200, { 'content-length': 104_857_600 })
      response.write('{')
    })
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_RESPONSE_TOO_LARGE', details: { max_response_bytes: 10_485_760 } },
    })
  })

  it('is refused while 100 MB stream in, without reading them to the end', async () => {
    let sent = 0
    const chunk = Buffer.alloc(65_536, 0x20)
    const { call } = await connect((_request, response) => {
      const push = () => {
        while (sent < 104_857_600 && !response.destroyed) {
          sent += chunk.byteLength
          if (!response.write(chunk)) {
            response.once('drain', push)
            return
          }
        }
      }
      push()
    })
    expect(await call()).toMatchObject({ ok: false, error: { code: 'CLIENT_RESPONSE_TOO_LARGE' } })
    expect(sent).toBeLessThan(104_857_600)
  })

  it('obeys the limit the client was given', async () => {
    const respond = answering((id) => ({ protocol, id, result: 'x'.repeat(2000) }))
    const small = await connect(respond, { maxResponseBytes: 1000 })
    const large = await connect(respond, { maxResponseBytes: 4000 })
    expect(await small.call()).toMatchObject({
      ok: false,
      error: { code: 'CLIENT_RESPONSE_TOO_LARGE' },
    })
    expect(await large.call()).toMatchObject({ ok: true })
  })
})
