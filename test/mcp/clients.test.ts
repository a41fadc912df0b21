import { fileURLToPath } from 'node:url'
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFixture } from './fixture-service.ts'
import { type Listening, listen } from './listen.ts'

const STDIO = {
  command: process.execPath,
  args: [
    '--conditions=waymark-source',
    '--import',
    'tsx',
    fileURLToPath(new URL('./fixture-stdio.ts', import.meta.url)),
  ],
}
const INFO = { name: 'waymark-tests', version: '1.0.0' }
const FORM = { action: 'accept', content: { name: 'Ada' } } as const

/** What the tests do with a client, whichever package it comes from. */
interface TestClient {
  readonly tools: () => Promise<readonly { name: string; description?: string | undefined }[]>
  readonly call: (
    name: string,
    input: Record<string, unknown>,
    options?: { signal?: AbortSignal; onprogress?: (step: { progress: number }) => void },
  ) => Promise<{ content?: unknown; isError?: boolean | undefined }>
  readonly read: (uri: string) => Promise<unknown>
  readonly prompt: (name: string, values: Record<string, string>) => Promise<unknown>
  /** Settles when the server says that its tools changed. */
  readonly toolsChanged: Promise<unknown>
  readonly close: () => Promise<void>
}

type Way = (url: string) => Promise<TestClient>

function modern(mode: 'legacy' | 'auto', transport: 'http' | 'stdio'): Way {
  return async (url) => {
    const changed = deferred()
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: (_error, tools) => changed.resolve(tools) } },
    })
    client.setRequestHandler('elicitation/create', () => FORM)
    await client.connect(
      transport === 'http'
        ? new StreamableHTTPClientTransport(new URL(url))
        : new StdioClientTransport(STDIO),
    )
    return {
      tools: async () => (await client.listTools()).tools,
      call: (name, input, options) => client.callTool({ name, arguments: input }, options),
      read: (uri) => client.readResource({ uri }),
      prompt: (name, values) => client.getPrompt({ name, arguments: values }),
      toolsChanged: changed.promise,
      close: () => client.close(),
    }
  }
}

function first(transport: 'http' | 'stdio'): Way {
  return async (url) => {
    const changed = deferred()
    const client = new FirstClient(INFO, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, () => FORM)
    client.setNotificationHandler(ToolListChangedNotificationSchema, (message) =>
      changed.resolve(message),
    )
    await client.connect(transport === 'http' ? new FirstHttp(new URL(url)) : new FirstStdio(STDIO))
    return {
      tools: async () => (await client.listTools()).tools,
      call: async (name, input, options) => {
        const result = await client.callTool({ name, arguments: input }, undefined, options)
        return { content: result['content'], isError: result['isError'] === true }
      },
      read: (uri) => client.readResource({ uri }),
      prompt: (name, values) => client.getPrompt({ name, arguments: values }),
      toolsChanged: changed.promise,
      close: () => client.close(),
    }
  }
}

const WAYS: readonly [string, Way][] = [
  ['client 2 over HTTP, newest revision', modern('auto', 'http')],
  ['client 2 over HTTP, older revision', modern('legacy', 'http')],
  ['client 2 over stdio, newest revision', modern('auto', 'stdio')],
  ['client 2 over stdio, older revision', modern('legacy', 'stdio')],
  ['sdk 1 over HTTP', first('http')],
  ['sdk 1 over stdio', first('stdio')],
]

describe.each(WAYS)('the official %s', (title, way) => {
  // Streams can be taken up again over HTTP, in revisions with sessions.
  const resumes = /sdk 1 over HTTP|over HTTP, older/.test(title)
  let server: Listening
  let client: TestClient
  beforeAll(async () => {
    const { service, options } = createFixture()
    server = await listen(service, options)
    client = await way(server.url)
  })
  afterAll(async () => {
    await client?.close()
    await server.close()
  })

  it('lists every tool with a description', async () => {
    const tools = await client.tools()
    expect(tools.length).toBeGreaterThan(30)
    expect(tools.find(({ name }) => name === 'greet')?.description).toContain('greet')
  })

  it('calls a tool and gets its text', async () => {
    const { content, isError } = await client.call('greet', { name: 'Ada' })
    expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
    expect(isError).toBeFalsy()
  })

  it('gets a declared error as a result that names the code', async () => {
    const { content, isError } = await client.call('test_error_handling', {})
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain('FIXTURE_FAILED')
  })

  it('learns which argument is wrong', async () => {
    const { content, isError } = await client.call('greet', { name: 5 })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain('INVALID_ARGUMENTS: name')
  })

  it('hears of progress', async () => {
    const steps: number[] = []
    await client.call('test_tool_with_progress', {}, { onprogress: (s) => steps.push(s.progress) })
    // A last step that arrives together with the result may get lost inside the client.
    expect(steps.slice(0, 2)).toEqual([0, 50])
  })

  it('gets the result of a call whose connection broke', async () => {
    const steps: number[] = []
    const { content } = await client.call(
      'test_long_progress',
      {},
      {
        onprogress({ progress }) {
          if (steps.push(progress) === 1 && resumes) server.cut()
        },
      },
    )
    expect(content).toEqual([{ type: 'text', text: 'survived' }])
    expect(steps).toEqual([10, 50])
  })

  it('comes back for the result of a call that lets it go', async () => {
    const { content } = await client.call('test_reconnection', {})
    expect(content).toEqual([{ type: 'text', text: 'Reconnected' }])
  })

  it('is asked in the middle of a call', async () => {
    const { content } = await client.call('test_input_required_result_elicitation', {})
    expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
  })

  it('cancels a call in the middle, and the handler notices', async () => {
    const controller = new AbortController()
    const label = `cancel-${Math.random()}`
    const running = client.call('wait_until_cancelled', { label }, { signal: controller.signal })
    await eventually(async () => expect(await states(client)).toContain(`${label} running`))
    controller.abort('enough')
    await expect(running).rejects.toThrow()
    await eventually(async () => expect(await states(client)).toContain(`${label} aborted`))
  })

  it('reads a resource and gets a prompt', async () => {
    expect(JSON.stringify(await client.read('test://static-text'))).toContain(
      'static text resource',
    )
    const prompt = await client.prompt('test_prompt_with_arguments', { arg1: 'a', arg2: 'b' })
    expect(JSON.stringify(prompt)).toContain("arg1='a'")
  })

  it('hears that the tools changed', async () => {
    await client.call('test_trigger_tool_change', {})
    await client.toolsChanged
    expect((await client.tools()).map(({ name }) => name)).toContain('test_added_tool')
  })
})

function deferred(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => undefined
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

async function states(client: TestClient): Promise<string> {
  return JSON.stringify((await client.call('list_states', {})).content)
}

/** Tries again until it holds; other machines are slower. */
async function eventually(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 10_000, interval: 20 })
}
