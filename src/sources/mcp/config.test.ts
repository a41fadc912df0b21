// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how a configuration names variables.
import { describe, expect, it } from 'vitest'
import { readMcpConfig } from './config.ts'

const read = (servers: object, env = {}) => readMcpConfig({ mcpServers: servers }, env)

describe('a list of MCP servers', () => {
  it('is read in the form that agents share', () => {
    const servers = {
      files: {
        command: 'npx',
        args: ['-y', 'server-files', '${HOME}/docs'],
        env: { DEBUG: 1 },
        cwd: '/tmp',
        alwaysAllow: ['read'],
      },
      'my api': {
        type: 'http',
        url: 'https://${HOST:-example.com}/mcp',
        headers: { authorization: 'Bearer ${env:TOKEN}' },
        timeout: 5000,
        trusted: true,
        tools: { allow: ['a*'], deny: ['ab'], rename: { a: 'b' } },
      },
      off: { command: 'x', disabled: true },
    }
    expect(read(servers, { HOME: '/home/ada', TOKEN: 's3' })).toEqual([
      {
        name: 'files',
        command: 'npx',
        args: ['-y', 'server-files', '/home/ada/docs'],
        env: { DEBUG: '1' },
        cwd: '/tmp',
      },
      {
        name: 'my_api',
        url: 'https://example.com/mcp',
        headers: { authorization: 'Bearer s3' },
        timeoutMs: 5000,
        trusted: true,
        tools: { allow: ['a*'], deny: ['ab'], rename: { a: 'b' } },
      },
    ])
  })

  it.each([
    [{ a: { comand: 'x' } }, 'mcpServers.a.comand is not a setting of an MCP server; did you mean'],
    [{ a: {} }, 'mcpServers.a needs either "command" or "url"'],
    [{ a: { command: 'x', args: 'y' } }, 'mcpServers.a.args must be a list of texts'],
    [{ a: { url: 'ftp://x' } }, 'mcpServers.a.url: "ftp://x" is not an HTTP URL'],
    [{ a: { url: 'http://x', headers: { b: {} } } }, 'mcpServers.a.headers.b must be a text'],
    [{ a: { type: 'sse', url: 'http://x' } }, 'mcpServers.a.type: "sse"'],
    [{ a: { command: '${NOWHERE}' } }, 'mcpServers.a: the environment has no NOWHERE'],
    [{ a: { command: 'x', timeout: 0 } }, 'mcpServers.a.timeout must be a number'],
    [{ 'a b': { command: 'x' }, a_b: { command: 'y' } }, 'another server is already called "a_b"'],
  ])('names what is wrong with it: %j', (servers, message) => {
    expect(() => read(servers)).toThrow(message)
  })

  it('is nothing else', () => {
    expect(readMcpConfig({ openapi: '3.1.0' }, {})).toBeUndefined()
    // An API description lists its servers too.
    expect(readMcpConfig({ openapi: '3.1.0', servers: [{ url: '/' }] }, {})).toBeUndefined()
  })
})
