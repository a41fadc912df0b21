#!/usr/bin/env node
// Starts the command line: from dist/ when installed, straight from src/ in a clone.
import { existsSync } from 'node:fs'
import { register } from 'node:module'

const isClone = existsSync(new URL('../tsconfig.build.json', import.meta.url))
if (isClone) {
  const tsx = await import('tsx/esm/api')
  tsx.register()
  register(new URL('./source-condition.js', import.meta.url))
}
const { main } = await import(isClone ? '../src/cli/main.ts' : '../dist/cli/main.js')

const stop = new AbortController()
let asked = false
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (asked) process.exit(130)
    asked = true
    stop.abort(new DOMException(signal, 'AbortError'))
  })
}
// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`waymark: the output cannot be written: ${error.message}\n`)
  process.exit(2)
})

// A log whose reader has gone cannot be written, and saying so would fail the same way, for ever: the service goes on without it.
process.stderr.on('error', () => {})

let faulted = false
process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  terminal: process.stdout.isTTY === true,
  errTerminal: process.stderr.isTTY === true,
  signal: stop.signal,
  onFault(listener) {
    process.on('unhandledRejection', (reason) => listener('rejection', reason))
    process.on('uncaughtException', (error) => {
      faulted = true
      listener('exception', error)
    })
  },
})
// Whoever stopped the program does not wait for answers that nobody reads any more.
if (asked || faulted) process.exit()
