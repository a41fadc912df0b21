import { randomUUID } from 'node:crypto'
import {
  loadRedis,
  type StreamClient,
  type StreamEntry,
  sendCommand,
} from '../queue/redis-client.ts'
import { createStreamGroup, type StreamGroup } from '../queue/redis-group.ts'
import {
  askTimeout,
  type BusSubscription,
  busAway,
  decodeEvent,
  type EventBus,
  encodeBusEvent,
  matchesEvent,
  nobodyListens,
  toBusEvent,
} from './bus.ts'
import { listenWithRetry } from './listen.ts'
import type { OpenEventBusOptions } from './open.ts'
import { createRedisAsks, startConnecting, whenReady } from './redis-asks.ts'

const REDELIVER_MS = 30_000
const KEPT_EVENTS = 100_000
const BATCH = 100

/**
 * Opens a bus on a Redis stream: events are kept by the server as durably as it is set up to, each listener is a
 * consumer group that the processes of a service share.
 */
export async function openRedisBus(
  url: string,
  { namespace = 'waymark', redeliverMs = REDELIVER_MS, load }: OpenEventBusOptions,
): Promise<EventBus> {
  const makeClient = await loadRedis('bus', load)
  const connect = () => startConnecting(makeClient(new URL(url)))
  const stream = `${namespace}:events`
  const writer = connect()
  const readers = new Set<StreamClient>()
  const asks = createRedisAsks({ connect, writer, namespace })

  async function emitEvent(text: string): Promise<void> {
    const limit = ['MAXLEN', '~', String(KEPT_EVENTS)]
    await whenReady(writer)
    await sendCommand(writer, ['XADD', stream, ...limit, '*', 'event', text])
  }

  return {
    kind: 'redis',
    async emit(event, payload, options = {}) {
      const emitted = toBusEvent(event, payload, options)
      await emitEvent(encodeBusEvent(emitted)).catch((thrown) => {
        throw busAway('Redis', thrown)
      })
      return emitted.id
    },
    async ask(event, payload, options = {}) {
      const asked = toBusEvent(event, payload, options)
      const answer = await asks.ask(asked, askTimeout(options))
      if (!answer.heard) throw nobodyListens(event)
      return answer.result
    },
    async subscribe(subscription) {
      const reader = connect()
      readers.add(reader)
      const group = `${namespace}:${subscription.group}`
      const listener = await listenWithRetry('Redis', async (session) => {
        await Promise.all([whenReady(writer), whenReady(reader)])
        await createGroup(writer, stream, group)
        const consumer = { stream, group, consumer: randomUUID(), deletes: false, reader, writer }
        const members = createStreamGroup({ ...consumer, idleMs: redeliverMs })
        const forget = await asks.answer(subscription)
        session.onStop(() => {
          forget()
          void members.unblock().catch(() => {})
        })
        session.ready()
        await readEvents(members, subscription, { session, redeliverMs })
        await members.leave().catch(() => {})
      })
      return {
        trouble: listener.trouble,
        async stop() {
          await listener.stop()
          reader.disconnect()
          readers.delete(reader)
        },
      }
    },
    async close() {
      for (const reader of readers) reader.disconnect()
      asks.close()
      writer.disconnect()
    },
  }
}

interface Reading {
  readonly session: { readonly signal: AbortSignal }
  readonly redeliverMs: number
}

async function readEvents(
  group: StreamGroup,
  subscription: BusSubscription,
  { session: { signal }, redeliverMs }: Reading,
): Promise<void> {
  let claimAt = 0
  while (!signal.aborted) {
    if (performance.now() >= claimAt) {
      const { entries, isLast } = await group.claim(BATCH)
      await keepAll(group, subscription, entries)
      claimAt = isLast ? performance.now() + redeliverMs / 2 : 0
    }
    await keepAll(group, subscription, await group.read(BATCH))
  }
}

/** Keeps what the subscription is for and passes over the rest; what cannot be kept comes again. */
async function keepAll(
  group: StreamGroup,
  { event: pattern, keep }: BusSubscription,
  entries: readonly StreamEntry[],
): Promise<void> {
  const kept = await Promise.all(
    entries.map(async ({ id, fields }) => {
      const event = decodeEvent(fields?.get('event') ?? '')
      if (event === undefined || !matchesEvent(pattern, event.event)) return [id]
      return keep(event).then(
        () => [id],
        () => [],
      )
    }),
  )
  await group.acknowledge(kept.flat())
}

/** A new listener hears what is emitted from now on; one that was there before goes on where it was. */
async function createGroup(writer: StreamClient, stream: string, group: string): Promise<void> {
  try {
    await sendCommand(writer, ['XGROUP', 'CREATE', stream, group, '$', 'MKSTREAM'])
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.message.startsWith('BUSYGROUP'))) throw thrown
  }
}
