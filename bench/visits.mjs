// Visits to the store per operation, per delivery and per idempotent call, on a memory store that counts them.
// Run: npx tsx --conditions=waymark-source bench/visits.mjs [count]
import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryStore } from '../src/entries/store.ts'
import { createTriggers } from '../src/entries/triggers.ts'
import { createForrstHandler, createService, defineFunction } from '../src/entries/waymark.ts'

const COUNT = Number(process.argv[2] ?? 200)
const NO_SIGNAL = new AbortController().signal
const STATUS = 'urn:cline:forrst:ext:async:fn:status'
const log = { warn() {}, error: console.error }
const add = defineFunction({
  name: 'orders.add',
  version: '1.0.0',
  input: { type: 'object', properties: { n: { type: 'integer' } } },
  handler: ({ input }) => ({ n: input.n }),
})

/** Counts what the store is asked, by operation. */
function watch() {
  const asked = {}
  const store = new Proxy(createMemoryStore(), {
    get(target, member) {
      const value = target[member]
      if (typeof value !== 'function' || member === 'close') return value
      return (...args) => {
        asked[member] = (asked[member] ?? 0) + 1
        return value.apply(target, args)
      }
    },
  })
  return { store, asked }
}

async function send(handle, name, input, extensions) {
  const call = { function: name, version: '1.0.0', arguments: input }
  const document = { protocol: { name: 'forrst', version: '0.1.0' }, id: 'r', call, extensions }
  const { body } = await handle({
    method: 'POST',
    path: '/forrst',
    query: '',
    header: (header) => (header === 'content-type' ? 'application/json' : undefined),
    body: Buffer.from(JSON.stringify(document)),
    bodyTooLarge: false,
    signal: () => NO_SIGNAL,
  })
  return JSON.parse(body)
}

async function countCalls(toExtensions) {
  const { store, asked } = watch()
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [add],
    store,
    log,
  })
  const handle = createForrstHandler(service)
  service.start()
  await sleep(50)
  const before = { ...asked }
  const answers = []
  for (let n = 0; n < COUNT; n += 1) {
    answers.push(await send(handle, 'orders.add', { n }, toExtensions(n)))
    await sleep(2)
  }
  await sleep(200)
  const counted = subtract(asked, before)
  const id = answers.at(-1).extensions.find(({ data }) => data?.operation_id)?.data.operation_id
  const { result } = id ? await send(handle, STATUS, { operation_id: id }) : answers.at(-1)
  if (!result) throw new Error(JSON.stringify(answers.at(-1)))
  await service.close()
  return counted
}

async function countDeliveries(trigger, deliver) {
  const { store, asked } = watch()
  const service = createService({ info: { title: 'O', version: '1.0.0' }, functions: [add], log })
  let context
  const start = async (given) => {
    context = given
    return { stop: async () => {} }
  }
  const triggers = createTriggers({ service, store, triggers: [trigger], start: { queue: start } })
  await triggers.start()
  await sleep(50)
  const before = { ...asked }
  for (let n = 0; n < COUNT; n += 1) {
    await deliver(context, { id: `m${n}`, payload: { n }, bytes: 10 })
    await sleep(2)
  }
  await sleep(200)
  const counted = subtract(asked, before)
  await triggers.stop()
  return counted
}

function subtract(after, before) {
  return Object.fromEntries(Object.entries(after).map(([n, c]) => [n, c - (before[n] ?? 0)]))
}

function print(what, counted) {
  const each = Object.entries(counted)
    .filter(([, count]) => count / COUNT >= 0.05)
    .map(([name, count]) => `${name} ${(count / COUNT).toFixed(1)}`)
  const total = Object.values(counted).reduce((sum, count) => sum + count, 0) / COUNT
  console.log(`${what.padEnd(36)} ${total.toFixed(1).padStart(5)}  ${each.join(', ')}`)
}

const queue = {
  type: 'queue',
  name: 'orders',
  description: 'Orders',
  queue_url: 'amqp://localhost/orders',
  tool: 'orders.add',
}
const key = (n) => ({ urn: 'urn:forrst:ext:idempotency', options: { key: `k${n}` } })
const background = { urn: 'urn:forrst:ext:async', options: { preferred: true } }
print('an idempotent call', await countCalls((n) => [key(n)]))
print('an operation, with its job', await countCalls(() => [background]))
print('an operation under a key', await countCalls((n) => [key(n), background]))
print(
  'a delivery whose source waits',
  await countDeliveries(queue, (at, event) => at.settle(event)),
)
print('a delivery in the background', await countDeliveries(queue, (at, event) => at.accept(event)))
process.exit()
