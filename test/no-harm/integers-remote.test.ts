import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import { toPrepared } from '../../src/core/result.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { createClient, createLocalTransport } from '../../src/entries/client.ts'
import { generateCode } from '../../src/entries/codegen.ts'
import { importOpenApi } from '../../src/entries/openapi.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { connectForrstSource } from '../../src/sources/forrst/source.ts'
import { connectMcpSource } from '../../src/sources/mcp/source.ts'
import { startRecordingServer } from '../codegen/recording-server.ts'
import { start } from '../support/front.ts'
import { serviceOf } from '../support/service.ts'
import { startMcpServer } from './large-integer-mcp.ts'

const ID = '9007199254740993'
const LARGEST = '18446744073709551615'

const post = async (url: string, body: string) => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

/** A far service, what was sent to it, and a near one in front of it. */
async function putInFront(functions: readonly FunctionDefinition[]) {
  const sent: string[] = []
  const far = createApp(serviceOf(functions), { surfaces: allSurfaces() })
  const local = createLocalTransport(far.handle)
  const client = createClient({
    transport: (request) => {
      sent.push(request.body)
      return local(request)
    },
    retry: false,
  } as Parameters<typeof createClient>[0])
  const source = await connectForrstSource({ client, name: 'far', refreshMs: 0 })
  onTestFinished(() => void source.close())
  const service = serviceOf(source.functions())
  const { url } = await start(service)
  sent.length = 0
  return { sent, service, ask: (name: string, body: string) => post(`${url}/api/${name}`, body) }
}

const int64 = { type: 'integer', format: 'int64' }

