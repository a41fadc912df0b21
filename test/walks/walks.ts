import { createService, defineFunction, serve } from 'waymark'
import { importOpenApi, loadOpenApi } from 'waymark/openapi'
import { createMemoryStore } from 'waymark/store'
import { createTriggers, defineTrigger } from 'waymark/triggers'
import { z } from 'zod'

/** One way through the code: what has to be there before, and one round of it. */
export interface Walk {
  prepare(): Promise<{ step(): Promise<unknown>; close(): Promise<void> }>
}

const echo = defineFunction({
  name: 'demo.echo',
  version: '1.0.0',
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  handler: ({ input }) => ({ text: input.text }),
})

async function start(
  path: string,
  toBody: (round: number) => unknown,
  {
    withStore = false,
    headers = {},
  }: { readonly withStore?: boolean; readonly headers?: Record<string, string> } = {},
) {
  const store = withStore ? createMemoryStore() : undefined
  const info = { title: 'Demo', version: '1.0.0' }
  const service = createService({ info, functions: [echo], ...(store && { store }) })
  const hook = defineTrigger({
    type: 'webhook',
    name: 'hook',
    description: 'Echoes',
    path: '/webhooks/hook',
    tool: echo.name,
    wait: true,
  })
  const triggers = createTriggers({ service, triggers: [hook], ...(store && { store }) })
  const server = await serve(service, { port: 0, triggers })
  let round = 0
  async function send(body: unknown): Promise<unknown> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  return { send, step: () => send(toBody(++round)), close: () => server.close() }
}

const forrst = (
  round: number,
  extensions: readonly unknown[] = [],
  call: unknown = { function: echo.name, arguments: { text: `round ${round}` } },
) => ({
  protocol: { name: 'forrst', version: '0.1.0' },
  id: `req_${round}`,
  call,
  ...(extensions.length > 0 && { extensions }),
})

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: 'https://pets.example.com' }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        summary: 'Get a pet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'The pet' } },
      },
    },
  },
})

/** The walks of docs/internals/architecture.md, by name. */
export const WALKS: Readonly<Record<string, Walk>> = {
  'a call over Forrst': { prepare: () => start('/forrst', (round) => forrst(round)) },
  'a call over REST': { prepare: () => start('/api/demo.echo', () => ({ text: 'hello' })) },
  'a call over MCP': {
    prepare: () =>
      start(
        '/mcp',
        (round) => ({
          jsonrpc: '2.0',
          id: round,
          method: 'tools/call',
          params: {
            name: 'demo.echo',
            arguments: { text: 'hello' },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'walk', version: '1.0.0' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
        {
          headers: {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': 'demo__echo',
          },
        },
      ),
  },
  'an import': {
    async prepare() {
      return {
        async step() {
          const loaded = loadOpenApi(DOCUMENT, { file: 'pets.json' })
          if (!loaded.ok || !importOpenApi(loaded.document, { file: 'pets.json' }).ok)
            throw new Error('not imported')
        },
        close: async () => {},
      }
    },
  },
  'a delivery': {
    prepare: () =>
      start('/webhooks/hook', (round) => ({ text: `event ${round}` }), { withStore: true }),
  },
  'an operation': {
    async prepare() {
      const entry = [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }]
      const { send, close } = await start('/forrst', () => undefined, { withStore: true })
      let round = 0
      return {
        close,
        async step() {
          await send(forrst(++round, entry))
          // The worker runs in this process; an operation of this size ends long before.
          await new Promise((resolve) => setTimeout(resolve, 500))
        },
      }
    },
  },
}
