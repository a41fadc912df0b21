// 100,000 items to a reader that is slower than the function, over a real connection; what the server holds must not grow.
//   npm run test:streams            all ways
//   npm run test:streams -- 20000   fewer items
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction, rest, serve } from 'waymark'
import { z } from 'zod'

const ITEMS = Number(process.argv[2] ?? 100_000)
/** Growth of the heap, after a collection, beyond which something holds on to items. */
const MOST_GROWTH = 20 * 1024 * 1024
const TYPES = ['text/event-stream', 'application/jsonl'] as const

const count = defineFunction({
  name: 'numbers.count',
  version: '1.0.0',
  readOnly: true,
  input: z.object({ to: z.int() }),
  item: z.object({ value: z.int(), text: z.string() }),
  output: z.object({ count: z.int() }),
  async *handler({ input }) {
    for (let value = 1; value <= input.to; value += 1) yield { value, text: 'x'.repeat(500) }
    return { count: input.to }
  },
})

const service = createService({ info: { title: 'Soak', version: '1.0.0' }, functions: [count] })
const server = await serve(service, { port: 0, surfaces: [rest()] })

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

async function read(accept: string): Promise<void> {
  const response = await fetch(`${server.url}/api/numbers.count?to=${ITEMS}`, {
    headers: { accept },
  })
  const chunks = response.body?.getReader()
  if (chunks === undefined) throw new Error('no stream')
  const decoder = new TextDecoder()
  const start = heap()
  let most = start
  let items = 0
  let rest = ''
  let turns = 0
  for (let step = await chunks.read(); !step.done; step = await chunks.read()) {
    rest += decoder.decode(step.value, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    items += lines.filter((line) => line.includes('"value":')).length
    turns += 1
    // Slower than the function, all the time.
    if (turns % 20 === 0) await sleep(5)
    if (turns % 500 === 0) most = Math.max(most, heap())
  }
  const grown = most - start
  console.log(`${accept}: ${items} items, the heap grew by ${(grown / 1024 / 1024).toFixed(1)} MiB`)
  if (items !== ITEMS) throw new Error(`${items} of ${ITEMS} items came`)
  if (grown > MOST_GROWTH) throw new Error('memory grows with the stream')
}

for (const type of TYPES) await read(type)
await server.close()
await service.close()
