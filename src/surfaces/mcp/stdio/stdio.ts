import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Service } from '../../../core/index.ts'
import { isRecord } from '../../../values/index.ts'
import type { McpOptions } from '../environment.ts'
import { createMcpServer } from '../server.ts'
import { createStdioConnection } from './connection.ts'

/** What becomes of the lines of a stream. */
export interface LineSink {
  readonly line: (bytes: Uint8Array) => void
  /** A line was longer than allowed; what there was of it is gone. */
  readonly tooLong: (maxBytes: number) => void
}

const NEWLINE = 10

/** Creates the function that cuts chunks of a stream into lines. */
export function createLineReader(
  maxBytes: number,
  sink: LineSink,
): (chunk: Uint8Array | string) => void {
  let begun: Uint8Array[] = []
  let size = 0
  let dropping = false

  const take = (part: Uint8Array): void => {
    size += part.byteLength
    if (size <= maxBytes) begun.push(part)
    else if (!dropping) {
      dropping = true
      begun = []
      sink.tooLong(maxBytes)
    }
  }
  const finish = (): void => {
    const line = dropping ? undefined : Buffer.concat(begun)
    begun = []
    size = 0
    dropping = false
    if (line?.some((byte) => byte > 32)) sink.line(line)
  }

  return (chunk) => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (;;) {
      const end = rest.indexOf(NEWLINE)
      if (end === -1) break
      take(rest.subarray(0, end))
      finish()
      rest = rest.subarray(end + 1)
    }
    if (rest.byteLength > 0) take(rest)
  }
}

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
  assertStreams({ ...options })
  const { input, output, signal } = options
  service.start()
  const server = createMcpServer(service, options)
  const ended = new AbortController()
  const end = () => ended.abort()
  const connection = createStdioConnection(server, {
    token: options.token,
    send(message) {
      if (output.writable && !output.write(`${message}\n`)) return wait(input, output)
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
  const isFirst = !input.isPaused()
  if (isFirst) input.pause()
  await Promise.race([once(output, 'drain'), once(output, 'close')]).catch(() => undefined)
  if (isFirst) input.resume()
}

/** Workers have no standard input and output; plain JavaScript has no compiler to say that they are missing. */
function assertStreams({
  input,
  output,
}: {
  readonly input?: unknown
  readonly output?: unknown
}): void {
  if (isRecord(input) && isRecord(output)) return
  throw new TypeError(
    'serveStdio needs an input and an output, such as process.stdin and process.stdout; where there are none, serve MCP over HTTP with mcp()',
  )
}
