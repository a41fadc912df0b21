import { expect, it } from 'vitest'
import type { Logger } from '../../core/service.ts'
import { connectMcpSource } from './source.ts'

/** A server whose one tool has a schema that leads nowhere. */
const SERVER = `
const results = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'odd', version: '1.0.0' },
  },
  'tools/list': {
    tools: [
      {
        name: 'broken',
        inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } },
      },
    ],
  },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
})
`

class Lines implements Logger {
  readonly #lines: string[] = []

  warn(message: string): void {
    this.#lines.push(message)
  }

  error(message: string): void {
    this.#lines.push(message)
  }

  all(): string {
    return this.#lines.join('\n')
  }
}

it('tells a logger that is an object of a class what it leaves out', async () => {
  const log = new Lines()
  const source = await connectMcpSource({
    name: 'odd',
    command: process.execPath,
    args: ['-e', SERVER],
    revision: 'legacy',
    log,
  })
  try {
    expect(source.functions().map(({ name }) => name)).toEqual(['odd.broken'])
    expect(log.all()).toContain('a schema of the remote tool broken is left out')
  } finally {
    await source.close()
  }
})
