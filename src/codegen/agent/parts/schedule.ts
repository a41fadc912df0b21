import type { AgentTrigger } from './agent.ts'
import { type Cron, parseCron } from './cron.ts'
import { toMilliseconds } from './duration.ts'

const MINUTE_MS = 60_000
// Timers do not count while a machine sleeps, so the clock is looked at often.
const NAP_MS = 20_000
const LONGEST_MISS = 7 * 24 * 60

/** Runs a trigger at the minutes of its cron expression; returns what ends it. */
export function startSchedule(trigger: AgentTrigger, run: () => Promise<void>): () => void {
  const cron = parseCron(trigger.cron ?? '', trigger.timezone)
  const jitterMs = toMilliseconds(trigger, 'jitter') ?? 0
  const begin = createOverlap(trigger.overlap, run)
  const late = new Set<NodeJS.Timeout>()
  let timer: NodeJS.Timeout
  let looked = currentMinute()
  const wait = (): void => {
    timer = setTimeout(look, Math.min(NAP_MS, MINUTE_MS - (Date.now() % MINUTE_MS) + 50))
  }
  const beginLate = (): void => {
    const own = setTimeout(() => {
      late.delete(own)
      begin()
    }, Math.random() * jitterMs)
    late.add(own)
  }
  const look = (): void => {
    const now = currentMinute()
    if (hasRun(cron, trigger, { since: looked, now })) beginLate()
    // A clock that was put back a little has shown these minutes; one that was put back far begins anew.
    if (now > looked || looked - now > FAR) looked = now
    wait()
  }
  wait()
  return () => {
    for (const one of [timer, ...late]) clearTimeout(one)
  }
}

/** Minutes that a clock may be put back and still be the same clock. */
const FAR = 60

function currentMinute(): number {
  return Math.floor(Date.now() / MINUTE_MS)
}

/** Tells whether a run is due: in this minute, or the one before; in all that passed in a sleep with `catch_up: one`. */
function hasRun(
  cron: Cron,
  trigger: AgentTrigger,
  { since, now }: { readonly since: number; readonly now: number },
): boolean {
  const most = trigger.catch_up === 'one' ? LONGEST_MISS : 2
  for (let minute = now; minute > Math.max(since, now - most); minute -= 1) {
    if (cron.isDue(minute * MINUTE_MS)) return true
  }
  return false
}

/** Begins runs: by default none while the one before is not over, `queue` after it, `allow` whatever runs. */
export function createOverlap(
  overlap: AgentTrigger['overlap'],
  run: () => Promise<void>,
): () => void {
  if (overlap === 'allow') return () => void run()
  let running = 0
  let last = Promise.resolve()
  return () => {
    if (running > 0 && overlap !== 'queue') return
    running += 1
    last = last.then(run).finally(() => {
      running -= 1
    })
  }
}
