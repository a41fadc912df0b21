import { sleep, toReason } from '../../values/index.ts'
import { repeatUntilStopped } from '../queue/runner.ts'
import type { BusListener } from './bus.ts'

/** One stretch of listening, from connecting to the loss of the connection. */
export interface ListenSession {
  /** Says that events arrive from now on. */
  readonly ready: () => void
  /** Remembers work that must end before listening is over. */
  readonly track: (work: Promise<unknown>) => void
  /** Told when listening is to end. */
  readonly onStop: (stop: () => void) => void
  readonly signal: AbortSignal
}

// Long enough for a server that is there; one that is away does not hold the start up.
const FIRST_MS = 5_000

/** Listens until it is stopped, again and again when the server goes away; resolves once events arrive. */
export async function listenWithRetry(
  kind: string,
  listen: (session: ListenSession) => Promise<void>,
): Promise<BusListener> {
  const stopping = new AbortController()
  const { signal } = stopping
  const pending = new Set<Promise<unknown>>()
  let reason: string | undefined = `connecting to ${kind}`
  let ready = () => {}
  const first = new Promise<void>((resolve) => {
    ready = resolve
  })
  let stop = () => {}

  const session: Omit<ListenSession, 'ready'> = {
    signal,
    onStop(given) {
      stop = given
      if (signal.aborted) given()
    },
    track(work) {
      const settled = work.catch(() => {}).finally(() => pending.delete(settled))
      pending.add(settled)
    },
  }

  async function run(worked: () => void): Promise<void> {
    const begin = () => {
      worked()
      reason = undefined
      ready()
    }
    await listen({ ...session, ready: begin })
    throw new Error('the connection has ended')
  }

  const running = repeatUntilStopped(signal, run, (thrown) => {
    reason = `cannot use ${kind}: ${toReason(thrown)}, trying again`
  })
  await Promise.race([first, sleep(FIRST_MS, signal)])
  return {
    trouble: () => reason,
    async stop() {
      stopping.abort()
      stop()
      await running
      await Promise.all(pending)
    },
  }
}
