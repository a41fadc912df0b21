import { randomUUID } from 'node:crypto'
import { CallError } from '../../errors/index.ts'
import { asRecord, isRecord, type Json, toText } from '../../values/index.ts'
import { type Job, type JobQueue, JobRetry, repeatWrite, toJobName } from '../../work/index.ts'
import type { Receipt, Settled, SettleOptions, TriggerEvent } from '../trigger.ts'
import {
  type AttemptOptions,
  BUSY_MS,
  runAttempt,
  takeDelivery,
  toRepeat,
  warnDead,
} from './attempt.ts'
import {
  beginAttempt,
  beginRound,
  type Delivery,
  endAttempt,
  isDeliveryOver,
  toDelivery,
  toDeliveryId,
} from './delivery.ts'
import type { DeliveryEntry } from './log.ts'

/** What the deliverer of one trigger needs. */
export interface DelivererOptions extends AttemptOptions {
  /** Name of the service. */
  readonly service: string
  readonly jobs: JobQueue
}

/** A delivery says itself when it is given up. */
const FOREVER = 1_000_000

/** Creates the jobs of one trigger; the first one of a delivery carries it, for its record may never be written. */
function createDeliveryJobs(options: DelivererOptions) {
  const { jobs, service, trigger, deliveries, clock } = options
  const label = `trigger-${trigger.name.replaceAll('_', '-').slice(0, 40)}`
  const name = toJobName(label, service, trigger.name)

  async function runJob({ data }: Job): Promise<void> {
    const entry = await entryOf(data)
    // The record has outlived its retention, or the job belongs to a round that is over.
    if (entry === undefined || isDeliveryOver(entry.item)) return
    const { round, nextAttemptAt = 0 } = entry.item
    if (round !== Number(asRecord(data)['round'])) return
    const waitMs = nextAttemptAt - clock.now()
    const settled = waitMs > 0 ? { delayMs: waitMs } : await takeDelivery(options, entry)
    if ('delayMs' in settled) throw new JobRetry(settled.delayMs, 'the delivery failed')
  }

  async function entryOf(data: Json): Promise<DeliveryEntry | undefined> {
    const { id, delivery } = asRecord(data)
    const found = await deliveries.read(toText(id))
    if (found !== undefined || !isRecord(delivery)) return found
    const put = await deliveries.create(delivery as unknown as Delivery)
    if (put.created) await deliveries.index(put.item)
    return put
  }

  return {
    add({ id, round }: Delivery, delivery?: Delivery): Promise<void> {
      const data = { id, round, ...(delivery && { delivery: delivery as unknown as Json }) }
      return jobs.add({ name, id: round === 0 ? id : `${id}.${round}`, data })
    },
    work: () =>
      jobs.work(name, runJob, { concurrency: trigger.concurrency ?? 10, attempts: FOREVER }),
  }
}

/** Takes the events of one trigger to its function. */
export interface Deliverer {
  /** Keeps an event and runs it in the background; rejects when it could not be kept. */
  readonly accept: (event: TriggerEvent) => Promise<Receipt>
  /** Runs an event now; never rejects. */
  readonly settle: (event: TriggerEvent, options?: SettleOptions) => Promise<Settled>
  /** Sends a delivery again, whatever became of it; refuses one that runs. */
  readonly redeliver: (entry: DeliveryEntry) => Promise<void>
  /** Begins to run accepted deliveries. */
  readonly work: () => void
  /** Resolves when nothing settles any more. */
  readonly idle: () => Promise<void>
}

const STORE_AWAY_MS = 5_000

