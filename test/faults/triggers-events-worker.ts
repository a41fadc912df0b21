// A process with triggers, started and killed by tests: its function writes every run into a file.
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction } from '../../src/core/function.ts'
import { openStore } from '../../src/entries/store.ts'
import { createTriggers, openEventBus } from '../../src/entries/triggers.ts'
import { jsonSchema } from '../../src/schema/schema.ts'
import { createService } from '../../src/system/create-service.ts'
import { systemClock } from '../../src/values/time.ts'
import type { JobQueue } from '../../src/work/queue.ts'

const { STORE = '', BUS = 'memory:', NAMESPACE = '', RUNS = '', HANG, WAITS } = process.env

const store = await openStore(STORE, { namespace: NAMESPACE })
const service = createService({
  info: { title: 'Faults', version: '1.0.0' },
  unknownArguments: 'ignore',
  store,
  log: { warn: () => {}, error: () => {} },
  functions: [
    defineFunction({
      name: 'runs.write',
      version: '1.0.0',
      input: jsonSchema<{ id?: string }>({ type: 'object' }),
      async handler({ input, context }) {
        const { id } = context['trigger'] as { id: string }
        await sleep(5)
        appendFileSync(RUNS, `${input.id ?? id}\n`)
      },
    }),
  ],
})
const bus = await openEventBus(BUS, { namespace: NAMESPACE, redeliverMs: 1_000 })
const common = { description: 'x', tool: 'runs.write' }
// Loading takes as long as it takes: who waits is told the time when everybody is ready.
let shift = 0
if (WAITS) {
  process.send?.('loaded')
  shift = Number((await once(process, 'message'))[0])
}
const triggers = createTriggers({
  service,
  store,
  bus,
  ...(HANG && { jobs: hangingJobs() }),
  clock: { now: () => Date.now() + shift, elapsed: systemClock.elapsed },
  triggers: WAITS
    ? [{ ...common, type: 'schedule', name: 'minutely', cron: '* * * * *' }]
    : [{ ...common, type: 'emit', name: 'written', event: 'runs.*' }],
})
process.on('SIGTERM', async () => {
  await triggers.stop(2_000)
  process.exit(0)
})
await triggers.start()
process.send?.('ready')

/** Between receiving an event and acknowledging it, this process stands still, and is killed there. */
function hangingJobs(): JobQueue {
  return {
    kind: 'hanging',
    add() {
      process.send?.('holding')
      return new Promise(() => {})
    },
    work: () => {},
    remove: async () => false,
    close: async () => {},
  }
}
