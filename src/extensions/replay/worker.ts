import { randomUUID } from 'node:crypto'
import type { Service } from '../../core/index.ts'
import { isRecord, once, toText } from '../../values/index.ts'
import { type Job, type JobQueue, toJobName, workForService } from '../../work/index.ts'
import type { QueuedReplay, ReplayRecord } from './record.ts'
import {
  createReplayTurns,
  isKnownHere,
  type ReplayTurnOptions,
  SHORTEST_MS,
  type Turn,
} from './turn.ts'

/** What replays are run with. */
export interface ReplayWorkerOptions extends ReplayTurnOptions {
  readonly jobs: JobQueue
}

/** Runs replays in the background. */
export interface ReplayWorker {
  /** Begins to work; what waited when the last process ended is taken up. */
  start(service: Service): void
  /** Looks at the queue after some milliseconds. */
  wake(service: Service, delayMs?: number): Promise<void>
  /** Runs one replay now, before its turn. */
  trigger(record: ReplayRecord, service: Service): Promise<void>
}

const JOB = 'replay'
/** A store that is away for an hour must not end the looking. */
const FOREVER = 1_000_000

/** Creates the worker of replays. */
export function createReplayWorker(options: ReplayWorkerOptions): ReplayWorker {
  const { replays, jobs, pollMs } = options
  const takeTurn = createReplayTurns(options)
  const process = once(() => randomUUID().slice(0, 8))

  // One look per process and second is enough, and a look that is under way may have passed the newest entry already:
  // the id names the moment, so adding it again changes nothing and adding a later one always counts.
  async function wake({ name, clock }: Service, delayMs = 0): Promise<void> {
    const now = clock.now()
    const bucket = Math.floor((now + delayMs) / SHORTEST_MS) + 1
    const id = `look-${process()}-${bucket}`
    const delay = bucket * SHORTEST_MS - now
    await jobs.add({ name: toJobName(JOB, name), id, data: null, delayMs: delay })
  }

  /** Goes through the queue in order; what is closed is passed over, and none of it overtakes the rest. */
  async function look(service: Service, signal: AbortSignal): Promise<void> {
    const closed = new Set<string>()
    let nextMs = Number.POSITIVE_INFINITY
    for await (const queued of replays.queue()) {
      if (queued.service !== undefined && queued.service !== service.name) continue
      const expired = service.clock.now() >= queued.expiresAt
      const turn: Turn =
        !expired && (closed.has(queued.function) || !isKnown(service, queued))
          ? { kind: 'function', delayMs: pollMs }
          : await takeTurn(queued, { service, signal, now: false })
      if (turn.kind === 'done') continue
      nextMs = Math.min(nextMs, turn.delayMs)
      if (turn.kind === 'function') closed.add(queued.function)
      if (turn.kind === 'stop' || signal.aborted) break
    }
    if (nextMs !== Number.POSITIVE_INFINITY) await wake(service, nextMs)
  }

  return {
    wake,
    start(service) {
      workForService(
        jobs,
        { label: JOB, service: service.name },
        async ({ data, signal }: Job) => {
          if (!isRecord(data)) return look(service, signal)
          const wanted = { id: toText(data['id']), owner: toText(data['owner']) }
          const turn = await takeTurn(wanted, { service, signal, now: true })
          if (turn.kind !== 'done') await wake(service, turn.delayMs)
        },
        { attempts: FOREVER },
      )
      wake(service).catch((error: unknown) => {
        service.log.warn('queued calls are taken up later: the job queue cannot be reached', {
          error,
        })
      })
    },
    async trigger({ id, owner }, service) {
      await jobs.add({
        name: toJobName(JOB, service.name),
        id: `now-${id}-${randomUUID()}`,
        data: { id, owner },
        priority: 1,
      })
    },
  }
}

/** A replay of a version that only newer or older processes of the service have is theirs. */
function isKnown(service: Service, { function: name, version }: QueuedReplay): boolean {
  return version === undefined || isKnownHere(service, { function: name, version })
}
