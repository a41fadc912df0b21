import { JobPutBack, JobRetry } from '../../src/work/index.ts'
import type { Job, JobQueue, NewJob, WorkOptions } from '../../src/work/queue.ts'
import type { TestClock } from './forrst.ts'

/** A job queue whose time is a test's own: jobs run when they are due and the test says so. */
export interface ManualJobs extends JobQueue {
  /** Jobs that wait, in the order in which they may run, with the moment from which on. */
  readonly waiting: () => readonly (NewJob & { readonly at: number })[]
  /** Runs what is due now, and what that adds; gives the number of runs. */
  readonly runDue: () => Promise<number>
  /** Lets time pass from job to job until nothing waits, or for the given time. */
  readonly runFor: (milliseconds: number) => Promise<void>
  /** From now on nothing can be added, as when the server behind a queue is away. */
  readonly fail: (failing: boolean) => void
}

/** Creates a queue that lives in memory and runs one job at a time. */
export function createManualJobs(clock: TestClock): ManualJobs {
  const jobs: (NewJob & { readonly at: number; readonly attempt?: number })[] = []
  const workers = new Map<string, { run: (job: Job) => Promise<void>; options: WorkOptions }>()
  const running = new Set<string>()
  let failing = false
  const keyOf = ({ name, id }: Pick<NewJob, 'name' | 'id'>) => `${name}/${id}`
  const ordered = () =>
    jobs.toSorted((a, b) => a.at - b.at || (a.priority ?? 5) - (b.priority ?? 5))

  async function runDue(): Promise<number> {
    let runs = 0
    for (;;) {
      const job = ordered().find(({ at, name }) => at <= clock.now() && workers.has(name))
      if (job === undefined) return runs
      jobs.splice(jobs.indexOf(job), 1)
      running.add(keyOf(job))
      const { id, data, attempt = 1 } = job
      try {
        await workers
          .get(job.name)
          ?.run({ id, data, attempt, signal: new AbortController().signal })
      } catch (thrown) {
        if (!(thrown instanceof JobPutBack)) throw thrown
        const at = clock.now() + thrown.delayMs
        jobs.push({ ...job, at, attempt: thrown instanceof JobRetry ? attempt + 1 : attempt })
      } finally {
        running.delete(keyOf(job))
      }
      runs += 1
    }
  }

  return {
    kind: 'manual',
    async add(job) {
      if (failing) throw new Error('the queue is away')
      const known = jobs.some((other) => keyOf(other) === keyOf(job)) || running.has(keyOf(job))
      // What a real queue keeps is text.
      const kept = JSON.parse(JSON.stringify(job)) as NewJob
      if (!known) jobs.push({ ...kept, at: clock.now() + (job.delayMs ?? 0) })
    },
    work(name, run, options = {}) {
      if (workers.has(name)) throw new TypeError(`There is a worker for "${name}" already`)
      workers.set(name, { run, options })
    },
    async remove(name, id) {
      const at = jobs.findIndex((job) => keyOf(job) === keyOf({ name, id }))
      return at !== -1 && jobs.splice(at, 1).length > 0
    },
    close: async () => {},
    waiting: ordered,
    runDue,
    async runFor(milliseconds) {
      const end = clock.now() + milliseconds
      for (;;) {
        await runDue()
        const next = ordered()[0]
        if (next === undefined || next.at > end) break
        clock.advance(Math.max(0, next.at - clock.now()))
      }
      clock.advance(Math.max(0, end - clock.now()))
      await runDue()
    },
    fail(now) {
      failing = now
    },
  }
}
