import type { Json } from '../core/json.ts'
import { refuse } from '../store/limits.ts'
import type { NewJob } from './queue.ts'

/** The most bytes an id may have. */
const MAX_ID_BYTES = 64 * 1024

/** The most bytes the data of a job may have as JSON text: what every store can hold beside the id. */
const MAX_DATA_BYTES = 768 * 1024

/** The longest delay: ten years of 365 days. */
const MAX_DELAY_MS = 10 * 365 * 24 * 3_600_000

const NAME = /^[A-Za-z0-9-]{1,64}$/

/** A job with everything said that may be left out. */
export interface CheckedJob {
  readonly name: string
  readonly id: string
  readonly data: Json
  readonly delayMs: number
  readonly priority: number
}

/** Checks a new job and fills in what it leaves out. */
export function requireJob(job: NewJob): CheckedJob {
  const { name, id, data, delayMs = 0, priority = 5 } = job
  assertName(name)
  if (typeof id !== 'string' || id === '') refuse('id', 'must be a text that is not empty')
  if (Buffer.byteLength(id) > MAX_ID_BYTES) refuse('id', `has more than ${MAX_ID_BYTES} bytes`)
  if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    refuse('delayMs', `must be a number of milliseconds from 0 to ${MAX_DELAY_MS}`)
  }
  if (!Number.isInteger(priority) || priority < 1 || priority > 10) {
    refuse('priority', 'must be a whole number from 1 to 10')
  }
  assertSize(data)
  return { name, id, data, delayMs: Math.ceil(delayMs), priority }
}

/** Refuses a name that some backend cannot use for a queue. */
export function assertName(name: string): void {
  if (!NAME.test(name)) refuse('name', 'must be 1 to 64 letters, digits and dashes')
}

function assertSize(data: Json): void {
  const text = JSON.stringify(data) ?? refuse('data', 'must be a JSON value')
  if (text.length * 3 <= MAX_DATA_BYTES) return
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_DATA_BYTES) refuse('data', `has ${bytes} bytes; at most ${MAX_DATA_BYTES} fit`)
}
