import type { Failure, Logger, Outcome } from '../../core/index.ts'
import { formatRetryAfter, resolveCode } from '../../errors/index.ts'
import type { TriggerDef } from '../../sources/tool-spec/index.ts'
import type { Clock } from '../../values/index.ts'
import { type Presence, type RepeatOptions, repeatWrite } from '../../work/index.ts'
import type { RunTrigger } from '../run-trigger.ts'
import type { Settled } from '../trigger.ts'
import { beginAttempt, type Delivery, endAttempt } from './delivery.ts'
import type { DeliveryEntry, DeliveryLog } from './log.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 5 * 60_000

/** Tells whether another attempt could end differently, by the table of codes. */
export function isRetryable({ errors }: Failure): boolean {
  return errors.every(({ code }) => resolveCode(code).retryable)
}

/** Answers how long to wait after an attempt: 1 s, doubled up to five minutes, up to a fifth more by chance. */
export function backoffMs(attempt: number, failure: Failure, random: () => number): number {
  const asked = Number(formatRetryAfter(failure.errors) ?? 0) * 1_000
  const own = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  // Many deliveries that failed together must not all come back together.
  return Math.round(Math.max(own * (1 + random() / 5), Math.min(asked, MAX_ASKED_MS)))
}

const MAX_ASKED_MS = 3_600_000

/** What an attempt to run a delivery needs. */
export interface AttemptOptions {
  readonly trigger: TriggerDef
  readonly run: RunTrigger
  readonly deliveries: DeliveryLog
  readonly presence: Presence
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** Aborts when running calls must come to an end. */
  readonly stopped: AbortSignal
  /** How often it may be tried; what the trigger says when absent. */
  readonly attempts?: number
}

/** Milliseconds until somebody looks again at a delivery that another process runs. */
export const BUSY_MS = 2_000

const DEFAULT_ATTEMPTS = 5

/** Takes a delivery over and runs it once; one that took every process down with it is given up. */
export async function takeDelivery(
  options: AttemptOptions,
  { item: delivery, revision }: DeliveryEntry,
): Promise<Settled> {
  const { deliveries, clock, presence } = options
  const { id } = delivery
  const lost = delivery.attempts.at(-1)?.outcome === 'running'
  if (lost && delivery.tried >= maxAttempts(options)) {
    const end = { endedAt: clock.now(), outcome: 'lost' } as const
    await conclude(options, endAttempt(delivery, end, { state: 'dead' }), revision)
    return { status: 'dead', delivery: id }
  }
  const begun = beginAttempt(delivery, clock.now(), (await presence.enter()).token)
  const written = await deliveries.write(begun, revision)
  if (written === undefined) return { status: 'retry', delivery: id, delayMs: BUSY_MS }
  return runAttempt(options, { item: begun, revision: written })
}

/** Runs a delivery whose attempt has begun and writes down how it ended. */
export async function runAttempt(
  options: AttemptOptions,
  { item: delivery, revision }: DeliveryEntry,
): Promise<Settled> {
  const { run, clock } = options
  const outcome = await run(delivery)
  const next = toNext(options, delivery, outcome)
  const written = await conclude(options, next, revision)
  return written
    ? toSettled(next, outcome, clock.now())
    : { status: 'duplicate', delivery: delivery.id }
}

/** Warns that a delivery ended in the dead-letter list. */
export function warnDead({ trigger, log }: AttemptOptions, delivery: Delivery): void {
  const errors = delivery.attempts.at(-1)?.errors?.map(({ code, message }) => `${code}: ${message}`)
  log.warn(`trigger ${trigger.name} gave up on a delivery`, {
    delivery: delivery.id,
    tried: delivery.tried,
    errors,
  })
}

/** Says how long what a delivery did is recorded again and again: the function has run, or runs. */
export function toRepeat({ stopped, log }: AttemptOptions, { id }: Delivery): RepeatOptions {
  return { log, id, isStopped: () => stopped.aborted }
}

/** The list first: a dead letter that nobody finds would be worse than one listed a moment too early. */
async function conclude(
  options: AttemptOptions,
  next: Delivery,
  revision: number,
): Promise<boolean> {
  const dead = next.state === 'dead'
  if (dead) await options.deliveries.bury(next)
  const write = () => options.deliveries.end(next, revision)
  const written = await repeatWrite(write, toRepeat(options, next))
  if (dead && written) warnDead(options, next)
  return written
}

function toNext(options: AttemptOptions, delivery: Delivery, outcome: Outcome): Delivery {
  const { clock, stopped, random } = options
  const now = clock.now()
  if (outcome.ok) return endAttempt(delivery, { endedAt: now, outcome: 'done' }, { state: 'done' })
  if (stopped.aborted) {
    const end = { endedAt: now, outcome: 'interrupted' } as const
    return endAttempt(delivery, end, { state: 'retrying', nextAttemptAt: now })
  }
  const end = { endedAt: now, outcome: 'failed', errors: outcome.errors } as const
  if (!isRetryable(outcome) || delivery.tried >= maxAttempts(options)) {
    return endAttempt(delivery, end, { state: 'dead' })
  }
  const nextAttemptAt = now + backoffMs(delivery.tried, outcome, random)
  return endAttempt(delivery, end, { state: 'retrying', nextAttemptAt })
}

function toSettled(delivery: Delivery, outcome: Outcome, now: number): Settled {
  const { id, state, nextAttemptAt = now } = delivery
  if (outcome.ok) return { status: 'done', delivery: id, result: outcome.result }
  const { errors } = outcome
  if (state === 'dead') return { status: 'dead', delivery: id, errors }
  return { status: 'retry', delivery: id, delayMs: Math.max(0, nextAttemptAt - now), errors }
}

function maxAttempts({ trigger, attempts }: AttemptOptions): number {
  return attempts ?? trigger.attempts ?? DEFAULT_ATTEMPTS
}
