import { Writable } from 'node:stream'
import type { Service } from '../../core/index.ts'
import { type McpOptions, measureTools, serveStdio } from '../../surfaces/mcp/index.ts'
import type { Triggers } from '../../triggers/index.ts'
import type { CommandInput } from '../command.ts'
import { formatTriggers, startServedTriggers } from './triggers.ts'

/** What is offered to the program that started this one. */
export interface StdioService {
  readonly service: Service
  readonly mcp: McpOptions
  readonly triggers: Triggers | undefined
  /** Where the protocol is written to. */
  readonly output: Writable
}

// A host that has closed our input waits only a few seconds before it kills us.
const GRACE_MS = 1_000

/** Serves the program that started this one; everything a person should read goes to standard error. */
export async function runStdio(
  { service, mcp, triggers, output }: StdioService,
  { io }: CommandInput,
): Promise<void> {
  try {
    await startServedTriggers(triggers)
    const { tools, tokens } = measureTools(service, mcp)
    io.err(`${service.info.title}: ${tools} tools, about ${tokens} tokens, over stdio\n`)
    if (triggers) io.err(formatTriggers(await triggers.list()))
    await serveStdio(service, {
      ...mcp,
      input: process.stdin,
      output,
      ...(io.env['WAYMARK_TOKEN'] && { token: io.env['WAYMARK_TOKEN'] }),
      signal: io.signal,
    })
    // An input that is still open would keep the process alive.
    process.stdin.destroy()
    await triggers?.stop(GRACE_MS)
  } finally {
    await service.close()
  }
}

/** Keeps standard output for a protocol while it runs: what anybody else writes there goes to standard error. */
export async function withOwnStdout<Result>(
  run: (output: Writable) => Promise<Result>,
): Promise<Result> {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void write(chunk, done),
  })
  // A reader that has gone ends the serving, not the process: what runs may finish.
  const onError = stdout.listeners('error') as ((reason: Error) => void)[]
  stdout.removeAllListeners('error')
  stdout.on('error', (reason: Error) => void output.destroy(reason))
  stdout.write = stderr.write.bind(stderr)
  try {
    return await run(output)
  } finally {
    stdout.write = write
    stdout.removeAllListeners('error')
    for (const listener of onError) stdout.on('error', listener)
  }
}
