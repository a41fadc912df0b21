// Messages per second through RabbitMQ into a function, against a bare amqplib consumer with the same prefetch that
// parses, calls the same handler and acknowledges each message; interleaved rounds in one run, as ratios.
// Run: npm run build && node bench/triggers.mjs [memory|sqlite|redis …]; WAYMARK_DIST names another build. Writes
// TRIGGERS.md when it measured everything. Not from the sources with tsx: its bookkeeping of function names costs much.
// Ours validates the input, keeps a record of every delivery in a store and knows copies by it. Goal: at least 0.6 of
// bare with a store in memory.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect } from 'amqplib'

const DIST = resolve(process.env.WAYMARK_DIST ?? 'dist')
const load = (file) => import(pathToFileURL(join(DIST, file)).href)
const { createService, defineFunction, jsonSchema } = await load('entries/waymark.js')
const { createMemoryStore, openStore } = await load('entries/store.js')
const { createTriggers } = await load('entries/triggers.js')

const AMQP_URL = process.env.AMQP_URL ?? 'amqp://guest:guest@127.0.0.1:5672'
const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const MESSAGES = Number(process.env.MESSAGES ?? 20_000)
const ROUNDS = Number(process.env.ROUNDS ?? 11)
const PREFETCH = 100
const BODY = { customer_id: 'c_42', items: [{ product_id: 'W-1', quantity: 2 }] }
const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
const wanted = process.argv.slice(2)

const stores = {
  memory: async () => createMemoryStore(),
  sqlite: () => openStore(`sqlite:${join(folder, `${randomUUID()}.db`)}`),
  redis: () => openStore(REDIS_URL, { namespace: `waymark_bench_${randomUUID()}` }),
}

const connection = await connect(AMQP_URL)
const channel = await connection.createConfirmChannel()
try {
  const names = Object.keys(stores).filter((name) => wanted.length === 0 || wanted.includes(name))
  const lines = [
    `${MESSAGES} messages a round, prefetch ${PREFETCH}, ${ROUNDS} rounds of each, interleaved; medians.`,
    '',
    '| store | bare messages/s | ours messages/s | ratio (all rounds) | bare CPU µs | ours CPU µs |',
    '|---|---:|---:|---:|---:|---:|',
  ]
  console.log(lines.join('\n'))
  for (const name of names) {
    const line = await contest(name, stores[name])
    console.log(line)
    lines.push(line)
  }
  for (const name of names) {
    const line = await measureParts(name, stores[name])
    console.log(line)
    lines.push('', line)
  }
  if (wanted.length === 0) writeFileSync(join(import.meta.dirname, 'TRIGGERS.md'), toReport(lines))
} finally {
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
}

async function contest(name, open) {
  const ours = (queue, count) => runOurs(queue, count, open)
  // A service runs for weeks: a full round of each first, so that both are compiled.
  await measure(runBare, MESSAGES)
  await measure(ours, MESSAGES)
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ bare: await measure(runBare, MESSAGES), ours: await measure(ours, MESSAGES) })
  }
  const of = (pick, digits = 0) => median(rounds.map(pick)).toFixed(digits)
  const ratios = rounds.map((round) => round.ours.rate / round.bare.rate)
  const spread = `${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}`
  const cells = [
    name,
    of(({ bare }) => bare.rate),
    of((round) => round.ours.rate),
    `**${median(ratios).toFixed(2)}** (${spread})`,
    of(({ bare }) => bare.cpu, 1),
    of((round) => round.ours.cpu, 1),
  ]
  return `| ${cells.join(' | ')} |`
}

