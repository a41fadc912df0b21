import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcp, serve } from 'waymark'
import { createMemoryStore } from 'waymark/store'
import { createEventsService } from '../../examples/events/main.ts'
import { createFeatureService, IDS } from './service.ts'

const INFO = { name: 'waymark-tests', version: '1.0.0' }

interface Result {
  readonly isError?: boolean | undefined
  readonly structuredContent?: unknown
  readonly content?: unknown
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly properties?: unknown; readonly additionalProperties?: unknown }
  readonly outputSchema?: unknown
}

/** A client that checks results against the schemas of the list, as its package does. */
interface CheckingClient {
  readonly list: () => Promise<readonly ListedTool[]>
  readonly call: (name: string, input: Record<string, unknown>, meta?: object) => Promise<Result>
  readonly close: () => Promise<void>
}

function second(mode: 'legacy' | 'auto') {
  return async (url: string): Promise<CheckingClient> => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    return {
      list: async () => (await client.listTools()).tools as readonly ListedTool[],
      call: (name, input, meta) =>
        client.callTool({ name, arguments: input, ...(meta && { _meta: meta as never }) }),
      close: () => client.close(),
    }
  }
}

async function first(url: string): Promise<CheckingClient> {
  const client = new FirstClient(INFO)
  await client.connect(new FirstHttp(new URL(url)))
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, input, meta) =>
      (await client.callTool({
        name,
        arguments: input,
        ...(meta && { _meta: meta as never }),
      })) as Result,
    close: () => client.close(),
  }
}

const WAYS = [
  ['client 2, newest revision', second('auto')],
  ['client 2, session revision', second('legacy')],
  ['sdk 1', first],
] as const

const EVENT = 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3'

/** Arguments of every tool, by function name, and whether a failure of the function is meant. */
const CALLS: Readonly<Record<string, readonly (readonly [Record<string, unknown>, object?])[]>> = {
  tickets__list: [
    [{}],
    [{ least: 6 }],
    [{ filter: { total: { greater_than: 5 } }, sort: ['-total'], page: { limit: 1 } }],
    [{ fields: { self: ['total'] }, include: ['customer'] }],
    [{ filter: { total: { in: [5] } }, page: { cursor: null } }],
  ],
  tickets__get: [[{ id: IDS[2] }], [{ id: IDS[0] }], [{ id: 'none' }]],
  tickets__get_v1_0_0: [[{ id: IDS[2] }]],
  tickets__close: [
    [{ id: 'x' }],
    [{ id: 'x' }, { 'waymark/dry-run': true }],
    [{ id: 'x' }, { 'waymark/simulation': 'done' }],
    [{ id: 'x' }, { 'waymark/simulation': { enabled: true, list_scenarios: true } }],
  ],
  tickets__about: [
    [{}],
    [{}, { 'waymark/locale': 'de' }],
    [{}, { 'waymark/if-none-match': '"x"' }],
  ],
  tickets__slow: [[{}, { 'waymark/deadline': { value: 20, unit: 'millisecond' } }]],
  tickets__watch: [[{}]],
  tickets__attach: [[{ id: '7', photo: 'iVBORw0KGgo=' }], [{ id: '7', photo: '**' }]],
  tickets__photo: [[{}]],
  tickets__report: [[{}]],
  events__list: [
    [{}],
    [{ status: 'published' }],
    [{ filter: { status: 'published' }, sort: ['-starts_at'] }],
  ],
  events__get: [[{ id: EVENT }], [{ id: 'none' }]],
  events__create: [
    [{ name: 'A', starts_at: '2030-01-01T00:00:00Z' }],
    [{ name: 'A', starts_at: 'soon' }],
  ],
  venues__get: [[{ venue_id: 'ven_01A2B3C4D5E6F7G8H9I0J1K2L3' }], [{ venue_id: 'none' }]],
  venues__list: [[{}]],
  attendees__list: [[{ event_id: EVENT }]],
}

const SERVICES = [
  ['the feature service', createFeatureService],
  ['the example', () => createEventsService({ database: ':memory:', store: createMemoryStore() })],
] as const

describe.each(SERVICES)('%s', (_name, create) => {
  describe.each(WAYS)('on the validating callTool of %s', (_way, connect) => {
    let server: Awaited<ReturnType<typeof serve>>
    let client: CheckingClient
    beforeAll(async () => {
      const versions = { 'tickets.get': ['1.0.0'] }
      server = await serve(create(), { port: 0, surfaces: [mcp({ versions })] })
      client = await connect(`${server.url}/mcp`)
    })
    afterAll(async () => {
      await client.close()
      await server.close()
    })

    it('answers every tool without contradicting its schemas', async () => {
      for (const { name } of await client.list()) {
        const calls = CALLS[name] ?? []
        expect(calls.length, `calls of ${name}`).toBeGreaterThan(0)
        for (const [input, meta] of calls) {
          const { content } = await client.call(name, input, meta)
          expect(content, name).toBeDefined()
        }
      }
    }, 60_000)

    it('lists what a query may say as properties that are described and closed', async () => {
      const tools = await client.list()
      const { inputSchema } = tools.find(({ name }) => /list$/.test(name)) as ListedTool
      expect(inputSchema.additionalProperties).toBe(false)
      expect(inputSchema.properties).toMatchObject({
        filter: { additionalProperties: false, description: expect.any(String) },
        sort: { items: { enum: expect.any(Array) } },
        page: { additionalProperties: false },
      })
    })
  })
})
