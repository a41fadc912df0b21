import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from '../../src/http/app.ts'
import { toNodeListener } from '../../src/http/node.ts'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { createFixture } from './fixture-service.ts'

// A server of its own, so that programs of other runtimes can be let loose on it.
const { service, options } = createFixture()
const handler = createMcpHandler(service, options)
const app = createApp(service, { mounts: [{ path: '/mcp', match: 'exact', handler }] })
const server = createServer(toNodeListener(app))
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
})
