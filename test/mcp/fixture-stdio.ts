import { serveStdio } from '../../src/surfaces/mcp/stdio/stdio.ts'
import { createFixture } from './fixture-service.ts'

// A process of its own, so that clients can start it as they start any server.
const { service, options } = createFixture()
await serveStdio(service, { ...options, input: process.stdin, output: process.stdout })
await service.close()
