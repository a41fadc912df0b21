import { createHash } from 'node:crypto'
import { isRecord, type Json } from '../core/json.ts'
import { toText } from '../core/text.ts'
import type { Job, JobQueue } from '../jobs/queue.ts'
import { type AttemptOptions, takeDelivery } from './attempt.ts'
import { type Delivery, isOver } from './delivery.ts'
import type { DeliveryEntry } from './delivery-log.ts'

/** The jobs that run the accepted deliveries of one trigger. */
export interface DeliveryJobs {
  /** Adds the first attempt; the job carries the delivery, for its record may never be written. */
  readonly addFirst: (delivery: Delivery) => Promise<void>
  /** Adds the attempt after the last one, when it is due. */
  readonly addNext: (delivery: Delivery) => Promise<void>
  readonly work: () => void
}

/** What the jobs of one trigger need. */
export interface DeliveryJobsOptions extends AttemptOptions {
  /** Name of the service. */
  readonly service: string
  readonly jobs: JobQueue
}

/** Creates the jobs of one trigger. */
export function createDeliveryJobs(options: DeliveryJobsOptions): DeliveryJobs {
  const { jobs, service, trigger, deliveries, clock } = options
  const name = toJobName(service, trigger.name)

  async function addNext(delivery: Delivery): Promise<void> {
    const { id, round, tried, nextAttemptAt = 0 } = delivery
    await jobs.add({
      name,
      id: `${id}.${round}.${tried + 1}`,
      data: { id, round, attempt: tried + 1 },
      delayMs: Math.max(0, nextAttemptAt - clock.now()),
    })
  }

  async function runJob({ data }: Job): Promise<void> {
    const entry = await entryOf(data)
    // The record has outlived its retention, or the job belongs to a round that is over.
    if (entry === undefined || isOver(entry.delivery)) return
    const { delivery } = entry
    const { round, attempt } = readJob(data)
    if (delivery.round !== round) return
    // This attempt ended, but its process died before the next one was in the queue.
    if (delivery.state === 'retrying' && delivery.tried >= attempt) return addNext(delivery)
    const settled = await takeDelivery(options, entry)
    if (settled.status !== 'retry') return
    const next = await deliveries.read(delivery.id)
    if (next?.delivery.state === 'retrying') await addNext(next.delivery)
  }

  async function entryOf(data: Json): Promise<DeliveryEntry | undefined> {
    const { id, delivery } = readJob(data)
    const found = await deliveries.read(id)
    if (found !== undefined || delivery === undefined) return found
    const put = await deliveries.create(delivery)
    if (put.created) await deliveries.index(delivery)
    return put
  }

  return {
    addFirst: (delivery) =>
      jobs.add({
        name,
        id: delivery.id,
        data: { id: delivery.id, round: 0, attempt: 1, delivery: delivery as unknown as Json },
      }),
    addNext,
    work: () => jobs.work(name, runJob, { concurrency: trigger.concurrency ?? 10 }),
  }
}

/** Readable in the tools of a queue, and apart from the triggers of other services. */
function toJobName(service: string, trigger: string): string {
  const hash = createHash('sha256').update(`${service}/${trigger}`).digest('hex').slice(0, 8)
  return `trigger-${trigger.replaceAll('_', '-').slice(0, 40)}-${hash}`
}

function readJob(data: Json): {
  readonly id: string
  readonly round: number
  readonly attempt: number
  readonly delivery: Delivery | undefined
} {
  const { id, round, attempt, delivery } = isRecord(data) ? data : {}
  return {
    id: toText(id),
    round: Number(round),
    attempt: Number(attempt),
    delivery: isRecord(delivery) ? (delivery as unknown as Delivery) : undefined,
  }
}
