import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, defineFunction, explorer, file, forrst, mcp, rest, serve } from 'waymark'
import { generateClient } from 'waymark/codegen'
import { toolContent } from 'waymark/mcp'
import { z } from 'zod'
import { buildDocument } from '../../src/discovery/index.ts'
import { runMain } from '../cli/run-main.ts'

const FILES: Readonly<Record<string, File>> = {
  sound: new File(['s'], 's.wav', { type: 'audio/wav' }),
  text: new File(['héllo'], 't.txt', { type: 'text/plain' }),
  bytes: new File([new Uint8Array([0, 255])], 'b.zip', { type: 'application/zip' }),
}

const get = defineFunction({
  name: 'files.get',
  version: '1.0.0',
  readOnly: true,
  input: z.object({ kind: z.string() }),
  output: file(),
  handler: ({ input }) => FILES[input.kind] ?? new File([], 'none'),
})

const both = defineFunction({
  name: 'files.both',
  version: '1.0.0',
  readOnly: true,
  input: z.object({}),
  output: z.object({ count: z.int(), files: z.array(file()) }),
  handler: () => ({
    count: 2,
    files: [FILES['bytes'] as File, new File(['p'], 'p.png', { type: 'image/png' })],
  }),
})

const send = defineFunction({
  name: 'files.send',
  version: '1.0.0',
  writes: ['create'],
  input: z.object({
    note: z.string().optional(),
    data: file({ types: ['text/plain', 'image/*'], maxBytes: 1_000 }),
  }),
  output: z.object({ name: z.string(), text: z.string(), note: z.string().optional() }),
  handler: async ({ input: { data, note } }) => ({
    name: data.name,
    text: await data.text(),
    note,
  }),
})

const blocks = defineFunction({
  name: 'files.blocks',
  version: '1.0.0',
  readOnly: true,
  handler: () => toolContent([{ type: 'image', data: 'AA==', mimeType: 'image/png' }]),
})

const service = createService({
  info: { title: 'Files', version: '1.0.0' },
  functions: [get, both, send, blocks],
})

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-files-'))
  let server: Awaited<ReturnType<typeof serve>>
  let agent: Client
  beforeAll(async () => {
    server = await serve(service, {
      port: 0,
      surfaces: [rest(), forrst(), mcp(), explorer({ allowExecute: true })],
    })
    agent = new Client(
      { name: 'tests', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    )
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    await agent.listTools()
  })
  afterAll(async () => {
    await agent.close()
    await server.close()
    rmSync(folder, { recursive: true })
  })
  const call = (name: string, given = {}) => agent.callTool({ name, arguments: given })

  it('are audio and resources to agents', async () => {
    expect((await call('files__get', { kind: 'sound' })).content).toMatchObject([
      { type: 'audio', data: 'cw==', mimeType: 'audio/wav' },
    ])
    expect((await call('files__get', { kind: 'text' })).content).toMatchObject([
      {
        type: 'resource',
        resource: { mimeType: 'text/plain', text: 'héllo', uri: 'attachment:///t.txt' },
      },
    ])
    expect((await call('files__get', { kind: 'bytes' })).content).toMatchObject([
      { type: 'resource', resource: { mimeType: 'application/zip', blob: 'AP8=' } },
    ])
  })

  it('inside a result are named there by the URI of their block', async () => {
    const { content, structuredContent } = await call('files__both')
    expect(structuredContent).toEqual({
      count: 2,
      files: ['attachment:///files/0/b.zip', 'attachment:///files/1/p.png'],
    })
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'resource', resource: { uri: 'attachment:///files/0/b.zip' } },
      { type: 'image', _meta: { 'waymark/uri': 'attachment:///files/1/p.png' } },
    ])
  })

  it('are asked of agents in base64', async () => {
    const { tools } = await agent.listTools()
    const tool = tools.find(({ name }) => name === 'files__send')
    expect(tool?.inputSchema.properties).toMatchObject({
      data: {
        type: 'string',
        contentEncoding: 'base64',
        description:
          'A file of type text/plain or image/*, at most 1000 bytes, in base64, or as a data URL with its type and name',
      },
    })
    const given = { data: 'data:text/plain;name=a.txt;base64,aGk=' }
    expect((await call('files__send', given)).structuredContent).toEqual({
      name: 'a.txt',
      text: 'hi',
    })
    expect(await call('files__send', { data: 'aGk=' })).toMatchObject({ isError: true })
  })

  it('are blocks to the page as well, those of remote tools included', async () => {
    const ask = async (tool: string, given = {}) => {
      const url = `${server.url}/explorer/tools/${tool}/call`
      const headers = { 'content-type': 'application/json' }
      return (await (
        await fetch(url, { method: 'POST', headers, body: JSON.stringify(given) })
      ).json()) as object
    }
    expect(await ask('files.get', { kind: 'sound' })).toMatchObject({
      content: [{ type: 'audio', mimeType: 'audio/wav' }],
    })
    expect(await ask('files.blocks')).toMatchObject({ content: [{ type: 'image', data: 'AA==' }] })
  })

  it('are described in OpenAPI as bytes, without findings of Redocly', async () => {
    const text = await (await fetch(`${server.url}/openapi.json`)).text()
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, object>> }
    expect(paths['/api/files.send']?.['post']).toMatchObject({
      requestBody: {
        content: {
          'application/json': {},
          'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
          'multipart/form-data': {
            schema: { properties: { data: { type: 'string', format: 'binary' } } },
            encoding: { data: { contentType: 'text/plain, image/*' } },
          },
        },
      },
    })
    expect(paths['/api/files.get']?.['get']).toMatchObject({
      responses: {
        '200': { content: { 'application/octet-stream': { schema: { format: 'binary' } } } },
        '206': { content: { 'application/octet-stream': {} } },
      },
    })
    const config = await createConfig({ extends: ['recommended'] })
    const findings = await lintFromString({ source: text, config })
    // The tags of this service say nothing about themselves.
    expect(findings.filter(({ ruleId }) => ruleId !== 'tag-description')).toEqual([])
  })

  it('are Blob and File in a generated client', () => {
    const code = generateClient(buildDocument(service), { name: 'Files' })
    expect(code).toMatch(/data: Blob\b/)
    expect(code).toMatch(/files: File\[\]/)
  })

  it('are read and written by the command line', async () => {
    const path = join(folder, 'note.txt')
    writeFileSync(path, 'from disk')
    const url = `${server.url}/forrst`
    const sent = await runMain(['call', url, 'files.send', `data=@${path}`, 'note=@@me'])
    expect(JSON.parse(sent.out)).toEqual({ name: 'note.txt', text: 'from disk', note: '@me' })
    const out = join(folder, 'out.zip')
    await runMain(['call', url, 'files.get', 'kind=bytes', '--out', out])
    expect([...readFileSync(out)]).toEqual([0, 255])
    await runMain(['call', url, 'files.both', '--out', `${folder}/`])
    expect(readFileSync(join(folder, 'p.png'), 'utf8')).toBe('p')
    const refused = await runMain(['call', url, 'files.both', '--out', out])
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('2 files; name a folder'),
    ])
    const missing = await runMain(['call', url, 'files.send', 'data=@/nowhere/x'])
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('cannot read the file'),
    ])
  })
})
