import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import { toPrepared } from '../../src/core/result.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { createClient } from '../../src/entries/client.ts'
import { importOpenApi, loadOpenApi } from '../../src/entries/openapi.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import { connectMcpSource } from '../../src/sources/mcp/source.ts'
import type { FieldDef, ToolDef } from '../../src/sources/tool-spec/types.ts'
import { decodeQueueMessage } from '../../src/triggers/queue/driver.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { createWorkplace } from '../cli/run-main.ts'
import { startRecordingServer } from '../codegen/recording-server.ts'
import { front, start } from '../support/front.ts'
import { serviceOf } from '../support/service.ts'
import { startMcpServer } from './large-integer-mcp.ts'

const ID = '9007199254740993'
const HINT = 'string of digits'

const int64: FieldDef = { name: 'id', type: 'integer', format: 'int64', description: 'The id.' }
const plain: FieldDef = { name: 'count', type: 'integer', description: 'A count.' }

/** An API that writes down what it gets, and its tools as functions. */
async function createApi(tools: readonly Partial<ToolDef>[]) {
  const api = await startRecordingServer()
  onTestFinished(api.close)
  const named = tools.map((tool, index) => ({
    name: index === 0 ? 'send' : `send_${index}`,
    description: 'Sends it.',
    method: 'POST' as const,
    path: '/x',
    ...tool,
  }))
  const spec = { version: '1', domain: 'api', base_url: api.url, tools: named }
  return { api, functions: createToolFunctions(spec as never) }
}

/** Serves functions on every surface and sends texts as they are. */
async function createDoor(functions: readonly FunctionDefinition[]) {
  const server = await start(serviceOf(functions))
  const post = async (path: string, body: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body })
    const text = await response.text()
    return { status: response.status, text }
  }
  return { server, post }
}

const forrst = (name: string, args: string) =>
  `{"protocol":{"name":"forrst","version":"0.1.0"},"id":"r1","call":{"function":"${name}","arguments":${args}}}`
