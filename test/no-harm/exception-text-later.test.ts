import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { serveStdio } from '../../src/entries/mcp.ts'
import { createToolApi } from '../../src/entries/tools.ts'
import { createTriggers } from '../../src/entries/triggers.ts'
import { CallError } from '../../src/errors/error.ts'
import { asyncExtension } from '../../src/extensions/async/async.ts'
import { connectMcpSource } from '../../src/sources/mcp/source.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { diagnosticsExtension } from '../../src/system/diagnostics-extension.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'
import { createJobQueue } from '../../src/work/open.ts'
import { call, dataOf, toRequest } from '../support/forrst.ts'
import { start } from '../support/front.ts'
import { createTestLogger, serviceOf, type TestLogger } from '../support/service.ts'

const MARKER = 'marker-7f3a /var/lib/secret.db at 10.11.12.13:5432'
const WAIT = { timeout: 8_000, interval: 20 }

const crash = () => {
  throw new Error(MARKER)
}
const failing = defineFunction({
  name: 'orders.get',
  version: '1.0.0',
  handler: crash as () => never,
})

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

describe('beside it: what is told later', () => {
  it('the status of an operation that failed', async () => {
    const log = createTestLogger()
    const store = createMemoryStore()
    const jobs = createJobQueue(store, { log })
    const service = serviceOf([failing], {
      log,
      extensions: [...statefulExtensions({ store }), asyncExtension({ store, jobs })],
    })
    onTestFinished(async () => {
      await jobs.close(100)
      await service.close()
    })
    const urn = 'urn:forrst:ext:async'
    const entry = { urn, options: { preferred: true } }
    const started = await call(service, { function: 'orders.get', extensions: [entry] })
    const id = dataOf(started, urn)?.['operation_id']
    const ask = (name: string, args: object) =>
      call(service, { function: `urn:cline:forrst:ext:async:fn:${name}`, arguments: args })
    const told = await vi.waitFor(async () => {
      const listed = JSON.stringify((await ask('list', {})).body)
      expect(listed).toContain('"failed"')
      return listed + JSON.stringify((await ask('status', { operation_id: id })).body)
    }, WAIT)
    expect(told).toContain('INTERNAL_ERROR')
    expect(told).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it('deliveries of triggers, and a trigger that is tried out', async () => {
    const log = createTestLogger()
    const service = serviceOf([failing], { log })
    const triggers = createTriggers({
      service,
      log,
      triggers: [
        {
          ...{ type: 'emit', name: 'paid', event: 'orders.paid', description: 'Gets' },
          ...{ tool: 'orders.get', attempts: 1 },
        },
      ],
    })
    onTestFinished(() => triggers.stop(100))
    await triggers.start()
    await triggers.emit('orders.paid', {})
    const ask = async (name: string, args: object = {}) => {
      const urn = `urn:waymark:forrst:ext:triggers:fn:${name}`
      return JSON.stringify((await call(service, { function: urn, arguments: args })).body)
    }
    const listed = await vi.waitFor(async () => {
      const answer = await ask('deliveries')
      expect(answer).toContain('"dead"')
      return answer
    }, WAIT)
    const told = [listed, await ask('list'), await ask('test', { trigger: 'paid' })].join('\n')
    expect(listed).toContain('INTERNAL_ERROR')
    expect(told).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })
})

describe('beside it: other ways in', () => {
  it('MCP over stdio', async () => {
    const log = createTestLogger()
    const [input, output] = [new PassThrough(), new PassThrough()]
    const ended = serveStdio(serviceOf([failing], { log }), { input, output })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }
    for (const message of [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'orders__get', arguments: {} } },
    ]) {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    }
    await vi.waitFor(() => expect(logged(log)).toContain(MARKER), WAIT)
    input.end()
    await ended
    output.end()
    const told = await text(output)
    expect(told).toContain('"id":2')
    expect(told).not.toContain('marker-7f3a')
  })

  it.each([
    ['urn:cline:forrst:fn:health', []],
    ['urn:cline:forrst:ext:diagnostics:fn:health', [diagnosticsExtension()]],
  ])('a health check that throws, asked through %s', async (name, extensions) => {
    const log = createTestLogger()
    const service = serviceOf([failing], { log, extensions, health: { db: { check: crash } } })
    const { body } = await call(service, { function: name, arguments: {} })
    expect(body.result).toMatchObject({ components: { db: { status: 'unhealthy' } } })
    expect(JSON.stringify(body)).not.toContain('marker-7f3a')
    expect(logged(log)).toContain(MARKER)
  })

  it('a schema that cannot be compiled, asked through validate', async () => {
    const log = createTestLogger()
    const broken = { type: 'object' }
    Object.defineProperty(broken, 'properties', { get: crash, enumerable: true })
    const { handle } = createToolApi({
      tools: [{ name: 'broken', description: 'B.', inputSchema: broken }] as never,
      call: () => ({ content: [] }) as never,
      log,
    })
    const headers = { host: 'localhost' }
    const path = '/explorer/tools/broken/validate'
    const answer = await handle(toRequest({}, { path, headers }))
    expect(String(answer.body)).not.toContain('marker-7f3a')
    expect(String(answer.body)).toContain('Invalid schema: ')
    expect(logged(log)).toContain(MARKER)
  })
})

