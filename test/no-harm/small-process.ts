import { createService, defineFunction } from '../../src/entries/waymark.ts'
import { serve } from '../../src/http/serve.ts'

/** A service in a process with little memory; tells its parent where it listens. */
const service = createService({
  info: { title: 'Small', version: '1.0.0' },
  functions: [defineFunction({ name: 'small.ping', version: '1.0.0', handler: () => 'pong' })],
})
const server = await serve(service, { port: 0 })
process.send?.(server.url)
process.on('disconnect', () => process.exit(0))
