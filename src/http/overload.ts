import { isPromise, type Maybe } from '../core/maybe.ts'

/** When a process takes no more calls. Probes are always answered. */
export interface OverloadOptions {
  /** Longest that a call waits for its turn, in milliseconds, before it is refused; 1000 when absent. */
  readonly maxWaitMs?: number
  /** Fewer calls run at once while the event loop comes round later than this, in milliseconds; 100 when absent. */
  readonly maxEventLoopDelayMs?: number
  /** Calls that run or wait at once; 1000 when absent. */
  readonly maxInFlight?: number
  /** What `Retry-After` says; 1 when absent. */
  readonly retryAfterSeconds?: number
}

/** What a process has to do, and what it turned away. */
export interface Load {
  readonly running: number
  readonly waiting: number
  readonly refused: number
  /** How much later than planned the event loop last came round. */
  readonly eventLoopDelayMs: number
}

/** Lets calls run in their turn, so that the event loop comes round, and refuses those that would wait too long. */
export interface Overload {
  readonly retryAfterSeconds: number
  /** Tells whether a call that arrives now is refused. */
  readonly isFull: () => boolean
  /** Runs a call now or in its turn, or refuses it. */
  readonly run: <Answer>(work: () => Maybe<Answer>, refuse: () => Answer) => Maybe<Answer>
  readonly load: () => Load
}

/** How long calls may run one after the other before sockets, timers and probes are looked at again. */
const TURN_MS = 20
/** How often the delay of the event loop is measured while calls are under way. */
const SAMPLE_MS = 20
/** How many calls run at once before it is known whether the event loop can bear more. */
const FIRST_ALLOWED = 64
const LEAST_ALLOWED = 4

interface Waiting {
  readonly since: number
  readonly start: () => void
  readonly refuse: () => void
}

/** Creates the gate in front of calls. Nothing is scheduled before the first one. */
export function createOverload(options: OverloadOptions = {}): Overload {
  const maxWaitMs = atLeast('maxWaitMs', options.maxWaitMs ?? 1_000, 0)
  const maxDelayMs = atLeast('maxEventLoopDelayMs', options.maxEventLoopDelayMs ?? 100, 1)
  const maxInFlight = atLeast('maxInFlight', options.maxInFlight ?? 1_000, 1)
  const retryAfterSeconds = atLeast('retryAfterSeconds', options.retryAfterSeconds ?? 1, 0)
  const waiting = createQueue<Waiting>()
  const meter = createMeter(maxDelayMs, maxInFlight, () => {
    refuseStale(performance.now())
    if (waiting.size() > 0) turn.plan()
    return running > 0 || waiting.size() > 0
  })
  let running = 0
  let refused = 0
  const turn = createTurn(() => {
    if (waiting.size() > 0) startWaiting()
  })

  function isFull(): boolean {
    const first = waiting.first()
    return (
      running + waiting.size() >= maxInFlight ||
      (first !== undefined && performance.now() - first.since > maxWaitMs)
    )
  }

  /** Starts what waits until the turn is spent; between two calls the first may go on as far as it can. */
  function startWaiting(): void {
    const now = performance.now()
    refuseStale(now)
    if (waiting.size() === 0 || !meter.allows(running) || turn.isSpent(now)) return
    waiting.shift()?.start()
    if (waiting.size() > 0) queueMicrotask(startWaiting)
  }

  function refuseStale(now: number): void {
    for (let first = waiting.first(); first !== undefined; first = waiting.first()) {
      if (now - first.since <= maxWaitMs) return
      waiting.shift()
      refused += 1
      first.refuse()
    }
  }

  function leave(): void {
    running -= 1
    if (waiting.size() > 0) turn.plan()
  }

  function start<Answer>(work: () => Maybe<Answer>): Maybe<Answer> {
    running += 1
    let answer: Maybe<Answer>
    try {
      answer = work()
    } catch (thrown) {
      leave()
      throw thrown
    }
    if (!isPromise(answer)) {
      leave()
      return answer
    }
    meter.watch()
    answer.then(leave, leave)
    return answer
  }

  return {
    retryAfterSeconds,
    isFull,
    load: () => ({ running, waiting: waiting.size(), refused, eventLoopDelayMs: meter.delayMs() }),
    run(work, refuse) {
      const now = performance.now()
      const spent = turn.isSpent(now)
      if (!spent && waiting.size() === 0 && meter.allows(running)) return start(work)
      if (isFull()) {
        refused += 1
        return refuse()
      }
      meter.watch()
      return new Promise((resolve, reject) => {
        waiting.push({
          since: now,
          refuse: () => resolve(refuse()),
          start() {
            try {
              resolve(start(work))
            } catch (thrown) {
              reject(thrown)
            }
          },
        })
      })
    },
  }
}

