// What the service must do on every runtime, through whatever turns a web-standard request into an answer.

/** Runs every check; gives how many there are, or throws what the first one found. */
export async function runChecks(handle) {
  for (const [name, check] of CHECKS) {
    try {
      await check(handle)
    } catch (cause) {
      throw new Error(`${name}: ${cause.message}`, { cause })
    }
  }
  return CHECKS.length
}

const CHECKS = [
  [
    'a call over Forrst',
    async (handle) => {
      const { status, body } = await forrst(handle, 'orders.create', { id: 'ü_1' })
      // \w is ASCII: the pattern runs on the linear engine, and refuses it.
      equal([status, body.errors[0].source.pointer], [400, '/call/arguments/id'])
      const good = await forrst(handle, 'orders.create', { id: 'a-1' })
      equal([good.status, good.body.result.id], [200, 'a-1'])
    },
  ],
  [
    'a wrong argument',
    async (handle) => {
      const { status, body } = await forrst(handle, 'orders.create', {})
      equal([status, body.errors[0].source.pointer], [400, '/call/arguments/id'])
    },
  ],
  [
    'an unknown argument',
    async (handle) => {
      const { body } = await forrst(handle, 'orders.create', { idd: 'a' })
      equal(JSON.stringify(body.errors).includes('idd'), true)
    },
  ],
  [
    'a function without input, over REST',
    async (handle) => {
      const { status, body } = await post(handle, '/api/orders.ping', {})
      equal([status, body.ok ?? body.result?.ok], [200, true])
    },
  ],
  [
    'a Zod schema, over REST',
    async (handle) => {
      const good = await post(handle, '/api/orders.price', { count: 21 })
      equal(JSON.stringify(good.body).includes('42'), true)
      equal((await post(handle, '/api/orders.price', { count: 0 })).status, 400)
    },
  ],
  [
    'an idempotency key',
    async (handle) => {
      const headers = { 'idempotency-key': `key-${Math.random()}` }
      const first = await post(handle, '/api/orders.create', { id: 'once' }, headers)
      const again = await post(handle, '/api/orders.create', { id: 'once' }, headers)
      equal([first.status, again.body], [200, first.body])
    },
  ],
  [
    'a stream',
    async (handle) => {
      const response = await send(handle, '/api/orders.watch', {}, { accept: 'text/event-stream' })
      equal(response.headers.get('content-type')?.startsWith('text/event-stream'), true)
      equal((await response.text()).match(/"n":\d/g), ['"n":1', '"n":2'])
    },
  ],
  [
    'a tool over MCP',
    async (handle) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'checks', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const params = { name: 'orders__price', arguments: { count: 3 }, _meta }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const response = await send(handle, '/mcp', message, {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'orders__price',
      })
      const text = await response.text()
      equal([response.status, /"total":\s*6/.test(text.replaceAll('\\', ''))], [200, true])
    },
  ],
  [
    'the explorer',
    async (handle) => {
      const response = await handle(new Request('http://localhost/explorer/'))
      equal([response.status, (await response.text()).includes('<title>')], [200, true])
    },
  ],
  [
    'the documents',
    async (handle) => {
      const { body } = await forrst(handle, 'urn:cline:forrst:ext:discovery:fn:describe')
      equal(body.functions.map(({ name }) => name).includes('orders.watch'), true)
      const openapi = await handle(new Request('http://localhost/openapi.json'))
      const paths = Object.keys((await openapi.json()).paths)
      equal(paths.filter((path) => !path.includes('/operations')).length, 4)
    },
  ],
  [
    'the probes',
    async (handle) => {
      const response = await handle(new Request('http://localhost/health/ready'))
      equal([response.status, (await response.json()).status], [200, 'healthy'])
    },
  ],
  [
    'a foreign origin',
    async (handle) => {
      const { status } = await post(
        handle,
        '/api/orders.ping',
        {},
        { origin: 'https://evil.example' },
      )
      equal(status, 403)
    },
  ],
  [
    'the position of a parse error',
    async (handle) => {
      const response = await handle(
        new Request('http://localhost/forrst', {
          method: 'POST',
          headers: JSON_TYPE,
          body: '{"a":',
        }),
      )
      equal((await response.json()).errors[0].source.position, 5)
    },
  ],
]

const JSON_TYPE = { 'content-type': 'application/json' }

function send(handle, path, body, headers = {}) {
  const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
  return handle(new Request(`http://localhost${path}`, init))
}

async function post(handle, path, body, headers) {
  const response = await send(handle, path, body, headers)
  return { status: response.status, body: await response.json() }
}

function forrst(handle, name, input) {
  const call = { function: name, arguments: input }
  const protocol = { name: 'forrst', version: '0.1.0' }
  return post(handle, '/forrst', { protocol, id: 'req_1', call })
}

function equal(found, expected) {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
  if (left !== right) throw new Error(`expected ${right}, found ${left}`)
}
