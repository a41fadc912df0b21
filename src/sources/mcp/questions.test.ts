import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from '../../../test/mcp/listen.ts'
import { legacyClient, modernClient } from '../../../test/mcp/wire.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { agentOf, createMcpHandler, type McpHandler } from '../../entries/mcp.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { createApp } from '../../http/app.ts'
import type { JsonObject } from '../../values/json.ts'
import type { McpSourceOptions } from './source.ts'
import { connectMcpSource } from './source.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const FORM = { type: 'object', properties: { sure: { type: 'boolean' } } }
const ASKING = { capabilities: { elicitation: {} } }

/** Asks, and goes on as if declined when it cannot. */
const remove = (runs: string[]) =>
  defineFunction({
    name: 'files.remove',
    version: '1.0.0',
    input: { type: 'object', properties: { file: { type: 'string' } } },
    async handler({ input, call }) {
      const agent = agentOf(call)
      if (agent?.supports('elicitation') !== true) return 'not asked'
      const file = String(input['file'])
      const message = `Remove ${file}?\u202e`
      const reply = await agent.elicit('sure', { message, requestedSchema: FORM })
      runs.push(file)
      return `${String(reply['action'])} ${file}`
    },
  })

/** A service whose functions are the tools of another one. */
async function chain(options: Partial<McpSourceOptions> = {}) {
  const runs: string[] = []
  const remote = await listen(serviceOf([remove(runs)]), { toolName: () => 'remove' })
  cleanups.push(remote.close)
  return { ...(await over({ url: remote.url, ...options })), runs }
}

async function over(options: Partial<McpSourceOptions>) {
  const source = await connectMcpSource({ name: 'remote', ...options } as McpSourceOptions)
  const service = serviceOf(source.functions())
  const handler = createMcpHandler(service)
  cleanups.push(source.close, handler.close)
  return { service, handler }
}

/** Calls as a client with a session does, and answers what is asked. */
async function callAndAnswer(handler: McpHandler, file: string, reply: JsonObject) {
  const client = await legacyClient(handler, ASKING)
  const messages = client.stream('tools/call', {
    name: 'remote__remove',
    arguments: { file },
  })
  const seen: JsonObject[] = []
  for await (const message of messages) {
    seen.push(message)
    if (message['method'] === 'elicitation/create') await client.respond(message['id'], reply)
  }
  return seen
}

describe.each([
  ['the newest revision', 'auto'],
  ['an older revision', 'legacy'],
] as const)('a question of a remote server that speaks %s', (_title, revision) => {
  it('reaches the user of the agent that calls, and says who asks', async () => {
    const { handler, runs } = await chain({ revision })
    const [question, answer] = await callAndAnswer(handler, 'a.txt', { action: 'accept' })
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: {
        message: '[Asked by the MCP server "remote"] Remove a.txt?',
        requestedSchema: FORM,
      },
    })
    expect(answer).toMatchObject({ result: { content: [{ text: 'accept a.txt' }] } })
    expect(runs).toEqual(['a.txt'])
  })

  it('reaches the agent of its own call when several are running', async () => {
    const { handler } = await chain({ revision })
    const files = ['a', 'b', 'c', 'd']
    const all = await Promise.all(
      files.map((file) => callAndAnswer(handler, file, { action: 'decline' })),
    )
    for (const [index, [question, answer]] of all.entries()) {
      expect(JSON.stringify(question)).toContain(`Remove ${files[index]}?`)
      expect(answer).toMatchObject({ result: { content: [{ text: `decline ${files[index]}` }] } })
    }
  })

  it('ends the call of a stateless client, which is made again with the answer', async () => {
    const { handler, runs } = await chain({ revision })
    const client = modernClient(handler, ASKING)
    const call = { name: 'remote__remove', arguments: { file: 'a.txt' } }
    const { result } = await client.request('tools/call', call)
    expect(result['resultType']).toBe('input_required')
    expect(runs).toEqual([])
    const [key = ''] = Object.keys(result['inputRequests'] as JsonObject)
    const second = await client.request('tools/call', {
      ...call,
      inputResponses: { [key]: { action: 'accept', content: { sure: true } } },
      requestState: String(result['requestState']),
    })
    expect(second.result['content']).toEqual([{ type: 'text', text: 'accept a.txt' }])
    expect(runs).toEqual(['a.txt'])
  })

  it('is not asked where the source takes none', async () => {
    const { handler } = await chain({ revision, questions: false })
    const [answer] = await callAndAnswer(handler, 'a.txt', { action: 'accept' })
    expect(answer).toMatchObject({ result: { content: [{ text: 'not asked' }] } })
  })
})

describe('a question that nobody can be asked', () => {
  const post = async (service: Parameters<typeof createApp>[0]) => {
    const app = createApp(service, { surfaces: allSurfaces() })
    const answer = await app.handle({
      method: 'POST',
      path: '/api/remote.remove',
      query: '',
      header: (name) =>
        ({ host: '127.0.0.1:4000', 'content-type': 'application/json' })[name] ?? undefined,
      body: Buffer.from('{"file":"a.txt"}'),
      bodyTooLarge: false,
      signal: () => new AbortController().signal,
    })
    return String(answer.body)
  }

  it('is answered with the reason: the client does not support it', async () => {
    const { handler, runs } = await chain({ revision: 'legacy' })
    const client = await legacyClient(handler)
    const { result } = await client.request('tools/call', {
      name: 'remote__remove',
      arguments: { file: 'a.txt' },
    })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result['content'])).toContain('does not support elicitation')
    expect(runs).toEqual([])
  })

  it('is answered with the reason: the call came another way', async () => {
    const { service } = await chain({ revision: 'legacy' })
    expect(await post(service)).toContain('did not come over MCP')
  })

  it('is not even asked by a server that learns with every call what its client can do', async () => {
    const { service, handler } = await chain({ revision: 'auto' })
    expect(await post(service)).toContain('not asked')
    const client = await legacyClient(handler)
    const { result } = await client.request('tools/call', {
      name: 'remote__remove',
      arguments: { file: 'a.txt' },
    })
    expect(result['content']).toEqual([{ type: 'text', text: 'not asked' }])
  })
})

describe('a question on a pipe', () => {
  it('belongs to the only call that is running, and to none when there are several', async () => {
    const { handler } = await over({
      revision: 'legacy',
      command: process.execPath,
      args: [
        '--conditions=waymark-source',
        '--import',
        'tsx',
        fileURLToPath(new URL('../../../test/mcp/fixture-stdio.ts', import.meta.url)),
      ],
    })
    const client = await legacyClient(handler, ASKING)
    const ask = () =>
      client.stream('tools/call', {
        name: 'remote__confirm_delete',
        arguments: { filename: 'a.txt' },
      })
    const first = ask()
    const { value: question } = await first.next()
    expect(question).toMatchObject({ method: 'elicitation/create' })
    const { value: refused } = await ask().next()
    expect(JSON.stringify(refused)).toContain('several calls are running')
    await client.respond((question as JsonObject)['id'], { action: 'decline' })
    const { value: answer } = await first.next()
    expect(JSON.stringify(answer)).toContain('decline a.txt')
  })
})
