import { describe, expect, it, onTestFinished } from 'vitest'
import { createDocumentFetcher } from '../../src/capabilities/documents/fetcher.ts'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import {
  createClient,
  createFetchTransport,
  createLocalTransport,
} from '../../src/entries/client.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import { parseToolSpec } from '../../src/entries/tool-spec.ts'
import { CallError } from '../../src/errors/error.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type AppOptions, createApp } from '../../src/http/app.ts'
import { createPublicFetch } from '../../src/net/public-address.ts'
import { connectForrstSource } from '../../src/sources/forrst/source.ts'
import { toStoreError } from '../../src/store/front.ts'
import { type HttpRequest, type HttpResponse, IN_PROCESS } from '../../src/wire/http.ts'
import { closedPort, listen } from '../support/listen.ts'
import { createTestLogger, define, serviceOf, type TestLogger } from '../support/service.ts'

const MARKER = 'marker-7f3a /var/lib/secret.db at 10.11.12.13:5432'

type Send = (name: string) => HttpRequest

function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  const all: Readonly<Record<string, string>> = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return {
    method: 'POST',
    path,
    query: '',
    header: (name) => all[name],
    body: Buffer.from(JSON.stringify(body)),
    bodyTooLarge: false,
    peerAddress: () => IN_PROCESS,
    signal: () => new AbortController().signal,
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const mcp = (method: string, params: Readonly<Record<string, unknown>>, name: string) =>
  post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name },
  )

/** Every way to call a function over HTTP. */
const SURFACES: Readonly<Record<string, Send>> = {
  Forrst: (name) =>
    post('/forrst', {
      protocol: { name: 'forrst', version: '0.1.0' },
      id: 'r1',
      call: { function: name, version: '1.0.0', arguments: {} },
    }),
  REST: (name) => post(`/api/${name}`, {}),
  'MCP 2026-07-28': (name) => {
    const tool = name.replace('.', '__')
    return mcp('tools/call', { name: tool, arguments: {} }, tool)
  },
  'MCP 2025-11-25': (name) =>
    post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: name.replace('.', '__'), arguments: {} },
      },
      { 'mcp-protocol-version': '2025-11-25' },
    ),
  explorer: (name) => post(`/explorer/tools/${name.replace('.', '__')}/call`, {}),
}

async function textOf({ body, headers }: HttpResponse): Promise<string> {
  const chunks: (string | Uint8Array)[] = [JSON.stringify(headers)]
  if (typeof body === 'string' || body instanceof Uint8Array) chunks.push(body)
  else for await (const chunk of body) chunks.push(chunk)
  return chunks.map((chunk) => Buffer.from(chunk).toString()).join('')
}

/** Writes everything a log line holds, causes included. */
function logged({ lines }: TestLogger): string {
  const print = (value: unknown): string => {
    if (value instanceof Error) {
      const errors = value instanceof CallError ? JSON.stringify(value.errors) : ''
      return `${value.message} ${errors} ${print(value.cause)}`
    }
    if (typeof value !== 'object' || value === null) return String(value)
    return Object.values(value).map(print).join(' ')
  }
  return lines.map(({ message, facts }) => `${message} ${print(facts)}`).join('\n')
}

function open(
  functions: readonly FunctionDefinition[],
  options: Parameters<typeof serviceOf>[1] = {},
  app: Partial<AppOptions> = {},
) {
  const log = createTestLogger()
  const service = serviceOf(functions, { log, ...options })
  const { handle } = createApp(service, {
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    ...app,
  })
  return { log, ask: async (request: HttpRequest) => textOf(await handle(request)) }
}

const failing = (handler: () => unknown) =>
  defineFunction({ name: 'orders.get', version: '1.0.0', handler: handler as () => never })

const THROWN: Readonly<Record<string, () => unknown>> = {
  'an exception': () => {
    throw new Error(MARKER)
  },
  'a rejection': () => Promise.reject(new TypeError(MARKER)),
  'an exception with a code, as drivers throw them': () => {
    throw Object.assign(new Error(MARKER), { code: 'UNAUTHORIZED', status: 400 })
  },
  'the cause of an error that is told': () => {
    throw new CallError('UNAVAILABLE', { cause: new Error(MARKER) })
  },
  'the reason of an error that is told': () => {
    throw new CallError('DEPENDENCY_ERROR', { message: 'It failed', reason: MARKER })
  },
  'the error of a store': () => {
    throw toStoreError('postgres', new Error(MARKER))
  },
  'the error of a client that a handler let pass': () => {
    throw new CallError('CLIENT_UNREACHABLE', { message: MARKER, status: 502 })
  },
}

