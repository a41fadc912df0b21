import { toReason } from '../../values/index.ts'
import { toBackoff, waitFor } from '../queue/runner.ts'
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

  async function run(): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await listen({
          signal,
          onStop: (given) => {
            stop = given
            if (signal.aborted) given()
          },
          track(work) {
            const settled = work.catch(() => {}).finally(() => pending.delete(settled))
            pending.add(settled)
          },
          ready() {
            attempt = 0
            reason = undefined
            ready()
          },
        })
      } catch (thrown) {
        const text = toReason(thrown)
        reason = `cannot use ${kind}: ${text}, trying again`
      }
      if (!signal.aborted) await waitFor(toBackoff(attempt), signal)
    }
  }

  const running = run()
  await Promise.race([first, waitFor(FIRST_MS, signal)])
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
