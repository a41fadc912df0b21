import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'
import { installPrograms } from './programs.ts'

const programs = await installPrograms()
const IDENTITY = { name: 'test', version: '1.0.0' }

/** A server with a view of MCP Apps, on a pipe; what changes is told when it is asked to. */
const APP = `const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const followed = new Set()
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {}, resources: { subscribe: true } }, serverInfo: { name: 'app', version: '1' } }),
  'tools/list': () => ({ tools: [
    { name: 'show', description: 'Shows it', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: { n: { type: 'number' } } }, _meta: { 'ui/resourceUri': 'ui://app/view', ui: { resourceUri: 'ui://app/view' }, other: 1 } },
    { name: 'touch', inputSchema: { type: 'object' } },
  ] }),
  'tools/call': ({ name }) => {
    if (name === 'touch') for (const uri of followed) say({ method: 'notifications/resources/updated', params: { uri } })
    return name === 'touch'
      ? { content: [{ type: 'text', text: [...followed].join() }, { type: 'resource_link', uri: 'note:///1', name: 'note' }], _meta: { seen: true } }
      : { content: [{ type: 'text', text: 'x' }, { type: 'image', data: 'AA==', mimeType: 'image/png' }], structuredContent: { n: 1 }, _meta: { seen: true } }
  },
  'resources/list': () => ({ resources: [] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => uri === 'ui://app/view' || uri === 'note:///1' ? { contents: [{ uri, mimeType: 'text/html', text: '<b>' + uri + '</b>' }] } : undefined,
  'resources/subscribe': ({ uri }) => { followed.add(uri); return {} },
  'resources/unsubscribe': ({ uri }) => { followed.delete(uri); return {} },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params)
  if (result === undefined) say({ id, error: { code: method === 'resources/read' ? -32002 : -32601, message: 'no' } })
  else say({ id, result })
})`

async function startGateway(servers: object): Promise<WaymarkProcess> {
  const path = join(mkdtempSync(join(tmpdir(), 'waymark-offers-')), 'mcp.json')
  writeFileSync(path, JSON.stringify({ mcpServers: servers }))
  return startWaymark([path])
}

async function connect(gateway: WaymarkProcess): Promise<Client> {
  const client = new Client(IDENTITY, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)))
  return client
}

async function connectEarlier(gateway: WaymarkProcess): Promise<EarlierClient> {
  const client = new EarlierClient(IDENTITY)
  await client.connect(new EarlierHttp(new URL(`${gateway.url}/mcp`)) as never)
  return client
}

describe.skipIf(programs === undefined)(
  'a gateway in front of resources and prompts (needs the package registry once)',
  { timeout: 60_000 },
  () => {
    let gateway: WaymarkProcess
    let client: Client
    let earlier: EarlierClient

    beforeAll(async () => {
      const everything = join(
        programs ?? '',
        'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
      )
      gateway = await startGateway({
        all: { command: process.execPath, args: [everything] },
        same: { command: process.execPath, args: [everything] },
      })
      client = await connect(gateway)
      earlier = await connectEarlier(gateway)
    }, 60_000)
    afterAll(async () => {
      await client?.close()
      await earlier?.close()
      await gateway?.stop()
    }, 30_000)

    it('lists and reads the resources of each server under its name', async () => {
      for (const each of [client, earlier]) {
        const uris = (await each.listResources()).resources.map(({ uri }) => uri)
        const own = uris.filter((uri) => uri.startsWith('mcp+all:'))
        expect(own.length).toBeGreaterThan(0)
        expect(uris).toEqual(expect.arrayContaining(own.map((uri) => uri.replace('all', 'same'))))
        const uri = own[0] ?? ''
        expect((await each.readResource({ uri })).contents).toMatchObject([
          { uri, text: expect.any(String) },
        ])
      }
    })

    it('lists templates, completes their variables and reads what they name', async () => {
      for (const each of [client, earlier]) {
        const { resourceTemplates } = await each.listResourceTemplates()
        const uri = 'mcp+all:demo://resource/dynamic/text/{resourceId}'
        expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(uri)
        const { completion } = await each.complete({
          ref: { type: 'ref/resource', uri },
          argument: { name: 'resourceId', value: '7' },
        })
        expect(completion.values).toEqual(['7'])
        const read = { uri: uri.replace('{resourceId}', '7') }
        expect((await each.readResource(read)).contents).toMatchObject([
          { ...read, text: expect.stringContaining('Resource 7') },
        ])
      }
    })

    it('passes prompts on, with completions that know what was chosen before', async () => {
      for (const each of [client, earlier]) {
        const names = (await each.listPrompts()).prompts.map(({ name }) => name)
        expect(names).toEqual(
          expect.arrayContaining(['all__simple-prompt', 'same__simple-prompt', 'all__args-prompt']),
        )
        const { messages } = await each.getPrompt({
          name: 'all__args-prompt',
          arguments: { city: 'Bergen' },
        })
        expect(JSON.stringify(messages)).toContain('Bergen')
        const { completion } = await each.complete({
          ref: { type: 'ref/prompt', name: 'all__completable-prompt' },
          argument: { name: 'name', value: 'A' },
          context: { arguments: { department: 'Engineering' } },
        })
        expect(completion.values).toEqual(['Alice'])
      }
    })

    it('embeds resources in prompts and tool results so that they can be read', async () => {
      const { messages } = await client.getPrompt({
        name: 'all__resource-prompt',
        arguments: { resourceType: 'Text', resourceId: '3' },
      })
      const embedded = messages
        .map(({ content }) => content)
        .find((content) => content.type === 'resource')
      const uri = embedded?.type === 'resource' ? embedded.resource.uri : ''
      expect(uri).toMatch(/^mcp\+all:demo:/)
      expect((await client.readResource({ uri })).contents).toHaveLength(1)
      const { content } = await client.callTool({
        name: 'all__get-resource-links',
        arguments: { count: 2 },
      })
      const links = content.flatMap((block) => (block.type === 'resource_link' ? block.uri : []))
      expect(links).toHaveLength(2)
      for (const link of links) {
        expect((await client.readResource({ uri: link })).contents).toHaveLength(1)
      }
    })
  },
)

