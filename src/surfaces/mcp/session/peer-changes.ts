import type { McpEnvironment } from '../environment.ts'
import type { Peer } from '../protocol.ts'
import { LIST_NOTIFICATIONS } from '../subscriptions.ts'
import { encodeNotification } from './peer.ts'

/** Tells a client before 2026-07-28 what changed; returns what stops it. */
export function followChanges(
  { changes }: McpEnvironment,
  peer: Peer,
  send: (message: string) => void,
): () => void {
  const stops = [
    changes.onLists(() => {
      for (const method of Object.values(LIST_NOTIFICATIONS)) send(encodeNotification(method))
    }),
    changes.onResource((uri) => {
      if (peer.followed.has(uri))
        send(encodeNotification('notifications/resources/updated', { uri }))
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
