import { isPromise, type Maybe, unref } from '../values/index.ts'

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

/** How long calls may run one after the other before the event loop turns for sockets alone. */
const CALLS_MS = 20
/** That lasts so many turns at least and so long at least, unless a few turns in a row bring no request. */
const SOCKET_TURNS = 256
const SOCKETS_MS = 20
const QUIET_TURNS = 4
/** When the loop has waited this long for sockets, they have had their turn. */
const IDLE_MS = 2
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
  const waiting: Waiting[] = []
  const pace = createPace()
  const meter = createMeter(maxDelayMs, maxInFlight, (delayMs) => {
    if (delayMs > CALLS_MS) turn.serveSockets()
    refuseStale(performance.now())
    if (waiting.length > 0) turn.plan()
    return running > 0 || waiting.length > 0
  })
  let running = 0
  let refused = 0
  const turn = createTurn(() => {
    if (waiting.length > 0) startWaiting()
  })

  function isFull(): boolean {
    turn.arrived()
    const first = waiting[0]
    return (
      running + waiting.length >= maxInFlight ||
      (first !== undefined && performance.now() - first.since > maxWaitMs) ||
      waiting.length * pace.perCallMs() > maxWaitMs
    )
  }

  /** Starts what waits until the turn is spent; between two calls the first may go on as far as it can. */
  function startWaiting(): void {
    const now = performance.now()
    refuseStale(now)
    if (waiting.length === 0 || !meter.allows(running) || turn.isSpent(now)) return
    const next = waiting.shift()
    if (waiting.length === 0) pace.forget()
    next?.start()
    if (waiting.length > 0) queueMicrotask(startWaiting)
  }

  function refuseStale(now: number): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (now - first.since <= maxWaitMs) return
      waiting.shift()
      if (waiting.length === 0) pace.forget()
      refused += 1
      first.refuse()
    }
  }

  function leave(): void {
    running -= 1
    meter.ended()
    if (waiting.length === 0) return
    pace.ended(performance.now())
    turn.plan()
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
    load: () => ({ running, waiting: waiting.length, refused, eventLoopDelayMs: meter.delayMs() }),
    run(work, refuse) {
      turn.arrived()
      const now = performance.now()
      const spent = turn.isSpent(now)
      if (!spent && waiting.length === 0 && meter.allows(running)) return start(work)
      if (isFull()) {
        refused += 1
        return refuse()
      }
      meter.watch()
      if (waiting.length === 0) pace.begin(now)
      return enqueue(waiting, now, () => start(work), refuse)
    },
  }
}

function enqueue<Answer>(
  waiting: Waiting[],
  since: number,
  start: () => Maybe<Answer>,
  refuse: () => Answer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    waiting.push({
      since,
      refuse: () => resolve(refuse()),
      start() {
        try {
          resolve(start())
        } catch (thrown) {
          reject(thrown)
        }
      },
    })
  })
}

interface Pace {
  /** Says that the first call waits. */
  readonly begin: (now: number) => void
  /** Says that a call has ended while others wait. */
  readonly ended: (now: number) => void
  /** Says that nobody waits any more; what comes next may be of another kind. */
  readonly forget: () => void
  /** Time from the end of one call to the next while others wait; 0 until a few have ended. */
  readonly perCallMs: () => number
}

/** So many calls tell how long the next ones take; older ones count less and less. */
const LEAST_ENDED = 4
const MOST_ENDED = 32

/** Measures how fast calls make room for those that wait, so that whoever would wait too long is told at once. */
function createPace(): Pace {
  let last = 0
  let spentMs = 0
  let calls = 0
  return {
    begin(now) {
      last = now
    },
    ended(now) {
      spentMs += now - last
      calls += 1
      last = now
      if (calls < MOST_ENDED) return
      spentMs /= 2
      calls /= 2
    },
    forget() {
      spentMs = 0
      calls = 0
    },
    perCallMs: () => (calls < LEAST_ENDED ? 0 : spentMs / calls),
  }
}

interface Turn {
  /** Tells whether calls have had their share until sockets are looked at again; what comes now waits. */
  readonly isSpent: (now: number) => boolean
  /** Says that a request came in. */
  readonly arrived: () => void
  /** Has sockets looked at before the next call. */
  readonly serveSockets: () => void
  /** Has the next turn begin with what waits. */
  readonly plan: () => void
}

/**
 * Shares the event loop between calls and sockets. libuv accepts one connection per turn: between calls of 10 ms a
 * hundred a second, and a probe on a new connection would wait behind all the others. So after some time of calls the
 * loop turns without any, until nothing new comes in.
 */
function createTurn(onTurn: () => void): Turn {
  let planned = false
  /** When the first call of this turn began, and how long earlier ones took since sockets were looked at. */
  let began: number | undefined
  let spentMs = 0
  let ended = 0
  let sockets: { turns: number; quiet: number; began: number | undefined } | undefined

  function begin(): void {
    planned = false
    const now = performance.now()
    if (began !== undefined) {
      spentMs += now - began
      began = undefined
      ended = now
    }
    if (sockets !== undefined) {
      sockets.began ??= now
      sockets.turns += 1
      sockets.quiet += 1
      const isShort = sockets.turns < SOCKET_TURNS || now - sockets.began < SOCKETS_MS
      if (sockets.quiet < QUIET_TURNS && isShort) {
        plan()
        return
      }
      sockets = undefined
      spentMs = 0
    }
    onTurn()
  }

  function plan(): void {
    if (planned) return
    planned = true
    setImmediate(begin)
  }

  function serveSockets(): void {
    sockets ??= { turns: 0, quiet: 0, began: undefined }
    plan()
  }

  return {
    plan,
    serveSockets,
    arrived() {
      if (sockets !== undefined) sockets.quiet = 0
    },
    isSpent(now) {
      if (sockets !== undefined) return true
      if (began === undefined) {
        began = now
        // The loop has waited for sockets in between, so none had anything to say.
        if (now - ended > IDLE_MS) spentMs = 0
      }
      if (spentMs + now - began < CALLS_MS) {
        plan()
        return false
      }
      serveSockets()
      return true
    },
  }
}

interface Meter {
  /** Tells whether one more call may run beside those that do. */
  readonly allows: (running: number) => boolean
  /** Measures from now on, until nothing is left to do. */
  readonly watch: () => void
  /** Says that a call ended. */
  readonly ended: () => void
  readonly delayMs: () => number
}

/**
 * Measures the delay of the event loop and lets as many calls run at once as it bears: one more for each that ended well
 * while others waited, half as many when the loop is late. Calls that wait for a database and then compute are bounded so.
 */
function createMeter(
  maxDelayMs: number,
  maxAllowed: number,
  onSample: (delayMs: number) => boolean,
): Meter {
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
    }
    if (onSample(delayMs)) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    delayMs: () => delayMs,
    ended() {
      if (wanted && delayMs < maxDelayMs / 2) allowed = Math.min(maxAllowed, allowed + 1)
      wanted = false
    },
    allows(running) {
      if (running < allowed) return true
      wanted = true
      return false
    },
    watch() {
      if (timer !== undefined) return
      planned = performance.now() + SAMPLE_MS
      timer = setInterval(sample, SAMPLE_MS)
      unref(timer)
    },
  }
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new TypeError(`overload.${name} must be a number of at least ${least}`)
}
