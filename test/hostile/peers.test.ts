import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import { createClient, type Transport } from '../../src/entries/client.ts'
import { connectMcpSource } from '../../src/entries/mcp.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import type { ToolSpec } from '../../src/entries/tool-spec.ts'
import { createTriggers } from '../../src/entries/triggers.ts'
import { verifyService } from '../../src/entries/verify.ts'
import { CallError } from '../../src/errors/error.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type AppOptions, createApp } from '../../src/http/app.ts'
import { toReason } from '../../src/values/json.ts'
import { toRequest } from '../support/forrst.ts'
import { findFaults, hostileCases } from '../support/property.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'
import { HAS_FIXTURES } from '../support/ucp.ts'
import { createNetwork, open } from '../support/ucp-network.ts'
import { RICH_DISCOVERY } from './documents.ts'

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly call?: { readonly function: string }
  readonly path: string
}

let answer: (asked: Asked) => unknown = () => ({})
const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  request.on('end', () => {
    const body = text.startsWith('{') ? (JSON.parse(text) as object) : {}
    const answered = answer({ ...body, path: request.url ?? '' })
    response.writeHead(answered === undefined ? 202 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answered))
  })
})
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const PROTOCOL = { name: 'forrst', version: '0.1.0' }

/** Calls a function of ours; what a peer of ours answered must never be our mistake. */
async function call(functions: readonly FunctionDefinition[], options: Partial<AppOptions> = {}) {
  const log = createTestLogger()
  const service = serviceOf(functions, { log })
  const app = createApp(service, { surfaces: allSurfaces(), ...options })
  const [name = 'none.known'] = functions.map((definition) => definition.name)
  const document = {
    protocol: PROTOCOL,
    id: 'r',
    call: { function: name, arguments: { row: 'a' } },
  }
  const { body } = await app.handle(toRequest(document, { headers: { host: 'localhost' } }))
  await service.close()
  expect(body, JSON.stringify(log.lines)).not.toContain('INTERNAL_ERROR')
}

describe('a peer that answers a hostile value at any place', { timeout: 120_000 }, () => {
  it('is examined by verify to the end', async () => {
    const { functions, components } = RICH_DISCOVERY
    const good = {
      document: {
        ...RICH_DISCOVERY,
        functions: functions.slice(0, 1),
        components: { ...components, resources: {} },
      },
      ping: { status: 'healthy', timestamp: '2026-01-01T00:00:00Z' },
      capabilities: { service: 'o', extensions: [{ urn: 'urn:forrst:ext:caching' }] },
      result: {
        data: [{ type: 'tree', id: '1', attributes: { kind: 'oak' } }],
        meta: { total: 1 },
      },
    }
    // Each case is some fifty calls: the document alone is tried by other tests already.
    const cases = [...hostileCases(good, 0)].filter((_, index) => index % 8 === 0)
    const faults = await findFaults(cases, async (changed) => {
      const world = changed as typeof good
      answer = ({ id, call: asked }) => {
        const name = asked?.function ?? ''
        if (name.endsWith('discovery:fn:describe'))
          return { protocol: PROTOCOL, id, result: world.document }
        if (name.endsWith(':capabilities'))
          return { protocol: PROTOCOL, id, result: world.capabilities }
        return { protocol: PROTOCOL, id, result: name.endsWith('ping') ? world.ping : world.result }
      }
      await verifyService(`${origin()}/forrst`).catch(expectUnreadable)
    })
    expect(faults).toEqual([])
  })

  it('is a source of MCP tools, or is refused', async () => {
    const faults = await findFaults(hostileCases(MCP_PEER, 0), async (changed) => {
      const world = changed as typeof MCP_PEER
      answer = ({ id, method = '' }) =>
        id === undefined
          ? undefined
          : Object.hasOwn(world, method)
            ? { jsonrpc: '2.0', id, result: world[method as keyof typeof MCP_PEER] }
            : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }
      const address = { name: 'far', url: `${origin()}/mcp`, timeoutMs: 2000 }
      const source = await connectMcpSource({ ...address, revision: 'legacy' }).catch(expectRefused)
      if (source === undefined) return
      await call(source.functions()).finally(() => source.close())
    })
    expect(faults).toEqual([])
  })

  it('is an API behind a tool, and a server of tokens', async () => {
    const good = {
      page: { trees: [{ id: 'a' }, { id: 'b' }], next: 'n', error: { message: 'm', code: 'c' } },
      token: { access_token: 't', token_type: 'Bearer', expires_in: 100, scope: 'a' },
    }
    const env = { O_CLIENT_ID: 'a', O_CLIENT_SECRET: 'b' }
    const faults = await findFaults(hostileCases(good, 4), async (changed) => {
      const { page, token } = changed as typeof good
      answer = ({ path }) => (path.startsWith('/token') ? token : page)
      await call(createToolFunctions(toPagedSpec(origin()), { env }))
    })
    expect(faults).toEqual([])
  })

  it('is a caller of a webhook', async () => {
    const service = serviceOf([take], { unknownArguments: 'ignore' })
    const triggers = createTriggers({ service, triggers: [HOOK] })
    await triggers.start()
    const app = createApp(service, { mounts: triggers.mounts, surfaces: allSurfaces() })
    const good = { id: 'e1', data: { id: '1', items: [{ name: 'n' }], deep: { deeper: [1] } } }
    const faults = await findFaults(hostileCases(good, 20), async (event) => {
      const request = toRequest(event, { path: HOOK.path, headers: { host: 'localhost' } })
      const { status } = await app.handle(request)
      expect(status).toBeLessThan(500)
    })
    expect(faults).toEqual([])
    await triggers.stop()
  })

  it('streams to a client, which fails with a CallError at most', async () => {
    const good = {
      data: { n: 1 },
      progress: { current: 1, total: 2, percent: 50, message: 'm' },
      error: { code: 'NOT_FOUND', message: 'm', source: { pointer: '/a' }, details: { a: 1 } },
      done: { id: 't1' },
      complete: { protocol: PROTOCOL, id: 'req_1', result: null, extensions: [], meta: { a: 1 } },
    }
    const faults = await findFaults(hostileCases(good, 20), async (changed) => {
      const events = Object.entries(changed as typeof good)
      const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      const transport: Transport = async () => ({
        status: 200,
        header: (name) => (name === 'content-type' ? 'text/event-stream' : undefined),
        body: '',
        chunks: (async function* () {
          yield text.join('')
        })(),
      })
      const client = createClient({ transport, retry: false })
      const stream = client.stream('trees.watch', {}, { onProgress: () => undefined })
      await stream.result().catch(expectRefused)
    })
    expect(faults).toEqual([])
  })

  it.skipIf(!HAS_FIXTURES)('is a business in a session', async () => {
    let body: unknown = {}
    const session = await open(
      createNetwork({
        'https://shop.example/ucp/v1/carts/c1': () => ({ body }),
        'https://shop.example/ucp/mcp': () => ({ body }),
      }),
    )
    const faults = await findFaults(hostileCases(UCP_ANSWER, 20), async (changed) => {
      body = changed
      for (const transport of ['rest', 'mcp'] as const) {
        const { ok } = await session.call('get_cart', { id: 'c1' }, { transport })
        expect(typeof ok).toBe('boolean')
      }
    })
    expect(faults).toEqual([])
  })
})

