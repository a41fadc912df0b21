import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { type Call, createReply, type Outcome } from '../../core/call.ts'
import { dispatch } from '../../core/dispatch.ts'
import { defineFunction } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { createApp } from '../../http/app.ts'
import { toNodeListener } from '../../http/node.ts'
import { createMcpHandler, type McpHandlerOptions } from '../../surfaces/mcp/handler.ts'
import type { JsonObject } from '../../values/json.ts'
import type { McpSource, McpSourceOptions } from './source.ts'
import { connectMcpSource } from './source.ts'
import { toToolFunctions } from './tool-function.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Remote {
  readonly url: string
  readonly port: number
  readonly seen: IncomingMessage[]
  readonly stop: () => Promise<void>
  /** Forgets every session, as a new process would, without closing a connection. */
  readonly restart: () => void
}

/** Puts a service on a port of this machine. */
async function start(service: Service, options: McpHandlerOptions = {}, port = 0): Promise<Remote> {
  let handler = createMcpHandler(service, options)
  const app = createApp(service, {
    mounts: [{ path: '/agents', match: 'exact', handler: (request) => handler(request) }],
    surfaces: allSurfaces(),
  })
  const seen: IncomingMessage[] = []
  const listener = toNodeListener(app)
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming)
    listener(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    handler.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  cleanups.push(stop)
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}/agents`,
    port: address.port,
    seen,
    stop,
    restart() {
      handler = createMcpHandler(service, options)
    },
  }
}

async function connect(url: string, options: Partial<McpSourceOptions> = {}): Promise<McpSource> {
  const source = await connectMcpSource({ name: 'remote', url, ...options } as McpSourceOptions)
  cleanups.push(source.close)
  return source
}

function call(service: Service, name: string, input: JsonObject = {}, more: Partial<Call> = {}) {
  return dispatch(service, {
    id: '1',
    function: name,
    version: undefined,
    arguments: input,
    context: undefined,
    extensions: [],
    principal: undefined,
    signal: () => new AbortController().signal,
    facts: {},
    startedAt: service.clock.elapsed(),
    reply: createReply(),
    ...more,
  })
}

const local = (source: McpSource) => serviceOf(source.functions())
const errorOf = (outcome: Outcome) => (outcome.ok ? undefined : outcome.errors[0])

describe.each([
  ['the newest revision', 'auto'],
  ['an older revision', 'legacy'],
] as const)('a remote MCP server that speaks %s', (_title, revision) => {
  it('gives its tools as functions, with schemas, version and a mark of distrust', async () => {
    const { url } = await start(createShop())
    const source = await connect(url, { revision })
    const [find, order] = source.functions()
    expect(find).toMatchObject({
      name: 'remote.shop__find',
      version: '1.0.0',
      summary: 'Find articles',
      description:
        'Looks for articles in stock.\n\n[Described by the MCP server "remote", not checked here]',
      tags: [{ name: 'remote' }, { name: 'untrusted' }],
      input: { properties: { limit: { minimum: 1 } } },
      output: { required: ['items', 'total'] },
    })
    expect(find?.sideEffects).toBeUndefined()
    expect(order?.version).toBe('2.0.0')
  })

  it('is called like any function: results, wrong arguments, errors', async () => {
    const { url } = await start(createShop())
    const service = local(await connect(url, { revision }))
    expect(await call(service, 'remote.shop__order', { sku: 'a' })).toEqual({
      ok: true,
      result: { id: 'order of a' },
    })
    const wrong = await call(service, 'remote.shop__order', { sku: 5 })
    expect(errorOf(wrong)?.code).toBe('INVALID_ARGUMENTS')
    const sold = await call(service, 'remote.shop__order', { sku: 'none' })
    expect(errorOf(sold)).toMatchObject({
      code: 'SHOP_SOLD_OUT',
      message: 'Sold out',
      details: { sku: 'none' },
    })
  })

  it('passes progress on, and cancellation to the remote handler', async () => {
    const shop = createShop()
    let aborted = false
    shop.registry.add(
      defineFunction({
        name: 'shop.wait',
        version: '1.0.0',
        handler: ({ signal, progress }) =>
          new Promise((_resolve, reject) => {
            progress(0.25, 'packing')
            signal.addEventListener('abort', () => {
              aborted = true
              reject(signal.reason)
            })
          }),
      }),
    )
    const { url } = await start(shop)
    const service = local(await connect(url, { revision }))
    const steps: unknown[] = []
    const controller = new AbortController()
    const running = call(
      service,
      'remote.shop__wait',
      {},
      {
        signal: () => controller.signal,
        facts: { progress: (fraction, message) => steps.push([fraction, message]) },
      },
    )
    await vi.waitFor(() => expect(steps).toEqual([[0.25, 'packing']]), 5_000)
    controller.abort()
    expect(errorOf(await running)?.code).toBe('CANCELLED')
    await vi.waitFor(() => expect(aborted).toBe(true), 5_000)
  })

  it('is followed when its tools change', async () => {
    const shop = createShop()
    const { url } = await start(shop)
    const source = await connect(url, { revision })
    const service = local(source)
    service.registry.add(defineFunction({ name: 'remote.own', version: '1.0.0', handler: () => 1 }))
    source.follow(service.registry)
    const kept = service.registry.find('remote.shop__order')
    await new Promise((resolve) => setTimeout(resolve, 100))
    shop.registry.remove('shop.find')
    shop.registry.add(
      defineFunction({ name: 'shop.fresh', version: '1.0.0', handler: () => 'new' }),
    )
    await vi.waitFor(() => {
      expect(service.registry.find('remote.shop__fresh')).toBeDefined()
      expect(service.registry.find('remote.shop__find')).toBeUndefined()
    }, 10_000)
    expect(service.registry.find('remote.shop__order')).toBe(kept)
    expect(service.registry.find('remote.own')).toBeDefined()
  })

  it('is reached again after it was away, and calls say when to come back', async () => {
    const first = await start(createShop())
    const log = createTestLogger()
    const service = local(await connect(first.url, { revision, log, random: () => 0 }))
    await first.stop()
    const away = await call(service, 'remote.shop__names')
    expect(errorOf(away)?.code).toBe('UNAVAILABLE')
    const again = await call(service, 'remote.shop__names')
    expect(errorOf(again)).toMatchObject({ details: { retry_after: { unit: 'millisecond' } } })
    await start(createShop(), {}, first.port)
    await vi.waitFor(async () => {
      expect((await call(service, 'remote.shop__names')).ok).toBe(true)
    }, 15_000)
    expect(log.lines.some(({ message }) => message.includes('next attempt in'))).toBe(true)
  })
})

describe('a remote MCP server', () => {
  it('may forget a session: the call is made again in a new one', async () => {
    const { url, restart } = await start(createShop())
    const service = local(await connect(url, { revision: 'legacy' }))
    restart()
    expect((await call(service, 'remote.shop__names')).ok).toBe(true)
  })

  it('never gets what the caller sent to us', async () => {
    const { url, seen } = await start(createShop())
    const service = local(await connect(url, { headers: { authorization: 'Bearer configured' } }))
    await call(
      service,
      'remote.shop__order',
      { sku: 'a' },
      {
        principal: { id: 'ada', token: 'very-secret' },
        context: { caller: 'very-secret' },
      },
    )
    const headers = JSON.stringify(seen.map((request) => request.headers))
    expect(headers).toContain('Bearer configured')
    expect(headers).not.toContain('very-secret')
  })

  it('is believed about side effects and descriptions when it is trusted', async () => {
    const { url } = await start(createShop())
    const functions = (await connect(url, { trusted: true })).functions()
    const byName = new Map(functions.map((definition) => [definition.name, definition]))
    expect(byName.get('remote.shop__find')?.sideEffects).toEqual([])
    expect(byName.get('remote.shop__order')?.sideEffects).toEqual(['update', 'delete'])
    expect(byName.get('remote.shop__pack')?.sideEffects).toContain('external_api_call')
    expect(byName.get('remote.shop__crash')?.sideEffects).toBeUndefined()
    expect(byName.get('remote.shop__find')?.description).toBe('Looks for articles in stock.')
  })

  it('can be a program, which sees none of our environment', async () => {
    const script = fileURLToPath(new URL('../../../test/mcp/fixture-stdio.ts', import.meta.url))
    process.env['VERY_SECRET'] = 'yes'
    const source = await connectMcpSource({
      name: 'program',
      command: process.execPath,
      args: ['--conditions=waymark-source', '--import', 'tsx', script],
      revision: 'legacy',
    })
    cleanups.push(source.close)
    delete process.env['VERY_SECRET']
    const service = local(source)
    expect(await call(service, 'program.greet', { name: 'Ada' })).toMatchObject({
      result: { content: [{ type: 'text', text: 'Hello, Ada!' }] },
    })
    const { result } = (await call(service, 'program.read_environment')) as { result: unknown }
    expect(JSON.stringify(result)).toContain('PATH')
    expect(JSON.stringify(result)).not.toContain('VERY_SECRET')
  })

  it('has no functions while it cannot be reached, and says why', async () => {
    const source = await connect('http://127.0.0.1:1/mcp')
    expect(source.functions()).toEqual([])
    expect(source.status()).toMatchObject({ state: 'unreachable', tools: 0, calls: 0 })
    expect(source.check()).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('Cannot be reached'),
    })
  })

  it('is waited for as long as it is told, and goes on connecting', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    cleanups.push(
      () => silent.closeAllConnections(),
      () => silent.close(),
    )
    const { port } = silent.address() as AddressInfo
    const source = await connect(`http://127.0.0.1:${port}/mcp`, { startTimeoutMs: 1 })
    expect(source.status().state).toBe('connecting')
    expect(source.check()).toEqual({ status: 'degraded', message: 'Not connected yet' })
  })

  it('gives the tools that were selected, under other names where it is told', async () => {
    const { url } = await start(createShop())
    const source = await connect(url, {
      tools: {
        allow: ['shop__f*', 's*p__*der'],
        deny: ['*__order'],
        rename: { shop__find: 'look' },
      },
    })
    expect(source.functions().map(({ name }) => name)).toEqual(['remote.look'])
  })

  it('must be there at first where it is required, and have a name that functions can begin with', async () => {
    await expect(connect('http://127.0.0.1:1/mcp', { required: true })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    await expect(connect('http://127.0.0.1:1/mcp', { name: '1.x' })).rejects.toThrow(TypeError)
  })
})

