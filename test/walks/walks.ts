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

interface StartOptions {
  /** What a step has to be answered with. */
  readonly answer?: z.ZodType
  readonly withStore?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

async function start(
  path: string,
  toBody: (round: number) => unknown,
  { answer = z.unknown(), withStore = false, headers = {} }: StartOptions = {},
) {
  const store = withStore ? createMemoryStore() : undefined
  const info = { title: 'Demo', version: '1.0.0' }
  const service = createService({
    info,
    functions: [echo],
    ...(store && { store, stateful: { replay: false } }),
  })
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
  return {
    send,
    /** A refusal takes a shorter way: an answer of another form ends the walk. */
    step: async () => answer.parse(await send(toBody(++round))),
    close: () => server.close(),
  }
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

const ECHOED = z.object({ text: z.string() })
const ACCEPTED = z.object({
  extensions: z.array(z.object({ data: z.object({ operation_id: z.string() }) })),
})
const ASKED = z.object({
  result: z.object({ status: z.enum(['pending', 'processing', 'completed']) }),
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
  'a call over Forrst': {
    prepare: () =>
      start('/forrst', (round) => forrst(round), { answer: z.object({ result: ECHOED }) }),
  },
  'a call over REST': {
    prepare: () => start('/api/demo.echo', () => ({ text: 'hello' }), { answer: ECHOED }),
  },
  'a call over MCP': {
    prepare: () =>
      start(
        '/mcp',
        (round) => ({
          jsonrpc: '2.0',
          id: round,
          method: 'tools/call',
          params: {
            name: 'demo__echo',
            arguments: { text: 'hello' },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'walk', version: '1.0.0' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
        {
          answer: z.object({ result: z.object({ structuredContent: ECHOED }) }),
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
      start('/webhooks/hook', (round) => ({ text: `event ${round}` }), {
        withStore: true,
        answer: z.object({ result: ECHOED }),
      }),
  },
  'an operation': {
    async prepare() {
      const { send, close } = await start('/forrst', () => undefined, { withStore: true })
      const entry = [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }]
      const status = 'urn:cline:forrst:ext:async:fn:status'
      let round = 0
      return {
        close,
        async step() {
          const accepted = ACCEPTED.parse(await send(forrst(++round, entry)))
          const ask = { function: status, arguments: accepted.extensions[0]?.data }
          // The worker runs in this process and waits for its turn.
          while (ASKED.parse(await send(forrst(++round, [], ask))).result.status !== 'completed') {
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
        },
      }
    },
  },
}