describe('beside it: a remote MCP server', () => {
  /** Works until it is told to fail. */
  async function openSource(outputSchema?: object) {
    const state = {
      fail: (_id: unknown): { status: number; body: string } | undefined => undefined,
    }
    const results: Readonly<Record<string, object>> = {
      initialize: {
        ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
        serverInfo: { name: 'x', version: '1' },
      },
      'tools/list': { tools: [{ name: 'get', inputSchema: { type: 'object' }, outputSchema }] },
    }
    const server = createServer(async (request, response) => {
      const sent = await text(request)
      const { id, method = '' } = sent === '' ? {} : JSON.parse(sent)
      const failure = method === 'tools/call' ? state.fail(id) : undefined
      const result = results[method]
      if (failure === undefined && result === undefined) return response.writeHead(202).end()
      response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json' })
      return response.end(failure?.body ?? JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    onTestFinished(close)
    const log = createTestLogger()
    const url = `http://127.0.0.1:${port}/mcp`
    const source = await connectMcpSource({ name: 'far', url, revision: 'legacy', log })
    onTestFinished(source.close)
    const door = await start(serviceOf(source.functions(), { log }))
    const ask = async () => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
      return (await fetch(`${door.url}/api/far.get`, init)).text()
    }
    return { state, close, port, log, ask }
  }

  it.each<[string, (id: unknown) => { status: number; body: string }]>([
    ['fails on the way', () => ({ status: 500, body: MARKER })],
    ['answers what is not JSON', () => ({ status: 200, body: MARKER })],
    [
      'has an error inside',
      (id) => {
        const error = { code: -32603, message: MARKER }
        return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
      },
    ],
  ])('that %s: its text is in the log', async (_name, fail) => {
    const { state, log, ask } = await openSource()
    state.fail = fail
    const answer = await ask()
    expect(answer).toMatch(/far (cannot be reached|refused the call|gave an answer)/)
    expect(answer).not.toContain('marker')
    // A parser of JSON shows the beginning of what it could not read.
    expect(logged(log)).toContain('marker-7f3')
  })

  it.each([
    ['another result', { structuredContent: { n: MARKER } }],
    ['no result', {}],
  ])('that answers %s than its tool promises: neither value nor schema', async (_name, given) => {
    const properties = { n: { const: 'secret-promise' } }
    const { state, log, ask } = await openSource({ type: 'object', properties })
    state.fail = (id) => ({
      status: 200,
      body: JSON.stringify({ jsonrpc: '2.0', id, result: { content: [], ...given } }),
    })
    const answer = await ask()
    expect(JSON.parse(answer)).toMatchObject({ code: 'DEPENDENCY_ERROR' })
    expect(answer).toContain('far answered something else than its tool promises')
    expect(answer).not.toMatch(/marker|secret-promise|[Ss]tructured content|refused/)
    expect(logged(log)).toMatch(/tructured content/)
  })

  it('that is gone: no address and no code of the network', async () => {
    const { close, port, log, ask } = await openSource()
    close()
    const answer = await ask()
    expect(answer).toContain('far cannot be reached')
    expect(answer).not.toMatch(new RegExp(`ECONN|fetch failed|${port}`))
    expect(logged(log)).toMatch(/ECONN|fetch failed|socket/)
  })
})
