import { randomUUID } from 'node:crypto'
import { type Abortable, isRecord, type JsonObject } from '../../../values/index.ts'
import type { Message } from '../decode.ts'
import { McpError } from '../errors.ts'
import type { Followed, Peer, RequestId } from '../protocol.ts'

/** A peer with the requests that run between it and us. */
export interface LivePeer extends Peer {
  /** Sends a request through `send` and waits for the answer. */
  readonly request: (
    message: { readonly method: string; readonly params: JsonObject },
    send: (text: string) => void,
    signal: AbortSignal,
  ) => Promise<unknown>
  /** Takes the answer to a request of ours; answers nobody waits for are dropped. */
  readonly settle: (response: Extract<Message, { readonly kind: 'response' }>) => void
  /** Remembers a running request of the peer, so that it can be cancelled. */
  readonly track: (id: RequestId, running: Abortable) => void
  readonly forget: (id: RequestId) => void
  /** Cancels a running request of the peer. */
  readonly cancel: (id: unknown) => void
  /** Tells whether a request of either side waits for its answer. */
  readonly busy: () => boolean
  /** Ends everything that runs. */
  readonly close: () => void
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: McpError) => void
}

/** What one client may follow. */
export const MOST_FOLLOWED = 1_000
const MOST_FOLLOWED_CHARACTERS = 65_536

/** Creates the memory of one peer; `onSize` counts the bytes it gains or loses. */
export function createPeer(onSize?: (bytes: number) => void): LivePeer {
  const waiting = new Map<RequestId, Waiting>()
  const running = new Map<unknown, Abortable>()
  // Processes that share sessions must not take one another's answers for their own.
  let prefix: string | undefined
  const followed = createFollowed(onSize)
  let count = 0
  return {
    logLevel: 'info',
    followed,
    request({ method, params }, send, signal) {
      count += 1
      prefix ??= randomUUID().slice(0, 8)
      const id = `waymark-${prefix}-${count}`
      return new Promise((resolve, reject) => {
        const stop = () => {
          if (!waiting.delete(id)) return
          send(encodeNotification('notifications/cancelled', { requestId: id }))
          reject(new McpError(0, 'The request was cancelled'))
        }
        if (signal.aborted) return reject(new McpError(0, 'The request was cancelled'))
        signal.addEventListener('abort', stop, { once: true })
        const settle =
          <Value>(then: (value: Value) => void) =>
          (value: Value) => {
            signal.removeEventListener('abort', stop)
            then(value)
          }
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
        send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      })
    },
    settle({ id, result, error }) {
      const entry = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) entry?.resolve(result)
      else entry?.reject(toPeerError(error))
    },
    track: (id, abortable) => running.set(id, abortable),
    forget: (id) => running.delete(id),
    cancel(id) {
      running.get(id)?.abort()
    },
    busy: () => running.size + waiting.size > 0,
    close() {
      followed.clear()
      for (const abortable of running.values()) abortable.abort()
      for (const { reject } of waiting.values()) reject(new McpError(0, 'The client has left'))
      running.clear()
      waiting.clear()
    },
  }
}

function createFollowed(onSize?: (bytes: number) => void): Followed {
  const uris = new Map<string, () => void>()
  let size = 0
  const drop = (uri: string) => {
    const stop = uris.get(uri)
    if (stop === undefined) return
    uris.delete(uri)
    size -= uri.length
    onSize?.(-2 * uri.length)
    stop()
  }
  return {
    has: (uri) => uris.has(uri),
    add(uri, follow) {
      if (uris.has(uri)) return true
      if (uris.size >= MOST_FOLLOWED || size + uri.length > MOST_FOLLOWED_CHARACTERS) return false
      uris.set(uri, follow(uri))
      size += uri.length
      onSize?.(2 * uri.length)
      return true
    },
    delete: drop,
    clear() {
      for (const uri of [...uris.keys()]) drop(uri)
    },
  }
}

/** Writes a notification. */
export function encodeNotification(method: string, params?: JsonObject): string {
  return params === undefined
    ? `{"jsonrpc":"2.0","method":"${method}"}`
    : `{"jsonrpc":"2.0","method":"${method}","params":${JSON.stringify(params)}}`
}

function toPeerError(error: unknown): McpError {
  const code = isRecord(error) && typeof error['code'] === 'number' ? error['code'] : 0
  const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : ''
  return new McpError(code, message || 'The client refused')
}