describe('as reported', () => {
  it('sends digits to a remote MCP server as bare numbers, and says so in the schema', async () => {
    const seen: string[] = []
    const url = await startMcpServer('json', seen)
    const source = await connectMcpSource({ name: 'remote', url, revision: 'legacy' })
    onTestFinished(source.close)
    const service = serviceOf(source.functions())
    const door = await start(service)
    const args = `{"id":"-${ID}","ids":["${LARGEST}",7],"text":"${ID}"}`
    const { status, text } = await post(`${door.url}/api/remote.get`, args)
    expect([status, text]).toEqual([200, `{"id":"${ID}"}`])
    expect(seen[0]).toContain(`"arguments":{"id":-${ID},"ids":[${LARGEST},7],"text":"${ID}"}`)
    expect(buildDocument(service).functions[0]?.arguments?.[0]).toMatchObject({
      schema: { type: ['integer', 'string'], format: 'int64' },
    })
    for (const wrong of ['"1x"', '"007"', ID, '1e30']) {
      expect((await post(`${door.url}/api/remote.get`, `{"id":${wrong}}`)).status).toBe(400)
    }
    expect(seen).toHaveLength(1)
  })

  it('sends digits to a remote MCP server behind a pipe as bare numbers', async () => {
    const file = fileURLToPath(new URL('./large-integer-server.mjs', import.meta.url))
    const command = { command: process.execPath, args: [file] }
    const source = await connectMcpSource({ name: 'remote', ...command, revision: 'legacy' })
    onTestFinished(source.close)
    const door = await start(serviceOf(source.functions()))
    const { text } = await post(`${door.url}/api/remote.get`, `{"id":"${ID}"}`)
    expect(JSON.parse(text).line).toContain(`"arguments":{"id":${ID}}`)
  })

  it('sends digits to a remote Forrst service as bare numbers, and says so in the schema', async () => {
    const far = defineFunction({
      name: 'far.get',
      version: '1.0.0',
      input: {
        type: 'object',
        properties: { id: int64, list: { type: 'array', items: { properties: { id: int64 } } } },
      },
      handler: () => ({}),
    })
    const { sent, service, ask } = await putInFront([far])
    await ask('far.get', `{"id":"${ID}","list":[{"id":"-${ID}"},{"id":3}]}`)
    expect(sent[0]).toContain(`"arguments":{"id":${ID},"list":[{"id":-${ID}},{"id":3}]}`)
    expect(buildDocument(service).functions[0]?.arguments?.[0]).toMatchObject({
      schema: { type: ['integer', 'string'] },
    })
  })

  it.each<[string, unknown, string]>([
    ['a number beyond 2^53', { a: [{ id: 2 ** 53 }] }, '/call/arguments/a/0/id'],
    ['a negative one', { id: -(2 ** 60) }, '/call/arguments/id'],
    ['a BigInt', { id: 1n }, '/call/arguments/id'],
  ])('refuses %s among the arguments of a client', async (_name, args, pointer) => {
    let calls = 0
    const transport = () => {
      calls += 1
      throw new Error('sent')
    }
    const client = createClient({ transport } as Parameters<typeof createClient>[0])
    const outcome = await client.call('far.get', args as never)
    expect(outcome).toMatchObject({
      ok: false,
      errors: [
        {
          code: 'CLIENT_INVALID_REQUEST',
          message: expect.stringContaining('give its digits as a string'),
          source: { pointer },
        },
      ],
    })
    expect(calls).toBe(0)
  })

  it('sends digits through generated TypeScript', async () => {
    const api = await startRecordingServer()
    const folder = mkdtempSync(join(tmpdir(), 'waymark-digits-'))
    onTestFinished(async () => {
      await api.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const id = { name: 'id', in: 'path', required: true, schema: int64 }
    const body = { properties: { n: int64, ids: { type: 'array', items: int64 } } }
    const content = { 'application/json': { schema: { type: 'object', ...body } } }
    const operation = { operationId: 'put_it', parameters: [id], requestBody: { content } }
    const imported = importOpenApi({
      openapi: '3.1.0',
      info: { title: 'Big', version: '1' },
      servers: [{ url: '/' }],
      paths: { '/x/{id}': { put: operation } },
    })
    if (!imported.ok) throw new TypeError('not imported', { cause: imported.problems })
    for (const { path, text } of generateCode(imported.spec))
      writeFileSync(join(folder, path), text)
    const module = await import(/* @vite-ignore */ join(folder, 'big.capabilities.ts'))
    const env = { BIG_BASE_URL: api.url }
    api.answer({ headers: { 'content-type': 'application/json' }, body: `{"id":${ID}}` })
    const answer = await module.put_it({ id: ID, n: `-${ID}`, ids: [ID, 1] }, { env })
    expect(answer).toEqual({ id: ID })
    expect(api.requests.map(({ url, body: text }) => url + text)).toEqual([
      `/x/${ID}{"n":-${ID},"ids":[${ID},1]}`,
    ])
    await expect(module.put_it({ id: 2 ** 53 }, { env })).rejects.toThrow('string of digits')
    await expect(module.put_it({ id: 'x' }, { env })).rejects.toThrow('must match')
    expect(api.requests).toHaveLength(1)
  })
})

describe('beside it', () => {
  const withInput = (schema: object) =>
    defineFunction({
      name: 'far.get',
      version: '1.0.0',
      input: { type: 'object', properties: { id: schema } },
      handler: () => ({}),
    })

  it.each<[string, object, string, string | undefined]>([
    ['a string stays one', { type: 'string', format: 'int64' }, `"${ID}"`, `"${ID}"`],
    ['an integer or a string', { anyOf: [int64, { type: 'string' }] }, `"${ID}"`, `"${ID}"`],
    ['one of the two', { oneOf: [int64, { type: 'string' }] }, `"${ID}"`, `"${ID}"`],
    ['both types', { type: ['integer', 'string'], format: 'int64' }, `"${ID}"`, `"${ID}"`],
    ['nullable', { type: ['integer', 'null'], format: 'int64' }, `"${ID}"`, ID],
    ['in a choice', { anyOf: [int64, { type: 'boolean' }] }, `"${ID}"`, ID],
    ['of an allOf', { allOf: [int64, { minimum: 1 }] }, `"${ID}"`, ID],
    ['by name', { type: 'object', additionalProperties: int64 }, `{"a":"${ID}"}`, `{"a":${ID}}`],
    ['small bounds', { ...int64, minimum: 0, maximum: 9 }, '"5"', undefined],
    ['no 64 bits', { type: 'integer' }, `"${ID}"`, undefined],
    ['exact', { type: 'number' }, '150000000000000000', '150000000000000000'],
    ['with an exponent', { type: 'number' }, '6.02e+23', '6.02e+23'],
  ])('a remote parameter: %s', async (_name, schema, given, expected) => {
    const { sent, ask } = await putInFront([withInput(schema)])
    const { status } = await ask('far.get', `{"id":${given}}`)
    if (expected === undefined) expect([status, sent]).toEqual([400, []])
    else expect(sent[0]).toContain(`"arguments":{"id":${expected}}`)
  })

  it('a string that looks like a mark stays a string', async () => {
    const { sent, ask } = await putInFront([withInput({ type: 'string' })])
    await ask('far.get', `{"id":"digits-00000000-0000-4000-8000-000000000000:5"}`)
    expect(sent[0]).toContain('"id":"digits-00000000-0000-4000-8000-000000000000:5"')
  })

  it.each<[string, object, string, unknown]>([
    ['a number', { type: 'number' }, '10000000000000000000', '10000000000000000000'],
    ['a number with far bounds', { type: 'number', minimum: 0, maximum: 1e300 }, ID, ID],
    ['a float', { type: 'number' }, '1.5e20', 1.5e20],
    ['an integer or a string', { oneOf: [{ type: 'integer' }, { type: 'string' }] }, ID, ID],
  ])(
    'the output check of %s admits what a remote service answers',
    async (_n, schema, text, expected) => {
      const far = defineFunction({
        name: 'far.get',
        version: '1.0.0',
        output: { type: 'object', properties: { id: schema } },
        handler: () => toPrepared(`{"id":${text}}`) as never,
      })
      const { ask } = await putInFront([far])
      const answer = await ask('far.get', '{}')
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { id: expected }])
    },
  )
})
