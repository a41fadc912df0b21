import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/entries/store.ts'
import { createJobQueue } from '../../src/work/open.ts'
import type { ProcessEvent } from './jobs-conformance/types.ts'

/** Works on the jobs of a name until it is killed; each lasts as many milliseconds as its data says. */
async function main(): Promise<void> {
  const [url = '', namespace = '', name = '', leaseMs] = process.argv.slice(2)
  const store = await openStore(url, namespace === '' ? {} : { namespace })
  const queue = createJobQueue(store, { leaseMs: Number(leaseMs) })
  queue.work(name, async ({ id, data, attempt, signal }) => {
    const tell = (event: ProcessEvent['event']) => process.send?.({ event, id, attempt })
    tell('begun')
    try {
      await sleep(Number(data), undefined, { signal })
      tell('ended')
    } catch (thrown) {
      tell('aborted')
      throw thrown
    }
  })
  process.once('disconnect', () => process.exit())
  process.send?.('ready')
}

await main()
