import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as EarlierHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'
import { installPrograms } from './programs.ts'

const programs = await installPrograms()
const BIN = fileURLToPath(new URL('../../bin/waymark.js', import.meta.url))
const IDENTITY = { name: 'test', version: '1.0.0' }

/** The members of both official clients that are used here; both check results by the schemas that were listed. */
interface AnyClient {
  connect(transport: never): Promise<unknown>
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(params: {
    readonly name: string
    readonly arguments: Record<string, unknown>
  }): Promise<unknown>
  close(): Promise<void>
}

function writeConfig(folder: string, servers: object): string {
  const path = join(folder, 'mcp.json')
  writeFileSync(path, JSON.stringify({ mcpServers: servers }))
  return path
}

const nodeServer = (...args: readonly string[]) => ({ command: process.execPath, args })

describe.skipIf(programs === undefined)(
  'a gateway in front of third-party servers (needs the package registry once)',
  { timeout: 120_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-gateway-'))
    const files = join(folder, 'files')
    const program = (name: string) =>
      join(programs ?? '', 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js')
    let config: string
    let gateway: WaymarkProcess

    beforeAll(async () => {
      mkdirSync(files)
      writeFileSync(join(files, 'a.txt'), 'one\ntwo\n')
      config = writeConfig(folder, {
        everything: nodeServer(program('everything')),
        files: nodeServer(program('filesystem'), files),
        memory: {
          ...nodeServer(program('memory')),
          env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
        },
        thinking: nodeServer(program('sequential-thinking')),
      })
      gateway = await startWaymark([config])
    }, 120_000)
    afterAll(() => gateway?.stop())

    /** Arguments for tools that need some; those that ask a user cannot be called without one. */
    const at = (name: string) => join(files, name)
    const observation = { entityName: 'Ada', contents: ['writes'] }
    const relation = { from: 'Ada', to: 'Ada', relationType: 'knows' }
    const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
      everything__echo: { message: 'Ada' },
      'everything__get-annotated-message': { messageType: 'error', includeImage: true },
      'everything__get-structured-content': { location: 'Chicago' },
      'everything__get-sum': { a: 1, b: 2 },
      'everything__gzip-file-as-resource': { data: 'data:text/plain,hello' },
      'everything__trigger-long-running-operation': { duration: 0.1, steps: 1 },
      'everything__simulate-research-query': { topic: 'ships' },
      files__read_file: { path: at('a.txt') },
      files__read_text_file: { path: at('a.txt') },
      files__read_media_file: { path: at('a.txt') },
      files__read_multiple_files: { paths: [at('a.txt')] },
      files__write_file: { path: at('b.txt'), content: 'b' },
      files__edit_file: { path: at('a.txt'), edits: [{ oldText: 'two', newText: 'two' }] },
      files__create_directory: { path: at('sub') },
      files__list_directory: { path: files },
      files__list_directory_with_sizes: { path: files },
      files__directory_tree: { path: files },
      files__move_file: { source: at('b.txt'), destination: at('c.txt') },
      files__search_files: { path: files, pattern: '*.txt' },
      files__get_file_info: { path: at('a.txt') },
      memory__create_entities: {
        entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }],
      },
      memory__create_relations: { relations: [relation] },
      memory__add_observations: { observations: [observation] },
      memory__search_nodes: { query: 'Ada' },
      memory__open_nodes: { names: ['Ada'] },
      memory__delete_observations: {
        deletions: [{ entityName: 'Ada', observations: ['writes'] }],
      },
      memory__delete_relations: { relations: [relation] },
      memory__delete_entities: { entityNames: ['Ada'] },
      thinking__sequentialthinking: {
        thought: 'first',
        nextThoughtNeeded: false,
        thoughtNumber: 1,
        totalThoughts: 1,
      },
    }
    /** The servers themselves refuse these without what a client may offer, or because another call went before. */
    const MAY_FAIL = new Set([
      'everything__trigger-elicitation-request',
      'everything__simulate-research-query',
      'files__move_file',
    ])
    const stdio = () => ({ command: process.execPath, args: [BIN, 'serve', config, '--stdio'] })
    const CLIENTS: readonly [string, () => readonly [AnyClient, unknown]][] = [
      [
        'client 2.x over HTTP',
        () => [
          new Client(IDENTITY),
          new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)),
        ],
      ],
      ['client 2.x over stdio', () => [new Client(IDENTITY), new StdioClientTransport(stdio())]],
      [
        'client 1.x over HTTP',
        () => [new EarlierClient(IDENTITY), new EarlierHttp(new URL(`${gateway.url}/mcp`))],
      ],
      ['client 1.x over stdio', () => [new EarlierClient(IDENTITY), new EarlierStdio(stdio())]],
    ]

    it.each(CLIENTS)('answers every tool as the %s demands', async (_title, open) => {
      const [client, transport] = open()
      await client.connect(transport as never)
      try {
        const { tools } = await client.listTools()
        const names = tools.map(({ name }) => name)
        for (const name of Object.keys(ARGUMENTS)) expect(names).toContain(name)
        for (const name of names) {
          const result = (await client.callTool({ name, arguments: ARGUMENTS[name] ?? {} })) as {
            readonly isError?: boolean
          }
          if (!MAY_FAIL.has(name)) expect(result, name).not.toHaveProperty('isError', true)
        }
      } finally {
        await client.close()
      }
    })

    it('takes the names and the selection of the configuration', async () => {
      const selected = writeConfig(mkdtempSync(join(tmpdir(), 'waymark-gateway-')), {
        all: {
          ...nodeServer(program('everything')),
          tools: { allow: ['get-*'], deny: ['get-env'], rename: { 'get-sum': 'sum' } },
        },
      })
      const other = await startWaymark([selected])
      const client = new Client(IDENTITY)
      await client.connect(new StreamableHTTPClientTransport(new URL(`${other.url}/mcp`)))
      const names = (await client.listTools()).tools.map(({ name }) => name)
      await client.close()
      await other.stop()
      expect(names).toContain('all__sum')
      expect(names).not.toContain('all__get-env')
      expect(names).not.toContain('all__echo')
    })
  },
)

