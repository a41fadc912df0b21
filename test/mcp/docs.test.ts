import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(`${ROOT}docs/guides/mcp.md`, 'utf8')
const fences = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code = '']) => code,
  )

/** A server as configuration files of clients name it. */
interface Entry {
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
}

const entries = fences('json').map((text) => {
  const file = JSON.parse(text) as Record<string, Record<string, Entry>>
  return (file['mcpServers'] ?? file['servers'])?.['events'] ?? {}
})
const commands = entries.filter(({ command }) => command !== undefined)

describe('snippets of docs/guides/mcp.md', () => {
  it('are JSON that names a command or an address', () => {
    expect(commands).toHaveLength(3)
    expect(entries.filter(({ url }) => url === 'http://127.0.0.1:4000/mcp')).toHaveLength(2)
  })

  it.each(commands.map((entry, index) => [index, entry] as const))(
    'start a server the official client can use (snippet %i)',
    { timeout: 60_000 },
    async (_index, { command, args = [] }) => {
      expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', 'waymark'])
      const client = new Client({ name: 'docs', version: '1.0.0' })
      // The package is not published from here: its own program stands in for what npx would fetch.
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [`${ROOT}bin/waymark.js`, ...args.slice(2)],
        cwd: ROOT,
        env: { EVENTS_DATABASE: ':memory:', NODE_OPTIONS: '--conditions=waymark-source' },
        stderr: 'ignore',
      })
      await client.connect(transport)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('events__list')
      const result = await client.callTool({ name: 'events__list', arguments: {} })
      expect(result.isError).toBeFalsy()
      await client.close()
    },
  )

  it('name every option there is', () => {
    const sources = ['environment.ts', 'tools/catalogue.ts', 'handler.ts', '../../net/guard.ts']
    const text = sources
      .map((file) => readFileSync(`${ROOT}src/surfaces/mcp/${file}`, 'utf8'))
      .join('\n')
    const options = [
      ...text.matchAll(
        /export interface (?:McpOptions|McpHandlerOptions|CatalogueOptions|ToolFilter|GuardOptions)[^{]*\{([\s\S]*?)\n\}/g,
      ),
    ]
      .flatMap(([, body = '']) => [...body.matchAll(/readonly (\w+)\?:/g)])
      .map(([, name = '']) => name)
    expect(options.length).toBeGreaterThan(15)
    for (const name of options) expect(page, name).toContain(`\`${name}\``)
  })
})
