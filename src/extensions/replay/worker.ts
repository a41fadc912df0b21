import { randomUUID } from 'node:crypto'
import type { Service } from '../../core/index.ts'
import { isRecord, toText } from '../../values/index.ts'
import type { Job, JobQueue } from '../../work/index.ts'
import type { ReplayRecord } from './record.ts'
import { createReplayTurns, type ReplayTurnOptions, SHORTEST_MS, type Turn } from './turn.ts'

/** What replays are run with. */
export interface ReplayWorkerOptions extends ReplayTurnOptions {
  readonly jobs: JobQueue
}

/** Runs replays in the background. */
export interface ReplayWorker {
  /** Begins to work; what waited when the last process ended is taken up. */
  start(service: Service): void
  /** Looks at the queue after some milliseconds. */
  wake(now: number, delayMs?: number): Promise<void>
  /** Runs one replay now, before its turn. */
  trigger(record: ReplayRecord): Promise<void>
}

const JOB = 'replay'
/** A store that is away for an hour must not end the looking. */
const FOREVER = 1_000_000

/** Creates the worker of replays. */
export function createReplayWorker(options: ReplayWorkerOptions): ReplayWorker {
  const { replays, jobs, pollMs } = options
  const takeTurn = createReplayTurns(options)
  const process = randomUUID().slice(0, 8)

  // One look per process and second is enough, and a look that is under way may have passed the newest entry already:
  // the id names the moment, so adding it again changes nothing and adding a later one always counts.
  async function wake(now: number, delayMs = 0): Promise<void> {
    const bucket = Math.floor((now + delayMs) / SHORTEST_MS) + 1
    const id = `look-${process}-${bucket}`
    await jobs.add({ name: JOB, id, data: null, delayMs: bucket * SHORTEST_MS - now })
  }

  /** Goes through the queue in order; what is closed is passed over, and none of it overtakes the rest. */
  async function look(service: Service, signal: AbortSignal): Promise<void> {
    const closed = new Set<string>()
    let nextMs = Number.POSITIVE_INFINITY
    for await (const queued of replays.queue()) {
      const expired = service.clock.now() >= queued.expiresAt
      const turn: Turn =
        closed.has(queued.function) && !expired
          ? { kind: 'function', delayMs: pollMs }
          : await takeTurn(queued, { service, signal, now: false })
      if (turn.kind === 'done') continue
      nextMs = Math.min(nextMs, turn.delayMs)
      if (turn.kind === 'function') closed.add(queued.function)
      if (turn.kind === 'stop' || signal.aborted) break
    }
    if (nextMs !== Number.POSITIVE_INFINITY) await wake(service.clock.now(), nextMs)
  }

  return {
    wake,
    start(service) {
      jobs.work(
        JOB,
        async ({ data, signal }: Job) => {
          if (!isRecord(data)) return look(service, signal)
          const wanted = { id: toText(data['id']), owner: toText(data['owner']) }
          const turn = await takeTurn(wanted, { service, signal, now: true })
          if (turn.kind !== 'done') await wake(service.clock.now(), turn.delayMs)
        },
        { attempts: FOREVER },
      )
      wake(service.clock.now()).catch((error: unknown) => {
        service.log.warn('queued calls are taken up later: the job queue cannot be reached', {
          error,
        })
      })
    },
    async trigger({ id, owner }) {
      await jobs.add({
        name: JOB,
        id: `now-${id}-${randomUUID()}`,
        data: { id, owner },
        priority: 1,
      })
    },
  }
}
