// A worker: the service is made in the global scope, where workerd allows neither timers nor chance.
import { serve, toFetchHandler } from 'waymark'
import { serveStdio } from 'waymark/mcp'
import { openStore } from 'waymark/store'
import { app, service } from './service.mjs'

const handle = toFetchHandler(app)
const toMessage = (error) => error.message

export default {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/cannot') return handle(request)
    return Response.json({
      sqlite: await openStore('sqlite:state.db').then(() => 'opened', toMessage),
      stdio: await serveStdio(service).then(() => 'ended', toMessage),
      serve: await serve(service, { port: 0 }).then(() => 'listens', toMessage),
    })
  },
}
