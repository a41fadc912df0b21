import { waitFor } from './queue-backoff.ts'
import type { StreamClient } from './redis-stream-client.ts'

const READY_MS = 5_000
const LOOK_MS = 20
const NEVER = new AbortController().signal

/** Begins to connect, and goes on trying by itself. */
export function startConnecting(client: StreamClient): StreamClient {
  client.connect().catch(() => {})
  return client
}

/** Waits until the connection stands, but not long: nothing is queued before, so a command would fail at once. */
export async function whenReady(client: StreamClient): Promise<void> {
  const until = performance.now() + READY_MS
  while (client.status !== 'ready' && performance.now() < until) await waitFor(LOOK_MS, NEVER)
}
