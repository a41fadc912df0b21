import { main } from '../../src/cli/main.ts'

/** A command line to run, and what it says when it need not run any longer. */
interface Command {
  readonly args: readonly string[]
  readonly cwd: string
  readonly until?: string
}

/** Runs commands one after the other in a process of its own; answers each with its exit code and all it wrote. */
process.on('message', async ({ args, cwd, until }: Command) => {
  const stop = new AbortController()
  let text = ''
  const write = (part: string) => {
    text += part
    if (until !== undefined && new RegExp(until).test(text)) stop.abort()
  }
  const code = await main(args, {
    out: write,
    err: write,
    env: process.env,
    cwd,
    terminal: false,
    errTerminal: false,
    signal: stop.signal,
  })
  process.send?.([stop.signal.aborted ? 'started' : code, text])
})
process.on('disconnect', () => process.exit(0))
