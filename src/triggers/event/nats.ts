import type { CallError } from '../../errors/index.ts'
import { loadOptional } from '../../store/index.ts'
import {
  askTimeout,
  type BusListener,
  type BusSubscription,
  busAway,
  decodeAnswer,
  decodeEvent,
  type EventBus,
  encodeBusAnswer,
  encodeBusEvent,
  nobodyListens,
  toBusEvent,
  tooLate,
} from './bus.ts'
import { listenWithRetry } from './listen.ts'
import type { OpenEventBusOptions } from './open.ts'

/** The members of a message of JetStream that are used here. */
export interface NatsMessage {
  string(): string
  ack(): void
  nak(delayMs?: number): void
  term(reason?: string): void
}

/** A message somebody waits for an answer to. */
interface NatsRequest {
  string(): string
  respond(text: string): boolean
}

/** The members of a NATS connection that are used here. */
export interface NatsConnection {
  request(
    subject: string,
    text: string,
    options: { readonly timeout: number },
  ): Promise<{ string(): string }>
  subscribe(
    subject: string,
    options: {
      readonly queue: string
      readonly callback: (error: Error | null, message: NatsRequest) => void
    },
  ): { unsubscribe(): void }
  isClosed(): boolean
  flush(): Promise<void>
  drain(): Promise<void>
}

/** What streams and consumers are made with. */
export interface NatsManager {
  readonly streams: {
    info(name: string): Promise<unknown>
    add(config: Readonly<Record<string, unknown>>): Promise<unknown>
  }
  readonly consumers: {
    add(stream: string, config: Readonly<Record<string, unknown>>): Promise<unknown>
  }
}

/** What publishes to streams and reads from them. */
export interface NatsStreams {
  publish(subject: string, text: string, options: { readonly msgID: string }): Promise<unknown>
  readonly consumers: {
    get(
      stream: string,
      name: string,
    ): Promise<{
      consume(options: { readonly max_messages: number }): Promise<NatsMessages>
    }>
  }
}

/** Messages as they come, until they are closed. */
export interface NatsMessages extends AsyncIterable<NatsMessage> {
  close(): Promise<unknown>
}

/** A connection with what is made on it. */
export interface NatsLink {
  readonly connection: NatsConnection
  readonly streams: NatsStreams
  readonly manager: NatsManager
}

/** Loads the clients of NATS and answers how to connect with them. */
export async function loadNats(
  load?: (name: string) => Promise<unknown>,
): Promise<(url: URL) => Promise<NatsLink>> {
  const transport = (await loadOptional(
    '@nats-io/transport-node',
    'nats:',
    load,
    'bus',
  )) as unknown as { connect(options: Readonly<Record<string, unknown>>): Promise<NatsConnection> }
  const jetstream = (await loadOptional('@nats-io/jetstream', 'nats:', load, 'bus')) as unknown as {
    jetstream(connection: NatsConnection): NatsStreams
    jetstreamManager(connection: NatsConnection): Promise<NatsManager>
  }
  return async (url) => {
    const { username, password } = url
    const connection = await transport.connect({
      servers: [`${url.hostname}:${url.port || '4222'}`],
      name: 'waymark',
      timeout: 5_000,
      reconnectTimeWait: 500,
      maxReconnectAttempts: -1,
      ...(url.protocol === 'tls:' && { tls: {} }),
      ...(username && password && { user: decodeURIComponent(username) }),
      ...(username && password && { pass: decodeURIComponent(password) }),
      ...(username && !password && { token: decodeURIComponent(username) }),
    })
    return {
      connection,
      streams: jetstream.jetstream(connection),
      manager: await jetstream.jetstreamManager(connection),
    }
  }
}

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
        await streams.publish(subject, encodeBusEvent(emitted), { msgID: emitted.id })
      } catch (thrown) {
        throw busAway('NATS', thrown)
      }
      return emitted.id
    },
    async ask(event, payload, options = {}) {
      const asked = toBusEvent(event, payload, options)
      const { connection } = await link().catch((thrown) => Promise.reject(busAway('NATS', thrown)))
      const answer = await connection
        .request(subjectOf('ask', event), encodeBusEvent(asked), { timeout: askTimeout(options) })
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
  if (event !== undefined) message.respond(await encodeBusAnswer(answer(event)))
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