function expectRefused(thrown: unknown): undefined {
  expect(thrown).toBeInstanceOf(CallError)
}

function expectUnreadable(thrown: unknown): undefined {
  expect(toReason(thrown)).toContain('discovery document cannot be read')
}

const MCP_PEER = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 's', version: '1.0.0' },
    instructions: 'i',
  },
  'tools/list': {
    tools: [
      {
        name: 'find',
        title: 'Find',
        description: 'Finds.',
        inputSchema: { type: 'object', properties: { row: { type: 'string' } }, required: ['row'] },
        outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
        annotations: { title: 't', readOnlyHint: true },
      },
    ],
  },
  'tools/call': {
    content: [
      { type: 'text', text: 'x' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ],
    structuredContent: { id: 'a' },
    isError: false,
  },
}

const UCP_ANSWER = {
  jsonrpc: '2.0',
  id: 1,
  ucp: { version: '2026-04-08', status: 'success', capabilities: { a: [{ version: 'x' }] } },
  result: {
    structuredContent: { id: 'c1' },
    content: [{ type: 'text', text: '{}' }],
    isError: false,
  },
  error: { code: -32000, message: 'm', data: { code: 'x', content: 'c' } },
  messages: [{ type: 'error', code: 'x', content: 'c', severity: 'recoverable', path: '$.a' }],
  continue_url: 'https://shop.example/go',
}

const take = defineFunction({
  name: 'trees.take',
  version: '1.0.0',
  input: { type: 'object' },
  handler: () => null,
})

const HOOK = {
  type: 'webhook',
  name: 'on_event',
  description: 'Takes an event.',
  path: '/webhooks/event',
  tool: 'trees.take',
  prompt: 'Look at {{id}} and {{all}}.',
  payload_map: { id: 'data.id', name: 'data.items.0.name', all: 'data' },
  wait: true,
} as const

function toPagedSpec(url: string): ToolSpec {
  return {
    domain: 'o',
    base_url: url,
    auth: { type: 'oauth2', env: 'O_CLIENT_ID', token_url: `${url}/token` },
    tools: [
      {
        name: 'find',
        description: 'Finds.',
        method: 'GET',
        path: '/trees',
        params: [{ name: 'row', type: 'string', description: 'A row.' }],
        response: { pick: ['trees.id', 'next'], max_items: 1 },
      },
    ],
  }
}
