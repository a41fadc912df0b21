import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobQueue } from '../../../src/work/queue.ts'

/** What a process that works on jobs has told: a job began, ended, or was taken away. */
export interface ProcessEvent {
  readonly event: 'begun' | 'ended' | 'aborted'
  readonly id: string
  readonly attempt: number
}

/** A real process that works on the jobs of one name, each of which lasts as many milliseconds as its data says. */
export interface WorkerProcess {
  readonly events: readonly ProcessEvent[]
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

/** What a case needs besides a queue. */
export interface JobTools {
  /** A name of jobs that no other case uses. */
  readonly name: string
  /** Milliseconds after which the job of a silent process goes to another. */
  readonly leaseMs: number
  /** Opens another queue on the same jobs. */
  readonly open: () => Promise<JobQueue>
  /** Starts a process that works on the jobs of the name. */
  readonly startProcess: () => Promise<WorkerProcess>
}

/** One thing that every job queue must do. */
export interface JobCase {
  /** A behaviour, as a sentence about the queue. */
  readonly name: string
  /** `processes`: only for queues that outlive a process. */
  readonly needs?: 'processes'
  /** Throws when the queue does something else. */
  run(queue: JobQueue, tools: JobTools): Promise<void>
}

/** Waits until something is so; throws what was expected when it never is. */
export async function until(
  expected: string,
  condition: () => boolean,
  withinMs = 20_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!condition()) {
    assert.ok(performance.now() < end, `Waited in vain for: ${expected}`)
    await sleep(10)
  }
}

/** Waits long enough for something to happen that should not. */
export async function quiet(): Promise<void> {
  await sleep(400)
}

/** Creates something to wait at until it is opened. */
export function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
