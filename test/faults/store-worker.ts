import { type ConformanceTask, openStore, runConformanceTask } from '../../src/entries/store.ts'

/** One of several processes on a store: says when it is ready, then does each task it is sent. */
async function main(): Promise<void> {
  const [url = '', namespace = ''] = process.argv.slice(2)
  const store = await openStore(url, { namespace })
  process.on('message', (task: ConformanceTask) => {
    runConformanceTask(store, task).then(
      (seen) => process.send?.({ seen }),
      (thrown: Error) => process.send?.({ failure: thrown.stack }),
    )
  })
  process.once('disconnect', () => void store.close())
  process.send?.({ ready: true })
}

await main()
