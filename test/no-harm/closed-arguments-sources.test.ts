import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createService, defineFunction } from 'waymark'
import { createMcpHandler } from 'waymark/mcp'
import { createToolFunctions } from 'waymark/runtime'
import { createToolApi } from 'waymark/tools'
import { createTriggers, defineTrigger } from 'waymark/triggers'
import { z } from 'zod'
import type { FunctionDefinition } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { type DiffSource, diffDescriptions } from '../../src/entries/diff.ts'
import { createMemoryStore } from '../../src/entries/store.ts'
import { toToolFunctions } from '../../src/sources/mcp/tool-function.ts'
import { checkArguments } from '../../src/sources/runtime/check-arguments.ts'
import { toInputSchema } from '../../src/sources/runtime/input-schema.ts'
import { buildOpenApi } from '../../src/surfaces/documents/openapi.ts'
import { createRestHandler } from '../../src/surfaces/rest/handler.ts'
import { oneTool } from '../codegen/call-spec.ts'
import { ask } from '../explorer/ask.ts'
import { modernClient } from '../mcp/wire.ts'
import { call, toRequest } from '../support/forrst.ts'
import { front, start } from '../support/front.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server that counts what reaches it. */
async function listen(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.setHeader('content-type', 'application/json').end('{}')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

async function messagesOf(service: Service, name: string, args: object) {
  const { body } = await call(service, { function: name, arguments: args })
  return body.errors?.map(({ message }) => message)
}

const params = [{ name: 'status', type: 'string', description: 'Only these.' }] as const

describe('as reported: sources', () => {
  it('an operation sends nothing when an argument is misspelt', async () => {
    const { url, seen } = await listen()
    // The switch is for functions of one's own; an operation takes what its document names.
    const service = serviceOf(createToolFunctions(oneTool(url, { params: [...params] })), {
      unknownArguments: 'ignore',
    })
    const [name = ''] = [...service.registry.entries()].map((entry) => entry.name)
    expect(await messagesOf(service, name, { statsu: 'open' })).toEqual([
      `statsu: is not an argument of ${name}; did you mean "status"?`,
    ])
    expect(seen).toEqual([])
    expect(await messagesOf(service, name, { status: 'open' })).toBeUndefined()
    expect(seen).toEqual(['/things?status=open'])
  })

  it('generated code refuses it with the same hint', () => {
    const schema = toInputSchema({ name: 'list', description: 'Lists.', params: [...params] })
    expect(() => checkArguments('list', schema as object, { statsu: 'open' })).toThrow(
      'list: statsu is not an argument; did you mean "status"?',
    )
    expect(checkArguments('list', schema as object, { status: 'open' })).toEqual({ status: 'open' })
    const long = { ['n'.repeat(100_000)]: 1 }
    expect(() => checkArguments('list', schema as object, long)).toThrow(/^.{1,200}$/)
  })

  it('a tool of a remote MCP server is not called', async () => {
    const called: unknown[] = []
    const listed = [
      {
        name: 'list',
        inputSchema: { type: 'object' as const, properties: { status: { type: 'string' } } },
      },
      { name: 'any', inputSchema: { type: 'object' as const } },
      {
        name: 'open',
        inputSchema: { type: 'object' as const, properties: {}, additionalProperties: true },
      },
    ]
    const functions = toToolFunctions(listed as never, {
      name: 'far',
      trusted: true,
      warn: () => undefined,
      call: ((_tool: unknown, _described: unknown, { input }: { input: unknown }) => {
        called.push(input)
        return { content: [] }
      }) as never,
    })
    const service = serviceOf(functions)
    expect(await messagesOf(service, 'far.list', { statsu: 'open' })).toEqual([
      'statsu: is not an argument of far.list; did you mean "status"?',
    ])
    expect(called).toEqual([])
    // By the protocol, a schema without properties accepts any object.
    await messagesOf(service, 'far.any', { statsu: 1 })
    await messagesOf(service, 'far.open', { statsu: 2 })
    expect(called).toEqual([{ statsu: 1 }, { statsu: 2 }])
  })

  it('a function of a remote service is not called, unless its document says that it takes more', async () => {
    const ran: unknown[] = []
    const far = (name: string, input: FunctionDefinition['input']) =>
      defineFunction({
        name,
        version: '1.0.0',
        readOnly: true,
        ...(input && { input }),
        handler: ({ input: given }) => {
          ran.push(given)
          return {}
        },
      }) as FunctionDefinition
    const remote = serviceOf(
      [
        far('far.list', z.object({ status: z.string().optional() })),
        far('far.open', z.looseObject({ status: z.string().optional() })),
      ],
      // What reaches it is taken, so that only the front can have refused.
      { unknownArguments: 'ignore' },
    )
    const document = buildDocument(remote)
    expect(document.functions.map((one) => one['x-additional-arguments'])).toEqual([true, true])
    const strict = serviceOf([
      far('far.list', z.object({ status: z.string().optional() })),
      far('far.open', z.looseObject({ status: z.string().optional() })),
    ])
    const { service } = await front(await start(strict))
    expect(await messagesOf(service, 'far.list', { statsu: 'open' })).toEqual([
      'statsu: is not an argument of far.list; did you mean "status"?',
    ])
    expect(ran).toEqual([])
    await messagesOf(service, 'far.open', { statsu: 'open' })
    expect(ran).toEqual([{ statsu: 'open' }])
  })

  it.each([
    ['urn:cline:forrst:fn:describe', { function: 'orders.get', versoin: '1.0.0' }, 'version'],
    ['urn:cline:forrst:fn:health', { compnent: 'self' }, 'component'],
    ['urn:cline:forrst:ext:discovery:fn:describe', { functoin: 'orders.get' }, 'function'],
    ['urn:cline:forrst:ext:atomic-lock:fn:status', { kee: 'k' }, 'key'],
    ['urn:cline:forrst:ext:async:fn:list', { statu: 'failed' }, 'status'],
  ])('%s refuses %j', async (name, args, meant) => {
    const definition = { name: 'orders.get', version: '1.0.0', handler: () => 1 }
    const service = serviceOf([definition], {
      store: createMemoryStore(),
      unknownArguments: 'ignore',
    })
    expect((await messagesOf(service, name, args))?.join('\n')).toContain(
      `did you mean "${meant}"?`,
    )
  })

  it('the standalone tool API keeps the schema it is given', async () => {
    const inputSchema = { type: 'object', properties: { status: { default: null } } }
    const api = createToolApi({
      tools: [{ name: 'list', description: '', inputSchema }],
      allowExecute: true,
      call: () => [[{ type: 'text', text: 'ran' }], false],
    })
    const detail = await ask(api, '/explorer/tools/list')
    expect(detail.json).toMatchObject({ inputSchema })
    expect((detail.json as { inputSchema: object }).inputSchema).toEqual(inputSchema)
    const verdict = await ask(api, '/explorer/tools/list/validate', {
      method: 'POST',
      body: { statsu: 1 },
    })
    expect(verdict.json).toEqual({ valid: true })
  })
})

describe('beside it: what is not an argument of the function', () => {
  const list = (input: FunctionDefinition['input'], more: Partial<FunctionDefinition> = {}) => {
    const ran: unknown[] = []
    const handler: FunctionDefinition['handler'] = ({ input: given }) => {
      ran.push(given)
      return {}
    }
    const definition = { name: 'orders.list', version: '1.0.0', handler, ...(input && { input }) }
    return { ran, service: serviceOf([{ ...definition, ...more }]) }
  }
  const closed = z.object({ status: z.string().optional() })

  it('a platform may say who it is in meta, and in _meta', async () => {
    const { service, ran } = list(closed)
    const client = modernClient(createMcpHandler(service))
    const agent = { 'ucp-agent': { profile: 'https://platform.example/profile.json' } }
    await client.request('tools/call', {
      name: 'orders__list',
      arguments: { status: 'open', meta: agent },
      _meta: { 'example/own': 1 },
    })
    expect(ran).toEqual([{ status: 'open' }])
    await client.request('tools/call', {
      name: 'orders__list',
      arguments: { meta: { 'idempotency-key': 'k' } },
    })
    expect(ran).toHaveLength(1)
  })

  it('the tools that search and call others refuse a misspelt argument', async () => {
    const { service, ran } = list(closed)
    const client = modernClient(createMcpHandler(service, { tools: 'search' }))
    const { result } = await client.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'orders__list', argumnets: { status: 'open' } },
    })
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'argumnets: is not an argument of call_tool; did you mean "arguments"?' }],
    })
    expect(ran).toEqual([])
  })

  it('an event whose payload has more members needs a payload_map', async () => {
    const { service, ran } = list(closed)
    const common = { type: 'emit', description: 'x', tool: 'orders.list' } as const
    const triggers = createTriggers({
      service,
      store: createMemoryStore(),
      log: createTestLogger(),
      triggers: [
        defineTrigger({ ...common, name: 'whole', event: 'a' }),
        defineTrigger({ ...common, name: 'mapped', event: 'b', payload_map: { status: 'status' } }),
      ],
    })
    await triggers.start()
    onTestFinished(() => triggers.stop(100))
    const payload = { status: 'open', by: 'me' }
    const whole = await triggers.test('whole', { payload })
    const mapped = await triggers.test('mapped', { payload })
    expect(JSON.stringify(whole)).toContain('by: is not an argument of orders.list')
    expect(mapped).toMatchObject({ outcome: { ok: true } })
    expect(ran).toEqual([{ status: 'open' }])
  })

  it('an argument in the query string of REST is refused instead of dropped', async () => {
    const askWith = async ({ service }: { service: Service }, query: string) => {
      const request = { ...toRequest({}, { path: '/api/orders.list' }), query }
      const response = await createRestHandler(service)(request)
      return { status: response.status, body: String(response.body) }
    }
    const strict = list(closed)
    const refused = await askWith(strict, 'statsu=open')
    expect(refused.status).toBe(400)
    expect(refused.body).toContain('did you mean \\"status\\" there?')
    const unlike = await askWith(strict, 'zz=1')
    expect(unlike.status).toBe(400)
    expect(unlike.body).toContain('zz: arguments of orders.list are members of a JSON object')
    expect(strict.ran).toEqual([])
    expect((await askWith(strict, '')).status).toBe(200)

    const ignoring = list(closed, { unknownArguments: 'ignore' })
    expect((await askWith(ignoring, 'utm_campaign=x')).status).toBe(200)
    expect((await askWith(ignoring, 'statsu=open')).status).toBe(400)
  })
})

describe('beside it: what diff makes of it', () => {
  const shop = (unknownArguments: 'reject' | 'ignore') =>
    createService({
      info: { title: 'Shop', version: '1.0.0' },
      unknownArguments,
      functions: [
        defineFunction({
          name: 'orders.list',
          version: '1.0.0',
          input: z.object({
            status: z.string().optional(),
            at: z.object({ x: z.int() }).optional(),
          }),
          handler: () => 1,
        }),
      ],
    })

  it.each([
    ['discovery', (service: Service) => buildDocument(service)],
    ['openapi', (service: Service) => buildOpenApi(service)],
  ] as const)('a %s document says that others are refused now, and nothing else', (kind, build) => {
    const source = (service: Service) => ({ kind, document: build(service) }) as DiffSource
    const { changes } = diffDescriptions(source(shop('ignore')), source(shop('reject')))
    expect(new Set(changes.map(({ rule }) => rule))).toEqual(
      new Set(['input-extra-members-refused']),
    )
    const back = diffDescriptions(source(shop('reject')), source(shop('ignore')))
    expect(back.changes.filter((change) => change.class === 'breaking')).toEqual([])
  })
})
