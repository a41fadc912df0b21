import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ProcessEvent, WorkerProcess } from './jobs-conformance/types.ts'

/** Which jobs a process works on. */
export interface JobProcessOptions {
  readonly url: string
  readonly namespace: string
  readonly name: string
  readonly leaseMs: number
}

/** A process that works on jobs, and its end. */
export interface JobProcess extends WorkerProcess {
  stop(): Promise<void>
}

/** Starts a process that works on jobs, and waits until it does. */
export async function startJobProcess(options: JobProcessOptions): Promise<JobProcess> {
  const { url, namespace, name, leaseMs } = options
  const worker = fileURLToPath(new URL('jobs-worker.ts', import.meta.url))
  const execArgv = ['--conditions=waymark-source', '--import', 'tsx']
  const child = fork(worker, [url, namespace, name, String(leaseMs)], { execArgv })
  const ended = once(child, 'exit')
  const events: ProcessEvent[] = []
  await once(child, 'message')
  child.on('message', (event: ProcessEvent) => events.push(event))
  return {
    events,
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