describe('tools of a server nobody knows', () => {
  const warnings: string[] = []
  const functionsOf = (...tools: Parameters<typeof toToolFunctions>[0]) =>
    toToolFunctions(tools, {
      name: 'odd',
      trusted: false,
      call: async () => undefined,
      warn: (message) => warnings.push(message),
    })
  const named = (name: string, more: object = {}) => ({
    name,
    inputSchema: { type: 'object' },
    ...more,
  })

  it('get names that functions can have, each its own', () => {
    const tools = ['a/b.c', 'a_b', 'a b', 'a.b', '9lives', 'ünïcödé', '///', 'x'.repeat(400)]
    const names = functionsOf(...tools.map((tool) => named(tool))).map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['odd.a.b.c', 'odd.a_b', 'odd.a.b'])
    expect(names[3]).toMatch(/^odd\.a\.b_[0-9a-f]{8}$/)
    expect(names.slice(4, 7)).toEqual(['odd.t9lives', 'odd.t_n_c_d_', 'odd.tool'])
    expect(new Set(names).size).toBe(tools.length)
  })

  it('lose schemas that make no sense, and say so', () => {
    const [broken] = functionsOf(
      named('broken', {
        inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } },
        outputSchema: { type: 'nonsense' },
      }),
    )
    expect(broken).toMatchObject({ input: { type: 'object' } })
    expect(broken).not.toHaveProperty('output')
    expect(warnings.at(-1)).toContain('a schema of the remote tool broken is left out')
  })

  it('lose characters that only machines see', () => {
    const hidden = 'Adds\u200b numbers\u202e\u{e0041}\u{e0042}\u001b[31m.'
    const [tool] = functionsOf(named('add', { description: hidden }))
    expect(tool?.description).toBe(
      'Adds numbers[31m.\n\n[Described by the MCP server "odd", not checked here]',
    )
    const [long] = functionsOf(named('long', { description: 'x'.repeat(10_000) }))
    expect(long?.description?.length).toBeLessThan(4_100)
  })
})
