import { describe, expect, it } from 'vitest'
import { parseMcpReference } from './reference.ts'

describe('parseMcpReference', () => {
  it.each([
    ['mcp:https://tools.example.com/mcp', { name: 'tools', url: 'https://tools.example.com/mcp' }],
    ['mcp:http://127.0.0.1:4000/mcp', { name: 'mcp_127', url: 'http://127.0.0.1:4000/mcp' }],
    ['mcp+shop:http://localhost/mcp', { name: 'shop', url: 'http://localhost/mcp' }],
    [
      'mcp:npx -y @acme/server-files@1.2.3 /tmp',
      { name: 'server-files', command: 'npx', args: ['-y', '@acme/server-files@1.2.3', '/tmp'] },
    ],
    [
      'mcp+files:node "my server.js" --root \'/a b\'',
      { name: 'files', command: 'node', args: ['my server.js', '--root', '/a b'] },
    ],
    ['mcp:./bin/my.server.mjs', { name: 'my_server', command: './bin/my.server.mjs', args: [] }],
  ])('reads %s', (text, expected) => {
    expect(parseMcpReference(text)).toEqual(expected)
  })

  it.each(['service.ts', 'https://host/mcp', 'mcp:', 'mcp+1:x', 'mcpx:y'])(
    'leaves %j to others',
    (text) => {
      expect(parseMcpReference(text)).toBeUndefined()
    },
  )

  it('refuses an address that is none', () => {
    expect(() => parseMcpReference('mcp:http://[')).toThrow('is not a URL')
  })
})
