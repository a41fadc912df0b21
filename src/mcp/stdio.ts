import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Service } from '../core/service.ts'
import { createConnection } from './connection.ts'
import type { McpOptions } from './environment.ts'
import { createLineReader } from './line-reader.ts'
import { createMcpServer } from './server.ts'

/** How a service is offered to the program that started this one. */
export interface StdioOptions extends McpOptions {
  readonly input: Readable
  readonly output: Writable
  /** What the `authenticate` hook of the service gets as bearer token, in place of an HTTP header. */
  readonly token?: string
  /** Ends serving; so does the end of the input. */
  readonly signal?: AbortSignal
  /** Milliseconds that running calls get to finish when the input ends; 1000 when absent. */
  readonly graceMs?: number
}

/** Serves a service over MCP to whoever writes lines to `input`; settles when that ends. */
export async function serveStdio(service: Service, options: StdioOptions): Promise<void> {
  const { input, output, signal } = options
  service.start()
  const server = createMcpServer(service, options)
  const ended = new AbortController()
  const end = () => ended.abort()
  const connection = createConnection(server, {
    token: options.token,
    send(message) {
      if (output.writable && !output.write(`${message}\n`)) void wait(input, output)
    },
  })
  const read = createLineReader(service.limits.maxRequestBytes, connection)

  input.on('data', read)
  input.once('end', end)
  input.once('close', end)
  input.once('error', end)
  output.once('error', end)
  output.once('close', end)
  if (signal?.aborted) end()
  else signal?.addEventListener('abort', end, { once: true })
  if (!ended.signal.aborted) await once(ended.signal, 'abort')
  input.off('data', read)
  await connection.finish(options.graceMs ?? 1_000)
  server.close()
}

/** A client that does not read does not get to write either. */
async function wait(input: Readable, output: Writable): Promise<void> {
  if (input.isPaused()) return
  input.pause()
  await Promise.race([once(output, 'drain'), once(output, 'close')]).catch(() => undefined)
  input.resume()
}