const pairs = Object.keys(THROWN).flatMap((what) =>
  Object.keys(SURFACES).map((surface) => [what, surface] as const),
)

describe('as reported', () => {
  const announce = async (profile: string) => {
    const log = createTestLogger()
    const capability = 'com.example.shop.checkout'
    const { handle } = createApp(serviceOf([define({ capability })], { log }), {
      surfaces: allSurfaces({
        profile: {
          version: '2026-04-08',
          origin: 'https://example.com',
          service: 'com.example.shop',
          capabilities: [{ name: capability, schema: 'https://example.com/s' }],
          fetcher: createDocumentFetcher({
            fetch: createPublicFetch({
              maxBytes: 1_000,
              timeoutMs: 5_000,
              redirects: 'refuse',
              lookup: async (host) => {
                if (host === 'inside.example') return [{ address: '127.0.0.1', family: 4 }]
                throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
                  code: 'ENOTFOUND',
                })
              },
            }),
          }),
        },
      }),
    })
    const rest = post('/api/orders.get', {}, { 'ucp-agent': `profile="${profile}"` })
    const tool = mcp(
      'tools/call',
      { name: 'orders__get', arguments: { meta: { 'ucp-agent': { profile } } } },
      'orders__get',
    )
    const answers = [await textOf(await handle(rest)), await textOf(await handle(tool))]
    return { answers, log: logged(log) }
  }

  it('a name that does not exist: nothing of the resolver in the answer', async () => {
    const { answers, log } = await announce('https://nowhere.example/p.json')
    for (const answer of answers) {
      expect(answer).toContain('profile_unreachable')
      expect(answer).toContain('The announced profile could not be fetched')
      expect(answer).not.toMatch(/getaddrinfo|ENOTFOUND/)
    }
    expect(log).toContain('getaddrinfo ENOTFOUND nowhere.example')
  })

  it('a name that leads inside: no address in the answer, and the same sentence', async () => {
    const { answers, log } = await announce('https://inside.example/p.json')
    for (const answer of answers) {
      expect(answer).toContain('The announced profile could not be fetched')
      expect(answer).not.toMatch(/127\.0\.0\.1|leads to|loopback/)
    }
    expect(log).toContain('leads to 127.0.0.1')
  })

  it.each(pairs)('%s thrown by a handler stays in the log on %s', async (what, surface) => {
    const { ask, log } = open([failing(THROWN[what] ?? (() => 1))])
    const answer = await ask((SURFACES[surface] as Send)('orders.get'))
    expect(answer).not.toContain('marker-7f3a')
    expect(answer).not.toContain('10.11.12.13')
    expect(logged(log)).toContain(MARKER)
  })
})

