// CommonJS: `require` of the package, and of the service through it.
const {
  createApp,
  createService,
  defineFunction,
  forrst,
  rest,
  toFetchHandler,
} = require('waymark')
const { createClient, createLocalTransport } = require('waymark/client')

async function main() {
  const ping = defineFunction({
    name: 'orders.ping',
    version: '1.0.0',
    handler: () => ({ ok: true }),
  })
  const own = createService({ info: { title: 'Orders', version: '1.0.0' }, functions: [ping] })
  const { handle } = createApp(own, { surfaces: [forrst(), rest()] })
  const outcome = await createClient({ transport: createLocalTransport(handle) }).call(
    'orders.ping',
  )
  if (!outcome.ok || outcome.result.ok !== true) throw new Error(JSON.stringify(outcome))
  const { runChecks } = require('./checks.mjs')
  const { app } = require('./service.mjs')
  console.log(`${(await runChecks(toFetchHandler(app))) + 1} checks`)
  process.exit(0)
}

main()
