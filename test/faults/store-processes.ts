import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ConformanceTask } from '../../src/entries/store.ts'

interface Report {
  readonly seen?: readonly number[]
  readonly failure?: string
}

/** Several real processes that share one store. */
export interface StoreProcesses {
  run(task: ConformanceTask): Promise<readonly (readonly number[])[]>
  stop(): Promise<void>
}

/** Starts processes on the store at an address and waits until each has opened it. */
export async function startProcesses(
  url: string,
  namespace: string,
  count: number,
): Promise<StoreProcesses> {
  const children = Array.from({ length: count }, () => start(url, namespace))
  await Promise.all(children.map((child) => receive(child)))
  return {
    run: (task) =>
      Promise.all(
        children.map(async (child) => {
          const answer = receive(child)
          child.send({ ...task })
          const { seen, failure } = await answer
          if (!seen) throw new Error(`A store process failed: ${failure}`)
          return seen
        }),
      ),
    async stop() {
      await Promise.all(
        children.map(async (child) => {
          const ended = once(child, 'exit')
          child.disconnect()
          await ended
        }),
      )
    },
  }
}

function start(url: string, namespace: string): ChildProcess {
  const worker = fileURLToPath(new URL('store-worker.ts', import.meta.url))
  const execArgv = ['--conditions=waymark-source', '--import', 'tsx']
  return fork(worker, [url, namespace], { execArgv })
}

async function receive(child: ChildProcess): Promise<Report> {
  const ended = new AbortController()
  const message = once(child, 'message', { signal: ended.signal })
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A store process ended with code ${code}`)
  })
  exit.catch(() => {})
  message.catch(() => {})
  try {
    const [report] = await Promise.race([message, exit])
    return report
  } finally {
    ended.abort()
  }
}
