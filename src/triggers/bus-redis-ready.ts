import { waitFor } from './queue-backoff.ts'

const READY_MS = 5_000
const LOOK_MS = 25

/** Sends a command once the connection stands: nothing is queued before, so the first command waits here. */
export async function whenReady<Value>(send: () => Promise<Value>): Promise<Value> {
  const until = performance.now() + READY_MS
  for (;;) {
    try {
      return await send()
    } catch (thrown) {
      const early = thrown instanceof Error && /isn't writeable/.test(thrown.message)
      if (!early || performance.now() > until) throw thrown
      await waitFor(LOOK_MS, NEVER)
    }
  }
}

const NEVER = new AbortController().signal