interface Turn {
  /** Tells whether this turn of the event loop has had its share of calls; the rest waits for the next one. */
  readonly isSpent: (now: number) => boolean
  /** Has the next turn begin with what waits. */
  readonly plan: () => void
}

/** Follows the turns of the event loop, from the first call of each. */
function createTurn(onTurn: () => void): Turn {
  let began: number | undefined
  let planned = false
  const begin = (): void => {
    planned = false
    began = undefined
    onTurn()
  }
  const plan = (): void => {
    if (planned) return
    planned = true
    setImmediate(begin)
  }
  return {
    plan,
    isSpent(now) {
      began ??= now
      plan()
      return now - began >= TURN_MS
    },
  }
}

interface Meter {
  /** Tells whether one more call may run beside those that do. */
  readonly allows: (running: number) => boolean
  /** Measures from now on, until nothing is left to do. */
  readonly watch: () => void
  readonly delayMs: () => number
}

/**
 * Measures the delay of the event loop and lets as many calls run at once as it bears: twice as many while it is fine
 * and more are wanted, half as many when it is late. Calls that wait for a database and then compute are bounded so.
 */
function createMeter(maxDelayMs: number, maxAllowed: number, onSample: () => boolean): Meter {
  let allowed = Math.min(FIRST_ALLOWED, maxAllowed)
  let wanted = false
  let timer: NodeJS.Timeout | undefined
  let planned = 0
  let delayMs = 0

  function sample(): void {
    const now = performance.now()
    delayMs = Math.max(0, now - planned)
    planned = now + SAMPLE_MS
    if (delayMs > maxDelayMs) {
      allowed = Math.min(maxAllowed, Math.max(LEAST_ALLOWED, Math.floor(allowed / 2)))
    } else if (wanted && delayMs < maxDelayMs / 2) allowed = Math.min(maxAllowed, allowed * 2)
    wanted = false
    if (onSample()) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    delayMs: () => delayMs,
    allows(running) {
      if (running < allowed) return true
      wanted = true
      return false
    },
    watch() {
      if (timer !== undefined) return
      planned = performance.now() + SAMPLE_MS
      timer = setInterval(sample, SAMPLE_MS)
      timer.unref()
    },
  }
}

interface Queue<Item> {
  readonly push: (item: Item) => void
  readonly shift: () => Item | undefined
  readonly first: () => Item | undefined
  readonly size: () => number
}

/** An array whose `shift` moves a thousand members each time would be slow exactly when there is no time. */
function createQueue<Item>(): Queue<Item> {
  let items: Item[] = []
  let head = 0
  return {
    push: (item) => {
      items.push(item)
    },
    first: () => items[head],
    size: () => items.length - head,
    shift() {
      const item = items[head]
      head += 1
      if (head > items.length) head = items.length
      if (head === items.length || head === 1_000) {
        items = items.slice(head)
        head = 0
      }
      return item
    },
  }
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new TypeError(`overload.${name} must be a number of at least ${least}`)
}
