import { type AgentTrigger, toFacts, toLogText } from './agent.ts'
import { toMilliseconds } from './duration.ts'

/** One try to run an event. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** Aborts when the run has taken too long. */
  readonly signal: AbortSignal
}

/** What is tried: resolves with a result, or rejects. */
export type Work = (attempt: Attempt) => Promise<unknown>

/** How an event ended: `stopped` when the agent ended before it was known. */
export type Ending = 'done' | 'dead' | 'stopped'

/** How an event is run that nobody waits for. */
export interface LaterOptions {
  /** Its source keeps it until it is done: what has not begun when the agent stops need not begin. */
  readonly isKept?: boolean
}

/** How the events of one trigger are run. */
export interface Attempts {
  /** Tries at once and a single time, for whoever waits for the result. */
  readonly once: (work: Work) => Promise<unknown>
  /** Tries when there is room, and again after failures that may pass; never rejects. */
  readonly later: (work: Work, options?: LaterOptions) => Promise<Ending>
}

/** What running needs to know of its agent. */
export interface AttemptsOptions {
  readonly log: (line: string) => void
  /** Aborts when nothing is to be tried again. */
  readonly stopping: AbortSignal
  /** Milliseconds before the second attempt, doubled for every one after it; 1,000 when absent. */
  readonly firstPauseMs?: number
}

const DEFAULT_ATTEMPTS = 5
const DEFAULT_CONCURRENCY = 10
const DEFAULT_TIMEOUT_MS = 60_000
const LONGEST_PAUSE_MS = 5 * 60_000
const LONGEST_ASKED_MS = 3_600_000

/** Creates what runs the events of a trigger as its `attempts`, `timeout` and `concurrency` say. */
export function createAttempts(trigger: AgentTrigger, options: AttemptsOptions): Attempts {
  const { attempts = DEFAULT_ATTEMPTS, concurrency = DEFAULT_CONCURRENCY } = trigger
  const { log, stopping, firstPauseMs = 1_000 } = options
  const timeoutMs = toMilliseconds(trigger, 'timeout') ?? DEFAULT_TIMEOUT_MS
  const inRoom = createRoom(concurrency)

  async function later(work: Work, { isKept = false }: LaterOptions = {}): Promise<Ending> {
    for (let number = 1; ; number += 1) {
      let isLeft = false
      try {
        await inRoom(async () => {
          isLeft = isKept && stopping.aborted
          if (!isLeft) await withinTime(work, number, timeoutMs)
        })
        return isLeft ? 'stopped' : 'done'
      } catch (thrown) {
        const isHopeless = number >= attempts || !mayPass(thrown)
        if (isKept && stopping.aborted && !isHopeless) return 'stopped'
        const isLast = isHopeless || stopping.aborted
        const tried = `attempt ${number} of ${attempts}`
        log(
          `trigger ${trigger.name} ${isLast ? 'gave an event up' : 'failed'} (${tried}): ${toLogText(thrown)}`,
        )
        if (isLast) return isHopeless ? 'dead' : 'stopped'
        await pause(pauseMs(number, thrown, firstPauseMs), stopping)
      }
      if (stopping.aborted) {
        if (!isKept) log(`trigger ${trigger.name} gave an event up: the agent stops`)
        return 'stopped'
      }
    }
  }

  return { once: (work) => withinTime(work, 1, timeoutMs), later }
}

/** Lets no more than some run at the same time; the others follow in order. */
function createRoom(size: number): (run: () => Promise<unknown>) => Promise<unknown> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    // Whoever leaves hands the place on, so that nobody who comes later takes it.
    if (running >= size) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

async function withinTime(work: Work, number: number, timeoutMs: number): Promise<unknown> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const reason = new Error(`the run took longer than ${timeoutMs} ms`)
      reject(reason)
      controller.abort(reason)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work({ number, signal: controller.signal }), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Tells whether another attempt could end differently: not when the call itself is wrong. */
function mayPass(thrown: unknown): boolean {
  const { reason, status } = toFacts(thrown)
  if (reason === 'arguments') return false
  return reason !== 'status' || !HOPELESS.has(status)
}

const HOPELESS: ReadonlySet<unknown> = new Set([400, 403, 404, 409, 410, 412, 422])

/** Up to a fifth more by chance: events that failed together must not all come back together. */
function pauseMs(number: number, thrown: unknown, firstMs: number): number {
  const { retry_after } = toFacts(thrown)
  const asked = typeof retry_after === 'number' ? retry_after * 1_000 : 0
  const own = Math.min(firstMs * 2 ** (number - 1), LONGEST_PAUSE_MS) * (1 + Math.random() / 5)
  return Math.max(own, Math.min(asked, LONGEST_ASKED_MS))
}

/** Waits, or returns early when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })
}
