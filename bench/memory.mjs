// Memory over a million calls with entries that expire: idempotency keys, locks, cache entries, limits.
// Run: node --expose-gc --import tsx --conditions=waymark-source bench/memory.mjs [calls]
// With `operations [calls] [store]`: 200,000 operations in the background with arguments of 20 kB.
// The heap after a collection should be as large at the end as it was after the first tenth.
import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction } from '../src/core/function.ts'
import { createMemoryStore, openStore } from '../src/entries/store.ts'
import { createForrstHandler } from '../src/surfaces/forrst/handler.ts'
import { createService } from '../src/system/create-service.ts'
import { statefulExtensions } from '../src/system/stateful-extensions.ts'
import { createJobQueue } from '../src/work/open.ts'

const OPERATIONS = process.argv[2] === 'operations'
const CALLS = Number(process.argv[OPERATIONS ? 3 : 2] ?? (OPERATIONS ? 200_000 : 1_000_000))
const STEPS = 10
const second = { value: 1, unit: 'second' }
const store = OPERATIONS && process.argv[4] ? await openStore(process.argv[4]) : createMemoryStore()
const jobs = OPERATIONS ? createJobQueue(store) : undefined
let ran = 0
const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [
    defineFunction({
      name: 'orders.create',
      version: '1.0.0',
      input: {
        type: 'object',
        properties: { id: { type: 'string' }, text: { type: 'string' } },
      },
      extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 1 }],
      handler({ input }) {
        ran += 1
        return { id: input.id }
      },
    }),
  ],
  extensions: [
    ...statefulExtensions({
      store,
      jobs,
      async: { retention: second, concurrency: 50 },
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
const BACKGROUND = { urn: 'urn:forrst:ext:async', options: { preferred: true } }
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

const TEXT = 'x'.repeat(20_000)
service.start()
const heaps = []
for (let step = 0; step < STEPS; step += 1) {
  for (let call = 0; call < CALLS / STEPS; call += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => send(step * CALLS + call + index)))
    while (OPERATIONS && ran < (step * CALLS) / STEPS + call) await sleep(1)
  }
  while (OPERATIONS && ran < ((step + 1) * CALLS) / STEPS) await sleep(10)
  // Entries live a second; the sweep takes them away.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  while (OPERATIONS && store.size > 0) await sleep(100)
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { heapUsed, rss } = process.memoryUsage()
  heaps.push(heapUsed)
  console.log(
    `${String(((step + 1) * CALLS) / STEPS).padStart(9)} calls  heap ${mb(heapUsed)}  rss ${mb(rss)}`,
  )
}
console.log(`heap at the end / after the first tenth: ${(heaps.at(-1) / heaps[0]).toFixed(2)}`)
await service.close()
await jobs?.close()
await store.close()

async function send(number) {
  const id = `k${number}`
  const body = JSON.stringify({
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    call: {
      function: 'orders.create',
      version: '1.0.0',
      arguments: OPERATIONS ? { id, text: TEXT } : { id },
    },
    extensions: [OPERATIONS ? BACKGROUND : ENTRIES[number % ENTRIES.length](id)],
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