describe('beside it: other places that throw', () => {
  const names = Object.keys(SURFACES)
  const ok = failing(() => 'fine')
  const crash = () => {
    throw new Error(MARKER)
  }

  it.each(names)('authenticate on %s', async (surface) => {
    const { ask, log } = open([ok], { authenticate: crash })
    expect(await ask((SURFACES[surface] as Send)('orders.get'))).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it.each(names)('authorize on %s', async (surface) => {
    const { ask, log } = open([ok], { authorize: crash })
    expect(await ask((SURFACES[surface] as Send)('orders.get'))).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it.each(names)('middleware on %s', async (surface) => {
    const { ask, log } = open([ok], { middleware: [crash] })
    expect(await ask((SURFACES[surface] as Send)('orders.get'))).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it('a health check: probes and the health function say that it failed, not how', async () => {
    const { ask, log } = open([ok], { health: { db: { check: crash } } })
    const get = { ...post('/health/ready', ''), method: 'GET' }
    const call = (SURFACES['Forrst'] as Send)('urn:cline:forrst:ext:diagnostics:fn:health')
    for (const request of [get, call]) expect(await ask(request)).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it.each([
    ['at once', crash],
    ['later', () => Promise.reject(new Error(MARKER))],
  ])('a mount that throws %s answers 500', async (_when, handler) => {
    const { ask, log } = open([ok], {}, { mounts: [{ path: '/own', match: 'exact', handler }] })
    const answer = await ask(post('/own', {}))
    expect(answer).toContain('Internal error')
    expect(answer).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it('a resource and a prompt of MCP', async () => {
    const { ask, log } = open(
      [ok],
      {},
      {
        surfaces: allSurfaces({
          mcp: {
            resources: [{ uri: 'own:a', name: 'a', read: crash }],
            prompts: () => crash(),
          },
        }),
      },
    )
    const read = await ask(mcp('resources/read', { uri: 'own:a' }, 'own:a'))
    const prompts = await ask(mcp('prompts/list', {}, ''))
    expect(read + prompts).not.toContain('marker-7f3a')
    expect(logged(log).split(MARKER)).toHaveLength(3)
  })
})

describe('beside it: other services behind this one', () => {
  const askAll = async (functions: readonly FunctionDefinition[], name: string) => {
    const { ask, log } = open(functions)
    const answers = await Promise.all(Object.values(SURFACES).map((send) => ask(send(name))))
    return { answers, log: logged(log) }
  }

  const importApi = (url: string) => {
    const spec = parseToolSpec(
      JSON.stringify({
        domain: 'things',
        version: '1.0.0',
        base_url: url,
        tools: [
          {
            name: 'things_list',
            description: 'Lists things.',
            method: 'GET',
            path: '/things',
            read_only: true,
          },
        ],
      }),
    )
    if (!spec.ok) throw new Error(JSON.stringify(spec.problems))
    return createToolFunctions(spec.spec, { env: {} })
  }

  it('an imported API that cannot be reached: no address and no code of the network', async () => {
    const port = await closedPort()
    const [tool, ...rest] = importApi(`http://127.0.0.1:${port}`)
    const { answers, log } = await askAll([tool as FunctionDefinition, ...rest], tool?.name ?? '')
    for (const answer of answers.slice(0, 4)) {
      expect(answer).toContain('could not be reached')
      expect(answer).not.toContain(`127.0.0.1:${port}`)
      expect(answer).not.toContain('ECONNREFUSED')
    }
    expect(log).toContain('ECONNREFUSED')
  })

  it('an imported API that fails: what was asked, not where', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(500)
      response.end('broken')
    })
    const [tool] = importApi(`http://127.0.0.1:${port}`)
    const { answers, log } = await askAll([tool as FunctionDefinition], tool?.name ?? '')
    for (const answer of answers.slice(0, 4)) {
      expect(answer).toContain('the API answered 500')
      expect(answer).not.toContain(`127.0.0.1:${port}`)
    }
    expect(log).toContain(`127.0.0.1:${port}`)
  })

  it('a call to another service that a handler let pass', async () => {
    const port = await closedPort()
    const client = createClient({
      transport: createFetchTransport({ url: `http://127.0.0.1:${port}/forrst` }),
      retry: false,
    } as Parameters<typeof createClient>[0])
    const pass = failing(async () => {
      const outcome = await client.call('things.list')
      if (!outcome.ok) throw outcome.error
      return outcome.result
    })
    const { answers, log } = await askAll([pass], 'orders.get')
    for (const answer of answers) expect(answer).not.toContain(String(port))
    expect(log).toContain(String(port))
  })

  it('a remote Forrst service that is away', async () => {
    let away = false
    const remote = createApp(serviceOf([failing(() => 1)]), { surfaces: allSurfaces() })
    const local = createLocalTransport(remote.handle)
    const client = createClient({
      transport: (...sent) => {
        if (away) throw new Error(MARKER)
        return local(...sent)
      },
      retry: false,
    } as Parameters<typeof createClient>[0])
    const source = await connectForrstSource({ client, name: 'orders', refreshMs: 0 })
    onTestFinished(() => void source.close())
    away = true
    const { answers, log } = await askAll(source.functions(), 'orders.get')
    for (const answer of answers) expect(answer).not.toContain('marker-7f3a')
    expect(log).toContain(MARKER)
  })
})
