// What a service must do on every runtime, through the web-standard handler. Prints "ok" and ends with 0, or throws.
import {
  allSurfaces,
  createApp,
  createService,
  defineFunction,
  toFetchHandler,
} from '../../dist/entries/waymark.js'

const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [
    defineFunction({
      name: 'orders.create',
      version: '1.0.0',
      input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      handler: async ({ input }) => ({ id: input.id }),
    }),
  ],
})
const handle = toFetchHandler(createApp(service, { surfaces: allSurfaces() }))
const call = async (name, input, headers = {}) => {
  const response = await handle(
    new Request('http://localhost/forrst', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        protocol: { name: 'forrst', version: '0.1.0' },
        id: 'req_1',
        call: { function: name, arguments: input },
      }),
    }),
  )
  return { status: response.status, body: await response.json() }
}
const check = (condition, what) => {
  if (!condition) throw new Error(`failed: ${what}`)
}

const good = await call('orders.create', { id: 'ü' })
check(good.status === 200 && good.body.result.id === 'ü', 'a call gets its result')
const bad = await call('orders.create', {})
check(
  bad.status === 400 && bad.body.errors[0].source.pointer === '/call/arguments/id',
  'a wrong argument',
)
const document = await call('urn:cline:forrst:ext:discovery:fn:describe')
check(document.body.functions[0].name === 'orders.create', 'the discovery document')
const health = await call('urn:cline:forrst:fn:health')
check(health.body.result.status === 'healthy', 'health')
const foreign = await call('orders.create', { id: 'a' }, { origin: 'https://evil.example' })
check(foreign.status === 403, 'a foreign origin')
const broken = await handle(
  new Request('http://localhost/forrst', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":',
  }),
)
check((await broken.json()).errors[0].source.position === 5, 'the position of a parse error')
console.log('ok')