/** CPU time of the parts, without a broker, prefetch many at a time: what a faster delivery would have to save. */
async function measureParts(name, open) {
  const store = await open()
  const record = { payload: BODY, eventId: randomUUID(), by: randomUUID(), token: randomUUID() }
  const json = await timeEach(async () => JSON.stringify(record))
  const writes = await timeEach(async (id) => {
    const { revision } = await store.putIfAbsent(id, record, { ttl: 3_600_000 })
    await store.compareAndSet(id, record, { revision, ttl: 3_600_000 })
  })
  let settle
  const start = {
    queue(context) {
      settle = context.settle
      return { stop: async () => {} }
    },
  }
  const triggers = createOrders(store, 'parts', async () => ({ items: 1 }), start)
  await triggers.start()
  const whole = await timeEach((id) => settle({ id, payload: BODY }))
  await triggers.stop()
  await store.close()
  return (
    `CPU µs by part, ${name}: a delivery from event to record ${whole.toFixed(1)}, of these two store writes ` +
    `${writes.toFixed(1)}, of these JSON ${(json * 2).toFixed(1)}.`
  )
}

async function timeEach(run) {
  let cpu
  for (const isWarm of [false, true]) {
    if (isWarm) cpu = process.cpuUsage()
    for (let done = 0; done < MESSAGES; done += PREFETCH) {
      await Promise.all(Array.from({ length: PREFETCH }, () => run(randomUUID())))
    }
  }
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / MESSAGES
}

function toReport(lines) {
  return [
    '# Queue triggers: messages per second through RabbitMQ',
    '',
    'Written by `node bench/triggers.mjs`. "Bare" is an amqplib consumer with the same prefetch that parses each message,',
    'calls the same handler and acknowledges; "ours" also validates the input and keeps a record of every delivery, by',
    'which it knows copies. Bare and ours take turns in one process, so only the ratio means anything on another machine.',
    `Node.js ${process.version}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    ...lines,
    '',
  ].join('\n')
}

/** Fills a queue of its own, then lets a consumer empty it; the filling is not counted. */
async function measure(consume, count) {
  const queue = `waymark-bench-${randomUUID()}`
  await channel.assertQueue(queue, { durable: true })
  const body = Buffer.from(JSON.stringify(BODY))
  for (let index = 0; index < count; index += 1) {
    channel.sendToQueue(queue, body, { persistent: true, messageId: randomUUID() })
  }
  await channel.waitForConfirms()
  try {
    const { seconds, cpu } = await consume(queue, count)
    return { rate: count / seconds, cpu: cpu / count }
  } finally {
    await channel.deleteQueue(queue)
  }
}

/** Resolves when a handler has been called often enough; time counts from the first call. */
function createCounter(count) {
  let calls = 0
  let begun
  let cpu
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  return {
    finished,
    async handle(order) {
      if (calls === 0) {
        begun = performance.now()
        cpu = process.cpuUsage()
      }
      calls += 1
      if (calls === count) {
        const used = process.cpuUsage(cpu)
        finish({ seconds: (performance.now() - begun) / 1000, cpu: used.user + used.system })
      }
      return { items: order.items.length }
    },
  }
}

async function runBare(queue, count) {
  const { handle, finished } = createCounter(count)
  const own = await connect(AMQP_URL)
  const consumer = await own.createChannel()
  await consumer.prefetch(PREFETCH)
  await consumer.consume(queue, async (message) => {
    await handle(JSON.parse(message.content.toString()))
    consumer.ack(message)
  })
  const result = await finished
  // Lets the last acknowledgement out.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await own.close()
  return result
}

async function runOurs(queue, count, open) {
  const { handle, finished } = createCounter(count)
  const store = await open()
  const triggers = createOrders(store, queue, handle)
  await triggers.start()
  const result = await finished
  await triggers.stop()
  await store.close()
  return result
}

function createOrders(store, queue, handle, start) {
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'orders.take',
        version: '1.0.0',
        input: jsonSchema({
          type: 'object',
          required: ['customer_id', 'items'],
          properties: { customer_id: { type: 'string' }, items: { type: 'array' } },
        }),
        handler: ({ input }) => handle(input),
      }),
    ],
  })
  return createTriggers({
    service,
    store,
    env: { QUEUE: AMQP_URL },
    ...(start && { start }),
    triggers: [
      {
        type: 'queue',
        name: 'orders',
        description: 'Incoming orders.',
        queue_url: `amqp://127.0.0.1/${queue}?prefetch=${PREFETCH}`,
        queue_env: 'QUEUE',
        tool: 'orders.take',
      },
    ],
  })
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]
}
