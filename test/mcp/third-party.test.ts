import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/core/service.ts'
import { type RunningServer, serve } from '../../src/http/serve.ts'
import type { McpSource } from '../../src/sources/mcp/source.ts'
import { connectMcpSource } from '../../src/sources/mcp/source.ts'
import { createMcpHandler } from '../../src/surfaces/mcp/handler.ts'
import { serviceOf } from '../support/service.ts'
import { installPrograms } from './programs.ts'
import { modernClient } from './wire.ts'

const folder = await installPrograms()
const program = (name: string) =>
  join(folder ?? '', 'node_modules/@modelcontextprotocol', name, 'dist/index.js')

describe.skipIf(folder === undefined)(
  'third-party MCP servers as sources (need the package registry once)',
  { timeout: 60_000 },
  () => {
    const files = mkdtempSync(join(tmpdir(), 'waymark-files-'))
    mkdirSync(join(files, 'sub'))
    writeFileSync(join(files, 'hello.txt'), 'Hello from a file')
    const sources: McpSource[] = []
    let service: Service
    let server: RunningServer

    beforeAll(async () => {
      const start = (name: string, args: readonly string[]) =>
        connectMcpSource({ name, command: process.execPath, args, revision: 'legacy' })
      sources.push(
        await start('everything', [program('server-everything')]),
        await start('files', [program('server-filesystem'), files]),
      )
      service = serviceOf(sources.flatMap((source) => source.functions()))
      for (const source of sources) source.follow(service.registry)
      server = await serve(service, { port: 0 })
    }, 60_000)
    afterAll(async () => {
      await server?.close()
      for (const source of sources) await source.close()
    })

    const forrst = async (name: string, input: object) => {
      const response = await fetch(`${server.url}/forrst`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          protocol: { name: 'forrst', version: '0.1.0' },
          id: 'r1',
          call: { function: name, arguments: input },
        }),
      })
      return (await response.json()) as { result: unknown; errors?: { code: string }[] }
    }

    it('are called through Forrst', async () => {
      const { result } = await forrst('everything.echo', { message: 'Ada' })
      expect(result).toEqual({ content: [{ type: 'text', text: 'Echo: Ada' }] })
      const file = await forrst('files.read_text_file', { path: join(files, 'hello.txt') })
      expect(JSON.stringify(file.result)).toContain('Hello from a file')
    })

    it('refuse wrong arguments before the server is asked, and say what the server refused', async () => {
      const wrong = await forrst('everything.echo', {})
      expect(wrong.errors?.[0]?.code).toBe('INVALID_ARGUMENTS')
      const outside = await forrst('files.read_text_file', { path: '/etc/passwd' })
      expect(outside.errors?.[0]?.code).toBe('REMOTE_TOOL_FAILED')
    })

    it('are tools again for agents, pictures and structured results included', async () => {
      const client = modernClient(createMcpHandler(service))
      const picture = await client.request('tools/call', {
        name: 'everything__get-tiny-image',
        arguments: {},
      })
      expect(JSON.stringify(picture.result['content'])).toContain('"type":"image"')
      const structured = await client.request('tools/call', {
        name: 'everything__get-structured-content',
        arguments: { location: 'New York' },
      })
      expect(structured.result['structuredContent']).toHaveProperty('temperature')
    })

    it('show up in the description of the service, marked as foreign', async () => {
      const text = await (await fetch(`${server.url}/openrpc.json`)).text()
      expect(text).toContain('everything.echo')
      expect(text).toContain('not checked here')
    })
  },
)