/** Creates what takes the events of one trigger to its function: at least once, in one process at a time. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { trigger, deliveries, clock, log } = options
  const jobs = createDeliveryJobs(options)
  let settling = 0
  let onIdle: (() => void)[] = []

  async function accept(event: TriggerEvent): Promise<Receipt> {
    const delivery = { ...toDelivery(trigger, event, clock.now()), token: randomUUID() }
    // First the job, then the record: whatever happens in between, the event runs and is recorded.
    await jobs.add(delivery, delivery)
    const put = await deliveries.create(delivery)
    if (put.created) await deliveries.index(delivery)
    const isNew = put.created || put.item.token === delivery.token
    return { status: isNew ? 'accepted' : 'duplicate', delivery: delivery.id }
  }

  async function settle(event: TriggerEvent, { attempts }: SettleOptions = {}): Promise<Settled> {
    settling += 1
    try {
      return await settleNow(attempts === undefined ? options : { ...options, attempts }, event)
    } catch (error) {
      log.error(`trigger ${trigger.name} cannot store its deliveries`, { error })
      const delivery = toDeliveryId(trigger.name, event.id)
      return { status: 'retry', delivery, delayMs: STORE_AWAY_MS }
    } finally {
      settling -= 1
      if (settling === 0) releaseIdle()
    }
  }

  function releaseIdle(): void {
    const waiting = onIdle
    onIdle = []
    for (const release of waiting) release()
  }

  async function redeliver({ item: delivery, revision }: DeliveryEntry): Promise<void> {
    if (await isBusy(options, delivery)) throw conflict(delivery, 'is running')
    if (delivery.isBare) {
      throw conflict(delivery, 'cannot be sent again: its payload was not stored')
    }
    const again = beginRound(delivery)
    if ((await deliveries.write(again, revision)) === undefined) {
      throw conflict(delivery, 'has just changed')
    }
    await jobs.add(again)
    await deliveries.unearth(again)
  }

  return {
    accept,
    settle,
    redeliver,
    work: jobs.work,
    async idle() {
      if (settling > 0) await new Promise<void>((resolve) => onIdle.push(resolve))
    },
  }
}

async function settleNow(options: DelivererOptions, event: TriggerEvent): Promise<Settled> {
  const { deliveries, clock, presence } = options
  const now = clock.now()
  const received = receive(options, event)
  if (received.state === 'dead') return settleUnfit(options, received)
  const begun = beginAttempt(received, now, (await presence.enter()).token)
  const put = await deliveries.create(begun, { keptBySource: true })
  if (put.created) {
    const index = () => deliveries.index(begun)
    const indexed = repeatWrite(index, toRepeat(options, begun))
    const [settled] = await Promise.all([runAttempt(options, put), indexed])
    return settled
  }
  const { item: delivery } = put
  const { id } = delivery
  if (delivery.state === 'done') return { status: 'duplicate', delivery: id }
  if (delivery.state === 'dead') return { status: 'dead', delivery: id }
  const busy = await isBusy(options, delivery)
  return busy ? { status: 'retry', delivery: id, delayMs: BUSY_MS } : takeDelivery(options, put)
}

/** Makes the delivery of an event; one that no store would hold is dead from the start, and only its id is kept. */
function receive({ trigger, clock }: DelivererOptions, event: TriggerEvent): Delivery {
  const now = clock.now()
  try {
    return toDelivery(trigger, event, now)
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    const bare = toDelivery(trigger, { id: event.id, payload: null }, now)
    const end = { endedAt: now, outcome: 'failed', errors: thrown.errors } as const
    const dead = endAttempt(beginAttempt(bare, now, ''), end, { state: 'dead' })
    return { ...dead, isBare: true }
  }
}

async function settleUnfit(options: DelivererOptions, dead: Delivery): Promise<Settled> {
  const { deliveries } = options
  const { created } = await deliveries.create(dead)
  if (created) {
    await Promise.all([deliveries.index(dead), deliveries.bury(dead)])
    warnDead(options, dead)
  }
  return { status: 'dead', delivery: dead.id }
}

async function isBusy({ presence }: DelivererOptions, { state, by }: Delivery): Promise<boolean> {
  return state === 'running' && by !== undefined && presence.isAlive(by)
}

function conflict({ id }: Delivery, what: string): CallError {
  return new CallError('CONFLICT', { message: `Delivery ${id} ${what}`, details: { delivery: id } })
}
