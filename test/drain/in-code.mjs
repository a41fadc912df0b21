// serve() in code, as a program of its own: pause and grace in milliseconds.
import { serve } from 'waymark'
import service from './service.mjs'

const [drainPauseMs, graceMs] = process.argv.slice(2).map(Number)
const { url } = await serve(service, { port: 0, drainPauseMs, graceMs })
console.log(JSON.stringify({ url }))
// Like the pool of a database that nobody closes.
setInterval(() => {}, 60_000)
