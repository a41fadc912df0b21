// Messages per second through RabbitMQ into a function, against a bare amqplib consumer with the same prefetch that
// parses, calls the same handler and acknowledges each message; interleaved rounds in one run, as ratios.
// Run: npx tsx --conditions=waymark-source bench/triggers.mjs [memory|sqlite|redis …]
// Ours validates the input, keeps a record of every delivery in a store and knows copies by it. Goal: at least 0.6 of
// bare with a store in memory.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'amqplib'
import { createService, defineFunction, jsonSchema } from '../src/index.ts'
import { createMemoryStore, openStore } from '../src/store/index.ts'
import { createTriggers } from '../src/triggers/index.ts'

const AMQP_URL = process.env.AMQP_URL ?? 'amqp://guest:guest@127.0.0.1:5672'
const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const MESSAGES = Number(process.env.MESSAGES ?? 5000)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
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
  const names = Object.keys(stores).filter((name) =>
    wanted.length === 0 ? name !== 'redis' : wanted.includes(name),
  )
  console.log(`${MESSAGES} messages a round, prefetch ${PREFETCH}, ${ROUNDS} rounds, interleaved`)
  console.log('store     bare/s   ours/s  ratio (rounds)        CPU ratio')
  for (const name of names) await contest(name, stores[name])
} finally {
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
}

async function contest(name, open) {
  await measure(runBare, 500)
  await measure((queue, count) => runOurs(queue, count, open), 500)
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await measure(runBare, MESSAGES)
    const ours = await measure((queue, count) => runOurs(queue, count, open), MESSAGES)
    rounds.push({ bare, ours })
  }
  const ratios = rounds.map(({ bare, ours }) => ours.rate / bare.rate)
  const cpu = median(rounds.map(({ bare, ours }) => ours.cpu / bare.cpu))
  const line = [
    name.padEnd(8),
    median(rounds.map(({ bare }) => bare.rate))
      .toFixed(0)
      .padStart(8),
    median(rounds.map(({ ours }) => ours.rate))
      .toFixed(0)
      .padStart(8),
    median(ratios).toFixed(2).padStart(6),
    `(${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)})`.padEnd(16),
    cpu.toFixed(2).padStart(8),
  ]
  console.log(line.join(' '))
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
  const triggers = createTriggers({
    service,
    store,
    env: { QUEUE: AMQP_URL },
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
  await triggers.start()
  const result = await finished
  await triggers.stop()
  await store.close()
  return result
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]
}