/** A server on a pipe, in one line of behaviour: gets a method and its params, gives a result. */
const fake = (behaviour: string) =>
  nodeServer(
    '-e',
    `const tool = (name) => ({ name, inputSchema: { type: 'object' } })
    const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
    const answer = (method, params) => {
      if (method === 'initialize') return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } }
      ${behaviour}
    }
    let text = ''
    process.stdin.on('data', (chunk) => {
      text += chunk
      for (let end = text.indexOf('\\n'); end !== -1; end = text.indexOf('\\n')) {
        const { id, method, params } = JSON.parse(text.slice(0, end))
        text = text.slice(end + 1)
        if (id === undefined) continue
        const result = answer(method, params)
        if (result !== undefined) say({ jsonrpc: '2.0', id, result })
        else if (method === 'server/discover') say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })
      }
    })`,
  )

describe('a gateway in front of servers that fail', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-chaos-'))
  const marker = join(folder, 'returned')
  const healthy = fake(
    `if (method === 'tools/list') return { tools: [tool('ping')] }
     if (method === 'tools/call') return { content: [{ type: 'text', text: 'pong' }] }`,
  )
  let gateway: WaymarkProcess
  let client: Client

  beforeAll(async () => {
    const config = writeConfig(folder, {
      one: healthy,
      two: healthy,
      crashes: nodeServer('-e', 'process.exit(1)'),
      missing: { command: 'no-such-program-anywhere' },
      silent: nodeServer('-e', 'setInterval(() => undefined, 1000)'),
      returns: fake(
        `if (!require('node:fs').existsSync(${JSON.stringify(marker)})) process.exit(1)
         if (method === 'tools/list') return { tools: [tool('late')] }
         if (method === 'tools/call') return { content: [{ type: 'text', text: 'here' }] }`,
      ),
      hostile: fake(
        `if (method === 'tools/list') return { tools: [tool('strange'), tool('huge'), tool('dies'), { name: 'broken' }, { inputSchema: {} }, 7, { ...tool('half'), title: 7, outputSchema: 'no' }] }
         if (method === 'tools/call' && params.name === 'strange') return { content: [{ type: 'hologram', beam: 1 }, { type: 'text', text: 'and text' }] }
         if (method === 'tools/call' && params.name === 'huge') return { content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }
         if (method === 'tools/call' && params.name === 'half') return { content: [] }
         if (method === 'tools/call' && params.name === 'dies') process.exit(1)`,
      ),
    })
    // Not waited for longer than needed: what comes later joins later.
    gateway = await startWaymark([config])
    client = new Client(IDENTITY)
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)))
  }, 60_000)
  afterAll(async () => {
    await client?.close()
    await gateway?.stop()
  }, 30_000)

  const call = async (name: string) =>
    (await client.callTool({ name, arguments: {} })) as {
      readonly content: readonly { readonly type: string; readonly text?: string }[]
      readonly isError?: boolean
    }
  const components = async () => {
    const answer = await fetch(`${gateway.url}/forrst`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        protocol: { name: 'forrst', version: '0.1.0' },
        id: 'h',
        call: { function: 'urn:cline:forrst:fn:health', arguments: {} },
      }),
    })
    const { result } = (await answer.json()) as {
      result: { components: Record<string, { status: string; message?: string }> }
    }
    return result.components
  }

  it('serves the healthy ones, and says of each of the others what is wrong', async () => {
    for (const name of ['one__ping', 'two__ping']) {
      expect((await call(name)).content).toEqual([{ type: 'text', text: 'pong' }])
    }
    const found = await components()
    expect(found['one']).toMatchObject({
      status: 'healthy',
      message: expect.stringMatching(/^1 tools, 1 calls, 0 failed, \d+ ms on average$/),
    })
    expect(found['two']).toMatchObject({ status: 'healthy' })
    for (const name of ['crashes', 'missing', 'silent', 'returns']) {
      expect(found[name], name).toMatchObject({ status: 'degraded' })
    }
    expect(found['missing']?.message).toContain('ENOENT')
    expect(gateway.errors()).toContain('the MCP server missing cannot be reached')
  })

  it('skips tools that make no sense, and says which', async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['hostile__strange', 'hostile__huge', 'hostile__half']),
    )
    expect(names).not.toContain('hostile__broken')
    expect((await components())['hostile']?.message).toContain('broken')
  })

  it('names an answer that is too large, and goes on with the same server', async () => {
    const { isError, content } = await call('hostile__huge')
    expect([isError, content[0]?.text]).toEqual([true, expect.stringMatching(/large/i)])
    expect(await call('hostile__half')).toMatchObject({ content: [] })
    expect((await components())['hostile']).toMatchObject({ status: 'healthy' })
  })

  it('adds the tools of a server when it returns, and tells clients', async () => {
    writeFileSync(marker, '')
    await vi.waitFor(
      async () => {
        const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
        expect(tools.map(({ name }) => name)).toContain('returns__late')
      },
      { timeout: 40_000, interval: 200 },
    )
    expect((await call('returns__late')).content).toEqual([{ type: 'text', text: 'here' }])
    expect((await components())['returns']).toMatchObject({ status: 'healthy' })
  })

  it('loses a server that dies in a call, and no other', async () => {
    expect(await call('hostile__dies')).toMatchObject({ isError: true })
    expect((await call('one__ping')).content).toEqual([{ type: 'text', text: 'pong' }])
    expect((await call('two__ping')).content).toEqual([{ type: 'text', text: 'pong' }])
  })

  it('passes content on that it does not know', async () => {
    await vi.waitFor(async () => {
      const answer = await fetch(`${gateway.url}/api/hostile.strange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      expect(await answer.json()).toEqual({
        content: [
          { type: 'hologram', beam: 1 },
          { type: 'text', text: 'and text' },
        ],
      })
    }, 20_000)
  })
})
