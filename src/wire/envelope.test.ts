import { describe, expect, it } from 'vitest'
import { send, call as sendCall, toRequest } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'

const echo = defineFunction({
  name: 'orders.echo',
  version: '1.0.0',
  unknownArguments: 'ignore',
  handler: ({ input }) => input,
})
const give = (name: string, value: unknown) =>
  defineFunction({ name, version: '1.0.0', handler: () => value })
const service = serviceOf([
  echo,
  give('urn:acme:forrst:fn:orders:list', ['a']),
  give('give.object', { a: 1 }),
  give('give.number', 7),
  give('give.text', 'grüße'),
  give('give.null', null),
  give('give.nothing', undefined),
])

const good = {
  protocol: { name: 'forrst', version: '0.1.0' },
  id: 'req_1',
  call: { function: 'orders.echo', version: '1.0.0', arguments: { a: 1 } },
}
const without = (key: keyof typeof good) => {
  const { [key]: _left, ...rest } = good
  return rest
}
const problemsOf = async (document: unknown) => {
  const { status, body } = await send(service, document)
  return {
    status,
    id: body.id,
    result: body.result,
    problems: (body.errors ?? []).map(({ code, source }) => ({
      code,
      at: source && 'pointer' in source ? source.pointer : source?.position,
    })),
  }
}
const invalid = (at: string, id: string | null = 'req_1') => ({
  status: 400,
  id,
  result: null,
  problems: [{ code: 'INVALID_REQUEST', at }],
})

