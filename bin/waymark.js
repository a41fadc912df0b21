#!/usr/bin/env node
// Starts the command line: from dist/ when installed, straight from src/ in a clone.
import { existsSync, statSync } from 'node:fs'
import { register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

const isClone = existsSync(new URL('../tsconfig.build.json', import.meta.url))
if (isClone) {
  const tsx = await import('tsx/esm/api')
  tsx.register()
  register(new URL('./source-condition.js', import.meta.url))
}
// Under `serve --watch` this process is one version of the service, and tells which files it is made of.
const isWatched = process.env.WAYMARK_WATCHED !== undefined && process.connected === true
const heard = isWatched ? new MessageChannel() : undefined
const tellFile = ({ path, mtimeMs }) =>
  process.connected && process.send({ type: 'file', path, mtimeMs })
if (heard) {
  const { port1, port2 } = heard
  port1.on('message', tellFile)
  port1.unref()
  const own = ['src/', 'dist/', 'bin/'].map(
    (folder) => new URL(`../${folder}`, import.meta.url).href,
  )
  const data = { port: port2, own }
  register(new URL('./watch-hook.js', import.meta.url), { data, transferList: [port2] })
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
  ...(heard && { onRead: (path) => tellFile({ path, mtimeMs: statSync(path).mtimeMs }) }),
  onFault(listener) {
    process.on('unhandledRejection', (reason) => listener('rejection', reason))
    process.on('uncaughtException', (error) => {
      faulted = true
      listener('exception', error)
    })
  },
})
if (heard) {
  for (
    let next = receiveMessageOnPort(heard.port1);
    next;
    next = receiveMessageOnPort(heard.port1)
  ) {
    tellFile(next.message)
  }
  if (process.connected) process.disconnect()
}
// Whoever stopped the program does not wait for answers that nobody reads any more.
if (asked || faulted) process.exit()
