import type { CallError } from '../core/error.ts'
import {
  askTimeout,
  type BusListener,
  type BusSubscription,
  type EventBus,
  nobodyListens,
  toBusEvent,
  tooLate,
} from './bus.ts'
import { busAway, decodeAnswer, decodeEvent, encodeAnswer, encodeEvent } from './bus-answer.ts'
import { listenWithRetry } from './bus-listen.ts'
import { loadNats, type NatsLink, type NatsMessage } from './bus-nats-client.ts'
import type { OpenEventBusOptions } from './open-bus.ts'

const NANOSECONDS = 1_000_000
const WEEK_MS = 7 * 24 * 3_600_000
const REDELIVER_MS = 30_000
const FAILED_MS = 1_000
const PREFETCH = 100

/**
 * Opens a bus on NATS JetStream: events are kept on disk by the server, each listener is a durable consumer that the
 * processes of a service share.
 */
export async function openNatsBus(
  url: string,
  { namespace = 'waymark', redeliverMs = REDELIVER_MS, load }: OpenEventBusOptions,
): Promise<EventBus> {
  const connect = await loadNats(load)
  const stream = `${toName(namespace)}_events`
  const subjectOf = (kind: 'event' | 'ask', event: string) =>
    `${toName(namespace)}.${kind}.${event}`
  let opened: Promise<NatsLink> | undefined

  async function link(): Promise<NatsLink> {
    opened ??= open().catch((thrown: unknown) => {
      opened = undefined
      throw thrown
    })
    const found = await opened
    if (!found.connection.isClosed()) return found
    opened = undefined
    return link()
  }

  async function open(): Promise<NatsLink> {
    const made = await connect(new URL(url))
    await made.manager.streams.info(stream).catch(() =>
      made.manager.streams.add({
        name: stream,
        subjects: [subjectOf('event', '>')],
        max_age: WEEK_MS * NANOSECONDS,
      }),
    )
    return made
  }

  return {
    kind: 'nats',
    async emit(event, payload, options = {}) {
      const emitted = toBusEvent(event, payload, options)
      try {
        const { streams } = await link()
        const subject = subjectOf('event', event)
        await streams.publish(subject, encodeEvent(emitted), { msgID: emitted.id })
      } catch (thrown) {
        throw busAway('NATS', thrown)
      }
      return emitted.id
    },
    async ask(event, payload, options = {}) {
      const asked = toBusEvent(event, payload, options)
      const { connection } = await link().catch((thrown) => Promise.reject(busAway('NATS', thrown)))
      const answer = await connection
        .request(subjectOf('ask', event), encodeEvent(asked), { timeout: askTimeout(options) })
        .catch((thrown: unknown) => Promise.reject(toAskError(thrown, event)))
      return decodeAnswer(answer.string(), event)
    },
    subscribe: (subscription) =>
      listenWithRetry('NATS', async (session) => {
        const { connection, streams, manager } = await link()
        const durable = toName(subscription.group)
        await manager.consumers.add(stream, {
          durable_name: durable,
          filter_subject: subjectOf('event', subscription.event),
          deliver_policy: 'new',
          ack_policy: 'explicit',
          ack_wait: redeliverMs * NANOSECONDS,
          max_ack_pending: PREFETCH * 10,
          // The place of a trigger that is gone need not be kept longer than the events.
          inactive_threshold: WEEK_MS * NANOSECONDS,
        })
        const consumer = await streams.consumers.get(stream, durable)
        const messages = await consumer.consume({ max_messages: PREFETCH })
        const asks = connection.subscribe(subjectOf('ask', subscription.event), {
          queue: 'ask',
          callback: (_error, message) => void answerRequest(subscription, message),
        })
        session.onStop(() => {
          asks.unsubscribe()
          void messages.close()
        })
        session.ready()
        for await (const message of messages) session.track(handle(subscription, message))
        asks.unsubscribe()
        // Until the server knows, it would hand questions to somebody who no longer answers.
        await connection.flush()
      }) satisfies Promise<BusListener>,
    async close() {
      const found = await opened?.catch(() => undefined)
      if (found && !found.connection.isClosed()) await found.connection.drain()
    },
  }
}

async function handle({ keep }: BusSubscription, message: NatsMessage): Promise<void> {
  const event = decodeEvent(message.string())
  if (event === undefined) return message.term('not an event')
  await keep(event).then(
    () => message.ack(),
    () => message.nak(FAILED_MS),
  )
}

async function answerRequest(
  { answer }: BusSubscription,
  message: { string(): string; respond(text: string): boolean },
): Promise<void> {
  const event = decodeEvent(message.string())
  if (event !== undefined) message.respond(await encodeAnswer(answer(event)))
}

function toAskError(thrown: unknown, event: string): CallError {
  const { name = '', message = '' } = thrown instanceof Error ? thrown : {}
  if (/no responders/i.test(message) || name === 'NoRespondersError') return nobodyListens(event)
  if (/timeout/i.test(message) || name === 'TimeoutError') return tooLate(event)
  return busAway('NATS', thrown)
}

/** What names of streams and consumers may be made of. */
function toName(text: string): string {
  return text.replace(/[^\w-]/g, '_')
}
