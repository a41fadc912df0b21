// Memory over a million calls with entries that expire: idempotency keys, locks, cache entries, limits, operations.
// Run: node --expose-gc --import tsx --conditions=waymark-source bench/memory.mjs [calls]
// The heap after a collection should be as large at the end as it was after the first tenth.
import { defineFunction } from '../src/core/function.ts'
import { createMemoryStore } from '../src/entries/store.ts'
import { createForrstHandler } from '../src/surfaces/forrst/handler.ts'
import { createService } from '../src/system/create-service.ts'
import { statefulExtensions } from '../src/system/stateful-extensions.ts'

const CALLS = Number(process.argv[2] ?? 1_000_000)
const STEPS = 10
const second = { value: 1, unit: 'second' }
const store = createMemoryStore()
const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [
    defineFunction({
      name: 'orders.create',
      version: '1.0.0',
      extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 1 }],
      handler: ({ input }) => ({ id: input.id }),
    }),
  ],
  extensions: [
    ...statefulExtensions({
      store,
      idempotency: { ttl: second },
      cancellation: { remember: second },
      rateLimit: { policies: [{ scope: 'user', limit: 2 ** 50, window: second }] },
    }),
  ],
  validateResults: false,
  log: { warn() {}, error: console.error },
})
const handle = createForrstHandler(service)
const signal = new AbortController().signal
const ENTRIES = [
  (id) => ({ urn: 'urn:forrst:ext:idempotency', options: { key: id } }),
  (id) => ({
    urn: 'urn:forrst:ext:atomic-lock',
    options: { key: id, ttl: { value: 1, unit: 'minute' } },
  }),
  () => ({ urn: 'urn:forrst:ext:caching', options: {} }),
  (id) => ({ urn: 'urn:forrst:ext:cancellation', options: { token: id } }),
  () => ({ urn: 'urn:forrst:ext:deadline', options: { value: 5, unit: 'second' } }),
]

const heaps = []
for (let step = 0; step < STEPS; step += 1) {
  for (let call = 0; call < CALLS / STEPS; call += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => send(step * CALLS + call + index)))
  }
  // Entries live a second; the sweep takes them away.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  heaps.push(heapUsed)
  console.log(
    `${String(((step + 1) * CALLS) / STEPS).padStart(9)} calls  heap ${mb(heapUsed)}  rss ${mb(rss)}`,
  )
}
console.log(`heap at the end / after the first tenth: ${(heaps.at(-1) / heaps[0]).toFixed(2)}`)
await service.close()
await store.close()

async function send(number) {
  const id = `k${number}`
  const body = JSON.stringify({
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    call: { function: 'orders.create', version: '1.0.0', arguments: { id } },
    extensions: [ENTRIES[number % ENTRIES.length](id)],
  })
  const { status, body: answer } = await handle({
    method: 'POST',
    path: '/forrst',
    query: '',
    header: (name) => (name === 'content-type' ? 'application/json' : undefined),
    body: Buffer.from(body),
    bodyTooLarge: false,
    signal: () => signal,
  })
  if (status !== 200) throw new Error(`a call failed: ${answer}`)
}

function mb(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
