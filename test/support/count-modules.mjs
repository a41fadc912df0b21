// Loaded with --import: writes the address of every module the program loads, and its CPU time, to MODULES_FILE.
import { writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

const HOOKS = `let port
export function initialize(given) { port = given }
export function load(url, context, next) { port.postMessage(url); return next(url, context) }`

const { port1, port2 } = new MessageChannel()
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, {
  data: port2,
  transferList: [port2],
})

process.on('exit', () => {
  const modules = []
  for (let next = receiveMessageOnPort(port1); next; next = receiveMessageOnPort(port1)) {
    modules.push(next.message)
  }
  const { user, system } = process.cpuUsage()
  const report = { modules, cpuMs: Math.round((user + system) / 1000) }
  writeFileSync(process.env.MODULES_FILE, JSON.stringify(report))
})