describe('reading a request', () => {
  it('[F-1] refuses a JSON array as INVALID_REQUEST', async () => {
    expect(await problemsOf([good])).toEqual(invalid('', null))
  })

  it.each([['7'], ['"text"'], ['null'], ['true']])('refuses the scalar %s', async (text) => {
    expect(await problemsOf(text)).toEqual(invalid('', null))
  })

  it('[F-2][F-3][F-26] answers PARSE_ERROR with the byte offset, id null and result null', async () => {
    expect(await problemsOf('{"id":"ü", nope}')).toEqual({
      status: 400,
      id: null,
      result: null,
      problems: [{ code: 'PARSE_ERROR', at: 12 }],
    })
  })

  it('answers PARSE_ERROR at position 0 for an empty body', async () => {
    expect((await problemsOf('')).problems).toEqual([{ code: 'PARSE_ERROR', at: 0 }])
  })

  it('[F-33] refuses bytes that are not UTF-8', async () => {
    expect(await problemsOf(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject({
      status: 400,
      problems: [{ code: 'PARSE_ERROR' }],
    })
  })

  it.each([
    [without('protocol'), '/protocol'],
    [{ ...good, protocol: 'forrst/0.1' }, '/protocol'],
    [{ ...good, protocol: { version: '0.1.0' } }, '/protocol/name'],
    [{ ...good, protocol: { name: 'json-rpc', version: '0.1.0' } }, '/protocol/name'],
    [{ ...good, protocol: { name: 'forrst' } }, '/protocol/version'],
    [{ ...good, protocol: { name: 'forrst', version: 1 } }, '/protocol/version'],
    [{ ...good, protocol: { name: 'forrst', version: 'latest' } }, '/protocol/version'],
  ])('[F-4] needs protocol with name and version: %j', async (document, pointer) => {
    expect(await problemsOf(document)).toEqual(invalid(pointer))
  })

  it('[F-5] ignores unknown members of protocol and of the document', async () => {
    const document = { ...good, protocol: { ...good.protocol, variant: 'x', new: [] }, more: 1 }
    expect((await send(service, document)).status).toBe(200)
  })

  it.each([['1.0.0'], ['99.0.0']])(
    '[F-6][F-8] refuses protocol major of %s, naming what was requested and what is supported',
    async (version) => {
      const { status, body } = await send(service, {
        ...good,
        protocol: { name: 'forrst', version },
      })
      expect(status).toBe(400)
      expect(body.id).toBe('req_1')
      expect(body.protocol.version).toBe('0.1.0')
      expect(body.errors).toEqual([
        {
          code: 'INVALID_PROTOCOL_VERSION',
          message: `Protocol version ${version} is not supported`,
          source: { pointer: '/protocol/version' },
          details: { requested: version, supported: ['0.1.0'] },
        },
      ])
    },
  )

  it.each([['0.1.0'], ['0.1.7'], ['0.9.0'], ['0.2.0-beta.1']])(
    '[F-7] accepts protocol version %s of the supported major',
    async (version) => {
      const { status } = await send(service, { ...good, protocol: { name: 'forrst', version } })
      expect(status).toBe(200)
    },
  )

  it.each([
    ['[F-9] null', null],
    ['[F-10] an empty string', ''],
    ['[F-11] a number', 7],
    ['[F-12] an object', {}],
    ['[F-12] an array', ['a']],
    ['a boolean', true],
    ['more than 255 characters', 'x'.repeat(256)],
  ])('%s is not an id', async (_title, id) => {
    expect(await problemsOf({ ...good, id })).toEqual(invalid('/id', null))
  })

  it('[F-13] refuses a request without id: there are no notifications', async () => {
    expect(await problemsOf(without('id'))).toEqual(invalid('/id', null))
  })

  it.each([
    ['[F-14]', without('call'), '/call'],
    ['[F-14]', { ...good, call: 'orders.echo' }, '/call'],
    ['[F-15]', { ...good, call: {} }, '/call/function'],
    ['[F-15]', { ...good, call: { function: 7 } }, '/call/function'],
    ['[F-15]', { ...good, call: { function: '' } }, '/call/function'],
    ['[F-17]', { ...good, call: { ...good.call, arguments: [1] } }, '/call/arguments'],
    ['[F-17]', { ...good, call: { ...good.call, arguments: 'a' } }, '/call/arguments'],
    ['[F-19]', { ...good, call: { ...good.call, version: 'latest' } }, '/call/version'],
    ['[F-19]', { ...good, call: { ...good.call, version: '^1.0.0' } }, '/call/version'],
    ['[F-19]', { ...good, call: { ...good.call, version: '1' } }, '/call/version'],
    ['[F-19]', { ...good, call: { ...good.call, version: 1 } }, '/call/version'],
    ['', { ...good, context: ['a'] }, '/context'],
    ['', { ...good, context: 'a' }, '/context'],
    ['', { ...good, extensions: {} }, '/extensions'],
    ['', { ...good, extensions: ['x'] }, '/extensions/0'],
    ['[F-78]', { ...good, extensions: [{ options: {} }] }, '/extensions/0/urn'],
    ['[F-78]', { ...good, extensions: [{ urn: 'deadline' }] }, '/extensions/0/urn'],
    [
      '',
      { ...good, extensions: [{ urn: 'urn:forrst:ext:x', options: [1] }] },
      '/extensions/0/options',
    ],
  ])('%s points at the member that is wrong: %j', async (_id, document, pointer) => {
    expect(await problemsOf(document)).toEqual(invalid(pointer))
  })

  it('refuses an extension that is declared twice, in whatever spelling', async () => {
    const extensions = [
      { urn: 'urn:forrst:ext:discovery' },
      { urn: 'urn:cline:forrst:ext:discovery' },
    ]
    expect(await problemsOf({ ...good, extensions })).toEqual(invalid('/extensions/1/urn'))
  })

  it('passes over extensions that nobody knows where the service is told to', async () => {
    const document = { ...good, extensions: [{ urn: 'urn:acme:ext:unknown', options: {} }] }
    expect((await send(service, document)).body.errors?.[0].code).toBe('EXTENSION_NOT_SUPPORTED')
    const lenient = serviceOf([echo], { unknownExtensions: 'ignore' })
    expect((await send(lenient, document)).body).toEqual({
      protocol: good.protocol,
      id: 'req_1',
      result: { a: 1 },
    })
  })

  it('reports every finding of an empty document at once', async () => {
    const { problems } = await problemsOf({})
    expect(problems.map(({ at }) => at)).toEqual(['/protocol', '/id', '/call'])
  })

  it('[F-16][F-18] lets arguments and version be left out, or null', async () => {
    for (const call of [
      { function: 'orders.echo' },
      { function: 'orders.echo', version: null, arguments: null },
    ]) {
      const { status, body } = await send(service, { ...good, call })
      expect([status, body.result]).toEqual([200, {}])
    }
  })

  it.each([
    ['[F-16] arguments', { ...good, call: { function: 'orders.echo', arguments: [] } }, {}],
    ['[F-20] context', { ...good, context: [] }, { a: 1 }],
    ['[F-20] context', { ...good, context: null }, { a: 1 }],
    ['extensions', { ...good, extensions: [] }, { a: 1 }],
    ['extensions', { ...good, extensions: null }, { a: 1 }],
    [
      '[F-78] options',
      { ...good, extensions: [{ urn: 'urn:forrst:ext:discovery', options: [] }] },
      { a: 1 },
    ],
    [
      '[F-78] options',
      { ...good, extensions: [{ urn: 'urn:forrst:ext:discovery', options: null }] },
      { a: 1 },
    ],
  ])('takes empty %s as PHP writes them for omitted: %j', async (_name, document, result) => {
    const { status, body } = await send(service, document)
    expect([status, body.result]).toEqual([200, result])
  })

  it('[F-20][F-77] serves a request without context and warns about it once', async () => {
    const log = createTestLogger()
    const handler = createForrstHandler(serviceOf([echo], { log }))
    for (let count = 0; count < 3; count += 1) {
      expect((await handler(toRequest(good))).status).toBe(200)
    }
    expect(log.lines.map(({ level, message }) => [level, message.slice(0, 27)])).toEqual([
      ['warn', 'a call came without context'],
    ])
  })

  it('[F-21] does not care about the order of members', async () => {
    const { call, id, protocol } = good
    expect((await send(service, { call, id, protocol })).status).toBe(200)
  })

  it('[F-22] compares function names with their case', async () => {
    const { status } = await sendCall(service, { function: 'Orders.echo' })
    expect(status).toBe(404)
  })

  it('[F-23] calls dotted and URN names', async () => {
    const { body } = await sendCall(service, { function: 'urn:acme:forrst:fn:orders:list' })
    expect(body.result).toEqual(['a'])
  })

  it('refuses what nests deeper than the limit, with a pointer, and survives 200,000 levels', async () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const body = JSON.stringify(good).replace('{"a":1}', deep)
    const { problems, status } = await problemsOf(body)
    expect([status, problems[0]?.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(problems[0]?.at).toMatch(/^\/call\/arguments\/a(\/0)+$/)
  })

  it('refuses __proto__ as a member anywhere: a handler may copy the object by assignment', async () => {
    const body = JSON.stringify(good).replace('{"a":1}', '{"list":[{"__proto__":{"admin":true}}]}')
    expect((await problemsOf(body)).problems).toEqual([
      { code: 'INVALID_REQUEST', at: '/call/arguments/list/0/__proto__' },
    ])
  })
})

describe('answering a request', () => {
  it('[F-24][F-25][F-27] answers under the id with protocol and result, and without errors', async () => {
    const id = 'q"\\\u2028é'
    const { body } = await send(service, { ...good, id })
    expect(body).toEqual({ protocol: { name: 'forrst', version: '0.1.0' }, id, result: { a: 1 } })
  })

  it('[F-28][F-29] answers a failure with result null and a list of errors', async () => {
    const { body } = await sendCall(service, { function: 'no.such' })
    expect(Object.keys(body)).toEqual(['protocol', 'id', 'result', 'errors'])
    expect([body.result, body.errors?.length]).toEqual([null, 1])
  })

  it.each([
    ['give.object', { a: 1 }],
    ['urn:acme:forrst:fn:orders:list', ['a']],
    ['give.number', 7],
    ['give.text', 'grüße'],
    ['give.null', null],
    ['give.nothing', null],
  ])('[F-30] carries any JSON value as result: %s', async (name, result) => {
    expect((await sendCall(service, { function: name })).body.result).toEqual(result)
  })

  it('[F-31] puts the name of the node into meta and into a header', async () => {
    const named = serviceOf([echo], { node: 'orders-2' })
    const { body, headers } = await send(named, good)
    expect(body.meta).toEqual({ node: 'orders-2' })
    expect(headers['x-forrst-node']).toBe('orders-2')
  })

  it('lets a handler add to meta', async () => {
    const counted = defineFunction({
      name: 'orders.count',
      version: '1.0.0',
      handler({ call }) {
        call.reply.meta = { source: 'index' }
        return 3
      },
    })
    const { body } = await sendCall(serviceOf([counted]), { function: 'orders.count' })
    expect(body.meta).toEqual({ source: 'index' })
  })

  it('answers INTERNAL_ERROR when a result cannot be written as JSON', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const { status, body } = await sendCall(serviceOf([give('give.cycle', cyclic)]), {
      function: 'give.cycle',
    })
    expect([status, body.id, body.errors?.[0]?.code]).toEqual([500, 'req_1', 'INTERNAL_ERROR'])
  })

  it('answers INTERNAL_ERROR with a hint when a result is larger than the limit', async () => {
    const large = serviceOf([give('give.much', 'x'.repeat(2000))], {
      limits: { maxResponseBytes: 1000 },
    })
    const { status, body } = await sendCall(large, { function: 'give.much' })
    expect([status, body.errors?.[0]?.message]).toEqual([
      500,
      'The result is larger than 1000 bytes; ask for fewer items or fields',
    ])
  })
})