const mcp = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`

const ways = [
  ['Forrst', '/forrst', (args: string) => forrst('api.send', args)],
  ['REST', '/api/api.send', (args: string) => args],
  ['MCP', '/mcp', (args: string) => mcp('api__send', args)],
  ['the explorer', '/explorer/tools/api__send/call', (args: string) => args],
] as const

describe('as reported', () => {
  it.each(ways)(
    'refuses a number beyond ±(2^53−1) over %s, with a hint',
    async (_n, path, write) => {
      const { api, functions } = await createApi([{ body: [int64, plain] }])
      const { post } = await createDoor(functions)
      for (const text of [`{"id":${ID}}`, `{"id":1,"count":-${ID}}`, `{"id":[{"a":${ID}}]}`]) {
        const answer = await post(path, write(text))
        expect(answer.text).toContain(HINT)
        expect(answer.text).toContain(ID)
      }
      for (const text of [
        '{"count":1e30}',
        '{"count":9007199254740993.0}',
        '{"count":9007199254740992}',
      ]) {
        expect((await post(path, write(text))).text).toContain('9007199254740991')
      }
      expect(api.requests).toEqual([])
    },
  )

  it.each(ways)(
    'takes digits for format int64 over %s and sends each of them',
    async (_n, path, write) => {
      const { api, functions } = await createApi([{ body: [int64] }])
      const { post } = await createDoor(functions)
      expect((await post(path, write(`{"id":"${ID}"}`))).status).toBe(200)
      expect((await post(path, write('{"id":42}'))).status).toBe(200)
      expect(api.requests.map(({ body }) => body)).toEqual([`{"id":${ID}}`, '{"id":42}'])
    },
  )

  it('takes digits on the command line', async () => {
    const { api } = await createApi([])
    const place = createWorkplace()
    place.write(
      'x.yaml',
      `domain: x\nbase_url: ${api.url}\ntools:\n  - name: get_one\n    description: Gets it.\n    method: GET\n    path: /x/{id}\n    params:\n      - { name: id, type: integer, format: int64, required: true, description: The id. }\n      - { name: n, type: integer, description: A number. }\n`,
    )
    const run = await place.run('forge', 'call', 'x.yaml', 'get_one', `id=${ID}`)
    expect([run.err, api.requests.map(({ path }) => path)]).toEqual(['', [`/x/${ID}`]])
    const refused = await place.run('forge', 'call', 'x.yaml', 'get_one', 'id=1', `n=${ID}`)
    expect(refused.err).toContain('a JSON number loses digits')
    const json = await place.run('forge', 'call', 'x.yaml', 'get_one', `{"id":${ID}}`)
    expect(json.err).toContain(`write it as a string, "${ID}"`)
    expect(api.requests).toHaveLength(1)
  })

  it('says so in the schema on every surface', async () => {
    const { functions } = await createApi([{ body: [int64] }])
    const service = serviceOf(functions)
    const { post, server } = await createDoor(functions)
    const schema = {
      type: ['integer', 'string'],
      format: 'int64',
      pattern: '^(0|-?[1-9][0-9]{0,18})$',
    }
    expect(buildDocument(service).functions[0]?.arguments).toMatchObject([{ name: 'id', schema }])
    const listed = await post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    expect(listed.text).toContain('"type":["integer","string"]')
    const openapi = await (await fetch(`${server.url}/openapi.json`)).text()
    expect(openapi).toContain('"type":["integer","string"]')
  })

  it('gives the integers of an answer digit by digit, as strings', async () => {
    const { api, functions } = await createApi([{ method: 'GET' }])
    api.answer({
      headers: { 'content-type': 'application/json' },
      body: `{"id":${ID},"ids":[-${ID},7],"text":"${ID}","ratio":0.1234567890123456789}`,
    })
    const { post } = await createDoor(functions)
    const answer = await post('/api/api.send', '{}')
    expect(JSON.parse(answer.text)).toEqual({
      id: ID,
      ids: [`-${ID}`, 7],
      text: ID,
      ratio: 0.12345678901234568,
    })
  })
})

describe('beside it', () => {
  it.each<[string, Partial<ToolDef>, JsonObject, RegExp]>([
    [
      'a path',
      { method: 'GET', path: '/x/{id}', params: [int64] },
      { id: ID },
      /\/x\/9007199254740993$/,
    ],
    [
      'a query',
      { method: 'GET', params: [{ ...int64, in: 'query' }] },
      { id: ID },
      /\?id=9007199254740993$/,
    ],
    [
      'a JSON parameter',
      {
        method: 'GET',
        params: [
          {
            name: 'f',
            type: 'object',
            content_type: 'application/json',
            properties: [int64],
            description: 'F.',
          },
        ],
      },
      { f: { id: ID } },
      /%22id%22%3A9007199254740993%7D/,
    ],
    ['a form', { content_type: 'form', body: [int64] }, { id: ID }, /id=9007199254740993$/],
    [
      'nested in a JSON body',
      {
        body: [
          {
            name: 'o',
            type: 'object',
            description: 'O.',
            properties: [{ name: 'l', type: 'array', items: int64, description: 'L.' }],
          },
        ],
      },
      { o: { l: [ID, 1] } },
      /\{"o":\{"l":\[9007199254740993,1\]\}\}$/,
    ],
    [
      'JSON in a multipart body',
      {
        content_type: 'multipart',
        body: [{ name: 'o', type: 'object', description: 'O.', properties: [int64] }],
      },
      { o: { id: ID } },
      /\{"id":9007199254740993\}/,
    ],
    [
      'a list of objects in a multipart body',
      {
        content_type: 'multipart',
        body: [
          {
            name: 'l',
            type: 'array',
            description: 'L.',
            items: { type: 'object', properties: [int64] },
          },
        ],
      },
      { l: [{ id: ID }] },
      /\{"id":9007199254740993\}/,
    ],
    ['a whole body', { body_root: { ...int64, arg: 'id' } }, { id: ID }, /9007199254740993$/],
    [
      'a uint64',
      { body: [{ ...int64, format: 'uint64' }] },
      { id: '18446744073709551615' },
      /\{"id":18446744073709551615\}$/,
    ],
  ])('sends digits in %s', async (_name, tool, args, expected) => {
    const { api, functions } = await createApi([tool])
    const { post } = await createDoor(functions)
    const answer = await post('/api/api.send', JSON.stringify(args))
    expect([answer.status, api.requests.map(({ url, body }) => url + body)[0]]).toEqual([
      200,
      expect.stringMatching(expected),
    ])
  })

  it.each<[string, Partial<FieldDef>, unknown, boolean]>([
    ['a zero in front', {}, '007', false],
    ['letters', {}, '12x', false],
    ['an exponent', {}, '1e5', false],
    ['more digits than 64 bits have', {}, '12345678901234567890', false],
    ['a sign on a uint64', { format: 'uint64' }, '-1', false],
    ['a negative below the minimum', { minimum: 1 }, `-${ID}`, false],
    ['zero below the minimum', { minimum: 1 }, '0', false],
    ['a string where both bounds are near', { minimum: 0, maximum: 100 }, '50', false],
    ['zero', {}, '0', true],
    ['a negative', {}, `-${ID}`, true],
    ['null where it is allowed', { nullable: true }, null, true],
  ])('with %s', async (_name, more, id, fits) => {
    const { functions } = await createApi([{ body: [{ ...int64, ...more }] }])
    const { post } = await createDoor(functions)
    const { status } = await post('/api/api.send', JSON.stringify({ id }))
    expect(status).toBe(fits ? 200 : 400)
  })

  it('answers a refused number under the id of its request', async () => {
    const { functions } = await createApi([{ body: [int64] }])
    const { post } = await createDoor(functions)
    const [rpc, agent] = [forrst('api.send', `{"id":${ID}}`), mcp('api__send', `{"id":${ID}}`)]
    expect(JSON.parse((await post('/forrst', rpc)).text)).toMatchObject({
      id: 'r1',
      errors: [{ source: { pointer: '/call/arguments/id' } }],
    })
    expect(JSON.parse((await post('/mcp', agent)).text)).toMatchObject({
      id: 7,
      error: { code: -32602 },
    })
  })

  it('refuses what no number can hold, and leaves floats alone', async () => {
    const seen: unknown[] = []
    const any = defineFunction({
      name: 'api.send',
      version: '1.0.0',
      input: { type: 'object', additionalProperties: true },
      handler: ({ input }) => {
        seen.push(input)
        return {}
      },
    })
    const { post } = await createDoor([any])
    expect((await post('/api/api.send', '{"x":1e400}')).status).toBe(400)
    expect((await post('/api/api.send', `{"x":{"y":[${ID}]}}`)).status).toBe(400)
    await post(
      '/api/api.send',
      `{"x":6.02e23,"y":0.30000000000000004,"z":"${ID}","w":150000000000000000}`,
    )
    expect(seen).toEqual([{ x: 6.02e23, y: 0.30000000000000004, z: ID, w: 150000000000000000 }])
  })

  it('refuses large integers for integers of code functions, whatever describes them', async () => {
    const handler = () => ({})
    const own = defineFunction({
      name: 'own.json',
      version: '1.0.0',
      input: { type: 'object', properties: { n: { type: ['integer', 'null'] } } },
      handler,
    })
    const zod = defineFunction({
      name: 'own.zod',
      version: '1.0.0',
      input: z.object({ n: z.int() }),
      handler,
    })
    const { post } = await createDoor([own, zod])
    for (const name of ['own.json', 'own.zod']) {
      expect((await post(`/api/${name}`, '{"n":1e30}')).status).toBe(400)
      expect((await post(`/api/${name}`, '{"n":9007199254740991}')).status).toBe(200)
    }
  })

  it('reads integers of queue messages digit by digit', () => {
    expect(decodeQueueMessage(`{"id":${ID},"n":1}`)).toEqual({ id: ID, n: 1 })
  })

  it('gives digits to a client, and to whoever calls a remote service through another', async () => {
    const far = defineFunction({
      name: 'far.get',
      version: '1.0.0',
      output: {
        type: 'object',
        properties: { id: { type: 'integer' }, n: { type: 'integer', maximum: 9, minimum: 0 } },
      },
      handler: () => toPrepared(`{"id":${ID},"n":1}`) as never,
    })
    const server = await start(serviceOf([far], { validateResults: false }))
    const client = createClient({ url: `${server.url}/forrst` })
    expect(await client.call('far.get')).toMatchObject({ ok: true, result: { id: ID, n: 1 } })
    const near = await front(server)
    expect(await near.client.call('far.get')).toMatchObject({ ok: true, result: { id: ID, n: 1 } })
    expect(buildDocument(near.service).functions[0]?.result).toMatchObject({
      schema: { properties: { id: { type: ['integer', 'string'] }, n: { type: 'integer' } } },
    })
  })

  it.each(['json', 'event-stream'])(
    'gives digits of a remote MCP server that answers %s',
    async (kind) => {
      const url = await startMcpServer(kind)
      const source = await connectMcpSource({ name: 'remote', url, revision: 'legacy' })
      onTestFinished(source.close)
      const { post } = await createDoor(source.functions())
      expect(JSON.parse((await post('/api/remote.get', '{}')).text)).toEqual({ id: ID })
    },
  )

  it('gives digits of a remote MCP server behind a pipe', async () => {
    const file = fileURLToPath(new URL('./large-integer-server.mjs', import.meta.url))
    const source = await connectMcpSource({
      name: 'remote',
      command: process.execPath,
      args: [file],
      revision: 'legacy',
    })
    onTestFinished(source.close)
    const { post } = await createDoor(source.functions())
    expect(JSON.parse((await post('/api/remote.get', '{}')).text)).toEqual({ id: ID })
  })

  it.each([
    [
      'JSON',
      `{"openapi":"3.0.3","info":{"title":"X","version":"1"},"servers":[{"url":"http://127.0.0.1:1"}],"paths":{"/x":{"get":{"operationId":"get_x","parameters":[{"name":"id","in":"query","schema":{"type":"integer","format":"int64","default":${ID},"maximum":9223372036854775807}}],"responses":{"200":{"description":"ok"}}}}}}`,
    ],
    [
      'YAML',
      `openapi: 3.0.3\ninfo: { title: X, version: "1" }\nservers: [{ url: "http://127.0.0.1:1" }]\npaths:\n  /x:\n    get:\n      operationId: get_x\n      parameters:\n        - { name: id, in: query, schema: { type: integer, format: int64, default: ${ID}, maximum: 9223372036854775807 } }\n      responses: { "200": { description: ok } }\n`,
    ],
  ])('takes no rounded constant over from a document in %s', (_kind, text) => {
    const loaded = loadOpenApi(text)
    if (!loaded.ok) throw new Error('unreadable')
    expect(JSON.stringify(loaded.document)).toContain(ID)
    const imported = importOpenApi(loaded.document)
    expect(JSON.stringify(imported)).not.toContain('9007199254740992')
    expect(imported).toMatchObject({ ok: true })
  })
})
