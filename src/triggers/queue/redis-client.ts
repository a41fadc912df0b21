import { loadOptional } from '../../store/index.ts'
import { isList, toText } from '../../values/index.ts'
import { withinTime } from '../../work/index.ts'
import type { LoadPackage } from './driver.ts'
import { toBackoff } from './runner.ts'

/** The members of an ioredis client that are called here. */
export interface StreamClient {
  /** `ready` while commands can be sent. */
  readonly status?: string
  connect(): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  disconnect(reconnect?: boolean): void
  on(event: 'error' | 'ready', listener: (reason?: unknown) => void): unknown
}

/** An entry of a stream: its id and its fields, or none when the entry was deleted meanwhile. */
export interface StreamEntry {
  readonly id: string
  readonly fields: ReadonlyMap<string, string> | undefined
}

type NewRedis = new (url: string, options: Readonly<Record<string, unknown>>) => StreamClient

const TIMEOUT_MS = 5000

/** Loads ioredis and answers how to make a client, not yet connected; nothing is queued or repeated behind our back. */
export async function loadRedis(
  name: string,
  load?: LoadPackage,
): Promise<(url: URL) => StreamClient> {
  const { Redis } = await loadOptional('ioredis', 'redis:', load, 'queue')
  return (url) => {
    const client = new (Redis as NewRedis)(url.href, {
      lazyConnect: true,
      connectionName: `waymark-${name}`,
      connectTimeout: TIMEOUT_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt: number) => toBackoff(attempt),
    })
    // Every failed attempt is an event; the loops that send commands report what matters.
    client.on('error', () => {})
    return client
  }
}

/** Sends a command, and breaks a connection whose other end has vanished. */
export async function sendCommand(
  client: StreamClient,
  command: readonly [string, ...string[]],
  withinMs: number = TIMEOUT_MS,
): Promise<unknown> {
  return withinTime(client.call(...command), withinMs, () => {
    client.disconnect(true)
    return new Error(`no answer within ${withinMs} ms`)
  })
}

/** Reads the entries of an answer of XREADGROUP for one stream: a list of pairs, or with RESP 3 one flat pair. */
export function readStreams(answer: unknown): readonly StreamEntry[] {
  if (!isList(answer)) return []
  const [first, second] = answer
  return readStreamEntries(isList(first) ? first[1] : second)
}

/** Reads a list of entries as Redis writes them: an id and a flat list of names and values. */
export function readStreamEntries(answer: unknown): readonly StreamEntry[] {
  if (!Array.isArray(answer)) return []
  return answer.flatMap((entry: unknown) => {
    if (!Array.isArray(entry)) return []
    const [id, flat] = entry as [unknown, unknown]
    return [{ id: toText(id), fields: Array.isArray(flat) ? toFields(flat) : undefined }]
  })
}

function toFields(flat: readonly unknown[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (let index = 0; index + 1 < flat.length; index += 2) {
    fields.set(toText(flat[index]), toText(flat[index + 1]))
  }
  return fields
}
