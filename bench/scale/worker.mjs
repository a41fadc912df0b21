// One process of the real run: calls through the Forrst surface, as many at a time as it is told, on a shared store.
import { defineFunction } from '../../src/core/function.ts'
import { openStore } from '../../src/entries/store.ts'
import { createForrstHandler } from '../../src/surfaces/forrst/handler.ts'
import { createService } from '../../src/system/create-service.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'

const { url, namespace, job } = JSON.parse(process.env.SCALE_JOB)
const store = await openStore(url, { namespace })
const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [
    defineFunction({ name: 'orders.create', version: '1.0.0', handler: () => ({ id: 'ord_1' }) }),
  ],
  defaults: false,
  extensions:
    job === 'plain'
      ? []
      : statefulExtensions({
          store,
          caching: false,
          cancellation: false,
          maintenance: false,
          priority: false,
        }),
  validateResults: false,
  log: { warn() {}, error: console.error },
})
const handle = createForrstHandler(service)
const signal = new AbortController().signal
let ids = 0

const ENTRIES = {
  plain: () => [],
  idempotency: (id) => [
    { urn: 'urn:forrst:ext:idempotency', options: { key: id, ttl: { value: 1, unit: 'minute' } } },
  ],
  lock: (id) => [
    { urn: 'urn:forrst:ext:atomic-lock', options: { key: id, ttl: { value: 1, unit: 'minute' } } },
  ],
}

async function call() {
  const id = `${process.pid}-${ids++}`
  const document = {
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    call: {
      function: 'orders.create',
      version: '1.0.0',
      arguments: { customer_id: 'c_42', amount: 5 },
    },
    extensions: ENTRIES[job](id),
  }
  const { status, body } = await handle({
    method: 'POST',
    path: '/forrst',
    query: '',
    header: (name) => (name === 'content-type' ? 'application/json' : undefined),
    body: Buffer.from(JSON.stringify(document)),
    bodyTooLarge: false,
    signal: () => signal,
  })
  if (status !== 200) throw new Error(`a call failed: ${body}`)
}

process.on('message', async ({ callers, seconds }) => {
  const until = performance.now() + seconds * 1000
  const latencies = []
  const before = process.cpuUsage()
  const caller = async () => {
    while (performance.now() < until) {
      const started = performance.now()
      await call()
      latencies.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const { user, system } = process.cpuUsage(before)
  latencies.sort((left, right) => left - right)
  process.send({
    calls: latencies.length,
    cpuMs: (user + system) / 1000,
    p50: latencies[Math.floor(latencies.length * 0.5)],
    p99: latencies[Math.floor(latencies.length * 0.99)],
  })
})
process.on('disconnect', () => process.exit(0))
process.send('ready')
