// The checks inside the process of the service, and over a socket where the runtime has node:http.
import { allSurfaces, serve, toFetchHandler } from 'waymark'
import { openStore } from 'waymark/store'
import { runChecks } from './checks.mjs'
import { app, service } from './service.mjs'

let count = await runChecks(toFetchHandler(app))
const server = await serve(service, { port: 0, surfaces: allSurfaces() })
count += await runChecks((request) => {
  const url = request.url.replace('http://localhost', server.url)
  return request.method === 'GET' ? fetch(url) : passOn(request, url)
})
await server.close()

async function passOn(request, url) {
  const headers = Object.fromEntries(request.headers)
  return fetch(url, { method: 'POST', headers, body: await request.text() })
}

// A bundle has no packages beside it: then the message names what is missing.
const sqlite = await openStore('sqlite::memory:').then(
  async (store) => {
    await store.close()
    return 'SQLite'
  },
  (error) => {
    if (!error.message.includes('needs the package "libsql"')) throw error
    return 'no SQLite: says so'
  },
)
console.log(`${count} checks; ${sqlite}`)
process.exit(0)