describe('a gateway in front of an MCP App', { timeout: 60_000 }, () => {
  let gateway: WaymarkProcess
  let client: Client
  let earlier: EarlierClient

  beforeAll(async () => {
    gateway = await startGateway({ app_1: { command: process.execPath, args: ['-e', APP] } })
    client = await connect(gateway)
    earlier = await connectEarlier(gateway)
  }, 60_000)
  afterAll(async () => {
    await client?.close()
    await earlier?.close()
    await gateway?.stop()
  }, 30_000)

  const touched = async () => {
    const { content } = await client.callTool({ name: 'app_1__touch', arguments: {} })
    return content[0]?.type === 'text' ? content[0].text : undefined
  }

  it('passes the view of a tool on untouched, and what the server says in _meta', async () => {
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'app_1__show')?._meta).toMatchObject({
      'ui/resourceUri': 'ui://app/view',
      ui: { resourceUri: 'ui://app/view' },
      other: 1,
      'waymark/source': 'app_1',
    })
    expect((await client.readResource({ uri: 'ui://app/view' })).contents).toEqual([
      { uri: 'ui://app/view', mimeType: 'text/html', text: '<b>ui://app/view</b>' },
    ])
    const shown = await client.callTool({ name: 'app_1__show', arguments: {} })
    expect(shown).toMatchObject({ structuredContent: { n: 1 }, _meta: { seen: true } })
    expect(shown.content).toContainEqual({ type: 'image', data: 'AA==', mimeType: 'image/png' })
  })

  it('reads links that are in no list, and refuses the resources of nobody', async () => {
    const { content, _meta } = await client.callTool({ name: 'app_1__touch', arguments: {} })
    expect(_meta).toMatchObject({ seen: true })
    expect(content).toContainEqual({
      type: 'resource_link',
      uri: 'mcp+app.1:note:///1',
      name: 'note',
    })
    const { contents } = await earlier.readResource({ uri: 'mcp+app.1:note:///1' })
    expect(contents).toMatchObject([{ uri: 'mcp+app.1:note:///1' }])
    for (const uri of ['mcp+app.1:note:///2', 'mcp+other:note:///1', 'ui://app/other']) {
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
    }
  })

  it('follows a resource for as long as somebody here does', async () => {
    const uri = 'mcp+app.1:note:///1'
    const heard: string[] = []
    earlier.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      heard.push(`earlier ${params.uri}`)
    })
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(`later ${params.uri}`)
    })
    await earlier.subscribeResource({ uri })
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    await vi.waitFor(async () => {
      expect(await touched()).toBe('note:///1')
      expect(new Set(heard)).toEqual(new Set([`earlier ${uri}`, `later ${uri}`]))
    }, 20_000)
    await earlier.unsubscribeResource({ uri })
    expect(await touched()).toBe('note:///1')
    await subscription.close()
    await vi.waitFor(async () => expect(await touched()).toBe(''), 20_000)
  })
})
